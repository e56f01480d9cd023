import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHandoff } from '../../../test/support/store/builders.ts'
import { STATES, TRANSITIONS } from '../lifecycle.ts'
import { isMarkdownStep, MARKDOWN_STATUSES, MARKDOWN_TRANSITIONS, markdownStatus } from './markdown-status.ts'

const sent_at = '2026-02-21T14:35:00.000Z'
/** A state of ours for each status of the document. */
const LIKE = {
  Created: aHandoff({ state: 'draft' }),
  Active: aHandoff({ state: 'offered', sent_at }),
  Acknowledged: aHandoff({ state: 'accepted', sent_at }),
  Complete: aHandoff({ state: 'completed', sent_at }),
  Expired: aHandoff({ state: 'expired', sent_at }),
  Rejected: aHandoff({ state: 'rejected', sent_at }),
}

describe('the statuses of document 000', () => {
  it('[S0-22] are these six, spelt like this', () => {
    assert.deepEqual(MARKDOWN_STATUSES, [
      'Created',
      'Active',
      'Acknowledged',
      'Complete',
      'Expired',
      'Rejected',
    ])
  })

  it('[S0-22] tell of every state of ours', () => {
    const told = STATES.map((state) => `${state} ${markdownStatus({ state, sent_at })}`)

    assert.deepEqual(told, [
      'draft Created',
      'offered Active',
      'accepted Acknowledged',
      'in_progress Acknowledged',
      'blocked Acknowledged',
      'needs_input Acknowledged',
      'in_review Acknowledged',
      'retry_wait Acknowledged',
      'completed Complete',
      'failed Rejected',
      'rejected Rejected',
      'expired Expired',
      'cancelled Rejected',
    ])
  })

  it('call a question about an offer Active, and a draft that was taken back Expired (A0-20)', () => {
    assert.equal(markdownStatus({ state: 'needs_input', resume: 'offered', sent_at }), 'Active')
    assert.equal(markdownStatus({ state: 'needs_input', resume: 'accepted', sent_at }), 'Acknowledged')
    assert.equal(markdownStatus({ state: 'cancelled' }), 'Expired')
  })
})

describe('the transitions of document 000', () => {
  const pairs = MARKDOWN_STATUSES.flatMap((from) => MARKDOWN_STATUSES.map((to) => [from, to] as const))
  const listed = pairs
    .filter(([from, to]) => MARKDOWN_TRANSITIONS[from].includes(to))
    .map((p) => p.join(' → '))

  it('[S0-30] are 7 of the 36 pairs', () => {
    assert.deepEqual(listed, [
      'Created → Active',
      'Created → Expired',
      'Active → Acknowledged',
      'Active → Expired',
      'Active → Rejected',
      'Acknowledged → Complete',
      'Acknowledged → Rejected',
    ])
  })

  it('[S0-30] [S0-31] let a step pass only where it is one of them, or where nothing changes for the document', () => {
    const allowed = pairs
      .filter(([from, to]) => isMarkdownStep(LIKE[from], LIKE[to]))
      .map((p) => p.join(' → '))

    const still = ['Created → Created', 'Active → Active', 'Acknowledged → Acknowledged']
    assert.deepEqual(allowed.sort(), [...listed, ...still].sort())
  })

  it('[S0-31] never let a terminal status be left by any row of our own table', () => {
    const left = TRANSITIONS.filter(({ from, to }) => {
      const before = { state: from, sent_at }
      return (
        MARKDOWN_TRANSITIONS[markdownStatus(before)].length === 0 &&
        isMarkdownStep(before, { state: to, sent_at })
      )
    })

    assert.deepEqual(left, [])
  })
})
