import type { OperationOutput } from '../../../../src/runner/operation-types.ts'

export type Task = OperationOutput<'task_list'>['items'][number]
/** Counted and chosen by the server, over all tasks. */
export type Plan = OperationOutput<'task_plan'>

export const hrefOf = (id: string): string => `/tasks?open=${encodeURIComponent(id)}`

export const isReady = ({ status, open_deps }: Task): boolean => status === 'todo' && open_deps === 0
