import * as z from 'zod'
import { PRIORITIES } from '../domain/handoff.ts'
import { TASK_STATES, Task, TaskId, ThoughtRecord } from '../domain/task.ts'
import type { TaskRow } from '../service/service.ts'
import { defineOperation, PAGE, pageOf } from './operation.ts'

const BASIC = ['invalid_input', 'not_found', 'conflict', 'wrong_state', 'unavailable'] as const
const Shown = () =>
  Task().extend({ blocked: z.boolean().describe('A dependency is not done'), open_deps: z.int() })

const show = ({ task, open_deps }: TaskRow): z.infer<ReturnType<typeof Shown>> => ({
  ...task,
  blocked: open_deps > 0,
  open_deps,
})

const create = defineOperation({
  name: 'task_create',
  summary: 'Add a task, with what it depends on.',
  effect: 'write',
  scope: 'task:write',
  http: { method: 'POST', path: '/v1/tasks' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: TaskId,
      title: z.string().min(1).max(300),
      depends_on: z.array(TaskId).max(200).optional(),
      priority: z.enum(PRIORITIES).optional(),
      critical: z.boolean().optional().describe('On the critical path'),
      criteria: z.array(z.string().min(1).max(2_000)).max(200).optional(),
    }),
  output: Shown,
  errors: [...BASIC],
  examples: ['baton task create P0.1.2 --title "Set up the linter" --depends-on P0.1.1'],
  run: async (service, call, input) => show(await service.tasks.create(call, input)),
})

const list = defineOperation({
  name: 'task_list',
  summary: 'Tasks of the workspace.',
  effect: 'read',
  scope: 'task:read',
  http: { method: 'GET', path: '/v1/tasks' },
  input: () =>
    z.strictObject({
      status: z.union([z.enum(TASK_STATES).transform((s) => [s]), z.array(z.enum(TASK_STATES))]).optional(),
      owner: z.string().max(64).optional(),
      text: z.string().max(200).optional(),
      ...PAGE(),
    }),
  output: () => z.object({ items: z.array(Shown()), next: z.string().optional() }),
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton task list --status in_progress'],
  run: async (service, _, { limit, cursor, status, owner, text }) => {
    const page = await service.tasks.list(
      {
        ...(status && { status }),
        ...(owner !== undefined && { owner }),
        ...(text !== undefined && { text }),
      },
      pageOf({ limit, cursor }),
    )
    return { items: page.items.map(show), ...(page.next !== undefined && { next: page.next }) }
  },
})

const get = defineOperation({
  name: 'task_get',
  summary: 'One task, what blocks it and its records.',
  effect: 'read',
  scope: 'task:read',
  http: { method: 'GET', path: '/v1/tasks/{id}' },
  positional: ['id'],
  input: () => z.strictObject({ id: TaskId }),
  output: () =>
    z.object({ task: Shown(), blocked_by: z.array(z.string()), records: z.array(ThoughtRecord()) }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton task get P0.1.1'],
  run: async (service, _, { id }) => {
    const { row, blocked_by } = await service.tasks.get(id)
    return {
      task: show(row),
      blocked_by: [...blocked_by],
      records: [...(await service.tasks.records(row.task.id, 10))],
    }
  },
})

const Summary = z.string().min(1).max(8_000).describe('One paragraph: what was done and why')
const progress = z.number().min(0).max(100).describe('0 to 100')

const update = defineOperation({
  name: 'task_update',
  summary: 'Report status, progress and notes of a task. Done is refused until a thought_record was written.',
  effect: 'write',
  scope: 'task:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/tasks/{task_id}' },
  positional: ['task_id'],
  input: () =>
    z.strictObject({
      task_id: TaskId,
      status: z.enum(TASK_STATES).optional(),
      progress: progress.optional(),
      notes: z.string().max(4_000).optional(),
    }),
  output: Shown,
  errors: [...BASIC, 'unmet'],
  examples: ['baton task update P0.1.1 --progress 40 --notes "parser done"'],
  run: async (service, call, { task_id, ...input }) => show(await service.tasks.update(call, task_id, input)),
})

const next = defineOperation({
  name: 'task_next_actions',
  summary: 'Tasks that can be started now: critical first, then in dependency order.',
  effect: 'read',
  scope: 'task:read',
  tools: 'default',
  http: { method: 'GET', path: '/v1/next-actions' },
  input: () => z.strictObject({ limit: PAGE().limit }),
  output: () => z.object({ items: z.array(Shown()) }),
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton next'],
  run: async (service, _, { limit }) => ({ items: (await service.tasks.next(limit ?? 20)).map(show) }),
})

const start = defineOperation({
  name: 'task_start',
  summary: 'Claim a task; exactly one caller gets it.',
  effect: 'write',
  scope: 'task:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/tasks/{id}/start' },
  positional: ['id'],
  input: () => z.strictObject({ id: TaskId }),
  output: Shown,
  errors: [...BASIC],
  examples: ['baton task start P0.1.1 --as claude'],
  run: async (service, call, { id }) => show(await service.tasks.start(call, id)),
})

const recordFields = () => ({
  branch: z.string().min(1).max(250).optional(),
  commit_sha: z
    .string()
    .regex(/^[0-9a-fA-F]{40}$/, { error: 'the full commit hash of 40 characters' })
    .optional(),
  tests_run: z.array(z.string().max(500)).max(500).optional(),
  summary: Summary.optional(),
  blockers: z.array(z.record(z.string(), z.unknown())).max(100).optional(),
  files_changed: z.array(z.string().max(1_000)).max(5_000).optional(),
  related_thought_records: z.array(z.string().max(100)).max(100).optional(),
  notes: z.string().max(4_000).optional(),
})

const complete = defineOperation({
  name: 'task_complete',
  summary: 'Write the record of what was done and set the task done, both or neither.',
  effect: 'write',
  scope: 'task:write',
  http: { method: 'POST', path: '/v1/tasks/{task_id}/complete' },
  positional: ['task_id'],
  input: () =>
    z.strictObject({
      task_id: TaskId,
      ...recordFields(),
      summary: Summary,
      progress: progress.optional(),
    }),
  output: Shown,
  errors: [...BASIC],
  examples: ['baton task complete P0.1.1 --summary "Package set up, lint clean" --tests-run smoke.test.ts'],
  run: async (service, call, { task_id, ...input }) =>
    show(await service.tasks.complete(call, task_id, input)),
})

const brief = defineOperation({
  name: 'task_brief',
  summary: 'What the next agent should read first: the task, what it stands on, and what to do next.',
  effect: 'read',
  scope: 'task:read',
  tools: 'default',
  http: { method: 'GET', path: '/v1/tasks/{id}/brief' },
  positional: ['id'],
  input: () => z.strictObject({ id: TaskId }),
  output: () =>
    z.object({
      task: Shown(),
      blocked_by: z.array(z.string()),
      latest_records: z.array(ThoughtRecord()),
      from_dependencies: z.array(ThoughtRecord()),
      next_actions: z.array(z.object({ id: z.string(), title: z.string() })),
    }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton task brief P0.1.2'],
  run: async (service, _, { id }) => {
    const { row, blocked_by } = await service.tasks.get(id)
    const inherited = await Promise.all(
      row.task.depends_on.slice(0, 5).map((dep) => service.tasks.records(dep, 1)),
    )
    return {
      task: show(row),
      blocked_by: [...blocked_by],
      latest_records: [...(await service.tasks.records(row.task.id, 3))],
      from_dependencies: inherited.flat(),
      next_actions: (await service.tasks.next(5)).map(({ task }) => ({ id: task.id, title: task.title })),
    }
  },
})

const record = defineOperation({
  name: 'thought_record',
  summary:
    'Record what was done on a task: branch, commit, tests, summary. Needed before a task can be done.',
  effect: 'write',
  scope: 'task:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/tasks/{task_id}/records' },
  positional: ['task_id'],
  input: () => z.strictObject({ task_id: TaskId, ...recordFields(), status: z.string().max(20).optional() }),
  output: ThoughtRecord,
  errors: [...BASIC],
  examples: ['baton thought record P0.1.1 --summary "Package set up" --branch feature/p0-1-1-package'],
  run: (service, call, { task_id, ...input }) => service.tasks.record(call, task_id, input),
})

export const TASK_OPERATIONS = [create, list, get, update, next, start, brief, complete, record] as const
