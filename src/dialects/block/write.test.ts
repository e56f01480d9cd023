import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { anyDraft } from '../../../test/support/documents/drafts.ts'
import { PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { STATES } from '../../domain/lifecycle.ts'
import { convert } from '../convert.ts'
import type { Loss } from '../dialect.ts'
import type { Draft } from '../draft.ts'
import { readDocuments } from '../read.ts'
import { rewrite } from '../rewrite.ts'
import { sourcesOf } from '../text/sources.ts'
import { block } from './index.ts'
import { schemas } from './schema.ts'
import { validateHandoff } from './validate.ts'

const BASE: Draft = { phase: 'Testing', from: 'tester', to: 'builder', state: 'completed' }

function native(draft: Draft) {
  const answer = block.toNative(draft)
  assert.ok(answer.ok, JSON.stringify(answer))
  return answer
}

const printed = (draft: Draft): string => block.print(native(draft))
const handoffOf = (draft: Draft) => native(draft).value.handoff as Record<string, unknown>
function lossesOf(draft: Draft): readonly Loss[] {
  const made = convert(draft, 'block')
  assert.ok(made.ok)
  return made.losses
}

const lostIn = (draft: Draft): string[] => lossesOf(draft).map(({ field }) => field)

describe('writing a block', () => {
  it('[S2-81] [S2-83] gives a fence with the four fields, agents in quotes and "None" for nobody', () => {
    assert.equal(
      printed({ ...BASE, to: null }),
      '```yaml\nhandoff:\n  phase: "Testing"\n  from: "@tester"\n  to: "None"\n  status: "complete"\n```\n',
    )
  })

  it("[S2-81] keeps the document's order of keys and quotes every text", () => {
    const text = printed({
      ...BASE,
      package: { summary: 'Line one\n```\nline two', data: { level: 3 } },
      created_at: '2026-03-01T10:00:00Z',
      on_failure: { notify: 'lead', route_to: 'fixer', context: 'why', escalate_after: 3 },
      retry: { max: 2 },
      depends_on: ['15.10'],
      metrics: { coverage: '95%', passed: 25 },
      retry_count: 0,
      task: 'P0.1.1',
    })

    assert.deepEqual(text.split('\n').slice(6, -2), [
      '  retry_count: 0',
      '  metrics:',
      '    coverage: "95%"',
      '    passed: 25',
      '  dependencies:',
      '    - "15.10"',
      '  on_failure:',
      '    retry: 2',
      '    route_to: "@fixer"',
      '    notify: "@lead"',
      '    escalate_after: 3',
      '    context: "why"',
      '  timestamp: "2026-03-01T10:00:00Z"',
      '  context:',
      '    task_id: "P0.1.1"',
      '    summary: "Line one\\n```\\nline two"',
      '    level: 3',
    ])
  })

  it('asks for what a block demands and the draft does not say', () => {
    const answer = block.toNative({ title: 'Something else' })

    assert.ok(!answer.ok)
    assert.deepEqual(
      answer.missing.map(({ field }) => field),
      ['phase', 'from', 'to', 'state'],
    )
    assert.match(answer.missing[0]!.reason, /one of Research, /)
  })

  it('[S2-82] writes standard phases and statuses only', () => {
    for (const state of STATES)
      assert.ok(STATUSES.some((word) => word === handoffOf({ ...BASE, state }).status))
    for (const phase of PHASES) assert.equal(handoffOf({ ...BASE, phase }).phase, phase)
    const answer = block.toNative({ ...BASE, phase: 'Migration' })
    assert.ok(!answer.ok)
    assert.match(answer.missing[0]!.reason, /^Migration is not a phase of a block/)
  })

  it('gives the status that stands for a state, and says where another state would be read', () => {
    const shared = STATES.filter((state) => lostIn({ ...BASE, state }).includes('state'))

    assert.deepEqual(shared, [
      'draft',
      'accepted',
      'needs_input',
      'in_review',
      'rejected',
      'expired',
      'cancelled',
    ])
    assert.equal(handoffOf({ ...BASE, state: 'expired' }).status, 'failed')
    assert.equal(handoffOf({ ...BASE, state: 'needs_input' }).status, 'blocked')
  })

  it('[S2-84] gives the same bytes again for what it wrote, whatever the draft', () => {
    fc.assert(
      fc.property(anyDraft, (any) => {
        const first = printed({ ...BASE, ...any })
        const [document] = readDocuments(first)
        assert.equal(document?.dialect, 'block')
        assert.ok(document.draft)
        assert.equal(printed(document.draft), first)
        assert.equal(validateHandoff((document.source.value as { handoff: unknown }).handoff), true)
      }),
      { numRuns: 100 },
    )
  })

  it('carries decisions, questions, the gate, the commit and the failure in the context', () => {
    const draft: Draft = {
      ...BASE,
      package: {
        decisions: [{ decision: 'Use SQLite', rationale: 'One file' }],
        open_questions: [{ question: 'Which port?' }],
        constraints: ['No network'],
      },
      gate: { name: 'release', type: 'blocking' },
      workflow: { id: 'wf-1', current_step: 2 },
      record: { branch: 'feature/x', tests_run: ['a.test.ts'] },
      error: { code: 'TIMEOUT', message: 'Too slow' },
      project: 'shop',
    }
    const [document] = readDocuments(printed(draft))

    assert.deepEqual(lossesOf(draft), [])
    assert.deepEqual(document?.draft, draft)
  })

  it('says what a block has no place for', () => {
    const draft: Draft = {
      ...BASE,
      id: 'HO-1',
      title: 'Login',
      ack_deadline: '2026-03-01T10:00:00Z',
      progress: 40,
      retry: { max: 1, delay_s: 5 },
      on_failure: { retry: 2 },
      package: { purpose: 'p', deliverables: ['d'] },
      extra: { foo: 1, 'handoff.bar': 2 },
    }

    assert.deepEqual(lostIn(draft).toSorted(), [
      'ack_deadline',
      'extra.foo',
      'extra.handoff.bar',
      'id',
      'on_failure.retry',
      'package.deliverables',
      'package.purpose',
      'progress',
      'retry.delay_s',
      'title',
    ])
    assert.deepEqual(handoffOf(draft).metrics, { progress: 40 })
    assert.equal(handoffOf(draft).bar, 2)
    for (const { reason } of lossesOf(draft)) assert.match(reason, /\S/)
  })

  it('puts the summary above the block, unless it holds a block itself', () => {
    assert.match(printed({ ...BASE, body: 'All done.' }), /^All done\.\n\n```yaml\nhandoff:/)
    const body = '```yaml\nhandoff:\n  phase: "QA"\n```'
    assert.match(printed({ ...BASE, body }), /^```yaml\nhandoff:\n {2}phase: "Testing"/)
    assert.deepEqual(lostIn({ ...BASE, body }), ['body'])
  })
})

describe('changing a block', () => {
  const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')

  function changed(name: string, change: (draft: Draft) => Draft): readonly string[] {
    const text = fixture(name)
    const [document] = readDocuments(text, { path: name })
    assert.ok(document?.draft)
    assert.equal(rewrite(document, document.draft), text)
    const after = rewrite(document, change(document.draft)).split('\n')
    return after.filter((line) => !text.split('\n').includes(line))
  }

  it('touches the lines that say something else now', () => {
    assert.deepEqual(
      changed('summary.md', (draft) => ({ ...draft, state: 'failed', task: '7.11', to: null })),
      ['  to: "None"', '  status: "failed"', '    task_id: "7.11"'],
    )
  })

  it('knows where a relative of the block keeps what it says', () => {
    const source = sourcesOf(fixture('handback.md')).find((each) => block.formOf(each) === 'handback')
    assert.ok(source)
    const { places } = block.interpret(source, 'handback')

    assert.deepEqual(Object.fromEntries(places ?? []), {
      'handoff.from': ['handoff', 'from_agent'],
      'handoff.to': ['handoff', 'to_agent'],
      'handoff.timestamp': ['handoff', 'created_at'],
      'handoff.context.task_id': ['task', 'spec_id'],
      'handoff.context.project_id': ['project', 'id'],
      'handoff.context.branch': ['handback', 'branch'],
      'handoff.context.notes': ['handback', 'notes'],
      'handoff.metrics.tokens_total': ['handback', 'tokens_total'],
    })
  })

  it('changes nothing in blocks that are not changed, good or bad', () => {
    for (const name of [
      'words.md',
      'template.md',
      'several.md',
      'broken.md',
      'incomplete.md',
      'hostile.yaml',
      'lint.yaml',
    ]) {
      const text = fixture(name)
      for (const document of readDocuments(text, { path: name }))
        if (document.draft) assert.equal(rewrite(document, document.draft), text)
    }
  })
})

describe('the schema of a block', () => {
  const validate = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(schemas.block)

  it('takes what is written, and refuses what the document refuses', () => {
    assert.ok(validate(native({ ...BASE, to: null, retry_count: 1, depends_on: ['a'] }).value))
    for (const wrong of [
      { phase: 'qa' },
      { status: 'done' },
      { from: 'x' },
      { to: 'none' },
      { retry_count: -1 },
    ])
      assert.equal(validate({ handoff: { ...handoffOf(BASE), ...wrong } }), false, JSON.stringify(wrong))
    assert.equal(validate({ handoff: { phase: 'QA' } }), false)
  })
})
