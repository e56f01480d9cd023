import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Draft } from '../draft.ts'
import { checkMarkdown, checkPlace } from './check.ts'

const GOOD: Draft = {
  id: 'handoff-grok-claude-BPRD-2026-0042-20260221',
  from: 'grok',
  to: 'claude',
  task: 'BPRD-2026-0042',
  state: 'offered',
  created_at: '2026-02-21T14:30:00Z',
  updated_at: '2026-02-21T14:35:00Z',
  ack_deadline: '2026-02-21T18:35:00Z',
  package: { deliverables: ['Middleware', 'Tests'], criteria: ['npm test passes'] },
}
const HOME = '_handoffs/active/handoff-grok-claude-BPRD-2026-0042-20260221.md'

const codes = (draft: Draft, path?: string): string[] =>
  [...checkMarkdown(draft, path)].map(({ code }) => code)
const changed = (change: Draft): string[] => codes({ ...GOOD, ...change })

describe('checks beyond parsing', () => {
  it('finds nothing wrong with a document that is right', () => {
    assert.deepEqual([...checkMarkdown(GOOD, HOME)], [])
  })

  it('[S0-08] wants the file to be called after the id', () => {
    const path = '_handoffs/active/handoff-grok-claude-BPRD-2026-0043-20260221.md'
    const [finding] = checkMarkdown(GOOD, path)
    assert.equal(finding?.code, 'name_differs')
    assert.match(finding?.message ?? '', /rename the file to handoff-grok-claude-BPRD-2026-0042-20260221\.md/)
    assert.deepEqual(codes(GOOD, HOME.replace('.md', '_063331.md')), [])
  })

  it('[S0-09] [S0-10] wants the id to name sender, receiver, task and the day of creation in UTC', () => {
    assert.deepEqual(changed({ from: 'gemini' }), ['id_contradicts'])
    assert.deepEqual(changed({ to: 'gemini' }), ['id_contradicts'])
    assert.deepEqual(changed({ task: 'BPRD-2026-0043' }), ['id_contradicts'])
    assert.deepEqual(changed({ created_at: '2026-02-20T23:30:00Z' }), ['id_contradicts'])
    assert.deepEqual(changed({ id: 'HO-7' }), ['id_form'])
  })

  it('[S0-66] wants a BPRD id for the task', () => {
    for (const task of ['P0.1.2', 'BPRD-26-1', 'bprd-2026-0042', 'Write tests'])
      assert.ok(changed({ id: 'x', task }).includes('task_form'), task)
    assert.ok(!changed({ task: 'BPRD-2026-12345' }).includes('task_form'))
  })

  it('reports times in an order that cannot be', () => {
    assert.deepEqual(changed({ updated_at: '2026-02-21T14:00:00Z' }), ['time_order'])
    assert.deepEqual(changed({ accepted_at: '2026-02-21T14:00:00Z' }), ['time_order'])
    assert.deepEqual(changed({ ack_deadline: '2026-02-20T14:00:00Z' }), ['time_order'])
    assert.deepEqual(changed({ accepted_at: '2026-02-21T16:00:00Z', ended_at: '2026-02-21T15:00:00Z' }), [
      'time_order',
    ])
    // A day without a time is midnight, which is no contradiction on the same day.
    assert.deepEqual(changed({ accepted_at: '2026-02-21T00:00:00Z' }), [])
  })

  it('[S0-82] [S0-84] wants a check with evidence for every deliverable, and none for others', () => {
    const check = (deliverable: string, evidence = 'PR 1') => ({
      deliverable,
      status: 'verified' as const,
      evidence,
    })
    const verified = (...deliverable_checks: ReturnType<typeof check>[]): Draft => ({
      verification: {
        verified_at: '2026-02-21T20:00:00Z',
        verified_by: 'perplexity',
        pass: true,
        deliverable_checks,
      },
    })
    assert.deepEqual(changed(verified(check('Middleware'), check(' Tests '))), [])
    assert.deepEqual(changed(verified(check('Middleware'))), ['deliverable_unchecked'])
    assert.deepEqual(changed(verified(check('Middleware'), check('Tests', ' '))), ['deliverable_unchecked'])
    assert.deepEqual(changed(verified(check('Middleware'), check('Tests'), check('Docs'))), [
      'deliverable_unknown',
    ])
    const done = {
      ...GOOD,
      ...verified(check('Middleware')),
      state: 'completed' as const,
      accepted_at: '2026-02-21T15:00:00Z',
    }
    assert.equal(
      [...checkMarkdown(done)].find(({ code }) => code === 'deliverable_unchecked')?.severity,
      'error',
    )
  })

  it('reports a deliverable that stands twice, and a criterion that cannot be measured', () => {
    assert.deepEqual(changed({ package: { deliverables: ['A', 'B', 'A '] } }), ['duplicate_deliverable'])
    const [finding] = checkMarkdown({ package: { criteria: ['It passes', 'It is clean'] } })
    assert.deepEqual([finding?.code, finding?.below], ['vague_criterion', [1]])
  })

  it('[S0-76] [S0-77] wants the receiver to acknowledge before anything is complete', () => {
    assert.deepEqual(changed({ accepted_by: 'gemini' }), ['acknowledged_by_other'])
    assert.deepEqual(changed({ state: 'completed' }), ['complete_unacknowledged'])
  })

  it('[S0-11] [S0-12] [S0-13] says where a handoff may not stand, and where it belongs', () => {
    for (const path of [
      '_agents/grok/_handoffs/handoff-a.md',
      'research/daily/processed/handoff-a.md',
      'docs/handoff-a.md',
    ]) {
      const [finding] = checkPlace(path, 'offered')
      assert.equal(finding?.code, 'wrong_place', path)
      assert.match(finding?.message ?? '', /_handoffs\/active\//)
    }
    assert.deepEqual(checkPlace('handoff-a.md', 'offered'), [])
  })

  it('[S0-36] [S0-37] wants what is open in active/ and what has ended in archived/', () => {
    const misplaced = (path: string, state: Draft['state']) => checkPlace(path, state).length === 1
    assert.ok(!misplaced('_handoffs/active/a.md', 'accepted'))
    assert.ok(!misplaced('_handoffs/archived/2026/02/a.md', 'completed'))
    assert.ok(misplaced('_handoffs/active/a.md', 'expired'))
    assert.ok(misplaced('_handoffs/archived/2026/02/a.md', 'offered'))
    assert.ok(misplaced('_handoffs/archived/2026/a.md', 'rejected'))
    assert.ok(misplaced('_handoffs/archived/2026/13/a.md', 'rejected'))
    assert.ok(misplaced('_handoffs/a.md', undefined))
  })
})
