import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHandoff } from '../../../test/support/store/builders.ts'
import { holderKey } from '../actor.ts'
import { STATES } from '../lifecycle.ts'
import { PRIORITIES, RANK } from '../priority.ts'
import { dueOf } from './deadlines.ts'
import { Handoff, RetryRule } from './handoff.ts'

const times = {
  ack_deadline: '2026-02-21T18:35:00.000Z',
  lease_until: '2026-02-21T16:00:00.000Z',
  not_before: '2026-02-21T15:00:30.000Z',
}

describe('what the engine must do next', () => {
  it('follows from the state alone, each with the instant that belongs to it', () => {
    const due = STATES.map((state) => `${state}: ${dueOf(aHandoff({ state, ...times }))?.kind ?? 'nothing'}`)

    assert.deepEqual(due, [
      'draft: expire',
      'offered: expire',
      'accepted: lease',
      'in_progress: lease',
      'blocked: lease',
      'needs_input: nothing',
      'in_review: nothing',
      'retry_wait: retry',
      'completed: nothing',
      'failed: nothing',
      'rejected: nothing',
      'expired: nothing',
      'cancelled: nothing',
    ])
    assert.deepEqual(dueOf(aHandoff({ state: 'offered', ...times })), {
      at: times.ack_deadline,
      kind: 'expire',
    })
    assert.deepEqual(dueOf(aHandoff({ state: 'blocked', ...times })), {
      at: times.lease_until,
      kind: 'lease',
    })
    assert.deepEqual(dueOf(aHandoff({ state: 'retry_wait', ...times })), {
      at: times.not_before,
      kind: 'retry',
    })
  })

  it('[S0-35] is nothing where there is no deadline, lease or instant', () => {
    for (const state of STATES) assert.equal(dueOf(aHandoff({ state })), undefined)
  })
})

describe('a handoff', () => {
  it('is taken by its schema field for field, and nothing else', () => {
    const handoff = aHandoff({ ...times, retry: { max: 3, delay_s: 30, multiplier: 2 } })

    assert.deepEqual(Handoff().parse({ ...handoff, unknown: 1 }), handoff)
    for (const wrong of [{ state: 'Active' }, { rev: 1.5 }, { home: 'yaml' }, { priority: 'urgent' }])
      assert.equal(Handoff().safeParse({ ...handoff, ...wrong }).success, false, JSON.stringify(wrong))
  })

  it('takes no retry rule that grows backwards or has no end', () => {
    const rule = { max: 3, delay_s: 30, multiplier: 2 }

    for (const wrong of [{ max: -1 }, { max: 101 }, { delay_s: -1 }, { multiplier: 0.5 }])
      assert.equal(RetryRule().safeParse({ ...rule, ...wrong }).success, false, JSON.stringify(wrong))
  })
})

describe('its holder', () => {
  it('is another for each instance of an agent', () => {
    assert.equal(holderKey('codex'), 'codex')
    assert.equal(holderKey('codex', 'one'), 'codex#one')
  })
})

describe('its priority', () => {
  it('ranks critical first and low last', () => {
    assert.deepEqual(
      [...PRIORITIES].sort((a, b) => RANK[a] - RANK[b]),
      ['critical', 'high', 'normal', 'low'],
    )
  })
})
