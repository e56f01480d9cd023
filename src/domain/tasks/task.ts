import * as z from 'zod'
import { once } from '../once.ts'
import { TaskGates } from '../people/people-schema.ts'
import { PRIORITIES } from '../priority.ts'

export { WRITEBACK_REQUIRED } from './writeback.ts'

export const TASK_STATES = ['todo', 'assigned', 'in_progress', 'done'] as const
export type TaskState = (typeof TASK_STATES)[number]

export const TaskId = z
  .string()
  .min(1)
  .max(120)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]*$/, {
    error: 'a task id has no spaces, for example P0.1.1 or BPRD-2026-0042',
  })
  .describe('Task id as its owner writes it, for example P0.1.1')

/** The work itself. It lives on when a handoff of it fails. */
export const Task = once(() =>
  z.object({
    uid: z.string(),
    id: z.string(),
    rev: z.int(),
    title: z.string(),
    status: z.enum(TASK_STATES),
    owner: z.string().optional(),
    instance: z.string().optional(),
    progress: z.number(),
    notes: z.string().optional(),
    priority: z.enum(PRIORITIES),
    critical: z.boolean(),
    level: z.int().describe('Longest chain of dependencies below the task; next actions come in this order'),
    depends_on: z.array(z.string()),
    criteria: z.array(z.string()),
    created_at: z.string(),
    updated_at: z.string(),
    done_at: z.string().optional(),
    /** Position in the task's log where the present work period began: an older record does not count for done. */
    period_seq: z.int(),
    /** Position of the newest completion-shape record, and its id. */
    record_seq: z.int().optional(),
    record_id: z.string().optional(),
    gates: TaskGates().optional().describe('Gates that were asked about it and are not passed'),
  }),
)
export type Task = z.infer<ReturnType<typeof Task>>

/** A `thought_record` (document 003): what was done, where, with which tests. */
export const ThoughtRecord = once(() =>
  z.object({
    uid: z.string(),
    task_id: z.string(),
    shape: z.enum(['completion', 'reinstatement']),
    by: z.string(),
    on_behalf_of: z.string().optional(),
    branch: z.string().optional(),
    commit_sha: z.string().optional(),
    tests_run: z.array(z.string()),
    summary: z.string(),
    blockers: z.array(z.record(z.string(), z.unknown())),
    files_changed: z.array(z.string()),
    related_thought_records: z.array(z.string()),
    status: z.string().optional(),
    notes: z.string().optional(),
    created_at: z.string(),
    signed: z.boolean().optional().describe('Whether its author used its key; absent where it has none'),
  }),
)
export type ThoughtRecord = z.infer<ReturnType<typeof ThoughtRecord>>
