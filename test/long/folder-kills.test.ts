import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { INTAKES, KilledIntake } from '../faults/intakes.ts'

describe('an intake whose process is killed at every effect', () => {
  for (const name of Object.keys(INTAKES))
    it(`leaves the whole change or none of it, and nothing twice: ${name}`, async (t) => {
      const intake = new KilledIntake(name)
      t.after(() => intake.remove())
      await intake.prepare()
      const whole = await intake.endWhenKilled(Number.MAX_SAFE_INTEGER)
      for (let at = 1; ; at++) {
        const { end, effects } = await intake.endWhenKilled(at)
        assert.deepEqual(end, whole.end, `killed before effect ${at} of ${whole.effects}`)
        if (effects !== undefined) break
      }
    })
})
