import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHandoff } from '../../../test/support/store/builders.ts'
import { ENDS, isOpen, STATES } from '../lifecycle.ts'
import { answerFor } from './debts.ts'

const rejection = { type: 'other', message: 'not mine', by: 'codex', at: '2026-02-21T15:00:00.000Z' }
const error = { code: 'PROCESSING_ERROR', message: 'no compiler' }
const told = (given: Parameters<typeof aHandoff>[0], by: string) => {
  const answer = answerFor(aHandoff(given), by)
  return answer && `${answer.form} ${answer.kind} to ${answer.to}: ${answer.text}`
}

describe('the end of a delegation', () => {
  const delegation = { type: 'delegation', debt: 'open', rejection, error } as const

  it('is owed to the asker in one of these forms', () => {
    assert.deepEqual(
      ENDS.map((state) => told({ ...delegation, state, accepted_by: 'codex' }, 'baton')),
      [
        'return returned to planner: Handoff HO-2026-001 is completed',
        'notice failed to planner: Handoff HO-2026-001 failed: no compiler',
        'notice rejected to planner: Handoff rejected: not mine',
        'notice expired to planner: Handoff HO-2026-001 expired without acknowledgment',
        'notice cancelled to codex: Handoff HO-2026-001 was cancelled',
      ],
    )
  })

  it('is owed also when the asker ended it by verifying', () => {
    assert.equal(
      told({ ...delegation, state: 'completed' }, 'planner'),
      'return returned to planner: Handoff HO-2026-001 is completed',
    )
  })
})

describe('the end of other work', () => {
  it('[S0-100] [S0-104] is told in the words of document 000', () => {
    assert.equal(
      told({ state: 'expired' }, 'baton'),
      'notice expired to planner: Handoff HO-2026-001 expired without acknowledgment',
    )
    assert.equal(
      told({ state: 'rejected', rejection }, 'codex'),
      'notice rejected to planner: Handoff rejected: not mine',
    )
  })

  it('is told to the sender unless it ended the work itself', () => {
    assert.equal(
      told({ state: 'completed' }, 'maria'),
      'notice completed to planner: Handoff HO-2026-001 is completed',
    )
    assert.equal(told({ state: 'completed' }, 'planner'), undefined)
  })

  it('is told to the holder when the sender cancels, and to nobody when nobody had it', () => {
    assert.equal(told({ state: 'cancelled' }, 'planner'), undefined)
    assert.equal(
      told({ state: 'cancelled', accepted_by: 'codex' }, 'planner'),
      'notice cancelled to codex: Handoff HO-2026-001 was cancelled',
    )
  })

  it('is told of no return, so that answers are not answered', () => {
    for (const state of ENDS) assert.equal(told({ type: 'return', state }, 'baton'), undefined)
  })

  it('is told of nothing that is still open', () => {
    for (const state of STATES.filter(isOpen))
      assert.equal(told({ type: 'delegation', debt: 'open', state }, 'codex'), undefined)
  })

  it('says that no reason was given where a failure has none', () => {
    assert.equal(
      told({ state: 'failed' }, 'codex'),
      'notice failed to planner: Handoff HO-2026-001 failed: no reason given',
    )
  })
})
