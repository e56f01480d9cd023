import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ThoughtRecord } from '../domain/tasks/task.ts'
import { type BranchFacts, judge } from './merge-check.ts'
import type { ShownTask } from './task-facts.ts'

const COMMIT = 'a'.repeat(40)
const BRANCH = 'feature/p0-1-1-package-setup'

const task = (more: Partial<ShownTask> = {}): ShownTask => ({
  uid: 't',
  id: 'P0.1.1',
  rev: 3,
  title: 'Package setup',
  status: 'done',
  progress: 100,
  priority: 'normal',
  critical: false,
  level: 0,
  depends_on: [],
  criteria: [],
  created_at: '',
  updated_at: '',
  period_seq: 2,
  record_seq: 3,
  record_id: 'r',
  blocked: false,
  open_deps: 0,
  ...more,
})

const record = (more: Partial<ThoughtRecord> = {}): ThoughtRecord => ({
  uid: 'r',
  task_id: 'P0.1.1',
  shape: 'completion',
  by: 'claude',
  branch: BRANCH,
  commit_sha: COMMIT,
  tests_run: [],
  summary: 'Done.',
  blockers: [],
  files_changed: ['package.json', './src\\a.ts'],
  related_thought_records: [],
  created_at: '',
  ...more,
})

const known = (more: Partial<BranchFacts> = {}): BranchFacts => ({
  branch: BRANCH,
  base: 'main',
  facts: { task: task(), records: [record()] },
  prompt: {
    path: 'p.md',
    title: 'Package setup',
    checklist: [{ text: 'tests', done: true, line: 4 }],
    extractions: [],
  },
  changed: [
    { path: 'package.json', deleted: false },
    { path: 'src/a.ts', deleted: false },
    { path: 'old.ts', deleted: true },
  ],
  files: new Set(['package.json', 'src/a.ts']),
  commitIsOn: true,
  later: 0,
  ...more,
})

const codes = (facts: BranchFacts) => {
  const { reasons, warnings } = judge(facts)
  return { reasons: reasons.map(({ code }) => code), warnings: warnings.map(({ code }) => code) }
}

describe('the judgement on a branch', () => {
  it('[S3-50] is yes when the record says what git says', () => {
    assert.deepEqual(judge(known()), { reasons: [], warnings: [] })
  })

  it('[S3-48] is no without a record, whatever else is right', () => {
    const never = { task: task({ record_seq: undefined, record_id: undefined }), records: [] }

    assert.deepEqual(codes(known({ facts: never })).reasons, ['writeback_missing'])
  })

  it('[S3-46] is no with a record of an earlier period of work only', () => {
    const older = { task: task({ period_seq: 5 }), records: [record()] }

    assert.deepEqual(codes(known({ facts: older })).reasons, ['writeback_missing'])
  })

  it('is no for a task that is recorded and not done', () => {
    const open = { task: task({ status: 'in_progress' }), records: [record()] }

    assert.deepEqual(codes(known({ facts: open })).reasons, ['not_done'])
  })

  it('[S3-52] is no for a record of another branch and for a commit that is not on this one', () => {
    const other = { task: task(), records: [record({ branch: 'feature/p0-1-1-other' })] }

    assert.deepEqual(codes(known({ facts: other })).reasons, ['record_of_another_branch'])
    assert.deepEqual(codes(known({ commitIsOn: false })).reasons, ['commit_not_on_branch'])
  })

  it('is no for a branch of another task: p0-1-11 is not P0.1.1', () => {
    const branch = 'feature/p0-1-11-x'
    const facts = { task: task(), records: [record({ branch })] }

    assert.deepEqual(codes(known({ branch, facts })).reasons, ['branch_of_another_task'])
    assert.deepEqual(codes(known({ facts: undefined })).reasons, ['task_unknown'])
  })

  it('[S3-51] is no without a task-prompts file, a section or a checklist', () => {
    const prompt = { path: 'p.md', checklist: [], extractions: [] }

    assert.deepEqual(codes(known({ prompt: undefined })).reasons, ['prompts_missing'])
    assert.deepEqual(codes(known({ prompt })).reasons, ['checklist_missing'])
    assert.deepEqual(codes(known({ prompt: { ...prompt, title: 'Package setup' } })).reasons, [
      'checklist_missing',
    ])
  })

  it('[S3-45] is no while an item of the checklist is open, and names it', () => {
    const checklist = [
      { text: 'tests', done: true, line: 4 },
      { text: 'no lint errors', done: false, line: 5 },
    ]
    const { reasons } = judge(known({ prompt: { path: 'p.md', title: 'x', checklist, extractions: [] } }))

    assert.equal(reasons[0]?.code, 'checklist_open')
    assert.match(
      reasons[0]?.message ?? '',
      /p\.md has 1 of 2 items .* \(line 5: no lint errors\); verify each/,
    )
  })

  it('is no for recorded files that the branch does not change, and warns of changed ones that are not recorded', () => {
    const facts = { task: task(), records: [record({ files_changed: ['package.json', 'gone.ts'] })] }
    const { reasons, warnings } = judge(known({ facts }))

    assert.match(reasons[0]?.message ?? '', /the record names gone\.ts, which/)
    assert.deepEqual(warnings, [
      { code: 'files_not_recorded', message: 'src/a.ts changed and is not in the record' },
    ])
  })

  it('warns of commits after the recorded one, of blockers and of a branch that is merged', () => {
    const facts = { task: task(), records: [record({ blockers: [{ type: 'peer-dep' }] })] }

    assert.deepEqual(codes(known({ facts, later: 2, changed: undefined })), {
      reasons: [],
      warnings: ['commits_after_record', 'merged', 'blockers'],
    })
  })
})
