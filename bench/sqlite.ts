// How many transitions does SQLite carry for each bare durable commit of the same run?
// A bare commit is one row of 300 bytes in one table, WAL, synchronous=FULL: the machine's own limit.
// Not measured: other processes, cold caches, disks slower or faster than this one.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createService, openStore } from '../src/compose/main.ts'
import { lifecycle, TRANSITIONS } from './support/lifecycle.ts'
import { type Finding, inFolder, median, perSecond, slices, throughput } from './support/measure.ts'

const ROUNDS = 5
/** A round goes from side to side this often: the disk's speed changes within a second. */
const SLICES = 6
const BARE_COMMITS = 500
const ALONE = 50
const TOGETHER = 530

export const sqlite = (): Promise<readonly Finding[]> =>
  inFolder(async (folder) => {
    const store = await openStore({ engine: 'sqlite', path: join(folder, 'baton.db') })
    const service = createService(store)
    const bare = bareStore(join(folder, 'bare.db'))
    await throughput(8, 200, (i, c) => lifecycle(service, i, c))
    const rounds = await slices(ROUNDS, SLICES, {
      bare: () => bare(BARE_COMMITS),
      one: async () => (await throughput(1, ALONE, (i, c) => lifecycle(service, i, c))) * TRANSITIONS,
      many: async () => (await throughput(32, TOGETHER, (i, c) => lifecycle(service, i, c))) * TRANSITIONS,
    })
    await store.close()
    const versus = (name: string, side: 'one' | 'many', least: number): Finding => {
      const middle = (rate: (round: (typeof rounds)[number]) => number) => median(rounds.map(rate))
      return {
        question: `SQLite, ${name}: transitions per bare durable commit`,
        ratio: middle((round) => round[side] / round.bare),
        detail: `${perSecond(middle((round) => round[side]))} against ${perSecond(middle(({ bare }) => bare))} commits (WAL, synchronous=FULL, median of ${ROUNDS} rounds)`,
        bound: { sign: '>=', value: least },
      }
    }
    return [versus('one caller', 'one', 0.25), versus('32 callers', 'many', 1)]
  })

export function bareStore(path: string): (commits: number) => number {
  const db = new DatabaseSync(path)
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (id INTEGER PRIMARY KEY, body TEXT)',
  )
  const insert = db.prepare('INSERT INTO row (body) VALUES (?)')
  const body = 'x'.repeat(300)
  return (commits) => {
    const started = performance.now()
    for (let i = 0; i < commits; i++) insert.run(body)
    return (commits / (performance.now() - started)) * 1_000
  }
}
