import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EXAMPLE } from '../../../test/support/program/invoke.ts'
import {
  branchProblem,
  isReinstating,
  isSha,
  notesProblem,
  recordProblems,
  shaProblem,
  summaryProblem,
  type WrittenRecord,
} from './writeback-rules.ts'

const codes = (record: WrittenRecord, git = true): readonly string[] =>
  recordProblems('P0.1.1', record, { git }).map(({ severity, code, field }) => `${severity} ${code} ${field}`)

describe('a record that is written back', () => {
  it('[S3-24] has nothing to be said about in the complete example', () => {
    assert.deepEqual(codes(EXAMPLE), [])
  })

  it('cannot do without branch, commit and summary, and tests are missed', () => {
    assert.deepEqual(codes({}), [
      'error missing_field branch',
      'error missing_field commit_sha',
      'error missing_field summary',
      'warning no_tests_run tests_run',
    ])
    assert.deepEqual(codes({ summary: EXAMPLE.summary, tests_run: ['a'], blockers: [] }, false), [])
  })

  it('[S3-89] opens a task again with status todo and notes alone', () => {
    assert.deepEqual(codes({ status: 'todo', notes: 'Previous PR reverted, task reinstated' }), [])
    assert.deepEqual(codes({ status: 'todo' }), ['error missing_field notes'])
    assert.equal(isReinstating({ status: 'todo', notes: 'x', commit_sha: EXAMPLE.commit_sha }), false)
    assert.equal(isReinstating({ status: 'done', notes: 'x' }), false)
  })

  it('[S3-20] has a summary of three to five sentences in one paragraph', () => {
    const said = (text: string) => summaryProblem(text)?.message
    assert.deepEqual(
      [
        EXAMPLE.summary,
        'One. Two. Three. Four. Five.',
        'One. Two.',
        'A. B. C. D. E. F.',
        'One.\n\nTwo. Three.',
      ].map(said),
      [
        undefined,
        undefined,
        'summary has 2 sentences; write one paragraph of 3 to 5.',
        'summary has 6 sentences; write one paragraph of 3 to 5.',
        'summary has several paragraphs; write one paragraph of 3 to 5.',
      ],
    )
    assert.equal(notesProblem('One. Two.'), undefined)
  })

  it('[S3-17] is on a branch of its task, up to a hyphen', () => {
    const isOf = (branch: string) => branchProblem(branch, 'P0.1.1') === undefined
    assert.deepEqual(
      [
        'feature/p0-1-1-package-setup',
        'feature/P0-1-1-package-setup',
        'feature/p0-1-1',
        'feature/p0-1-11-other',
        'p0-1-1-package-setup',
        'main',
      ].map(isOf),
      [true, true, true, false, false, false],
    )
  })

  it('[S3-18] names a commit by its 40 characters', () => {
    const said = (sha: string) => shaProblem(sha)?.code
    assert.deepEqual(
      [
        EXAMPLE.commit_sha,
        EXAMPLE.commit_sha.toUpperCase(),
        'abc123def456...',
        'abc123d',
        'HEAD',
        'a'.repeat(64),
      ].map(said),
      [undefined, undefined, 'short_sha', 'short_sha', 'invalid_sha', 'sha_of_64'],
    )
    assert.equal(isSha(`${EXAMPLE.commit_sha}\n`), false)
  })
})
