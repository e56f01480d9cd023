import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { samplesOf } from '../../../../test/support/documents/samples.ts'
import type { Draft } from '../../draft.ts'
import { sourcesOf } from '../../text/sources.ts'
import { pack } from '../index.ts'
import { checkReceiving } from '../receiver-checks.ts'
import { type Acknowledgment, checkAcknowledgment } from './acknowledgment.ts'

function read(text: string) {
  const [source] = sourcesOf(text, { path: 'answer.yaml' })
  const form = pack.formOf(source!)
  assert.ok(form)
  const { draft = {}, diagnostics } = pack.interpret(source!, form)
  return { form, draft, diagnostics, codes: diagnostics.map(({ code }) => code) }
}

function printed(draft: Draft): string {
  const native = pack.toNative(draft)
  assert.ok(native.ok)
  return pack.print(native)
}

const PACKAGE: Draft = {
  id: 'HO-001',
  from: 'payments',
  to: 'storefront',
  package: { summary: 'The API accepts cards' },
}
const answer = (acknowledgment: Draft['acknowledgment'], accepted_by?: string): Draft => ({
  ...(acknowledgment && { acknowledgment }),
  ...(accepted_by !== undefined && { accepted_by }),
})
const UNDERSTOOD: Acknowledgment = { understood: 'yes', understanding: ['Build the pages'] }
const problems = (said: Draft): string[] =>
  checkAcknowledgment(said, PACKAGE).map(({ code, field }) => `${code} ${field}`)

describe('acknowledgments', () => {
  it('[S4-51] reads both samples of the document', () => {
    const said = sourcesOf(samplesOf('package'))
      .filter((source) => pack.formOf(source) === 'acknowledgment')
      .map((source) => pack.interpret(source, 'acknowledgment').draft?.acknowledgment)
    assert.deepEqual(
      said.map((each) => [each?.understood, each?.starting, each?.blockers?.length]),
      [
        ['yes', true, undefined],
        ['partial', false, 2],
      ],
    )
  })

  it('[S4-46] says what was understood, in the order of the document', () => {
    const text = printed({
      accepted_by: 'storefront',
      acknowledgment: {
        from: 'payments',
        understood: 'yes',
        understanding: ['Build the pages', 'No new tools'],
        questions: [],
        starting: true,
      },
    })
    assert.equal(
      text,
      `acknowledgment:
  received: true
  from: payments
  by: storefront
  understood:
    task: Build the pages
    constraints: No new tools
  questions: []
  starting: true
`,
    )
    assert.deepEqual(read(text).draft.acknowledgment?.understanding, ['Build the pages', 'No new tools'])
  })

  it('[S4-47] wants the task in the words of the receiver', () => {
    const { codes } = read('acknowledgment: { received: true, understood: { task: "", constraints: none } }')
    assert.deepEqual(codes, ['missing_understood_task'])
    assert.deepEqual(problems(answer({ understood: 'yes', understanding: ['  '] })), [
      'missing_understood_task acknowledgment.understanding',
    ])
    assert.deepEqual(problems(answer(UNDERSTOOD)), [])
  })

  it('[S4-48] asks back with what the checks found, and does not start', () => {
    const received = checkReceiving({
      ...PACKAGE,
      package: { ...PACKAGE.package, deliverables: ['Pages'], constraints: ['Do it quickly'] },
    })
    const acknowledgment: Acknowledgment = {
      handoff_id: 'HO-001',
      from: 'payments',
      understood: 'partial',
      blockers: [...received.blockers],
      starting: false,
    }
    assert.equal(
      printed({ acknowledgment }),
      `acknowledgment:
  received: true
  handoff_id: HO-001
  from: payments
  understood: partial
  blockers:
    - Constraint 'quickly' not measurable
  action: request_clarification
`,
    )
    assert.deepEqual(problems({ acknowledgment }), [])
    assert.deepEqual(problems(answer({ understood: 'partial' })), [
      'missing_blockers acknowledgment.blockers',
    ])
  })

  it('[S4-40] [S4-52] lets no work begin without an acknowledgment that says so', () => {
    assert.deepEqual(problems({}), ['missing_acknowledgment acknowledgment'])
    const { draft, codes } = read('acknowledgment: { understood: partial, blockers: [x], starting: true }')
    assert.equal(draft.acknowledgment?.starting, false)
    assert.ok(codes.includes('starting_not_understood'))
  })

  it('[S4-53] starts with questions open, and waits where it says so', () => {
    const questions = ['Which design?']
    assert.deepEqual(problems(answer({ ...UNDERSTOOD, questions, starting: true })), [])
  })

  it('[S4-54] [S4-55] answers the one who sent, by the one who was addressed', () => {
    assert.deepEqual(problems(answer({ ...UNDERSTOOD, from: 'search' })), [
      'acknowledgment_mismatch acknowledgment.from',
    ])
    assert.deepEqual(problems(answer(UNDERSTOOD, 'search')), ['acknowledgment_mismatch accepted_by'])
    assert.deepEqual(problems(answer({ ...UNDERSTOOD, handoff_id: 'HO-002' })), [
      'acknowledgment_mismatch acknowledgment.handoff_id',
    ])
    assert.deepEqual(
      problems(answer({ ...UNDERSTOOD, from: 'payments', handoff_id: 'HO-001' }, 'storefront')),
      [],
    )
  })

  it('takes the last of several answers that stand in one file', () => {
    const { draft } = read(`handoff: { from: { agent: a }, to: { agent: b }, context: { summary: text } }
acknowledgment:
  - { received: true, understood: partial, blockers: [Artifact x not found] }
  - { received: true, by: b, understood: { task: Build it }, starting: true }
`)
    assert.deepEqual(draft.acknowledgment?.understanding, ['Build it'])
    assert.equal(draft.accepted_by, 'b')
    assert.ok(printed(draft).includes('Artifact x not found'))
  })
})

describe('acknowledgments with a second e', () => {
  it('keeps unknown keys under the key of the document', () => {
    const { draft } = read(
      'acknowledgement: { received: true, understood: partial, blockers: [x], mood: calm }',
    )
    assert.match(printed(draft), /^acknowledgment:\n(?: .*\n)* {2}mood: calm\n$/)
  })
})

describe('gates', () => {
  const gate = (lines: string) => read(`handoff:\n  from: { agent: a }\n  to: { agent: human }\n${lines}`)

  it('[S4-56] [S4-57] [S4-58] writes a gate as the document does', () => {
    const { draft, codes } = gate(
      '  gate: { type: blocking, name: launch, step: 5 }\n  context: { summary: All 14 journeys pass }',
    )
    assert.deepEqual([draft.type, draft.gate], ['gate', { type: 'blocking', name: 'launch', step: 5 }])
    assert.deepEqual(codes, ['missing_id', 'missing_timestamp'])
    assert.equal(
      printed({ ...draft, to_reason: 'BLOCKING gate reached' }),
      `handoff:
  from:
    agent: a
  to:
    agent: human
    reason: BLOCKING gate reached
  gate:
    type: blocking
    name: launch
    step: 5
  context:
    summary: All 14 journeys pass
`,
    )
  })

  it('[S4-59] [S4-60] reads what is to be validated, and names options that nobody can choose', () => {
    const { draft, diagnostics } = gate(
      '  gate: { type: blocking }\n  validation_request: { items: [Texts], options: { approve: Go, later: Wait } }',
    )
    assert.deepEqual(draft.package?.validation_request, {
      items: ['Texts'],
      options: { approve: 'Go', later: 'Wait' },
    })
    const found = diagnostics.find(({ code }) => code === 'unknown_option')
    assert.match(
      found!.message,
      /nobody can answer later; the options of a gate are approve, reject, question/,
    )
  })

  it('[S4-65] takes the three answers, their labels and their French, and nothing else', () => {
    // biome-ignore format: read as a table
    const ANSWERS: readonly (readonly [string, string | undefined])[] = [
      ['approve', 'approve'], ['APPROVE', 'approve'], ['Continue with next step', 'approve'], ['Validé', 'approve'],
      ['reject', 'reject'],   ['Adjustments required', 'reject'], ['Rejetée', 'reject'],
      ['question', 'question'], ['Clarification needed', 'question'], ['Clarification nécessaire', 'question'],
      ['ok', undefined], ['yes', undefined], ['maybe', undefined], ['', undefined], ['__proto__', undefined],
    ]
    for (const [text, decision] of ANSWERS)
      assert.equal(
        read(`gate_response: ${JSON.stringify(text)}`).draft?.gate?.response?.decision,
        decision,
        text,
      )
    assert.deepEqual(read('gate_response: { decision: approve, by: mara }').codes, [])
    assert.deepEqual(read('gate_response: { decision: Approuvé, by: mara }').codes, ['odd_decision'])
    const refused = read('gate_response: { decision: ship it, by: mara }')
    assert.deepEqual([refused.draft, refused.codes], [{}, ['unknown_decision']])
  })

  it('[S4-69] lets a gate of an unknown type block', () => {
    const { draft, diagnostics } = gate('  gate: { type: soft, name: launch }')
    assert.equal(draft.gate?.type, 'blocking')
    assert.match(
      diagnostics.find(({ code }) => code === 'unknown_gate_type')!.message,
      /soft .* taken as blocking/,
    )
    assert.equal(gate('  gate: { name: launch }').draft.gate?.type, 'blocking')
    assert.equal(gate('  gate: informative').draft.gate?.type, 'advisory')
  })

  it('[S4-80] keeps acknowledgment and answer beside the package', () => {
    const draft: Draft = {
      from: 'a',
      to: 'human',
      gate: { type: 'blocking', response: { decision: 'reject', by: 'mara', at: '2026-03-02T17:05:00Z' } },
      package: { summary: 'All 14 journeys pass' },
      acknowledgment: { from: 'a', understood: 'yes', understanding: ['Decide'] },
    }
    const again = read(printed(draft)).draft
    assert.deepEqual([again.gate, again.acknowledgment], [draft.gate, draft.acknowledgment])
  })
})
