import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sourcesOf } from '../text/sources.ts'
import { markdown } from './index.ts'
import { type IndexEntry, parseIndex, printIndex } from './index-file.ts'

const NOW = '2026-02-21T20:00:00.123Z'
const entry = (n: number, change: Partial<IndexEntry> = {}): IndexEntry => ({
  id: `handoff-grok-claude-BPRD-2026-00${n}-20260221`,
  from: 'grok',
  to: 'claude',
  task: `BPRD-2026-00${n}`,
  status: 'Acknowledged',
  created_at: '2026-02-21T14:30:00Z',
  ...change,
})

function parsed(text: string) {
  const [source] = sourcesOf(text, { path: '_handoffs/_index.yaml' })
  assert.ok(source)
  assert.equal(markdown.formOf(source), 'index')
  return parseIndex(source)
}

describe('the index of handoffs', () => {
  it('[S0-86] [S0-87] begins with the comment and the time', () => {
    assert.match(
      printIndex([], { now: NOW }),
      /^# Auto-generated index of all handoffs\nlast_updated: 2026-02-21T20:00:00Z\n/,
    )
  })

  it('[S0-88] lists what is open, newest first', () => {
    const text = printIndex(
      [
        entry(41, { created_at: '2026-02-20T16:00:00Z', status: 'Active' }),
        entry(43),
        entry(40, { status: 'Expired' }),
        entry(44, { status: 'Created', created_at: '2026-02-21T15:00:00Z' }),
      ],
      { now: NOW },
    )
    const { active } = parsed(text)
    assert.deepEqual(
      active.map(({ task }) => task),
      ['BPRD-2026-0044', 'BPRD-2026-0043', 'BPRD-2026-0041'],
    )
    assert.deepEqual(active[1], entry(43))
    assert.match(
      text,
      / {2}- id: handoff-grok-claude-BPRD-2026-0043-20260221\n {4}from: grok\n {4}to: claude\n {4}task: BPRD-2026-0043\n {4}status: Acknowledged\n {4}created: 2026-02-21T14:30:00Z\n/,
    )
  })

  it('[S0-89] [S0-90] counts by agent, those with none too, and the sums are equal', () => {
    const { counts, diagnostics } = parsed(
      printIndex([entry(43), entry(44, { to: 'zoe', id: 'handoff-grok-zoe-BPRD-2026-0044-20260221' })], {
        now: NOW,
      }),
    )
    assert.deepEqual([...counts.keys()], ['grok', 'claude', 'abacus', 'perplexity', 'gemini', 'zoe'])
    assert.deepEqual(counts.get('grok'), { outgoing: 2, incoming: 0 })
    assert.deepEqual(counts.get('perplexity'), { outgoing: 0, incoming: 0 })
    assert.deepEqual(diagnostics, [])
  })

  it('[S0-91] lists what was completed within a week, newest first and at most twenty', () => {
    const complete = (n: number, completed_at: string) => entry(n, { status: 'Complete', completed_at })
    const many = Array.from({ length: 30 }, (_, i) =>
      complete(10 + i, `2026-02-20T10:${String(i).padStart(2, '0')}:00Z`),
    )
    const { recently_completed } = parsed(
      printIndex([...many, complete(99, '2026-02-14T19:59:00Z'), entry(98, { status: 'Rejected' })], {
        now: NOW,
      }),
    )
    assert.equal(recently_completed.length, 20)
    assert.deepEqual(recently_completed[0], {
      id: 'handoff-grok-claude-BPRD-2026-0039-20260221',
      completed_at: '2026-02-20T10:29:00Z',
    })
  })

  it('takes an agent of any name for a name', () => {
    const { counts } = parsed(printIndex([entry(43, { from: '__proto__', to: 'constructor' })], { now: NOW }))
    assert.deepEqual(counts.get('__proto__'), { outgoing: 1, incoming: 0 })
    assert.deepEqual(counts.get('constructor'), { outgoing: 0, incoming: 1 })
  })

  it('[S0-90] reports where an index does not agree with itself', () => {
    const good = printIndex([entry(43)], { now: NOW })
    const drift = (text: string) => parsed(text).diagnostics.filter(({ code }) => code === 'index_drift')
    assert.deepEqual(drift(good), [])
    assert.match(
      drift(good.replace('outgoing: 1', 'outgoing: 3'))[0]?.message ?? '',
      /grok\.outgoing is 3, .*lists 1/,
    )
    assert.match(
      drift(good.replace('status: Acknowledged', 'status: Complete'))[0]?.message ?? '',
      /still listed as active/,
    )
    assert.match(
      drift(good.replace('from: grok', 'from: gemini')).at(-1)?.message ?? '',
      /names grok, but from is gemini/,
    )
  })

  it('gives an answer to an index that is none', () => {
    for (const text of ['', 'active_handoffs: 7\n', 'counts_by_agent: []\nactive_handoffs: x\n', '- a\n'])
      assert.ok(
        parsed(text).diagnostics.some(({ severity }) => severity === 'error'),
        text,
      )
  })
})
