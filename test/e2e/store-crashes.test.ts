import { after, describe, it } from 'node:test'
import { crash } from '../faults/crashes.ts'
import { Pool } from '../faults/pool.ts'
import { newPostgresPlace, newSqlitePlace } from '../store-places.ts'

const CYCLES = 50

describe('processes that are killed in the middle of their work', () => {
  const pool = new Pool()
  after(() => pool.close())

  for (const [engine, newPlace] of [
    ['sqlite', newSqlitePlace],
    ['postgres', newPostgresPlace],
  ] as const)
    it(`lose nothing that was answered and leave nothing by halves: ${engine}, ${CYCLES} times`, async (t) => {
      const { target, remove } = newPlace()
      t.after(remove)
      const seed = Date.now() % 1_000_000

      const { answers, repeated } = await crash(pool, target, CYCLES, seed)

      t.diagnostic(`seed ${seed}: ${answers} answers kept, ${repeated} calls asked again`)
    })
})
