import * as z from 'zod'
import { AgentName } from '../domain/agent.ts'
import { BatonError } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import { Progress, recordFields, Status, taskUpdateFields } from '../domain/tasks/inputs.ts'
import { TaskId, ThoughtRecord } from '../domain/tasks/task.ts'
import { notesProblem, recordProblems, type WrittenRecord } from '../domain/tasks/writeback-rules.ts'
import type { Service } from '../service/service.ts'
import { HandoffAnswer } from './handoff/fields.ts'
import { defineOperation, Flag } from './operation.ts'
import { BASIC, Shown, show } from './task-fields.ts'

/** A task is named by its id; the diagram of document 003 writes `id` for `task_id`. */
const OF_TASK_ID = { positional: ['task_id'], aliases: { id: 'task_id' } } as const
const Warned = () => ({
  warnings: z.array(z.string()).optional().describe('Unusual values that were accepted'),
})
const Updated = () =>
  Shown().extend({ ...Warned(), reply: z.string().optional().describe('The effect of done on the merge') })

/** The reply in the document's diagram once the record is there and the task is done. */
const DONE_REPLY = 'Status updated to "done". Writeback check: thought_record exists. Merge permitted.'

const update = defineOperation({
  name: 'task_update',
  summary: 'Report status, progress and notes of a task. Done is refused until a thought_record was written.',
  scope: 'task:write',
  tools: 'default',
  ...OF_TASK_ID,
  input: () => ({ task_id: TaskId, ...taskUpdateFields() }),
  output: Updated,
  errors: [...BASIC, 'not_allowed', 'unmet'],
  examples: ['baton task update P0.1.1 --progress 40 -m "parser done"'],
  run: async (service, call, { task_id, ...input }) => {
    const row = await service.tasks.update(call, task_id, input)
    const unusual = input.notes === undefined ? undefined : notesProblem(input.notes)
    return {
      ...show(row),
      ...(input.status === 'done' && { reply: DONE_REPLY }),
      ...present({ warnings: unusual && [unusual.message] }),
    }
  },
})

const record = defineOperation({
  name: 'thought_record',
  summary:
    'Record what was done on a task: branch, commit, tests, summary. A task needs it to be done. With status todo and notes it reopens a done task.',
  scope: 'task:write',
  tools: 'default',
  ...OF_TASK_ID,
  input: () => ({ task_id: TaskId, ...recordFields(), status: Status().optional() }),
  output: () => ThoughtRecord().extend(Warned()),
  errors: [...BASIC, 'not_allowed'],
  examples: [
    'baton thought record P0.1.1 --branch feature/p0-1-1-package-setup --commit-sha abc123def456789abcdef456789abcdef456789a --test smoke.test.ts --summary "…"',
    'baton thought record P0.1.1 --status todo -m "Previous PR reverted, task reinstated"',
  ],
  run: async (service, call, { task_id, ...input }) => {
    const warnings = await judged(service, task_id, input)
    return { ...(await service.tasks.record(call, task_id, input)), ...warnings }
  },
})

const complete = defineOperation({
  name: 'task_complete',
  summary: 'Write the record of what was done and set the task done, both or neither.',
  scope: 'task:write',
  ...OF_TASK_ID,
  input: () => ({ task_id: TaskId, ...recordFields(), progress: Progress().optional() }),
  output: Updated,
  errors: [...BASIC, 'not_allowed'],
  examples: [
    'baton task complete P0.1.1 --branch feature/p0-1-1-package-setup --commit-sha abc123def456789abcdef456789abcdef456789a --test smoke.test.ts --summary "…"',
  ],
  run: async (service, call, { task_id, ...input }) => {
    const warnings = await judged(service, task_id, input)
    return { ...show(await service.tasks.complete(call, task_id, input)), reply: DONE_REPLY, ...warnings }
  },
})

const escalate = defineOperation({
  name: 'task_escalate',
  summary: 'Hand a failed writeback to the pm: branch, commit and the thought_record to write.',
  scope: 'handoff:write',
  ...OF_TASK_ID,
  input: () => ({
    task_id: TaskId,
    ...recordFields(),
    to: AgentName.optional().describe('The receiver; by default an agent with the role pm'),
    reason: z.string().min(1).max(2_000).optional().describe('The reason why it failed'),
  }),
  output: () => HandoffAnswer().extend({ task_id: z.string() }),
  errors: [...BASIC, 'not_allowed', 'limit_exceeded'],
  examples: ['baton task escalate P0.1.1 --branch feature/p0-1-1-package-setup -m "the store is locked"'],
  run: async (service, call, { task_id, to, reason, ...record }) => {
    const { escalateWriteback } = await import('../service/tasks/escalation.ts')
    return { handoff: await escalateWriteback(service, call, { task_id, record, to, reason }), task_id }
  },
})

const list = defineOperation({
  name: 'thought_list',
  summary: 'The newest records of one task or of the project, in the order of writing.',
  scope: 'task:read',
  ...OF_TASK_ID,
  input: () => ({
    task_id: TaskId.optional(),
    limit: z.coerce.number().int().min(1).max(200).optional().describe('How many at most (20)'),
    unchained: Flag().describe('Only records that were written to the store past the log'),
  }),
  output: () => z.object({ items: z.array(ThoughtRecord()) }),
  untrusted: ['items'],
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton thought list', 'baton thought list P0.1.1', 'baton thought list --unchained'],
  run: async (service, _, { task_id, limit = 20, unchained }) => {
    if (!unchained) return { items: [...(await service.tasks.latest(limit, task_id))] }
    const { unchainedRecords } = await import('../service/tasks/unchained.ts')
    const found = await unchainedRecords(service.deps)
    return {
      items: found.filter((item) => task_id === undefined || item.task_id === task_id).slice(0, limit),
    }
  },
})

const attest = defineOperation({
  name: 'thought_attest',
  summary: 'Answer for a record that is not in the log; for people and the role pm.',
  scope: 'task:write',
  positional: ['uid'],
  input: () => ({
    uid: z.string().min(1).max(100),
    reason: z.string().min(1).max(2_000).describe('How the record came into the store'),
  }),
  output: ThoughtRecord,
  errors: [...BASIC, 'not_allowed'],
  examples: [
    'baton thought attest 0198f000-0000-7000-8000-000000000001 -m "written by hand, store was locked"',
  ],
  run: async (service, call, { uid, reason }) => {
    const { attestRecord } = await import('../service/tasks/unchained.ts')
    return attestRecord(service.deps, call, uid, reason)
  },
})

/** Refuses what a record cannot do without; answers what is unusual in it. */
async function judged(service: Service, task: string, input: WrittenRecord) {
  const found = recordProblems(task, input, await service.deps.project?.())
  const wrong = found.filter(({ severity }) => severity === 'error')
  if (wrong.length > 0)
    throw new BatonError('invalid_input', wrong.map(({ message }) => message).join(' '), {
      missing: wrong.map(({ field }) => field),
    })
  const warnings = found.map(({ message }) => message)
  return warnings.length > 0 ? { warnings } : {}
}

export const WRITEBACK_OPERATIONS = [update, record, complete, escalate, list, attest] as const
