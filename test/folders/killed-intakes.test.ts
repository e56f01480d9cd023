import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { INTAKES, KilledIntake } from '../faults/intakes.ts'

/** Spread over the pass; the long suite kills at every effect. */
const POINTS = [0.3, 0.45, 0.6, 0.75, 0.9]

describe('an intake whose process is killed', () => {
  for (const name of Object.keys(INTAKES))
    it(`leaves the whole change or none of it, and nothing twice: ${name}`, async (t) => {
      const intake = new KilledIntake(name)
      t.after(() => intake.remove())
      await intake.prepare()
      const whole = await intake.endWhenKilled(Number.MAX_SAFE_INTEGER)
      assert.ok(whole.effects !== undefined && whole.effects > 20)

      for (const point of POINTS) {
        const at = Math.ceil(whole.effects * point)
        const { end, effects } = await intake.endWhenKilled(at)
        assert.equal(effects, undefined, `nobody was killed at ${at}`)
        assert.deepEqual(end, whole.end, `killed before effect ${at} of ${whole.effects}`)
      }
    })
})
