import * as z from 'zod'
import { Task } from '../domain/tasks/task.ts'
import type { TaskRow } from '../service/service.ts'

export const BASIC = ['invalid_input', 'not_found', 'conflict', 'wrong_state', 'unavailable'] as const

/** A task is named by its id; the tools of records write `task_id` for it. */
export const OF_TASK = { positional: ['id'], aliases: { task_id: 'id' } } as const

/** A task as every operation answers it. */
export const Shown = () =>
  Task().extend({ blocked: z.boolean().describe('A dependency is not done'), open_deps: z.int() })

export const show = ({ task, open_deps }: TaskRow): z.infer<ReturnType<typeof Shown>> => ({
  ...task,
  blocked: open_deps > 0,
  open_deps,
})
