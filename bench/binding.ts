// What does it cost a send that its rows are bound to the log? The second of two bindings is the price of one, on each engine.
// Not measured: a network between Baton and PostgreSQL, which makes a send slower and the binding not.
import { join } from 'node:path'
import { encodeDisclosure } from '../src/audit/disclosure.ts'
import { createService, openStore, type StoreTarget } from '../src/compose/main.ts'
import { salt, sha256 } from '../src/crypto/crypto.ts'
import type { Handoff } from '../src/domain/handoffs/handoff.ts'
import type { Service } from '../src/service/service.ts'
import { statesIn } from '../src/storage/loaded.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { type Finding, inFolder, median, perSecond, slices, throughput } from './support/measure.ts'

const ROUNDS = 5
/** A round goes from side to side this often: the disk's speed changes within a second. */
const SLICES = 6
const SENDS = 50

export const binding = (): Promise<readonly Finding[]> =>
  inFolder(async (folder) => {
    const server = await startPostgres()
    try {
      return [
        await costOf('SQLite', { engine: 'sqlite', path: join(folder, 'baton.db') }),
        await costOf('PostgreSQL', { engine: 'postgres', url: server.url, workspace: 'bench' }),
      ]
    } finally {
      await server.stop()
    }
  })

async function costOf(name: string, target: StoreTarget): Promise<Finding> {
  const store = await openStore(target)
  try {
    const service = createService(store)
    await throughput(1, SENDS, () => send(service))
    const rounds = await slices(ROUNDS, SLICES, {
      sent: () => throughput(1, SENDS, () => send(service)),
      bound: () => throughput(1, SENDS, async () => bindAgain(await send(service))),
    })
    return {
      question: `${name}: send with its rows bound to the log twice, against once`,
      ratio: median(rounds.map(({ sent, bound }) => sent / bound)),
      detail: `${perSecond(median(rounds.map(({ sent }) => sent)))} sends; the second binding is the price of one`,
      bound: { sign: '<=', value: 1.1 },
    }
  } finally {
    await store.close()
  }
}

let sent = 0

/** Each pair of agents has at most eight handoffs open. */
async function send({ sending }: Service): Promise<Handoff> {
  const pair = Math.floor(sent++ / 8)
  const given = { to: `taker-${pair}`, title: 'Rate limits', summary: 'Limit the public API' }
  return (await sending.send({ actor: { name: `giver-${pair}`, kind: 'agent', auth: 'os-user' } }, given))
    .handoff
}

/** All that the log does for the rows of one send, beside the send itself. */
function bindAgain(handoff: Handoff): void {
  const { uid } = handoff
  const content = { package: { summary: 'Limit the public API' }, thread: [], verifications: [] }
  const rows = Object.entries({ handoff, content }).map(
    ([table, row]) => [`${table} ${uid}`, { table, owner: uid, row }] as const,
  )
  for (const state of statesIn([{ subject: uid }], new Map(rows)).values())
    for (const [name, value] of Object.entries(state))
      sha256(encodeDisclosure(salt(), name, value), 'base64url')
}
