import { onRefusal } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import type { Task, ThoughtRecord } from '../domain/tasks/task.ts'
import type { OperationName } from '../operations/index.ts'
import { branchPrefix, isBranchOf, taskOfBranch } from './names.ts'

/** Asks an operation of the workspace, here or on a server. */
export type Ask = (name: OperationName, input: object) => Promise<unknown>

export type ShownTask = Task & { readonly blocked: boolean; readonly open_deps: number }

export interface TaskFacts {
  readonly task: ShownTask
  /** Newest first. */
  readonly records: readonly ThoughtRecord[]
}

const TASK_PAGE = 200

export async function taskFacts(ask: Ask, id: string): Promise<TaskFacts> {
  return (await ask('task_get', { id })) as TaskFacts
}

/** The same, or undefined when the task is not found. */
export const maybeTask = (ask: Ask, id: string): Promise<TaskFacts | undefined> =>
  taskFacts(ask, id).catch(onRefusal(undefined, 'not_found', 'invalid_input'))

export async function allTasks(ask: Ask, filter: object = {}): Promise<readonly ShownTask[]> {
  const found: ShownTask[] = []
  let cursor: string | undefined
  do {
    const page = (await ask('task_list', { ...filter, limit: TASK_PAGE, ...present({ cursor }) })) as {
      readonly items: readonly ShownTask[]
      readonly next?: string
    }
    found.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

/** Whether a branch is one of this task and of no longer id: `feature/p0-1-1-x` may be P0.1's, or P0.1.1's. */
export async function belongsTo(ask: Ask, branch: string, id: string): Promise<boolean> {
  if (!isBranchOf(branch, id)) return false
  if (!/^\d/.test(branch.slice(branchPrefix(id).length))) return true
  return taskOfBranch(branch, await allTasks(ask))?.id === id
}

/** The record with which the present period of work was written back; undefined when it was not. */
export function writebackOf({ task, records }: TaskFacts): ThoughtRecord | undefined {
  if (task.record_seq === undefined || task.record_seq <= task.period_seq) return undefined
  return records.find(({ uid }) => uid === task.record_id)
}
