import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeKilling, EVERY_CUT, EVIDENCE, send } from '../mcp/killing.ts'
import { agentAt, describePassing, newPlace } from '../mcp/passing.ts'

describePassing(100)
describeKilling('sqlite', EVERY_CUT)
// The others are in the long suite: what a process held is held by the store, and that is the same code.
describeKilling('postgres', [3, 5])

describe('an agent process', () => {
  it('does not take the work of another process of the same agent, on either engine', async (t) => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const place = await newPlace(t, engine)
      const [sender, first, second] = await Promise.all(
        ['ana', 'ben', 'ben'].map((name) => agentAt(t, place, name)),
      )
      const id = await send(sender!, 'ben')
      await first!.call('handoff_accept', { id })

      const refusals = [
        await second!.refused('handoff_submit', { id, evidence: EVIDENCE }),
        await second!.refused('handoff_fail', { id, message: 'Not mine' }),
        await second!.refused('handoff_reject', { id, reason: 'Not mine' }),
        await second!.refused('handoff_ask', { id, question: 'Mine?' }),
      ]

      for (const { code, text } of refusals) {
        assert.equal(code, 'not_allowed')
        assert.match(text, /held by another session of ben/)
      }
      const { handoff } = await first!.call<{ handoff: { state: string } }>('handoff_submit', {
        id,
        evidence: EVIDENCE,
      })
      assert.equal(handoff.state, 'in_review')
    }
  })
})
