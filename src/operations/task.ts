import * as z from 'zod'
import { optional } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import { briefMarkdown, DEFAULT_BUDGET, PackedPart, SMALLEST_BUDGET } from '../domain/tasks/brief.ts'
import { newTaskFields } from '../domain/tasks/inputs.ts'
import { TASK_STATES, TaskId, ThoughtRecord } from '../domain/tasks/task.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation, Flag, PAGE, pageOf, Untrusted, WARNING } from './operation.ts'
import { BASIC, OF_TASK, Shown, show } from './task-fields.ts'

const create = defineOperation({
  name: 'task_create',
  summary: 'Add a task, with what it depends on.',
  scope: 'task:write',
  ...OF_TASK,
  input: newTaskFields,
  output: Shown,
  errors: [...BASIC],
  examples: ['baton task create P0.1.2 --title "Set up the linter" --depends-on P0.1.1'],
  run: async (service, call, input) => show(await service.tasks.create(call, input)),
})

const list = defineOperation({
  name: 'task_list',
  summary: 'Tasks of the workspace.',
  scope: 'task:read',
  input: () => ({
    status: z.union([z.enum(TASK_STATES).transform((s) => [s]), z.array(z.enum(TASK_STATES))]).optional(),
    owner: z.string().max(64).optional(),
    ref: z.string().max(100).optional().describe('A part of the id'),
    text: z.string().max(200).optional(),
    ...PAGE(),
  }),
  output: () => z.object({ items: z.array(Shown()), next: z.string().optional() }),
  errors: ['invalid_input', 'unavailable'],
  untrusted: ['items'],
  examples: ['baton task list --status in_progress'],
  run: async (service, call, { limit, cursor, status, owner, ref, text }) => {
    const bounds = pageOf({ limit, cursor })
    if (text === undefined) {
      const page = await service.tasks.list(present({ status, owner, ref }), bounds)
      return { items: page.items.map(show), ...present({ next: page.next }) }
    }
    const facets = {
      kind: ['task'],
      ...present({ state: status, owner: owner === undefined ? owner : [owner] }),
    }
    const asked = { text: `${text} ${ref ?? ''}`, facets }
    const { items, next } = await service.looking.search(call, asked, bounds)
    const rows = await Promise.all(items.map(({ uid }) => service.deps.store.task(uid)))
    return { items: rows.flatMap((row) => (row ? show(row) : [])), ...present({ next }) }
  },
})

const get = defineOperation({
  name: 'task_get',
  summary: 'One task, what blocks it and its records.',
  scope: 'task:read',
  ...OF_TASK,
  input: () => ({ id: TaskId }),
  output: () =>
    z.object({
      task: Shown(),
      blocked_by: z.array(z.string()),
      records: z.array(ThoughtRecord()),
      ...WARNING(),
    }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['task', 'records'],
  examples: ['baton task get P0.1.1'],
  run: async (service, _, { id }) => {
    const { row, blocked_by } = await service.tasks.get(id)
    const records = await service.tasks.records(row.task.id, 10)
    const warning = await service.changedOutside('task', row.task.uid)
    return { task: show(row), blocked_by: [...blocked_by], records: [...records], ...present({ warning }) }
  },
})

const next = defineOperation({
  name: 'task_next_actions',
  summary: 'Tasks that can be started now: critical first, then in dependency order.',
  scope: 'task:read',
  tools: 'default',
  input: () => ({ limit: PAGE().limit }),
  output: () => z.object({ items: z.array(Shown()) }),
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton next'],
  run: async (service, { actor }, { limit }) => ({
    items: (await service.tasks.next(limit ?? 20, actor.name)).map(show),
  }),
})

const taskPlanOf = defineOperation({
  name: 'task_plan',
  summary: 'The critical path, and counts of tasks by level.',
  scope: 'task:read',
  input: () => ({
    around: TaskId.optional().describe('Also the tasks near this one'),
    done: Flag().describe('With finished tasks'),
  }),
  output: () =>
    z.object({
      counts: z.record(z.string(), z.int()).describe('Tasks by status'),
      ready: z.int().describe('Tasks that can be started now'),
      path: z.array(Shown()).describe('Critical path, first task first, 200 at most'),
      path_ids: z.array(z.string()).describe('Every task on the critical path'),
      levels: z.array(
        z.object({
          level: z.int(),
          open: z.int().describe('Tasks of this level that are not done'),
          done: z.int().describe('Tasks of this level that are done'),
          ready: z.int().describe('Tasks of this level that can be started now'),
        }),
      ),
      drawn: z.array(Shown()).describe('All tasks of a small plan; else the path and the tasks near one'),
      whole: z.boolean().describe('Every open task is in drawn'),
    }),
  errors: ['invalid_input', 'unavailable'],
  untrusted: ['path', 'path_ids', 'drawn'],
  examples: ['baton task plan', 'baton task plan --around P1.4 --json'],
  run: async ({ deps }, _, { around, done }) => {
    const { taskPlan } = await import('../service/tasks/plan.ts')
    const { path, path_ids, drawn, levels, counts, ...rest } = await taskPlan(deps.store, around, done)
    return mutable({ ...rest, counts, levels, path_ids, path: path.map(show), drawn: drawn.map(show) })
  },
})

const start = defineOperation({
  name: 'task_start',
  summary: 'Claim a task; exactly one caller gets it.',
  scope: 'task:write',
  tools: 'default',
  ...OF_TASK,
  input: () => ({ id: TaskId }),
  output: Shown,
  errors: [...BASIC],
  examples: ['baton task start P0.1.1 --as claude'],
  run: async (service, call, { id }) => show(await service.tasks.start(call, id)),
})

const brief = defineOperation({
  name: 'task_brief',
  summary:
    'The reading list for the next agent: latest records, next actions, task prompt and guides, within a token budget.',
  scope: 'task:read',
  tools: 'default',
  ...OF_TASK,
  input: () => ({
    id: TaskId,
    budget: optional(
      z.coerce.number().int().min(SMALLEST_BUDGET).max(200_000),
      `Tokens at most (${DEFAULT_BUDGET}); four bytes count as one`,
    ),
    format: z.enum(['json', 'markdown']).optional().describe('Sections (json), or one text (markdown)'),
  }),
  output: () =>
    z.object({
      task_id: z.string(),
      budget: z.int(),
      tokens: z.int(),
      sections: z.array(PackedPart()).optional(),
      markdown: z.string().optional(),
      left_out: z.array(z.object({ title: z.string(), source: z.string().optional(), tokens: z.int() })),
      missing: z.array(z.string()).describe('Files of the reading list that were not found'),
      untrusted: Untrusted(),
    }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton task brief P0.1.2', 'baton task brief P0.1.2 --budget 8000 --json'],
  run: async (service, _, { id, budget, format }) => {
    const { makeBrief } = await import('../service/tasks/brief.ts')
    const { row: _row, ...made } = mutable(await makeBrief(service.deps, service.tasks, id, budget))
    const untrusted = made.sections.flatMap((section, i) => (section.untrusted ? [`sections[${i}]`] : []))
    if (format !== 'markdown') return { ...made, untrusted }
    const { sections: _sections, ...rest } = made
    return { ...rest, markdown: briefMarkdown(made), untrusted: ['markdown'] }
  },
})

export const TASK_OPERATIONS = [create, list, get, next, taskPlanOf, start, brief] as const
