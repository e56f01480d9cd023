import { after } from 'node:test'
import { describeWorkspaces } from '../support/servers/many-workspaces.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/servers/postgres.ts'

const servers: OwnPostgres[] = []
after(() => Promise.all(servers.map((server) => server.stop())))

describeWorkspaces({
  workspaces: 1_000,
  servers: async () => {
    for (let i = 0; i < 8; i += 1) servers.push(await startOwnPostgres())
    return servers.map(({ url }) => url)
  },
})
