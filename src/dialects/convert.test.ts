import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FULL } from '../../test/support/documents/full-draft.ts'
import type { Loss } from './dialect.ts'
import { convert, type DialectId, type Draft, readDocuments, rewrite } from './index.ts'
import { SLOT_BYTES } from './slot.ts'

const DRAFT: Draft = {
  id: 'HO-2026-001',
  state: 'in_review',
  from: 'architect',
  to: 'builder',
  to_reason: 'Knows the forms',
  priority: 'high',
  created_at: '2026-02-21T14:30:00Z',
  phase: 'Implementation',
  package: {
    summary: 'The form exists without any validation yet.',
    decisions: [{ decision: 'Validate on blur', rationale: 'Users asked for it' }],
  },
}

function converted(draft: Draft, to: DialectId, options = {}): { text: string; losses: readonly Loss[] } {
  const made = convert(draft, to, options)
  assert.ok(made.ok, JSON.stringify(made))
  return made
}

const fieldsOf = (losses: readonly Loss[]): readonly string[] => losses.map(({ field }) => field).sort()
const readIn = (text: string): Draft | undefined => readDocuments(text)[0]?.draft

describe('convert', () => {
  it('lists what the reader of the text will not get, each with a reason', () => {
    const { text, losses } = converted(DRAFT, 'block')
    const read = readIn(text)

    assert.ok(fieldsOf(losses).includes('id'))
    assert.ok(fieldsOf(losses).includes('state'))
    assert.equal(read?.id, undefined)
    assert.equal(read?.state, 'in_progress')
    assert.equal(read?.phase, 'Implementation')
    for (const { reason } of losses) assert.match(reason, /\w{3}/)
  })

  it('does not list what does come across', () => {
    const lost = fieldsOf(converted(DRAFT, 'package').losses)

    for (const field of ['id', 'from', 'to', 'to_reason', 'package.summary', 'package.decisions'])
      assert.ok(!lost.includes(field), field)
  })

  it('carries the same in the slot, and then loses nothing', () => {
    for (const to of ['block', 'package'] as const) {
      const { text, losses } = converted(DRAFT, to, { slot: true })

      assert.deepEqual(losses, [])
      assert.match(text, /x_baton/)
      assert.deepEqual(readIn(text), DRAFT)
    }
  })

  it('carries an empty mapping as one, where the target has something there or nothing', () => {
    const odd: Draft = { ...DRAFT, metrics: {}, retry: {}, package: {}, progress: 40, extra: {} }
    for (const to of ['block', 'package'] as const) {
      const { text, losses } = converted(odd, to, { slot: true })

      assert.deepEqual(losses, [], to)
      assert.deepEqual(readIn(text), odd, to)
    }
  })

  it('writes no slot where nothing would be in it', () => {
    const plain: Draft = { phase: 'Testing', from: 'qa', to: null, state: 'completed' }

    assert.doesNotMatch(converted(plain, 'block', { slot: true }).text, /x_baton/)
  })

  it('refuses with the list of what the target demands, and makes nothing up', () => {
    const made = convert({ from: 'architect', to: 'builder' }, 'writeback')

    assert.ok(!made.ok)
    const missing = made.missing.map(({ field }) => field)
    assert.ok(missing.includes('record.commit_sha'), String(missing))
    assert.ok(missing.includes('record.branch'))
    for (const { reason } of made.missing) assert.match(reason, /\w{3}/)
  })

  it('refuses a handoff to nobody where the target knows no such thing', () => {
    const made = convert({ ...FULL, to: null }, 'queue')

    assert.ok(!made.ok)
    assert.deepEqual(
      made.missing.map(({ field }) => field),
      ['to'],
    )
  })

  it('takes what was supplied, field by field below package', () => {
    const supply = { ...FULL, package: { deliverables: ['A validated form'], criteria: ['All tests pass'] } }
    const made = convert(DRAFT, 'markdown', { supply: { ...supply, id: undefined } as Partial<Draft> })

    assert.ok(made.ok)
    const read = readIn(made.text)
    assert.deepEqual(read?.package?.deliverables, ['A validated form'])
    assert.equal(read?.task, 'BPRD-2026-0042')
  })

  it('refuses a slot that would be larger than a slot may be, and says what is lost then', () => {
    const large: Draft = { ...DRAFT, ack_notes: 'x'.repeat(SLOT_BYTES) }
    const { text, losses } = converted(large, 'block', { slot: true })

    assert.doesNotMatch(text, /x_baton/)
    assert.ok(fieldsOf(losses).includes('x_baton'))
    assert.ok(fieldsOf(losses).includes('ack_notes'))
  })
})

describe('the x_baton slot', () => {
  const { text } = converted(DRAFT, 'block', { slot: true })

  it('names the fields that only it says, so that no guard rests on them', () => {
    const [document] = readDocuments(text)

    assert.ok(document?.carried.includes('state'))
    assert.ok(document?.carried.includes('id'))
    assert.ok(!document?.carried.includes('phase'))
  })

  it('gives way to native keys that changed since, with a warning', () => {
    const edited = text.replace('status: "in_progress"', 'status: "complete"')
    assert.notEqual(edited, text)
    const [document] = readDocuments(edited)

    assert.equal(document?.draft?.state, 'completed')
    assert.equal(document?.draft?.id, 'HO-2026-001')
    const warning = document?.diagnostics.find(({ code }) => code === 'slot_contradicts')
    assert.equal(warning?.severity, 'warning')
    assert.match(warning?.message ?? '', /state/)
    assert.match(edited.split('\n')[warning!.line - 1] ?? '', /x_baton/)
  })

  it('is not read where it holds no draft, is of another version or too large', () => {
    const bad = [
      ['version: 1', 'version: 2'],
      ['state: "in_review"', 'state: "nonsense"'],
      ['id: "HO-2026-001"', `id: "HO-2026-001"\n        title: "${'x'.repeat(SLOT_BYTES)}"`],
    ] as const
    for (const [old, made] of bad) {
      const changed = text.replace(new RegExp(old.replaceAll('"', '"?')), made)
      assert.notEqual(changed, text, old)
      const [document] = readDocuments(changed)
      assert.ok(
        document?.diagnostics.some(({ code }) => code === 'slot_ignored'),
        made.slice(0, 40),
      )
      assert.equal(document?.draft?.state, 'in_progress')
      assert.deepEqual(document?.carried, [])
    }
  })

  it('cannot reach a prototype', () => {
    readDocuments(
      'handoff:\n  from: "@a"\n  to: "@b"\n  context:\n    x_baton:\n      version: 1\n      draft:\n        metrics: {__proto__: {polluted: 1}}\n',
    )

    assert.equal(({} as Record<string, unknown>).polluted, undefined)
  })

  it('follows a change of the document', () => {
    const [document] = readDocuments(text)
    const after = { ...DRAFT, state: 'completed', title: 'Login form' } as const
    const [again] = readDocuments(rewrite(document!, after))

    assert.deepEqual(again?.draft, after)
    assert.deepEqual(
      again?.diagnostics.filter(({ code }) => code.startsWith('slot')),
      [],
    )
  })
})

describe('rewrite', () => {
  const text =
    '# Summary\r\n\r\n```yaml\r\nhandoff:\r\n  # who\r\n  phase: Testing   # the last one\r\n  from: "@qa"\r\n  to: "@ops"\r\n  status: done\r\n  mine: [1,  2]\r\n```\r\nBye\r\n'

  it('leaves a document alone that did not change', () => {
    const [document] = readDocuments(text)

    assert.equal(rewrite(document!, { ...document!.draft }), text)
  })

  it('changes one value and no other byte', () => {
    const [document] = readDocuments(text)

    assert.equal(rewrite(document!, { ...document!.draft, to: 'lead' }), text.replace('"@ops"', '"@lead"'))
  })

  it('leaves what an incomplete document does not say unsaid', () => {
    const short = 'handoff:\n  phase: Testing\n  from: "@qa"\n  status: complete\n'
    const [document] = readDocuments(short)

    assert.equal(rewrite(document!, { ...document!.draft, phase: 'QA' }), short.replace('Testing', 'QA'))
  })

  it('changes what stands below the front matter and keeps its line ends', () => {
    const front = '---\r\nhandoff_id: handoff-a\r\nfrom_agent: grok\r\nto_agent: claude\r\n---\r\n'
    const [document] = readDocuments(`${front}\r\nOld text.\r\nMore.\r\n`, { path: 'a.md' })
    const body = document?.draft?.body?.replace('Old', 'New')
    assert.match(body ?? '', /New text/)

    assert.equal(rewrite(document!, { ...document?.draft, body }), `${front}\r\nNew text.\r\nMore.\r\n`)
  })

  it('gives a text back that it could not read', () => {
    const [document] = readDocuments('nothing of ours')

    assert.equal(rewrite(document!, { title: 'x' }), 'nothing of ours')
  })
})
