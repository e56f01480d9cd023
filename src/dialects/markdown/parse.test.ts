import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { PlacedProblem } from '../../domain/problem.ts'
import { Draft } from '../draft.ts'
import { sourcesOf } from '../text/sources.ts'
import { markdown } from './index.ts'

const STRICT = readFileSync(
  join(import.meta.dirname, 'fixtures/_handoffs/active/handoff-grok-claude-BPRD-2026-0107-20260304.md'),
  'utf8',
)
const KEYS =
  'handoff_id from_agent to_agent related_task status created_at updated_at expires_at title purpose context deliverables verification_criteria source_meeting skill_web_node'.split(
    ' ',
  )

/** The strict document with a key replaced, or taken away where nothing is given. */
function changed(key: string, value?: string): string {
  const lines = STRICT.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`${key}:`))
  assert.ok(start > 0, key)
  let end = start + 1
  while (lines[end]!.startsWith('  ')) end++
  lines.splice(start, end - start, ...(value === undefined ? [] : [`${key}: ${value}`]))
  return lines.join('\n')
}

function read(
  text: string,
  path?: string,
): { form: string; draft: Draft; diagnostics: readonly PlacedProblem[] } {
  const source = sourcesOf(text, path === undefined ? {} : { path }).find((each) => markdown.formOf(each))
  assert.ok(source, 'no form was found')
  const form = markdown.formOf(source)!
  const { draft, diagnostics } = markdown.interpret(source, form)
  return { form, draft: draft ?? {}, diagnostics }
}

const codes = (text: string, path?: string): string[] => read(text, path).diagnostics.map(({ code }) => code)

function finding(text: string, code: string, path?: string): PlacedProblem {
  const found = read(text, path).diagnostics.find((each) => each.code === code)
  assert.ok(found, `${code} was not reported, but ${codes(text, path).join(', ')}`)
  return found
}

describe('reading a handoff of version 2', () => {
  it('[S0-56] [S0-67] takes front matter between marks and the body below, without a complaint', () => {
    const { form, draft, diagnostics } = read(STRICT)
    assert.equal(form, 'handoff')
    assert.deepEqual(diagnostics, [])
    assert.equal(draft.from, 'grok')
    assert.equal(draft.body, STRICT.slice(STRICT.lastIndexOf('---\n') + 4))
  })

  it('[S0-57] [S0-58] reads identification and lifecycle', () => {
    const { id, from, to, task, state, created_at, updated_at, ack_deadline } = read(STRICT).draft
    assert.deepEqual(
      { id, from, to, task, state, created_at, updated_at, ack_deadline },
      {
        id: 'handoff-grok-claude-BPRD-2026-0107-20260304',
        from: 'grok',
        to: 'claude',
        task: 'BPRD-2026-0107',
        state: 'offered',
        created_at: '2026-03-04T08:00:00Z',
        updated_at: '2026-03-04T08:10:00Z',
        ack_deadline: '2026-03-04T12:10:00Z',
      },
    )
  })

  it('[S0-59] [S0-60] reads content and linkage', () => {
    const { title, package: pack } = read(STRICT).draft
    assert.equal(title, 'Cache the price list')
    assert.equal(pack?.context, 'The supplier sends a new list each night at 02:00.')
    assert.deepEqual(pack?.deliverables, [
      'A cache in front of the price list',
      'Tests: hit, miss and expiry',
    ])
    assert.equal(pack?.criteria?.length, 2)
    assert.deepEqual(pack?.links, { meeting: 'meetings/2026-03-03-planning.md', skill: 'skills/caching' })
  })

  it('[S0-64] keeps the lines of a block text', () => {
    assert.equal(
      read(STRICT).draft.package?.purpose,
      'The price list is read on every page.\nMove the work from planning to development.\n',
    )
  })

  it('[S0-61] [S0-62] reads acknowledgment and completion, which are null until they are set', () => {
    const open = read(STRICT).draft
    assert.equal(open.accepted_at, undefined)
    assert.equal(open.ended_at, undefined)
    const file = 'fixtures/_handoffs/archived/2026/03/handoff-claude-gemini-BPRD-2026-0099-20260301.md'
    const done = read(readFileSync(join(import.meta.dirname, file), 'utf8')).draft
    assert.equal(done.accepted_by, 'gemini')
    assert.equal(done.accepted_at, '2026-03-01T10:00:00Z')
    assert.equal(done.ack_notes, 'Starting at once.')
    assert.equal(done.ended_at, '2026-03-02T16:00:00Z')
    assert.equal(done.verification?.verified_by, 'perplexity')
    assert.equal(done.result?.note, 'The command is called export-invoices.')
    assert.deepEqual(codes(changed('acknowledged_at')), ['missing_keys'])
  })

  for (const key of KEYS)
    it(`[S0-68] names ${key} when it is missing, as an error that says what to add`, () => {
      const { diagnostics } = read(changed(key))
      const errors = diagnostics.filter(({ severity }) => severity === 'error')
      assert.deepEqual(
        errors.map(({ code, line }) => [code, line]),
        [['required_field', 2]],
      )
      assert.match(errors[0]?.message ?? '', new RegExp(`^${key} is missing.* add \`${key}: `))
    })

  it('takes from the body what the front matter does not say, and still wants it there', () => {
    const { draft, diagnostics } = read(changed('from_agent'))
    assert.equal(draft.from, 'grok')
    assert.match(diagnostics[0]?.message ?? '', /only the body says it; add `from_agent: grok`/)
  })

  it('reports boxes that say something else than the status', () => {
    const boxes = (status: string, ...marks: string[]) =>
      codes(
        changed('status', status).replace(
          /\n\nThe table/,
          `\n\n## Verification Criteria\n${marks.map((mark) => `- [${mark}] done\n`).join('')}\nThe table`,
        ),
      )
    assert.ok(boxes('Complete', 'x', ' ').includes('criterion_open'))
    assert.ok(boxes('Active', 'x', 'x').includes('criteria_ticked'))
    const negative = '\n\n## Verification Criteria\n- No errors\n- Not more than 3 calls\n\nThe table'
    assert.ok(
      !codes(changed('status', 'Complete').replace('\n\nThe table', negative)).includes('criterion_open'),
    )
    for (const code of ['criterion_open', 'criteria_ticked']) {
      assert.ok(!boxes('Complete', 'x', 'x').includes(code))
      assert.ok(!boxes('Acknowledged', 'x', ' ').includes(code))
    }
  })

  it('[S0-68] names all missing keys at once', () => {
    const missing = read('---\nhandoff_id: handoff-grok-claude-BPRD-2026-0001-20260301\n---\n').diagnostics
    const named = missing
      .filter(({ code }) => code === 'required_field')
      .map(({ message }) => message.split(' ')[0])
    assert.deepEqual(named, KEYS.slice(1))
  })

  it('[S0-65] wants lists that are not empty', () => {
    assert.equal(finding(changed('deliverables', '[]'), 'required_field').severity, 'error')
    assert.equal(finding(changed('verification_criteria', '["  "]'), 'required_field').severity, 'error')
    const lonely = read(changed('deliverables', 'One thing'))
    assert.deepEqual(lonely.draft.package?.deliverables, ['One thing'])
    assert.deepEqual(
      lonely.diagnostics.map(({ code }) => code),
      ['not_a_list'],
    )
  })

  it('[S0-63] reads other ways to write a time and says how it is written', () => {
    const odd = changed('created_at', '2026-03-04 10:00 +0200')
    assert.equal(read(odd).draft.created_at, '2026-03-04T08:00:00Z')
    assert.match(finding(odd, 'time_space').message, /write 2026-03-04T08:00:00Z/)
  })

  it('[S0-63] calls a day that does not exist an error under a required key, and a warning elsewhere', () => {
    for (const time of ['2026-13-01', '2026-02-30T08:00:00Z'])
      for (const [key, severity] of [
        ['created_at', 'error'],
        ['expires_at', 'error'],
        ['acknowledged_at', 'warning'],
      ] as const)
        assert.equal(finding(changed(key, time), 'bad_time').severity, severity, `${key} ${time}`)
    assert.equal(finding(changed('created_at', '2026-02-30T08:00:00Z'), 'bad_time').line, 8)
  })

  it('[S0-22] takes the six words for a status, whatever their case, and reports all but the exact ones', () => {
    const states: Record<string, string> = {
      Created: 'draft',
      Active: 'offered',
      Acknowledged: 'accepted',
      Complete: 'completed',
      Expired: 'expired',
      Rejected: 'rejected',
    }
    for (const [word, state] of Object.entries(states)) {
      assert.equal(read(changed('status', word)).draft.state, state)
      assert.ok(!codes(changed('status', word)).includes('status_word'))
      assert.equal(read(changed('status', word.toUpperCase())).draft.state, state)
      assert.match(
        finding(changed('status', word.toUpperCase()), 'status_word').message,
        new RegExp(`write ${word}`),
      )
    }
  })

  it('understands foreign words for a status and refuses those that are none', () => {
    const words: Record<string, [string, string]> = {
      open: ['offered', 'Active'],
      'in-progress': ['in_progress', 'Acknowledged'],
      '"✅ Done"': ['completed', 'Complete'],
      '"**blocked** (waiting for a key)"': ['blocked', 'Acknowledged'],
      cancelled: ['cancelled', 'Rejected'],
    }
    for (const [word, [state, native]] of Object.entries(words)) {
      assert.equal(read(changed('status', word)).draft.state, state, word)
      assert.match(finding(changed('status', word), 'status_word').message, new RegExp(`write ${native}\\.`))
    }
    const unknown = finding(changed('status', 'purple'), 'status_unknown')
    assert.deepEqual([unknown.severity, unknown.line, unknown.column], ['error', 7, 9])
    assert.match(unknown.message, /Created, Active, Acknowledged, Complete, Expired, Rejected/)
  })

  it('takes Archived for the folder that it is, and infers the state', () => {
    const archived = changed('status', 'Archived')
    assert.equal(read(archived).draft.state, 'expired')
    assert.equal(
      read(archived.replace('completed_at: null', 'completed_at: 2026-03-04T11:00:00Z')).draft.state,
      'completed',
    )
    assert.equal(
      read(archived.replace('budget_hours: 6', 'rejection_reason: no time')).draft.state,
      'rejected',
    )
    assert.equal(finding(archived, 'status_archived').severity, 'warning')
  })

  it('takes a rejection as text or with a type', () => {
    const reason = (yaml: string) =>
      read(STRICT.replace('budget_hours: 6', `rejection_reason: ${yaml}`)).draft.rejection
    assert.deepEqual(reason('no time'), { type: 'other', message: 'no time' })
    assert.deepEqual(reason('skill_gap'), { type: 'skill_gap', message: 'skill_gap' })
    assert.deepEqual(reason('{type: skill_gap, message: I cannot}'), {
      type: 'skill_gap',
      message: 'I cannot',
    })
  })

  it('reads a rejection after a completion as a rejection, with a warning', () => {
    const text = changed('status', 'Rejected').replace(
      'completed_at: null',
      'completed_at: 2026-03-04T11:00:00Z',
    )
    assert.equal(read(text).draft.state, 'rejected')
    assert.equal(finding(text, 'rejected_after_completion').line, 27)
  })

  it('lets front matter win over the body and reports both places', () => {
    const text = STRICT.replace('## To: Claude', '## To: Gemini\n\n**Status:** completed')
    const { draft } = read(text)
    assert.deepEqual([draft.to, draft.state], ['claude', 'offered'])
    assert.equal(finding(text, 'body_contradicts').line, 36)
    assert.equal(finding(text, 'status_contradicts').line, 38)
  })

  it('takes keys under the old names and in other spellings, and says what they are called', () => {
    const old = STRICT.replace('to_agent:', 'assigned_to:')
    assert.equal(read(old).draft.to, 'claude')
    assert.match(finding(old, 'key_name').message, /assigned_to is called to_agent/)
    const spelt = STRICT.replace('from_agent:', 'FromAgent:')
    assert.equal(read(spelt).draft.from, 'grok')
    assert.match(finding(spelt, 'key_spelling').message, /from_agent/)
  })

  it('does not take what was left to be filled in for a value', () => {
    for (const value of ['"[agent]"', '[agent]', '"{agent}"', '<agent>', 'TBD']) {
      const text = changed('to_agent', value).replace('## To: Claude', '')
      assert.equal(read(text).draft.to, undefined, value)
      assert.ok(read(text).diagnostics.length > 0, value)
    }
  })

  it('[S0-69] keeps unknown keys, the slot among them', () => {
    assert.deepEqual(read(STRICT).draft.extra, { budget_hours: 6 })
    const slot = read(STRICT.replace('budget_hours: 6', 'x_baton: {version: 1}')).draft.extra
    assert.deepEqual(slot, { x_baton: { version: 1 } })
  })

  it('[S0-06] takes from the name of the file what is said nowhere else, and says so', () => {
    const path = '_handoffs/active/handoff-grok-claude-BPRD-2026-0107-20260304.md'
    const { form, draft, diagnostics } = read('Nothing here.\n', path)
    assert.equal(form, 'handoff')
    assert.deepEqual([draft.from, draft.to, draft.task], ['grok', 'claude', 'BPRD-2026-0107'])
    assert.equal(
      diagnostics.filter(({ code, severity }) => code === 'field_in_name' && severity === 'info').length,
      5,
    )
    assert.ok(diagnostics.some(({ code }) => code === 'front_matter_missing'))
  })

  it('reads handoff.id and the other keys below handoff:, and tells where they stand', () => {
    const text = '---\nhandoff:\n  id: HANDOFF-3\n  from_agent: a\n  to_agent: b\n  status: pending\n---\n'
    const [source] = sourcesOf(text)
    const { draft, places } = markdown.interpret(source!, markdown.formOf(source!)!)
    assert.deepEqual([draft?.id, draft?.from, draft?.to, draft?.state], ['HANDOFF-3', 'a', 'b', 'offered'])
    assert.deepEqual(places?.get('handoff_id'), ['handoff', 'id'])
    assert.deepEqual(places?.get('status'), ['handoff', 'status'])
  })

  it('gives a usable draft for values that no handoff can have', () => {
    const { draft, diagnostics } = read(
      changed('title', 'x').replace('from_agent: grok', `from_agent: grok\nproject: ${'p'.repeat(300)}`),
    )
    assert.ok(Draft().safeParse(draft).success)
    assert.equal(draft.project, undefined)
    assert.ok(diagnostics.some(({ code }) => code === 'unusable_value'))
  })

  it('throws at nothing that can be made of its documents', () => {
    const piece = fc.constantFrom(
      ...STRICT.split('\n'),
      '',
      '---',
      '```',
      '| a | b |',
      '- [ ] x',
      '# ',
      '**Status:**',
      '__proto__: 1',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (lines) => {
        for (const source of sourcesOf(lines.join('\n'), { path: 'handoff-1.md' })) {
          const form = markdown.formOf(source)
          if (form) assert.ok(Draft().safeParse(markdown.interpret(source, form).draft ?? {}).success)
        }
      }),
      { numRuns: 150 },
    )
  })
})
