import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { EXAMPLE } from '../../../test/support/program/invoke.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { sentencesIn } from '../../domain/tasks/writeback-rules.ts'
import { Draft } from '../draft.ts'
import { sourcesOf } from '../text/sources.ts'
import { writeback } from './index.ts'

interface Read {
  readonly form: string
  readonly draft: Draft | undefined
  readonly diagnostics: readonly PlacedProblem[]
}

function formsIn(text: string, path?: string): readonly Read[] {
  return sourcesOf(text, path === undefined ? {} : { path }).flatMap((source) => {
    const form = writeback.formOf(source)
    if (form === undefined) return []
    const { draft, diagnostics } = writeback.interpret(source, form)
    const all = [...source.diagnostics, ...diagnostics].toSorted(
      (a, b) => a.line - b.line || a.column - b.column,
    )
    return [{ form, draft, diagnostics: all }]
  })
}

function read(value: unknown) {
  const [found, ...others] = formsIn(JSON.stringify(value))
  assert.ok(found?.draft, JSON.stringify(value))
  assert.equal(others.length, 0)
  const { form, draft, diagnostics } = found
  return {
    form,
    draft,
    codes: diagnostics.map(({ severity, code }) => `${severity} ${code}`),
    said: diagnostics.map(({ message }) => message).join('\n'),
  }
}

const SHA = '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c'
const UPDATE = { task_id: 'P0.1.1', status: 'in_progress' }
const RECORD = {
  task_id: 'P0.1.1',
  branch: 'feature/p0-1-1-package-setup',
  commit_sha: SHA,
  tests_run: ['smoke.test.ts', 'eslint', 'tsc'],
  summary: 'Set the package up. Wrote a smoke test. Both pass.',
  blockers: [],
}

describe('a task update', () => {
  it('[S3-09] says task, status, progress and notes', () => {
    const { form, draft, codes } = read({
      ...UPDATE,
      progress: 40,
      notes: 'The parser reads. Dates are left.',
    })

    assert.equal(form, 'task_update')
    assert.deepEqual(draft, {
      task: 'P0.1.1',
      state: 'in_progress',
      progress: 40,
      record: { notes: 'The parser reads. Dates are left.' },
    })
    assert.deepEqual(codes, [])
  })

  it('[S3-10] names the task by a text that is no sentence', () => {
    assert.equal(read(UPDATE).draft.task, 'P0.1.1')
    assert.deepEqual(read({ ...UPDATE, task_id: 'the first task' }).codes, ['error invalid_task_id'])
    assert.deepEqual(read({ ...UPDATE, task_id: '' }).codes, ['error missing_field'])
    assert.equal(formsIn('task_id: 15.10\nstatus: done\n', 'x.yaml')[0]?.draft?.task, '15.10')
  })

  it('[S3-11] knows todo, in_progress and done, and reads other words as errors', () => {
    assert.equal(read({ ...UPDATE, status: 'todo' }).draft.state, 'offered')
    assert.equal(read({ ...UPDATE, status: 'done' }).draft.state, 'completed')
    const { draft, codes, said } = read({ ...UPDATE, status: 'Blocked' })
    assert.equal(draft.state, 'blocked')
    assert.deepEqual(codes, ['error invalid_status'])
    assert.match(said, /^Invalid status: Blocked\. Write status: "in_progress"/)
    assert.match(read({ ...UPDATE, status: 'x' }).said, /Write one of todo, in_progress, done\.$/)
  })

  it('[S3-12] takes a number from 0 to 100 as progress and nothing else', () => {
    for (const progress of [0, 33.3, 100]) {
      const { draft, codes } = read({ ...UPDATE, progress })
      assert.deepEqual([draft.progress, codes], [progress, []])
    }
    for (const progress of [-1, 100.1, '50', 'half', [50]])
      assert.deepEqual(read({ ...UPDATE, progress }).codes, ['error invalid_progress'], String(progress))
    assert.equal(read({ ...UPDATE, progress: '50' }).draft.progress, 50)
  })

  it('[S3-13] has notes of one or two sentences, and a warning for more', () => {
    assert.deepEqual(read({ ...UPDATE, notes: 'One. Two.' }).codes, [])
    assert.deepEqual(read({ ...UPDATE, notes: 'One. Two. Three.' }).codes, ['warning notes_length'])
  })

  it('[S3-14] that is done has progress 100, said or not', () => {
    assert.deepEqual(read({ ...UPDATE, status: 'done', progress: 100 }).codes, [])
    assert.equal(read({ ...UPDATE, status: 'done' }).draft.progress, 100)
    assert.deepEqual(read({ ...UPDATE, status: 'done', progress: 90 }).codes, [
      'error done_without_full_progress',
    ])
    assert.deepEqual(read({ ...UPDATE, progress: 100 }).codes, [])
  })

  it('[S3-15] may say id for the task, unless it says another task too', () => {
    const { draft, codes } = read({ id: 'P0.1.2', status: 'done' })
    assert.deepEqual([draft.task, draft.state, codes], ['P0.1.2', 'completed', []])
    assert.equal(
      read({ tool: 'task_update', arguments: { id: 'P0.1.2', status: 'done' } }).draft.task,
      'P0.1.2',
    )
    assert.deepEqual(read({ ...UPDATE, id: 'P0.1.2' }).codes, ['error ids_differ'])
    assert.deepEqual(formsIn('{"id": "x", "status": "done", "name": "y"}'), [])
  })
})

describe('a thought record', () => {
  it('[S3-16] [S3-25] says what was done, where and with which tests', () => {
    const { form, draft, codes } = read(RECORD)

    assert.equal(form, 'thought_record')
    assert.deepEqual(codes, [])
    const { task_id, ...record } = RECORD
    assert.deepEqual(draft, {
      task: task_id,
      state: 'in_review',
      record,
      package: { summary: RECORD.summary },
    })
    for (const key of ['branch', 'commit_sha', 'summary'] as const) {
      const { [key]: _, ...rest } = RECORD
      assert.deepEqual(read(rest).codes, ['error missing_field'], key)
    }
  })

  it('[S3-17] is on a branch of its task, or warns', () => {
    const other = { ...RECORD, branch: 'feature/p0-1-11-other' }

    assert.deepEqual(read({ ...RECORD, branch: 'feature/p0-1-1' }).codes, [])
    assert.deepEqual(read(other).codes, ['warning branch_of_other_task'])
    assert.match(read(other).said, /would begin with feature\/p0-1-1-/)
    assert.deepEqual(read({ ...RECORD, branch: 'fix/p0-1-1-x' }).codes, ['warning branch_of_other_task'])
  })

  it('[S3-18] names the commit by all its 40 characters', () => {
    const upper = read({ ...RECORD, commit_sha: SHA.toUpperCase() })
    assert.deepEqual([upper.draft.record?.commit_sha, upper.codes], [SHA, ['info sha_in_capitals']])
    const wrong = {
      short_sha: ['abc123d', 'abc123def456...'],
      sha_of_64: ['a'.repeat(64)],
      invalid_sha: ['HEAD', 'z'.repeat(40)],
    }
    for (const [code, hashes] of Object.entries(wrong))
      for (const commit_sha of hashes)
        assert.deepEqual(read({ ...RECORD, commit_sha }).codes, [`error ${code}`])
  })

  it('keeps a hash of digits alone as it was written', () => {
    const digits = '1234567890123456789012345678901234567890'
    const [found] = formsIn(`thought_record:\n  task_id: P1\n  commit_sha: ${digits}\n`, 'x.yaml')

    assert.equal(found?.draft?.record?.commit_sha, digits)
    assert.ok(found?.diagnostics.some(({ code }) => code === 'long_number'))
    const round = `1${'0'.repeat(39)}`
    const [number] = formsIn(`thought_record:\n  task_id: P1\n  commit_sha: ${round}\n`, 'x.yaml')
    assert.equal(number?.draft?.record?.commit_sha, round)
    assert.ok(number?.diagnostics.some(({ code }) => code === 'sha_without_quotes'))
  })

  it('[S3-19] lists the tests that were run, and warns where none was', () => {
    assert.deepEqual(read({ ...RECORD, tests_run: [] }).codes, ['warning no_tests_run'])
    assert.deepEqual(read({ ...RECORD, tests_run: 'npm test' }).codes, ['warning not_a_list'])
    assert.deepEqual(read({ ...RECORD, tests_run: 'npm test' }).draft.record?.tests_run, ['npm test'])
  })

  it('[S3-20] has a summary of three to five sentences in one paragraph, or a warning', () => {
    const four = 'One. Two. Three. Four.'

    assert.deepEqual(read({ ...RECORD, summary: four }).codes, [])
    for (const summary of ['One. Two.', `${four} ${four}`, 'One. Two.\n\nThree.'])
      assert.deepEqual(read({ ...RECORD, summary }).codes, ['warning summary_length'], summary)
  })

  it('[S3-21] [S3-29] lists blockers as objects and takes a text as the issue of one', () => {
    const blocker = { type: 'peer-dep', package: 'zod', issue: 'too old', resolution: 'wait' }

    assert.deepEqual(read({ ...RECORD, blockers: [blocker] }).draft.record?.blockers, [blocker])
    const texts = read({ ...RECORD, blockers: ['zod is too old'] })
    assert.deepEqual(texts.draft.record?.blockers, [{ issue: 'zod is too old' }])
    assert.deepEqual(texts.codes, ['warning blocker_is_text'])
    assert.deepEqual(read({ ...RECORD, blockers: 'none' }).draft.record?.blockers, [])
    const done = read({ ...RECORD, status: 'done', blockers: [blocker] })
    assert.deepEqual(done.codes, ['info done_with_blockers'])
  })

  it('[S3-22] [S3-23] lists the files and the records before it', () => {
    const { draft } = read({ ...RECORD, files_changed: ['a.ts'], related_thought_records: ['rec-1'] })

    assert.deepEqual(draft.record?.files_changed, ['a.ts'])
    assert.deepEqual(draft.package?.artifacts, [{ path: 'a.ts', role: 'changed' }])
    assert.deepEqual(draft.record?.related_thought_records, ['rec-1'])
    assert.deepEqual(read({ ...RECORD, related_thought_records: [] }).codes, [])
  })

  it('has a second shape, which opens a task again', () => {
    const { form, draft, codes } = read({ task_id: 'P0.1.1', status: 'todo', notes: 'Reverted, open again' })

    assert.equal(form, 'thought_record')
    assert.deepEqual(
      [draft.state, draft.record, codes],
      ['offered', { status: 'todo', notes: 'Reverted, open again' }, []],
    )
    assert.equal(read({ task_id: 'P0.1.1', status: 'todo', notes: 'x', progress: 0 }).form, 'task_update')
  })

  it('is known as a call of its tool, whatever the caller wraps it in', () => {
    const calls = [
      { tool: 'thought_record', arguments: RECORD },
      { name: 'mcp__ams__thought_record', input: RECORD },
      { method: 'tools/call', params: { name: 'thought_record', arguments: RECORD } },
      { thought_record: RECORD },
    ]
    for (const call of calls)
      assert.deepEqual([read(call).form, read(call).draft.task], ['thought_record', 'P0.1.1'])
    const other = [
      { tool: 'search', arguments: RECORD },
      { ...RECORD, handoff_id: 'x' },
      { task_id: 'P0.1.1' },
      [RECORD],
    ]
    for (const value of other) assert.deepEqual(formsIn(JSON.stringify(value)), [])
  })
})

describe('sentences', () => {
  it('are counted by their ends, not by their dots', () => {
    const counts: readonly (readonly [string, number])[] = [
      ['', 0],
      ['...', 0],
      ['No dot', 1],
      ['Uses package.json, 5.3+ and .env.example.', 1],
      ['One! Two? "Three." (Four.) Five', 5],
      ['Some tools, e.g. tsc, etc. are here.', 1],
      ['Wait... what?', 2],
    ]
    for (const [text, count] of counts) assert.equal(sentencesIn(text), count, text)
  })
})

describe("the document's own record", () => {
  it('[S3-24] is accepted unchanged, with nothing to say about it', () => {
    const [found] = formsIn(JSON.stringify(EXAMPLE, undefined, 2))

    assert.equal(found?.form, 'thought_record')
    assert.deepEqual(found?.diagnostics, [])
    assert.equal(sentencesIn(found?.draft?.record?.summary ?? ''), 3)
    const native = writeback.toNative(found?.draft ?? {})
    assert.ok(native.ok)
    assert.deepEqual(native.value, EXAMPLE)
  })
})

describe('what agents write back', () => {
  const folder = join(import.meta.dirname, 'fixtures')
  const names = readdirSync(folder).filter((name) => !name.endsWith('.expected.json'))
  for (const name of names)
    it(`is read as expected: ${name}`, () => {
      const found = formsIn(readFileSync(join(folder, name), 'utf8'), name).map(
        ({ form, draft, diagnostics }) => ({
          form,
          draft,
          diagnostics: diagnostics.map((d) => `${d.line}:${d.column} ${d.severity} ${d.code}: ${d.message}`),
        }),
      )
      const expected = readFileSync(join(folder, `${name}.expected.json`), 'utf8')

      assert.deepEqual(JSON.parse(JSON.stringify(found)), JSON.parse(expected))
    })

  it('never makes the reader throw, and what is read is a draft', () => {
    const value = fc.oneof(
      fc.string(),
      fc.double(),
      fc.constant(null),
      fc.array(fc.jsonValue({ maxDepth: 2 })),
      fc.dictionary(fc.string(), fc.string()),
    )
    const keys = [
      ...Object.keys(RECORD),
      'status',
      'progress',
      'notes',
      'files_changed',
      'related_thought_records',
      'metadata',
      'by',
      'timestamp',
      '__proto__',
    ]
    const any = fc
      .array(fc.tuple(fc.constantFrom(...keys), value))
      .map((entries) => ({ ...RECORD, ...Object.fromEntries(entries) }))

    fc.assert(
      fc.property(any, (record) => {
        for (const { draft } of formsIn(JSON.stringify(record))) assert.ok(Draft().safeParse(draft).success)
      }),
      { numRuns: 200 },
    )
  })
})
