import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { anyDraft } from '../../../test/support/documents/drafts.ts'
import { STATES } from '../../domain/lifecycle.ts'
import { convert } from '../convert.ts'
import type { Draft } from '../draft.ts'
import { readDocuments } from '../read.ts'
import { rewrite } from '../rewrite.ts'
import { writeback } from './index.ts'
import { schemas } from './schema.ts'

const RECORD: Draft = {
  task: 'P0.1.1',
  record: {
    branch: 'feature/p0-1-1-x',
    commit_sha: 'a'.repeat(40),
    tests_run: ['a.test.ts'],
    summary: 'One. Two. Three.',
    blockers: [],
  },
}
const UPDATE: Draft = { task: 'P0.1.1', state: 'in_progress', progress: 40, record: { notes: 'Half of it' } }

function native(draft: Draft) {
  const answer = writeback.toNative(draft)
  assert.ok(answer.ok, JSON.stringify(answer))
  return answer
}

function missingIn(draft: Draft): readonly string[] {
  const answer = writeback.toNative(draft)
  return answer.ok ? [] : answer.missing.map(({ field }) => field)
}

function lostIn(draft: Draft): string[] {
  const made = convert(draft, 'writeback')
  assert.ok(made.ok)
  return made.losses.map(({ field }) => field)
}

describe('writing back', () => {
  it("[S3-16] writes a record with the document's keys in their order", () => {
    assert.equal(
      writeback.print(native({ ...RECORD, state: 'in_review' })),
      `{
  "task_id": "P0.1.1",
  "branch": "feature/p0-1-1-x",
  "commit_sha": "${'a'.repeat(40)}",
  "tests_run": [
    "a.test.ts"
  ],
  "summary": "One. Two. Three.",
  "blockers": []
}
`,
    )
  })

  it('[S3-09] [S3-14] writes an update where nothing is said of the work', () => {
    assert.deepEqual(native(UPDATE).value, {
      task_id: 'P0.1.1',
      status: 'in_progress',
      progress: 40,
      notes: 'Half of it',
    })
    assert.deepEqual(native({ ...UPDATE, state: 'completed', progress: 100, record: {} }).value, {
      task_id: 'P0.1.1',
      status: 'done',
      progress: 100,
    })
  })

  it('asks for task, branch, commit and summary, and never makes them up', () => {
    assert.deepEqual(missingIn({ title: 'x' }), [
      'task',
      'record.branch',
      'record.commit_sha',
      'record.summary',
    ])
    assert.deepEqual(missingIn({ task: 'P1', package: { summary: 'x' } }), [
      'record.branch',
      'record.commit_sha',
    ])
    assert.deepEqual(missingIn({ ...RECORD, record: { ...RECORD.record, commit_sha: 'abc123' } }), [
      'record.commit_sha',
    ])
    assert.deepEqual(missingIn({ record: {} }), ['task', 'state'])
  })

  it('gives the status that stands for a state, and says where another state would be read', () => {
    const words = STATES.map((state) => [state, native({ ...RECORD, state }).value.status])

    assert.deepEqual(Object.fromEntries(words), {
      draft: 'todo',
      offered: 'todo',
      accepted: 'in_progress',
      in_progress: 'in_progress',
      blocked: 'in_progress',
      needs_input: 'in_progress',
      in_review: undefined,
      retry_wait: 'in_progress',
      completed: 'done',
      failed: 'in_progress',
      rejected: 'todo',
      expired: 'todo',
      cancelled: 'todo',
    })
    const exact = STATES.filter((state) => !lostIn({ ...RECORD, state }).includes('state'))
    assert.deepEqual(exact, ['offered', 'in_progress', 'in_review', 'completed'])
  })

  it('says what has no place in a record', () => {
    const draft: Draft = {
      ...RECORD,
      from: 'codex',
      progress: 50,
      package: { summary: 'Another one', decisions: [], artifacts: [{ path: 'a.ts', role: 'changed' }] },
      record: { ...RECORD.record, blockers: ['text'], commit_sha: 'A'.repeat(40) },
      extra: { kept: 1, task_id: 'x', 'handoff.mood': 'good' },
    }

    assert.deepEqual(lostIn(draft).toSorted(), [
      'extra.handoff.mood',
      'extra.kept',
      'extra.task_id',
      'from',
      'package.decisions',
      'package.summary',
      'progress',
      'record.blockers',
      'record.commit_sha',
    ])
    const { value } = native(draft)
    assert.deepEqual([value.files_changed, value.blockers, value.kept], [['a.ts'], [{ issue: 'text' }], 1])
    assert.equal(value.commit_sha, 'a'.repeat(40))
  })

  it('gives the same bytes again for what it wrote, whatever the draft', () => {
    fc.assert(
      fc.property(anyDraft, (any) => {
        const first = writeback.print(
          native({ ...RECORD, ...any, record: { ...RECORD.record, ...any.record } }),
        )
        const [document] = readDocuments(first)
        assert.equal(document?.dialect, 'writeback')
        assert.equal(writeback.print(native(document.draft ?? {})), first)
      }),
      { numRuns: 100 },
    )
  })
})

describe('changing what was written back', () => {
  const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')

  it('goes to the arguments of a call', () => {
    const text = '{"tool": "task_update", "arguments": {"id": "P1", "status": "in_progress"}}\n'
    const [document] = readDocuments(text)
    assert.ok(document?.draft)

    assert.equal(rewrite(document, document.draft), text)
    assert.equal(
      rewrite(document, { ...document.draft, task: 'P2', state: 'completed' }),
      '{"tool": "task_update", "arguments": {"id": "P2", "status": "done"}}\n',
    )
  })

  it('changes nothing where nothing changed, good or bad', () => {
    for (const name of [
      'record.json',
      'reinstatement.json',
      'calls.jsonl',
      'fenced.md',
      'bad-record.json',
      'bad-updates.jsonl',
    ]) {
      const text = fixture(name)
      const documents = readDocuments(text, { path: name }).filter(({ dialect }) => dialect === 'writeback')
      assert.ok(documents.length > 0, name)
      for (const document of documents)
        if (document.draft) assert.equal(rewrite(document, document.draft), text)
    }
  })
})

describe('the schemas of writing back', () => {
  const ajv = new Ajv2020({ strict: false })
  const isRecord = ajv.compile(schemas.thought_record)
  const isUpdate = ajv.compile(schemas.task_update)

  it('take what is written', () => {
    assert.ok(isRecord(native(RECORD).value))
    assert.ok(isRecord({ task_id: 'P1', status: 'todo', notes: 'Open again' }))
    assert.ok(isUpdate(native(UPDATE).value))
  })

  it('refuse short hashes, blockers that are texts and done without 100', () => {
    const { value } = native(RECORD)
    for (const wrong of [
      { commit_sha: 'abc' },
      { blockers: ['x'] },
      { tests_run: 'x' },
      { status: 'finished' },
    ])
      assert.equal(isRecord({ ...value, ...wrong }), false, JSON.stringify(wrong))
    assert.equal(isUpdate({ task_id: 'P1', status: 'done', progress: 90 }), false)
    assert.equal(isUpdate({ task_id: 'P1', status: 'todo', progress: 101 }), false)
    assert.equal(isRecord({ task_id: 'P1' }), false)
  })
})
