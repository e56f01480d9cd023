import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { randomOf } from '../../test/support/log/export-log.ts'
import {
  findingsIn,
  liveThrough,
  openTampered,
  randomEdit,
  rowsIn,
  SEEN_TABLES,
} from '../../test/support/log/tampering.ts'
import { ENGINES } from '../../test/support/program/workspace.ts'
import { verifyStates } from './state-verify.ts'

const EDITS = 60

for (const engine of ENGINES)
  describe(`rows and the log, on ${engine}`, () => {
    it(`agree in a store that Baton wrote, and ${EDITS} edits of what people see are found, each`, async (t) => {
      const w = await openTampered(t, engine)
      await liveThrough(w)
      assert.deepEqual(await findingsIn(w.store), [])
      assert.equal((await verifyStates(w.store)).unbound, 0)
      for (const table of SEEN_TABLES) assert.ok((await rowsIn(w, table)).length > 0, `${table} has rows`)

      const seed = 20_261_117
      const random = randomOf(seed)
      const missed: string[] = []
      for (let i = 0; i < EDITS; i += 1) {
        const table = random.pick(SEEN_TABLES)
        const { about, apply, undo } = randomEdit(w, random, table, random.pick(await rowsIn(w, table)))
        await apply()
        if ((await findingsIn(w.store)).length === 0) missed.push(about)
        await undo()
      }
      assert.deepEqual(missed, [], `seed ${seed}`)
      assert.deepEqual(await findingsIn(w.store), [])
    })
  })
