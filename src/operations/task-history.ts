import * as z from 'zod'
import { recordIn } from '../audit/entry.ts'
import { present } from '../domain/present.ts'
import { TaskId, ThoughtRecord } from '../domain/tasks/task.ts'
import type { LogEntry } from '../service/service.ts'
import { defineOperation } from './operation.ts'
import { BASIC, OF_TASK, Shown, show } from './task-fields.ts'

const Reason = z.string().min(1).max(2_000)

const reopen = defineOperation({
  name: 'task_reopen',
  summary: 'Reopen a task that is done: one without a thought_record, or any task as a person or pm.',
  scope: 'task:write',
  ...OF_TASK,
  input: () => ({ id: TaskId, reason: Reason.describe('Why it is not done, for the log') }),
  output: Shown,
  errors: [...BASIC, 'not_allowed'],
  examples: ['baton task reopen P0.1.1 -m "merge refused: no thought_record"'],
  run: async (service, call, { id, reason }) =>
    show(await (await service.history()).reopen(call, id, reason)),
})

const HistoryEntry = () =>
  z.object({
    at: z.string(),
    act: z.string(),
    by: z.string(),
    to: z.string().optional().describe('The status after it'),
    hash: z.string(),
  })

const log = defineOperation({
  name: 'task_log',
  summary: 'The history of a task: every change with its author and time, and its records.',
  scope: 'task:read',
  ...OF_TASK,
  input: () => ({
    id: TaskId,
    limit: z.coerce.number().int().min(1).max(1_000).optional().describe('How many at most (200)'),
  }),
  output: () =>
    z.object({ task: Shown(), entries: z.array(HistoryEntry()), records: z.array(ThoughtRecord()) }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['task', 'records'],
  examples: ['baton task log P0.1.1'],
  run: async (service, _, { id, limit }) => {
    const { row, entries } = await (await service.history()).log(id, limit ?? 200)
    const records = await service.tasks.records(row.task.id, 100)
    return { task: show(row), entries: entries.map(toEntry), records: [...records] }
  },
})

function toEntry(entry: LogEntry): z.infer<ReturnType<typeof HistoryEntry>> {
  const { at, act, hash } = entry
  const { actor, to } = recordIn(entry)
  return { at, act, by: actor.id, ...present({ to }), hash }
}

export const HISTORY_OPERATIONS = [reopen, log] as const
