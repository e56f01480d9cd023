import * as z from 'zod'
import { AgentName } from '../domain/agent.ts'
import { BatonError } from '../domain/errors.ts'
import { Handoff, PRIORITIES, RetryRule, TYPES } from '../domain/handoff.ts'
import { HOMES } from '../domain/home.ts'
import { STATES } from '../domain/lifecycle.ts'
import { Notice } from '../domain/notice.ts'
import { Package, Result, ThreadItem, VerificationRecord } from '../domain/package.ts'
import { TaskId } from '../domain/task.ts'
import type { LogEntry } from '../service/service.ts'
import { defineOperation, PAGE, pageOf } from './operation.ts'

const Id = z.string().min(1).max(200).describe('Handoff id, for example HO-2026-001')
const Note = z.string().max(8_000)
const Title = z.string().min(1).max(300)

const newHandoff = () => ({
  to: AgentName.describe('Who receives it'),
  title: Title,
  ...Package.shape,
  type: z
    .enum(TYPES)
    .optional()
    .describe('delegation comes back to you; gate and escalation wait for a person'),
  task: TaskId.optional(),
  priority: z.enum(PRIORITIES).optional(),
  timeout_s: z.coerce
    .number()
    .positive()
    .max(31_536_000)
    .optional()
    .describe('An attempt may stay silent this many seconds'),
  retry: RetryRule.optional(),
  parent: Id.optional().describe('The handoff that this one is part of'),
  supersedes: Id.optional().describe('The rejected or expired handoff that this one replaces'),
  home: z.enum(HOMES).optional(),
  alias: z.string().min(1).max(200).optional(),
})

const Sent = () =>
  z.object({ handoff: Handoff, warnings: z.array(z.object({ code: z.string(), message: z.string() })) })

const Event = () =>
  z.object({
    at: z.string(),
    act: z.string(),
    by: z.string(),
    auth: z.string(),
    rev: z.int(),
    hash: z.string(),
  })

const BASIC = ['invalid_input', 'not_found', 'not_allowed', 'wrong_state', 'conflict', 'unavailable'] as const

const create = defineOperation({
  name: 'handoff_create',
  summary: 'Write a handoff as a draft, without sending it.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/handoffs/drafts' },
  input: () => z.strictObject(newHandoff()),
  output: Sent,
  errors: [...BASIC, 'limit_exceeded'],
  examples: ['baton create --to codex --title "Add rate limiting" --deliverable "Middleware in src/"'],
  run: async (service, call, input) => mutable(await service.sending.create(call, input)),
})

const send = defineOperation({
  name: 'handoff_send',
  summary:
    'Hand work to another agent or a person: say what is needed, what must be handed in and when it is done.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      ...newHandoff(),
      to: AgentName.optional().describe('Who receives it'),
      title: Title.optional(),
      id: Id.optional().describe('A draft to send; leave it out to create and send in one'),
    }),
  output: Sent,
  errors: [...BASIC, 'limit_exceeded'],
  examples: [
    'baton send --to codex --title "Add rate limiting" --summary "API needs limits before launch" --deliverable "Middleware in src/" --criterion "npm test passes"',
    'baton send HO-2026-001',
  ],
  run: async (service, call, { id, to, title, ...rest }) => {
    if (id !== undefined) return mutable(await service.sending.sendDraft(call, id))
    const given = named(to, title)
    return mutable(await service.sending.send(call, { ...rest, ...given }))
  },
})

const inbox = defineOperation({
  name: 'handoff_inbox',
  summary: 'What waits for you: handoffs to take, finish, verify or answer, and notices you have not seen.',
  effect: 'read',
  scope: 'handoff:read',
  tools: 'default',
  http: { method: 'GET', path: '/v1/inbox' },
  input: () => z.strictObject(PAGE()),
  output: () => z.object({ items: z.array(Handoff), notices: z.array(Notice), next: z.string().optional() }),
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton inbox', 'baton inbox --as codex --json'],
  run: async (service, call, input) => mutable(await service.looking.inbox(call.actor.name, pageOf(input))),
})

const get = defineOperation({
  name: 'handoff_get',
  summary: 'One handoff with its package, what was handed in, questions and answers, attempts and timeline.',
  effect: 'read',
  scope: 'handoff:read',
  tools: 'default',
  http: { method: 'GET', path: '/v1/handoffs/{id}' },
  positional: ['id'],
  input: () => z.strictObject({ id: Id }),
  output: () =>
    z.object({
      handoff: Handoff,
      package: Package,
      result: Result.optional(),
      thread: z.array(ThreadItem),
      verifications: z.array(VerificationRecord),
      timeline: z.array(Event()),
    }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton show HO-2026-001', 'baton show @'],
  run: async (service, _, { id }) => {
    const { handoff, content, timeline } = await service.looking.get(id)
    return {
      handoff,
      package: content.package,
      ...(content.result && { result: content.result }),
      thread: [...content.thread],
      verifications: [...content.verifications],
      timeline: timeline.map(toEvent),
    }
  },
})

const list = defineOperation({
  name: 'handoff_list',
  summary: 'Handoffs of the workspace, newest first.',
  effect: 'read',
  scope: 'handoff:read',
  http: { method: 'GET', path: '/v1/handoffs' },
  input: () =>
    z.strictObject({
      state: z.union([z.enum(STATES).transform((s) => [s]), z.array(z.enum(STATES))]).optional(),
      from: AgentName.optional(),
      to: AgentName.optional(),
      task: TaskId.optional(),
      type: z.enum(TYPES).optional(),
      text: z.string().max(200).optional().describe('A part of the id or the title'),
      ...PAGE(),
    }),
  output: () => z.object({ items: z.array(Handoff), next: z.string().optional() }),
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton handoff list --state in_review', 'baton handoff list --to codex --json'],
  run: async (service, _, { limit, cursor, ...filter }) =>
    mutable(await service.looking.list(defined(filter), pageOf({ limit, cursor }))),
})

const accept = defineOperation({
  name: 'handoff_accept',
  summary:
    'Take on a handoff that was offered to you. With blockers, say what is unclear instead of starting.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs/{id}/accept' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: Id,
      start: z.boolean().optional().describe('Begin at once (true unless said)'),
      notes: Note.optional(),
      blockers: z
        .array(z.string().min(1).max(2_000))
        .max(50)
        .optional()
        .describe('What must be cleared up first'),
    }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: [
    'baton accept @ --as codex',
    'baton accept HO-2026-001 --blocker "Constraint \'quickly\' not measurable"',
  ],
  run: (service, call, { id, ...input }) => service.receiving.accept(call, id, input),
})

const reject = defineOperation({
  name: 'handoff_reject',
  summary: 'Decline a handoff, or give accepted work back. The sender is told why.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs/{id}/reject' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: Id,
      reason: z.string().min(1).max(8_000).describe('Why, for the sender'),
      reason_type: z
        .string()
        .max(40)
        .optional()
        .describe('For example skill_gap, which also tells the chief'),
    }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton reject @ --reason "I have no access to the billing service"'],
  run: (service, call, { id, reason, reason_type }) =>
    service.receiving.reject(call, id, {
      type: reason_type ?? (reason === 'skill_gap' ? 'skill_gap' : 'other'),
      message: reason,
    }),
})

const claim = defineOperation({
  name: 'handoff_claim',
  summary: 'Take the next handoff of your queue, by priority and then age.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/claims' },
  input: () => z.strictObject({}),
  output: () => z.object({ handoff: Handoff.optional() }),
  errors: ['unavailable'],
  examples: ['baton handoff claim --as react-specialist'],
  run: async (service, call) => {
    const handoff = await service.receiving.claim(call)
    return handoff ? { handoff } : {}
  },
})

const heartbeat = defineOperation({
  name: 'handoff_heartbeat',
  summary: 'Say that you are still at work; tell progress, or that you are blocked.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/handoffs/{id}/heartbeat' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: Id,
      progress: z.coerce.number().min(0).max(100).optional(),
      blocked: z
        .union([z.string().min(1).max(2_000), z.literal(false)])
        .optional()
        .describe('What blocks you, or false when it is gone'),
      attempt: z.coerce.number().int().positive().optional(),
    }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton handoff heartbeat @ --progress 40'],
  run: (service, call, { id, ...input }) => service.receiving.heartbeat(call, id, input),
})

const ask = defineOperation({
  name: 'handoff_ask',
  summary: 'Ask the sender something you need to know. The handoff waits for the answer.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs/{id}/ask' },
  positional: ['id', 'question'],
  input: () => z.strictObject({ id: Id, question: z.string().min(1).max(8_000) }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton ask @ "Which endpoints are public?"'],
  run: (service, call, { id, question }) => service.receiving.ask(call, id, question),
})

const answer = defineOperation({
  name: 'handoff_answer',
  summary: 'Answer a question about a handoff you sent; the work goes on where it stopped.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs/{id}/answer' },
  positional: ['id', 'text'],
  input: () => z.strictObject({ id: Id, text: z.string().min(1).max(8_000) }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton answer @ "Only /v1 is public"'],
  run: (service, call, { id, text }) => service.receiving.answer(call, id, text),
})

const amend = defineOperation({
  name: 'handoff_amend',
  summary: 'Change what travels with a handoff that nobody works on yet.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/handoffs/{id}/amend' },
  positional: ['id'],
  input: () => z.strictObject({ id: Id, title: Title.optional(), ...Package.shape }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton handoff amend HO-2026-001 --criterion "p95 under 200 ms"'],
  run: (service, call, { id, ...change }) => service.sending.amend(call, id, defined(change)),
})

const submit = defineOperation({
  name: 'handoff_submit',
  summary: 'Hand in what you did, with evidence for every deliverable.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs/{id}/submit' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: Id,
      ...Result.omit({ checks: true, submitted_at: true }).shape,
      attempt: z.coerce.number().int().positive().optional(),
    }),
  output: () => Handoff,
  errors: [...BASIC, 'unmet'],
  examples: ['baton submit @ --as codex --evidence "Middleware in src/=src/limit.ts" --note "12 tests"'],
  run: (service, call, { id, ...input }) => service.receiving.submit(call, id, input),
})

const verify = defineOperation({
  name: 'handoff_verify',
  summary: 'Judge submitted work: a pass completes the handoff, a refusal gives it back with the reason.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs/{id}/verify' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: Id,
      pass: z.boolean(),
      note: Note.optional().describe('Needed when it does not pass'),
      checks: VerificationRecord.shape.deliverable_checks.optional(),
    }),
  output: () => Handoff,
  errors: [...BASIC, 'unmet'],
  examples: ['baton verify @ --pass', 'baton verify @ --fail "the tests do not cover bursts"'],
  run: (service, call, { id, ...input }) => service.closing.verify(call, id, input),
})

const complete = defineOperation({
  name: 'handoff_complete',
  summary: 'Complete a handoff where you may and its conditions hold.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/handoffs/{id}/complete' },
  positional: ['id'],
  input: () => z.strictObject({ id: Id }),
  output: () => Handoff,
  errors: [...BASIC, 'unmet'],
  examples: ['baton handoff complete HO-2026-001-R --as planner'],
  run: (service, call, { id }) => service.closing.complete(call, id),
})

const fail = defineOperation({
  name: 'handoff_fail',
  summary:
    'Report that you cannot do the work, with the reason. It is tried again where its retry rule says so.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs/{id}/fail' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: Id,
      message: z.string().min(1).max(8_000),
      code: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]{1,60}$/)
        .optional()
        .describe('For example PROCESSING_ERROR or DEPENDENCY_MISSING'),
      details: z.array(z.record(z.string(), z.unknown())).max(200).optional(),
      recovery_actions: z.array(z.string().max(2_000)).max(20).optional(),
      attempt: z.coerce.number().int().positive().optional(),
    }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton handoff fail @ --message "The build machine is down"'],
  run: (service, call, { id, ...input }) => service.receiving.fail(call, id, input),
})

const retry = defineOperation({
  name: 'handoff_retry',
  summary: 'Offer a failed handoff again: the next attempt of the same handoff.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/handoffs/{id}/retry' },
  positional: ['id'],
  input: () => z.strictObject({ id: Id }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton handoff retry HO-2026-001'],
  run: (service, call, { id }) => service.receiving.retry(call, id),
})

const reassign = defineOperation({
  name: 'handoff_reassign',
  summary: 'Give a handoff you sent to another receiver.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/handoffs/{id}/reassign' },
  positional: ['id', 'to'],
  input: () => z.strictObject({ id: Id, to: AgentName, reason: Note.optional() }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton handoff reassign HO-2026-001 gemini --reason "codex is away"'],
  run: (service, call, { id, to, reason }) => service.sending.reassign(call, id, to, reason),
})

const cancel = defineOperation({
  name: 'handoff_cancel',
  summary: 'Take back a handoff you sent; whoever holds it is told.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/handoffs/{id}/cancel' },
  positional: ['id'],
  input: () => z.strictObject({ id: Id, reason: Note.optional() }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton handoff cancel HO-2026-001 --reason "no longer needed"'],
  run: (service, call, { id, reason }) => service.sending.cancel(call, id, reason),
})

const wait = defineOperation({
  name: 'handoff_wait',
  summary:
    'Wait until a handoff is completed. Refused with its reason when it ends otherwise, or when time is up.',
  effect: 'read',
  scope: 'handoff:read',
  tools: 'default',
  http: { method: 'GET', path: '/v1/handoffs/{id}/wait' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: Id,
      timeout_s: z.coerce
        .number()
        .min(0)
        .max(86_400)
        .optional()
        .describe("Seconds (the handoff's own timeout, else 300)"),
    }),
  output: () => Handoff,
  errors: ['invalid_input', 'not_found', 'failed', 'timed_out', 'unavailable'],
  examples: ['baton wait HO-2026-001 --timeout-s 600'],
  run: (service, _, { id, timeout_s }) => service.wait(id, { timeout_s }),
})

const decide = defineOperation({
  name: 'gate_decide',
  summary: 'A person answers a gate or an escalation: approve, reject or question.',
  effect: 'write',
  scope: 'gate:write',
  peopleOnly: true,
  http: { method: 'POST', path: '/v1/gates/{id}/decide' },
  positional: ['id', 'choice'],
  input: () =>
    z.strictObject({
      id: Id,
      choice: z.enum(['approve', 'reject', 'question']),
      comment: Note.optional(),
    }),
  output: () => Handoff,
  errors: [...BASIC],
  examples: ['baton decide @ approve --comment "ship it"'],
  run: (service, call, { id, choice, comment }) => service.closing.decide(call, id, choice, comment),
})

export const HANDOFF_OPERATIONS = [
  create,
  send,
  inbox,
  get,
  list,
  accept,
  reject,
  claim,
  heartbeat,
  ask,
  answer,
  amend,
  submit,
  verify,
  complete,
  fail,
  retry,
  reassign,
  cancel,
  wait,
  decide,
] as const

function toEvent(entry: LogEntry): z.infer<ReturnType<typeof Event>> {
  const record = JSON.parse(entry.body.slice(entry.body.lastIndexOf('\n') + 1))
  return {
    at: entry.at,
    act: entry.act,
    by: record.actor.id,
    auth: record.auth,
    rev: record.sub.rev,
    hash: entry.hash,
  }
}

/** Creating and sending in one needs both. */
function named(to: string | undefined, title: string | undefined): { to: string; title: string } {
  if (to !== undefined && title !== undefined) return { to, title }
  const missing = [to === undefined && 'to', title === undefined && 'title'].filter(
    (field) => field !== false,
  )
  throw new BatonError(
    'invalid_input',
    `${missing.join(' and ')} missing: say who receives it and what it is called`,
    {
      missing,
    },
  )
}

/** Lists that the service promises not to change, as the plain arrays of an answer. */
const mutable = <T>(value: T): Mutable<T> => value as Mutable<T>
type Mutable<T> = T extends readonly (infer I)[]
  ? Mutable<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T

/** Without the fields that were left out. */
const defined = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as never
