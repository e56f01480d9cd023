import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Draft } from '../../dialects/draft.ts'
import type { ForeignChange } from '../folder.ts'
import { plan } from './plan.ts'

const AT = '2026-02-21T14:30:00Z'
const BASE: Draft = {
  id: 'handoff-grok-claude-BPRD-2026-0042-20260221',
  from: 'grok',
  to: 'claude',
  task: 'BPRD-2026-0042',
  state: 'offered',
  created_at: AT,
  updated_at: AT,
  ack_deadline: AT,
  title: 'Dashboard',
  package: { purpose: 'a', context: 'b', deliverables: ['c'], criteria: ['3 tests pass'], links: {} },
}

/** The call that a change of one field asks for, or the refusal. */
function askedBy(change: Draft): string {
  const file = { ...BASE, ...change, package: { ...BASE.package, ...change.package } }
  const handoff = { uid: 'u', id: 'HO-1', from: 'grok', to: 'claude', state: 'offered' }
  const where = { path: 'active/x.md', place: 'active/x.md', accept: new Set(['verification']) }
  const made = plan({ ...where, handoff, base: BASE, now: BASE, file } as unknown as ForeignChange)
  return made.ok ? made.calls.map(({ op }) => op).join(', ') : made.reason
}

describe('an edit of one key of a markdown file', () => {
  it('asks for an amendment where the key is content', () => {
    for (const name of ['purpose', 'context'] as const)
      assert.equal(askedBy({ package: { [name]: 'z' } }), 'handoff_amend', name)
    for (const name of ['deliverables', 'criteria'] as const)
      assert.equal(askedBy({ package: { [name]: ['z'] } }), 'handoff_amend', name)
    assert.equal(askedBy({ title: 'z' }), 'handoff_amend')
    assert.equal(askedBy({ package: { links: { meeting: 'z' } } }), 'handoff_amend')
  })

  it('asks for nothing where the key is left to its author or set by a step', () => {
    const later = '2026-02-22T00:00:00Z'
    for (const change of [{ target_completion: 'z' }, { from_role: 'z' }, { body: 'z' }, { extra: { z: 1 } }])
      assert.equal(askedBy(change), '', JSON.stringify(change))
    for (const change of [{ updated_at: later }, { accepted_at: later }, { ended_at: later }])
      assert.equal(askedBy(change), '', JSON.stringify(change))
  })

  it('is refused by the name of the key elsewhere', () => {
    const refused: readonly (readonly [string, Draft])[] = [
      ['handoff_id', { id: 'z' }],
      ['to_agent', { to: 'z' }],
      ['related_task', { task: 'z' }],
      ['expires_at', { ack_deadline: '2026-02-22T00:00:00Z' }],
      ['acknowledged_by', { accepted_by: 'claude' }],
      ['acknowledgment_notes', { ack_notes: 'z' }],
      ['rejection_reason', { rejection: { type: 'other', message: 'z' } }],
      ['completion_notes', { result: { note: 'z' } }],
      ['priority', { priority: 'high' }],
    ]
    for (const [key, change] of refused) assert.equal(askedBy(change), `${key} cannot be changed in the file`)
  })
})
