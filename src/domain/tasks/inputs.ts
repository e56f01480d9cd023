import * as z from 'zod'
import { AgentName } from '../agent.ts'
import { Title } from '../handoffs/inputs.ts'
import { type Given, once, optional } from '../once.ts'
import { PRIORITIES } from '../priority.ts'
import { text } from '../schema-parts.ts'
import { TaskId } from './task.ts'
import { WRITEBACK_STATUSES } from './writeback.ts'
import { shaProblem } from './writeback-rules.ts'

export const Status = once(() => z.enum(WRITEBACK_STATUSES))
export const Progress = once(() => z.number().min(0).max(100).describe('0 to 100'))
const Notes = once(() => z.string().max(4_000).describe('A brief summary of one or two sentences'))

export const newTaskFields = () => ({
  id: TaskId,
  title: Title,
  depends_on: z.array(TaskId).max(200).optional(),
  priority: z.enum(PRIORITIES).optional(),
  critical: optional(z.boolean(), 'On the critical path'),
  criteria: z.array(text(2_000)).max(200).optional(),
})
export type NewTask = Given<typeof newTaskFields> & { readonly owner?: string | undefined }

export const taskUpdateFields = () => ({
  status: Status().optional(),
  progress: Progress().optional(),
  notes: Notes().optional(),
})
export type TaskUpdate = Given<typeof taskUpdateFields>

/** A record of work, or of a task that is opened again. */
export const recordFields = () => ({
  branch: optional(text(250), 'For example feature/p0-1-1-package-setup'),
  commit_sha: optional(
    z
      .string()
      .max(100)
      .regex(/^[0-9a-fA-F]{40}$/, { error: ({ input }) => shaProblem(String(input))?.message }),
    'All 40 characters',
  ),
  tests_run: optional(z.array(z.string().max(500)).max(500), 'Test files and suites that were run'),
  summary: optional(text(8_000), 'The work that was done, in one paragraph of 3 to 5 sentences'),
  blockers: optional(
    z.array(z.record(z.string(), z.unknown())).max(100),
    '[] if there are none, else objects such as {type, package, issue, resolution}',
  ),
  files_changed: optional(z.array(z.string().max(1_000)).max(5_000), 'Paths created or modified'),
  related_thought_records: optional(
    z.array(z.string().max(100)).max(100),
    'uids of earlier records that this one builds on',
  ),
  notes: Notes().optional(),
  on_behalf_of: optional(AgentName, 'The agent whose work it is; for people and the role pm'),
})
export type RecordInput = Given<typeof recordFields> & { readonly status?: string | undefined }
