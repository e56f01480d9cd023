import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { samplesOf } from '../../../test/support/documents/samples.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { readDocuments } from '../read.ts'
import { rewrite } from '../rewrite.ts'
import { sourcesOf } from '../text/sources.ts'
import { pack } from './index.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')

/** All that the dialect knows in a text, with what it says from the top; the notation is judged elsewhere. */
function readAll(text: string, path?: string) {
  return sourcesOf(text, path === undefined ? {} : { path }).flatMap((source) => {
    const form = pack.formOf(source)
    if (form === undefined) return []
    const { draft, diagnostics } = pack.interpret(source, form)
    return [{ form, draft, diagnostics: diagnostics.toSorted(fromTheTop) }]
  })
}

const fromTheTop = (a: PlacedProblem, b: PlacedProblem): number => a.line - b.line || a.column - b.column

function read(text: string) {
  const [first] = readAll(text, 'package.yaml')
  assert.ok(first, `not a package:\n${text}`)
  return { ...first, draft: first.draft ?? {} }
}

const codes = (text: string): string[] => read(text).diagnostics.map(({ code }) => code)
const aPackage = (lines: string): string =>
  `handoff:\n  from: { agent: payments }\n  to: { agent: storefront }\n${lines}`

describe('reading packages', () => {
  for (const name of readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.(?:yaml|json|md)$/.test(name) || name.endsWith('.expected.json')) continue
    it(`reads ${name} as its expectation says`, () => {
      const expected = readFileSync(join(FIXTURES, name.replace(/\.\w+$/, '.expected.json')), 'utf8')
      const found = readAll(readFileSync(join(FIXTURES, name), 'utf8'), name.replaceAll('\\', '/'))
      const shown = found.map(({ form, draft, diagnostics }) => ({
        form,
        draft,
        diagnostics: diagnostics.map(({ severity, code, line, column }) => ({
          severity,
          code,
          line,
          column,
        })),
      }))
      assert.deepEqual(JSON.parse(JSON.stringify(shown)), JSON.parse(expected))
    })
  }

  it('[S4-01] goes between agents, to the orchestrator and to a person', () => {
    for (const to of ['architecture', 'orchestrator', 'human'])
      assert.equal(read(`handoff: { from: { agent: payments }, to: { agent: ${to} } }`).draft.to, to)
    const { draft, diagnostics } = read('handoff: { from: { agent: payments }, to: { agent: Human } }')
    assert.equal(draft.to, 'human')
    assert.match(diagnostics.find(({ code }) => code === 'odd_human')!.message, /write human/)
  })

  // biome-ignore format: read as a table
  const FORMS: readonly (readonly [string, string | undefined, string?])[] = [
    ['handoff: { from: { agent: a }, to: { agent: b } }',                    'package'],
    ['handoff: { from: { agent: a }, phase: Testing, status: complete }',    'package'],
    ['handoff: { to: b, context: { summary: text } }',                       'package'],
    ['handoff: { to: b, gate: bloquante }',                                  'package'],
    ['handoff: { from: a, to: b, expectations: { deliverable: text } }',     'package'],
    ['{"handoff": {"from": {"agent": "a"}, "to": {"agent": "b"}}}',          'package'],
    ['handoff: { from: "@a", to: "@b", phase: Testing, status: complete }',  undefined],
    ['handoff: { from: "@a", to: "@b", status: pending, context: { summary: text } }', undefined],
    ['handoff: { to: "@b", phase: Testing, context: {} }',                   undefined],
    ['handoff: { from_agent: a, to_agent: b, status: pending }',             undefined],
    ['handoff: { from: "@a", to: "@b", phase: Testing, status: complete }',  'package', '.project/07-audit/sessions/s/handoffs/HO-001.yaml'],
    ['acknowledgment: { received: true, understood: partial }',              'acknowledgment'],
    ['gate_response: { decision: approve }',                                 'gate_response'],
    ['{"handoffs": []}',                                                     'state'],
    ['{"handoffs": [], "active_handoffs": []}',                              undefined],
    ['{"version": "1.0"}',                                                   'state', 'state/current.json'],
    ['task_id: P0.1.1',                                                      undefined],
  ]
  it('[S4-02] knows packages by their root and what stands below it', () => {
    for (const [text, form, path] of FORMS) {
      const [source] = sourcesOf(text, path === undefined ? {} : { path })
      assert.equal(pack.formOf(source!), form, text)
    }
  })

  it('[S4-03] takes ids of both forms, and keeps others with a hint', () => {
    for (const id of ['HO-2026-001', 'HO-001', 'HO-1000']) {
      const { draft, diagnostics } = read(aPackage(`  id: "${id}"`))
      assert.equal(draft.id, id)
      assert.ok(!diagnostics.some(({ code }) => code === 'odd_id'))
    }
    const { draft, diagnostics } = read(aPackage('  id: 0042'))
    assert.equal(draft.id, '0042')
    assert.match(diagnostics.find(({ code }) => code === 'odd_id')!.message, /HO-2024-001/)
  })

  it('[S4-04] [S4-05] takes the timestamp as an instant, and its absence for a package that was not sent', () => {
    assert.equal(
      read(aPackage('  timestamp: 2026-03-02T10:15:00+01:00')).draft.created_at,
      '2026-03-02T09:15:00Z',
    )
    const { draft, diagnostics } = read(aPackage('  context: { summary: text }'))
    assert.equal(draft.created_at, undefined)
    assert.deepEqual(
      diagnostics.map(({ severity, code }) => `${severity} ${code}`),
      ['info missing_id', 'info missing_timestamp'],
    )
  })

  it('[S4-06] wants a sender, and keeps the kind of its step', () => {
    const step = (text: string) =>
      read(`handoff:\n  from: { agent: a${text} }\n  to: { agent: b }`).draft.from_step
    assert.equal(step(', step: 2'), 2)
    assert.equal(step(', step: "2"'), '2')
    assert.equal(step(', step: 2.10'), '2.10')
    assert.equal(step(', step: design'), 'design')
    assert.equal(step(', step: null'), null)
    assert.equal(step(''), undefined)
    const nobody = read('handoff:\n  from: { step: 2 }\n  to: { agent: b }')
    assert.equal(nobody.draft.to, 'b')
    assert.match(nobody.diagnostics.find(({ severity }) => severity === 'error')!.message, /from\.agent/)
  })

  it('[S4-07] wants a receiver, and reads the reason beside a lone name too', () => {
    const { draft } = read(
      'handoff: { to: storefront, reason: It knows the pages, context: { summary: text } }',
    )
    assert.deepEqual([draft.to, draft.to_reason], ['storefront', 'It knows the pages'])
    assert.ok(codes('handoff: { from: { agent: a }, to: { reason: why } }').includes('missing_to'))
  })

  it('[S4-08] [S4-09] [S4-10] reads summary, decisions and artifacts, of which only the path is a must', () => {
    const { package: travels } = read(
      aPackage(`  context:
    summary: |
      First line.
      Second line.
    decisions: [{ id: D-1, decision: Use JWT, rationale: It is known }]
    artifacts: [{ path: docs/a.md, type: doc, description: The plan }, { path: src/ }]`),
    ).draft
    assert.equal(travels?.summary, 'First line.\nSecond line.\n')
    assert.deepEqual(travels?.decisions, [{ id: 'D-1', decision: 'Use JWT', rationale: 'It is known' }])
    assert.deepEqual(travels?.artifacts, [
      { path: 'docs/a.md', type: 'doc', description: 'The plan' },
      { path: 'src/' },
    ])
  })

  it('[S4-11] [S4-12] [S4-13] reads open questions, expectations and the state of the workflow', () => {
    const { draft } = read(
      aPackage(`  context:
    open_questions: [{ question: How long?, priority: high }, { question: Where?, context: Asked twice }]
  expectations: { deliverable: A report, constraints: [No new tools], success_criteria: [Build passes in CI] }
  workflow_state: { name: audit, current_step: 2, completed_steps: [plan], remaining_steps: [report] }`),
    )
    const { package: travels, workflow, task } = draft
    assert.deepEqual(travels?.open_questions, [
      { question: 'How long?', priority: 'high' },
      { question: 'Where?', context: 'Asked twice' },
    ])
    assert.deepEqual(
      [travels?.deliverables, travels?.constraints, travels?.criteria],
      [['A report'], ['No new tools'], ['Build passes in CI']],
    )
    assert.deepEqual(workflow, {
      name: 'audit',
      current_step: 2,
      completed_steps: ['plan'],
      remaining_steps: ['report'],
    })
    assert.equal(task, 'audit')
  })

  it('[S4-14] names a step that is both completed and remaining', () => {
    const text = aPackage(
      '  workflow_state: { name: audit, completed_steps: [plan, do], remaining_steps: [do] }',
    )
    const found = read(text).diagnostics.find(({ code }) => code === 'step_twice')
    assert.match(found!.message, /the step do /)
  })

  it('[S4-15] [S4-68] reads the templates of the document and flags what is to be filled in', () => {
    const packages = readAll(samplesOf('package')).filter(({ form }) => form === 'package')
    const [template, gate] = [packages[0]!, packages.at(-1)!]
    assert.equal(template.draft?.from, '[agent-id]')
    assert.deepEqual(template.draft?.workflow?.current_step, ['N'])
    assert.deepEqual(gate.draft?.package?.artifacts, [{ path: '...' }])
    for (const { diagnostics } of [template, gate]) {
      assert.ok(diagnostics.some(({ code }) => code === 'placeholder'))
      assert.deepEqual(
        diagnostics.filter(({ severity }) => severity === 'error'),
        [],
      )
    }
    assert.ok(template.diagnostics.some(({ line, message }) => line === 49 && message.includes('[N]')))
    assert.ok(gate.diagnostics.some(({ line, message }) => line === 161 && message.includes('...')))
  })

  it('[S4-16] names the path of a word that is none of the list', () => {
    const { diagnostics } = read(
      aPackage(`  context:
    artifacts: [{ path: a.md }, { path: b.png, type: image }]
    open_questions: [{ question: Why?, priority: urgent }]`),
    )
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    assert.deepEqual(
      errors.map(({ code, line }) => [code, line]),
      [
        ['unknown_artifact_type', 5],
        ['unknown_question_priority', 6],
      ],
    )
    assert.match(
      errors[0]!.message,
      /handoff\.context\.artifacts\[1\]\.type says "image"; write one of spec, code/,
    )
    assert.match(errors[1]!.message, /handoff\.context\.open_questions\[0\]\.priority says "urgent"/)
  })

  it('[S4-17] keeps unknown keys at every depth when something else changes', () => {
    const text = aPackage(`  context:
    summary: old # said on Monday
    mood: calm
    artifacts:
      - path: a.md
        owner: mara
  budget: 12
team: shop
`)
    const [document] = readDocuments(text, { path: 'package.yaml' })
    const draft = document!.draft!
    const after = rewrite(document!, { ...draft, package: { ...draft.package, summary: 'new' } })
    assert.equal(after, text.replace('old', 'new'))

    const native = pack.toNative(draft)
    assert.ok(native.ok)
    const printed = pack.print(native)
    for (const kept of ['mood: calm', 'owner: mara', 'budget: 12', 'team: shop'])
      assert.ok(printed.includes(kept), kept)
  })

  it('[S4-17] writes a change where the document has the value, however it was written', () => {
    const text =
      'handoff:\n  to: humain # ou produit\n  gate: informative\n  context:\n    summary: Maquettes prêtes\n'
    const [document] = readDocuments(text, { path: 'package.yaml' })
    const draft = document!.draft!
    const after = rewrite(document!, { ...draft, to_reason: 'Relecture', gate: { type: 'blocking' } })
    assert.equal(after, text.replace('informative', 'blocking').concat('  reason: Relecture\n'))
  })

  it('gives a draft of any size that a draft can have, and says what was too long', () => {
    const { draft, diagnostics } = read(
      aPackage(`  context: { summary: text }\n  expectations: { deliverable: ${'x'.repeat(2_001)} }`),
    )
    assert.equal(draft.package?.summary, 'text')
    assert.equal(draft.package?.deliverables, undefined)
    assert.match(
      diagnostics.find(({ code }) => code === 'out_of_limits')!.message,
      /^deliverables\.0 takes at most 2000 characters$/,
    )
  })

  it('keeps keys of prototypes as keys', () => {
    const { draft } = read(
      aPackage('  __proto__: { polluted: yes }\n  context: { constructor: 1, summary: text }'),
    )
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    const native = pack.toNative(draft)
    assert.ok(native.ok && pack.print(native).includes('__proto__:'))
  })
})
