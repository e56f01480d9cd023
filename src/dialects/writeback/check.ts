import type { FieldProblem } from '../../domain/problem.ts'
import { TaskId } from '../../domain/tasks/task.ts'
import {
  blockersProblem,
  branchProblem,
  completionProblems,
  doneProgressProblem,
  notesProblem,
  shaProblem,
  shortened,
  summaryProblem,
} from '../../domain/tasks/writeback-rules.ts'
import type { Data } from '../difference.ts'
import type { Fields } from '../fields.ts'
import { isSha, isTaskStatus, STATUS_OF, stateFor, TASK_STATUSES } from './words.ts'

export function checkTask(fields: Fields, task: string | undefined, id: string | undefined): void {
  if (task !== undefined && id !== undefined && task !== id)
    fields.report(
      'error',
      'ids_differ',
      `task_id is ${task} and id is ${id}; keep task_id and remove id.`,
      'id',
    )
  const name = task ?? id
  if (name === undefined)
    fields.report(
      'error',
      'missing_field',
      'task_id is missing; write the id of the task, for example "P0.1.1".',
    )
  else if (!TaskId.safeParse(name).success)
    fields.report(
      'error',
      'invalid_task_id',
      `${shortened(name)} is not the id of a task; write it without spaces, for example "P0.1.1".`,
      task === undefined ? 'id' : 'task_id',
    )
}

export function checkStatus(fields: Fields, word: string | undefined): void {
  if (word === undefined || isTaskStatus(word)) return
  const state = stateFor(word)
  const way =
    state === undefined
      ? `Write one of ${TASK_STATUSES.join(', ')}.`
      : `Write status: "${STATUS_OF[state]}"; it was read as ${state}.`
  fields.report('error', 'invalid_status', `Invalid status: ${shortened(word)}. ${way}`, 'status')
}

/** Document 003: a number from 0 to 100, and 100 for a task that is done. */
export function checkProgress(fields: Fields, progress: unknown, isDone: boolean): void {
  if (progress === undefined || progress === null) return
  const isNumber = typeof progress === 'number' && progress >= 0 && progress <= 100
  if (!isNumber)
    fields.report(
      'error',
      'invalid_progress',
      `progress is ${shortened(JSON.stringify(progress) ?? '')}; write a number from 0 to 100${typeof progress === 'string' ? ' without quotes' : ''}.`,
      'progress',
    )
  else if (isDone) report(fields, doneProgressProblem(progress))
}

export function checkSha(fields: Fields, key: string, sha: string, wasText: boolean): void {
  report(fields, shaProblem(sha), key)
  if (!isSha(sha)) return
  if (!wasText)
    fields.report(
      'warning',
      'sha_without_quotes',
      'commit_sha is a number without quotes; write it in quotes.',
      key,
    )
  else if (sha !== sha.toLowerCase())
    fields.report(
      'info',
      'sha_in_capitals',
      `git writes hashes in lower case; write "${sha.toLowerCase()}".`,
      key,
    )
}

export const checkBranch = (fields: Fields, branch: string, task: string): void =>
  report(fields, branchProblem(branch, task))

export const checkSummary = (fields: Fields, summary: string): void => report(fields, summaryProblem(summary))

export const checkNotes = (fields: Fields, notes: string): void => report(fields, notesProblem(notes))

export function checkCompletion(fields: Fields, record: Readonly<Data>): void {
  for (const finding of completionProblems(record)) report(fields, finding)
}

export const checkDone = (fields: Fields, blockers: number): void => report(fields, blockersProblem(blockers))

/** The rules are the domain's: the calls of an agent are judged by the same. */
function report(fields: Fields, finding: FieldProblem | undefined, key = finding?.field): void {
  if (finding && key !== undefined) fields.report(finding.severity, finding.code, finding.message, key)
}
