import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dayInName, handoffId, originalOf, parseName, stemOf } from './names.ts'

describe('names of handoffs', () => {
  it('[S0-05] [S0-06] takes an id apart, though the task has hyphens too', () => {
    assert.deepEqual(parseName('handoff-grok-claude-BPRD-2026-0042-20260221'), {
      ok: true,
      parts: { from: 'grok', to: 'claude', task: 'BPRD-2026-0042', date: '20260221' },
    })
  })

  it('[S0-07] takes the other ids of the document apart', () => {
    const ids: Record<string, readonly string[]> = {
      'handoff-grok-claude-BPRD-2026-0043-20260221': ['grok', 'claude', 'BPRD-2026-0043', '20260221'],
      'handoff-claude-abacus-BPRD-2026-0041-20260220': ['claude', 'abacus', 'BPRD-2026-0041', '20260220'],
      'handoff-grok-claude-BPRD-2026-0040-20260219': ['grok', 'claude', 'BPRD-2026-0040', '20260219'],
      'handoff-claude-abacus-BPRD-2026-0038-20260218': ['claude', 'abacus', 'BPRD-2026-0038', '20260218'],
    }
    for (const [id, expected] of Object.entries(ids)) {
      const name = parseName(id)
      assert.ok(name.ok)
      const { from, to, task, date } = name.parts
      assert.deepEqual([from, to, task, date], expected)
    }
  })

  it('reads the number of a second handoff on the same day', () => {
    const name = parseName('handoff-grok-claude-BPRD-2026-0042-20260221-2')
    assert.equal(name.ok && name.parts.copy, 2)
  })

  it('splits names with hyphens by the agents that are known, and guesses at nothing', () => {
    const one = parseName('handoff-react-specialist-claude-BPRD-2026-0042-20260221')
    assert.ok(one.ok)
    assert.deepEqual([one.parts.from, one.parts.to], ['react-specialist', 'claude'])
    const none = parseName('handoff-react-specialist-qa-lead-BPRD-2026-0042-20260221')
    assert.deepEqual(none, { ok: false, reason: 'ambiguous', task: 'BPRD-2026-0042', date: '20260221' })
    const known = parseName(
      'handoff-react-specialist-qa-lead-BPRD-2026-0042-20260221',
      new Set(['react-specialist', 'qa-lead']),
    )
    assert.ok(known.ok && known.parts.to === 'qa-lead')
    const several = parseName('handoff-a-b-c-BPRD-2026-0042-20260221', new Set(['a', 'b-c', 'a-b', 'c']))
    assert.equal(!several.ok && several.reason, 'ambiguous')
  })

  it('[S0-10] wants a day that exists', () => {
    assert.equal(parseName('handoff-grok-claude-BPRD-2026-0042-20260230').ok, false)
    assert.equal(parseName('handoff-grok-claude-BPRD-2026-0042-2026-02-21').ok, false)
    assert.equal(dayInName('handoff-api-artifacts-20260217_063331'), '2026-02-17')
    assert.equal(dayInName('handoff-99999999'), undefined)
  })

  it('[S0-05] [S0-10] makes the id of the parts and of the day of creation in UTC', () => {
    assert.equal(
      handoffId({ from: 'grok', to: 'claude', task: 'BPRD-2026-0042', created_at: '2026-02-21T23:59:59Z' }),
      'handoff-grok-claude-BPRD-2026-0042-20260221',
    )
  })

  it('[S0-05] reads back every id that it makes', () => {
    const agent = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,4})?$/)
    const task = fc.integer({ min: 0, max: 99_999 }).map((n) => `BPRD-2026-${String(n).padStart(4, '0')}`)
    fc.assert(
      fc.property(agent, agent, task, (from, to, task) => {
        const id = handoffId({ from, to, task, created_at: '2026-02-21T14:30:00Z' })
        const name = parseName(id, new Set([from, to]))
        if (name.ok) assert.deepEqual(name.parts, { from, to, task, date: '20260221' })
        else assert.equal(name.reason, 'ambiguous')
      }),
      { numRuns: 150 },
    )
  })

  it('knows the name of a file, and of the file that a copy was made of', () => {
    assert.equal(stemOf('a/b.c/handoff-x-20260223_063331.md'), 'handoff-x-20260223_063331')
    assert.equal(originalOf('handoff-x-20260223_063331'), 'handoff-x-20260223')
  })
})
