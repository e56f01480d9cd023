import { after } from 'node:test'
import { startOwnPostgres, systemPostgres } from '../../../test/support/servers/postgres.ts'
import { newPostgresPlace } from '../../../test/support/store/store-places.ts'
import { describeStoreContract } from '../store.contract.ts'

/** The oldest version that is supported, where the machine has it; the newest comes from npm. */
const bin = systemPostgres(15)
if (bin !== undefined) {
  const server = await startOwnPostgres([bin])
  after(() => server.stop())
  describeStoreContract('postgres 15', () => newPostgresPlace(server.url))
}
