import type { UseQueryResult } from '@tanstack/react-query'
import { criticalPath } from '../../../../src/domain/tasks/task-order.ts'
import type { OperationOutput } from '../../../../src/runner/calls.ts'
import { useOperation } from '../../api/queries.ts'

export type Task = OperationOutput<'task_list'>['items'][number]

export interface Plan {
  readonly tasks: readonly Task[]
  /** Tasks that hold up the end, first one first. */
  readonly path: readonly string[]
  /** Tasks that can be started now, in the order in which to take them. */
  readonly ready: readonly Task[]
  /** How many there are in each state, of all. */
  readonly counts: Readonly<Record<string, number>>
  /** There are more than one page of open or of done ones. */
  readonly isCut: boolean
}

const MOST = 200
export const MOST_READY = 50

/** All that is open and the done ones, as far as one page of each goes. */
export function usePlan(): Omit<UseQueryResult, 'data'> & { readonly data: Plan | undefined } {
  const open = useOperation('task_list', { status: ['in_progress', 'assigned', 'todo'], limit: MOST })
  const done = useOperation('task_list', { status: ['done'], limit: MOST })
  const next = useOperation('task_next_actions', { limit: MOST_READY })
  const status = useOperation('report_status', {})
  const failed = [open, done, next, status].find(({ error }) => error) ?? open
  const isThere = open.data && done.data && next.data && status.data
  const tasks = [...(open.data?.items ?? []), ...(done.data?.items ?? [])]
  return {
    ...failed,
    data: isThere && {
      tasks,
      path: criticalPath(tasks),
      ready: next.data.items,
      counts: status.data.tasks,
      isCut: open.data.next !== undefined || done.data.next !== undefined,
    },
  }
}
