import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDocuments, rewrite } from './index.ts'

const FRONT = `---
handoff_id: handoff-grok-claude-BPRD-2026-0042-20260221
from_agent: grok
to_agent: claude
related_task: BPRD-2026-0042
status: Active
---

# Login form
`
const REQUEST = `{
  "handoff_id": "hoff-7",
  "source": {"agent_id": "@lead", "phase": 11},
  "target": {"agent_id": "@forms", "phase": 13},
  "status": "pending"
}
`
const BLOCK = `handoff:
  phase: Testing
  from: "@qa"
  to: "None"
  status: complete
`
const PACKAGE = `handoff:
  id: HO-2026-001
  from:
    agent: architect
  to:
    agent: builder
    reason: Knows the forms
  context:
    summary: The form exists without any validation yet.
`
const RECORD = `{"task_id": "P0.1.1", "branch": "feature/p0-1-1-login", "summary": "Built it. Tested it. It works."}
`

const found = (text: string, path?: string): readonly (string | undefined)[] =>
  readDocuments(text, path === undefined ? {} : { path }).map(({ dialect }) => dialect)
const codes = (text: string, path?: string): readonly string[] =>
  readDocuments(text, path === undefined ? {} : { path }).flatMap(({ diagnostics }) =>
    diagnostics.map(({ code }) => code),
  )

describe('which dialect a text is of', () => {
  it('is told by what it says, without any path', () => {
    assert.deepEqual(found(FRONT), ['markdown'])
    assert.deepEqual(found(REQUEST), ['queue'])
    assert.deepEqual(found(BLOCK), ['block'])
    assert.deepEqual(found(PACKAGE), ['package'])
    assert.deepEqual(found(RECORD), ['writeback'])
  })

  it('tells a block from a package by the kind of its sender: a name or a mapping', () => {
    assert.deepEqual(found(BLOCK, 'handoff.yaml'), ['block'])
    assert.deepEqual(found(PACKAGE, 'handoff.yaml'), ['package'])
  })

  it('is told by a prescribed place even where the text is broken', () => {
    assert.deepEqual(found('{"handoff_id": "hoff-7", "sta', 'handoffs/pending/hoff-7.json'), ['queue'])
    assert.deepEqual(found('', '_handoffs/active/handoff-a-b-BPRD-2026-0001-20260221.md'), ['markdown'])
  })

  it('knows an index, a state file and an acknowledgment, which are no handoffs', () => {
    const index = 'active_handoffs: []\ncounts_by_agent: {}\n'
    const state = '{"handoffs": []}'
    const acknowledgment = 'acknowledgment:\n  handoff_id: HO-2026-001\n  from: builder\n  starting: true\n'

    assert.deepEqual(found(index, '_handoffs/_index.yaml'), ['markdown'])
    assert.deepEqual(found(state, 'state/current.json'), ['package'])
    assert.deepEqual(found(acknowledgment), ['package'])
  })

  it('finds every block in a text, each of its own dialect', () => {
    const text = `# Summary\n\n\`\`\`yaml\n${BLOCK}\`\`\`\n\nAnd then:\n\n\`\`\`yaml\n${PACKAGE}\`\`\`\n`

    assert.deepEqual(found(text, 'summary.md'), ['block', 'package'])
  })

  it('takes the front matter and the blocks below it for documents of their own', () => {
    assert.deepEqual(found(`${FRONT}\n\`\`\`yaml\n${BLOCK}\`\`\`\n`), ['markdown', 'block'])
  })

  it('[S2-08] speaks of a block that is broken, beside those that are not', () => {
    const text = `# Summary\n\n\`\`\`yaml\nhandoff: [\n\`\`\`\n\n\`\`\`yaml\n${BLOCK}\`\`\`\n`
    const [broken, block] = readDocuments(text, { path: 'summary.md' })

    assert.equal(block?.dialect, 'block')
    assert.ok(
      broken?.diagnostics.some(({ severity, line }) => severity === 'error' && line >= 4 && line <= 5),
    )
  })

  it('reads a block that stands without a fence once, and not as lines of the text too', () => {
    assert.deepEqual(found(`All done.\n\n---\n${BLOCK}`, 'summary.md'), ['block'])
  })

  it('leaves other YAML in a text alone', () => {
    const text = `# Setup\n\n\`\`\`yaml\nservices:\n  web: 1\n\`\`\`\n\n\`\`\`yaml\n${BLOCK}\`\`\`\n`

    assert.deepEqual(found(text, 'summary.md'), ['block'])
  })

  it('reads two objects in one file as two documents', () => {
    assert.deepEqual(found(`${REQUEST}${REQUEST}`, 'handoffs/pending/hoff-7.json'), ['queue', 'queue'])
  })

  it('reads a list of handoffs as so many documents, each with its own lines', () => {
    const text = `[\n${REQUEST.trim()},\n{"note": 1},\n${REQUEST.trim().replace('pending', 'sleeping')}\n]\n`
    const documents = readDocuments(text, { path: 'all.json' })

    assert.deepEqual(
      documents.map(({ dialect }) => dialect),
      ['queue', 'queue'],
    )
    const [first, second] = documents
    assert.deepEqual(
      [first, second].map((each) => each?.source.position(each.source.start).line),
      [2, 9],
    )
    assert.ok(second?.diagnostics.some(({ line }) => line === 13))
    const at = text.lastIndexOf('@forms')
    const changed = `${text.slice(0, at)}@others${text.slice(at + '@forms'.length)}`
    assert.equal(rewrite(second!, { ...second?.draft, to: 'others' }), changed)
  })

  it('says what it looked for where it knows nothing of the text', () => {
    const [document, ...others] = readDocuments('\n\n{"colour": "red"}\n')

    assert.equal(others.length, 0)
    assert.equal(document?.dialect, undefined)
    const [diagnostic] = document?.diagnostics ?? []
    assert.equal(diagnostic?.code, 'unknown_dialect')
    assert.equal(diagnostic?.severity, 'error')
    assert.equal(diagnostic?.line, 3)
    assert.match(diagnostic?.message ?? '', /handoff_id.*agent_id.*handoff:.*task_id/)
  })

  it('says where a text breaks, known or not', () => {
    const [document] = readDocuments('{"colour": \n')

    assert.equal(document?.dialect, undefined)
    const broken = document?.diagnostics.filter(
      ({ severity, code }) => severity === 'error' && code !== 'unknown_dialect',
    )
    assert.ok(broken?.length)
  })

  it('names both dialects where two know the text by keys of their own', () => {
    const both = JSON.stringify({
      source: { agent_id: '@lead' },
      target: { agent_id: '@forms' },
      handoff: { from: '@qa', to: 'None' },
    })
    const [document] = readDocuments(both)

    assert.equal(document?.dialect, undefined)
    assert.equal(document?.draft, undefined)
    const ambiguous = document?.diagnostics.find(({ code }) => code === 'ambiguous_dialect')
    assert.match(ambiguous?.message ?? '', /queue.*block/)
  })

  it('lets a prescribed place decide between two', () => {
    const both = JSON.stringify({ ...JSON.parse(REQUEST), thought_record: { task_id: 'P0.1.1' } })

    assert.deepEqual(codes(both).includes('ambiguous_dialect'), true)
    assert.deepEqual(found(both, 'handoffs/pending/hoff-7.json'), ['queue'])
  })

  it('prefers keys of its own to a mark that others bear too', () => {
    const text = FRONT.replace('status:', 'acknowledgment: {from: claude}\nstatus:')

    assert.deepEqual(found(text), ['markdown'])
  })

  it('never throws away the only thing there is to say about an empty text', () => {
    for (const text of ['', ' ', '\ufeff', '\n\n', '{', '-'])
      assert.ok(
        codes(text).length > 0 && readDocuments(text).length === 1,
        `nothing was said about ${JSON.stringify(text)}`,
      )
  })
})
