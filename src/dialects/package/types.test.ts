import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { samplesOf } from '../../../test/support/documents/samples.ts'
import type { Draft } from '../draft.ts'
import { sourcesOf } from '../text/sources.ts'
import { checkSending, pack } from './index.ts'
import { answeredBy, inferType, marksOf, typeOf } from './types.ts'

function draftOf(text: string): { draft: Draft; codes: readonly string[] } {
  const [source] = sourcesOf(text, { path: 'package.yaml' })
  const { draft, diagnostics } = pack.interpret(source!, 'package')
  assert.ok(draft)
  return { draft, codes: diagnostics.map(({ code }) => code) }
}

describe('types of packages', () => {
  it('[S4-18] [S4-19] [S4-20] classifies the samples of the document', () => {
    const types = sourcesOf(samplesOf('package'))
      .filter((source) => pack.formOf(source) === 'package')
      .map((source) => pack.interpret(source, 'package').draft?.type)
    // The template, the four types, the gate.
    assert.deepEqual(types, ['sequential', 'sequential', 'delegation', 'escalation', 'return', 'gate'])
  })

  // biome-ignore format: read as a table
  const CASES: readonly (readonly [string, string])[] = [
    ['from: { agent: a }, to: { agent: b }',                                                        'sequential'],
    ['from: { agent: a }, to: { agent: b }, expectations: {}',                                      'sequential'],
    ['from: { agent: a }, to: { agent: b }, expectations: { deliverable: x }',                      'delegation'],
    ['from: { agent: a }, to: { agent: b }, expectations: { success_criteria: [x] }',               'delegation'],
    ['from: { agent: a }, to: { agent: b }, expectations: { deliverable: x }, workflow_state: { name: w }', 'sequential'],
    ['from: { agent: a, step: null }, to: { agent: b }, expectations: { deliverable: x }',          'return'],
    ['from: { agent: a, step: null }, to: { agent: human }',                                        'escalation'],
    ['from: { agent: a }, to: { agent: human }, validation_request: { items: [x] }',                'escalation'],
    ['from: { agent: a }, to: { agent: human }, gate: { type: blocking }',                          'gate'],
    ['from: { agent: a }, to: { agent: human }, gate: none',                                        'escalation'],
    ['from: { agent: a }, to: { agent: b }, gate: bloquante',                                       'gate'],
  ]
  it('[S4-21] [S4-22] tells the type from what the package says, first rule first', () => {
    for (const [text, type] of CASES) assert.equal(draftOf(`handoff: { ${text} }`).draft.type, type, text)
  })

  it('[S4-22] takes a given type, and says when the rest reads otherwise', () => {
    const agrees = draftOf('handoff: { type: return, from: { agent: a, step: null }, to: { agent: b } }')
    assert.ok(!agrees.codes.includes('type_contradicts'))
    const differs = draftOf('handoff: { type: delegation, from: { agent: a }, to: { agent: b } }')
    assert.equal(differs.draft.type, 'delegation')
    assert.ok(differs.codes.includes('type_contradicts'))
    const native = pack.toNative(differs.draft)
    assert.ok(native.ok && pack.print(native).includes('type: delegation'))
  })

  it('[S4-23] links a return to the open delegation between the same two', () => {
    const back: Draft = {
      from: 'security',
      to: 'architecture',
      type: 'return',
      package: { summary: 'Two risks were found' },
    }
    const open = [
      { id: 'HO-1', from: 'architecture', to: 'security' },
      { id: 'HO-2', from: 'architecture', to: 'testing' },
    ]
    assert.deepEqual(answeredBy(back, open), { kind: 'one', id: 'HO-1' })
    assert.deepEqual(answeredBy(back, open.slice(1)), { kind: 'none' })
    const twice = [...open, { id: 'HO-3', from: 'architecture', to: 'security' }]
    assert.deepEqual(answeredBy(back, twice), { kind: 'several', ids: ['HO-1', 'HO-3'] })
    assert.deepEqual(answeredBy({ ...back, in_reply_to: 'HO-3' }, twice), { kind: 'one', id: 'HO-3' })
  })

  it('[S4-23] reads as a return what answers an open delegation', () => {
    const { draft } = draftOf('handoff: { from: { agent: b }, to: { agent: a }, context: { summary: x } }')
    const { type: _, ...untyped } = draft
    assert.equal(typeOf(untyped), 'sequential')
    assert.equal(inferType(marksOf(untyped, [{ id: 'HO-1', from: 'a', to: 'b' }])), 'return')
  })

  it('[S4-25] keeps the null that says a step stands outside the workflow', () => {
    const native = pack.toNative(
      draftOf('handoff: { from: { agent: a, step: null }, to: { agent: b } }').draft,
    )
    assert.ok(native.ok && pack.print(native).includes('step: null'))
  })

  it('[S4-26] [S4-36] takes a pending decision, and wants a question for it', () => {
    const draft: Draft = {
      from: 'estimation',
      to: 'human',
      package: {
        summary: 'Two approaches with different costs',
        decisions: [{ id: 'pending', decision: 'A or B' }],
        deliverables: ['A choice'],
      },
    }
    assert.deepEqual(
      checkSending(draft).map(({ severity, code }) => [severity, code]),
      [['warning', 'pending_without_question']],
    )
    const asked = {
      ...draft,
      package: { ...draft.package, open_questions: [{ question: 'Speed or safety?' }] },
    }
    assert.deepEqual(checkSending(asked), [])
  })

  it('[S4-28] wants a deliverable of a delegation, and only hints at it for an escalation', () => {
    const draft: Draft = {
      from: 'a',
      to: 'b',
      type: 'delegation',
      package: { summary: 'The API is built and runs' },
    }
    const deliverable = (each: Draft) =>
      checkSending(each)
        .filter(({ code }) => code === 'missing_deliverable')
        .map(({ severity }) => severity)
    assert.deepEqual(deliverable(draft), ['error'])
    assert.deepEqual(deliverable({ ...draft, type: 'escalation', to: 'human' }), ['warning'])
    assert.deepEqual(deliverable({ ...draft, type: 'sequential' }), [])
    assert.deepEqual(deliverable({ ...draft, package: { ...draft.package, deliverables: ['A report'] } }), [])
  })
})
