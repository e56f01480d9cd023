import * as z from 'zod'
import { HOMES } from '../home.ts'
import { STATES, TYPES } from '../lifecycle.ts'
import { once, optional } from '../once.ts'
import { Gate, Silence } from '../people/people-schema.ts'
import { PRIORITIES } from '../priority.ts'

export { type HandoffType, TYPES } from '../lifecycle.ts'
export { PRIORITIES, type Priority, RANK } from '../priority.ts'
export { type Due, dueOf } from './deadlines.ts'

export const Failure = once(() =>
  z.object({
    code: z.string().max(80),
    message: z.string().max(8_000),
    severity: z.string().max(20).optional(),
    details: z.array(z.record(z.string(), z.unknown())).optional(),
    recovery_actions: z.array(z.string()).optional(),
  }),
)
export type Failure = z.infer<ReturnType<typeof Failure>>

const Tokens = (what: string) => z.int().min(0).max(1e12).optional().describe(what)

/** Cost and tokens of a try, as the program itself reported them. */
export const Usage = once(() =>
  z.strictObject({
    cost_usd: z.number().min(0).max(1e6).optional().describe('Cost in US dollars'),
    input_tokens: Tokens('Tokens that the model read, its cache included'),
    output_tokens: Tokens('Tokens that the model wrote'),
  }),
)
export type Usage = z.infer<ReturnType<typeof Usage>>

/** One try at the work: who held it, and how it ended. */
export const Attempt = once(() =>
  z.object({
    attempt: z.int(),
    holder: z.string(),
    instance: z.string().optional(),
    started_at: z.string(),
    ended_at: z.string().optional(),
    outcome: z.string().optional(),
    error: Failure().optional(),
    usage: Usage().optional().describe('Cost and tokens, as the program reported them'),
  }),
)
export type Attempt = z.infer<ReturnType<typeof Attempt>>

export const RetryRule = once(() =>
  z.object({ max: z.int().min(0).max(100), delay_s: z.number().min(0), multiplier: z.number().min(1) }),
)

/** One transfer of work from a sender to a receiver. What travels with it is its content, read apart. */
export const Handoff = once(() =>
  z.object({
    uid: z.string().describe('The only key, a UUIDv7'),
    id: z.string().describe('The id that people use, for example HO-2026-001'),
    rev: z.int().describe('Rises by one with every change'),
    home: z.enum(HOMES),
    type: z.enum(TYPES),
    state: z.enum(STATES),
    from: z.string(),
    to: z.string(),
    title: z.string(),
    task: z.string().optional().describe('Id of the task'),
    priority: z.enum(PRIORITIES),
    root: z.string().describe('uid of the first handoff of the chain'),
    parent: z.string().optional(),
    parent_attempt: z.int().optional().describe('The try at the work above that it was delegated from'),
    depth: z.int(),
    supersedes: z.string().optional().describe('uid of the ended handoff that it replaces'),
    superseded_by: z.string().optional().describe('Id of the handoff that replaces it'),
    run: z.string().optional().describe('uid of the workflow run it belongs to'),
    step: z.string().optional().describe('Step of that run'),
    session: z.string().optional().describe('Session of that run, as packages name it'),
    in_reply_to: z.string().optional(),
    created_at: z.string(),
    updated_at: z.string(),
    sent_at: z.string().optional(),
    /** Position in the chain's log at sending: the cycle rule looks for progress after it. */
    sent_seq: z.int().optional(),
    /** The same in the task's log: a record after it is progress too. */
    task_seq: z.int().optional(),
    ack_deadline: z.string().optional().describe('Must be accepted before this instant'),
    timeout_s: z.number().optional().describe('Longest time without a heartbeat before an attempt times out'),
    lease_s: optional(z.number(), 'The same for a holder that beats by itself, where timeout_s is not set'),
    lease_until: z.string().optional(),
    holder: z.string().optional(),
    instance: z.string().optional(),
    accepted_at: z.string().optional(),
    accepted_by: z.string().optional(),
    ack_notes: z.string().optional(),
    started_at: z.string().optional(),
    attempt: z.int().describe('From 1; rises when the work is offered again'),
    retry: RetryRule().optional(),
    review: z.string().optional().describe('The last word: sender, none (its declared checks) or an agent'),
    not_before: z.string().optional(),
    attempts: z.array(Attempt()),
    resume: z.enum(STATES).optional(),
    need: z.enum(['clarification', 'decision', 'gate']).optional(),
    waiting_for: z.string().optional().describe('Whose move it is'),
    gate: Gate().optional(),
    gated: z.boolean().optional().describe('Gates were asked for its work, or parts of it were delegated'),
    choice: z.string().optional().describe('The answer of the person'),
    silence: Silence().optional(),
    remind_s: z.number().optional(),
    remind_at: z.string().optional().describe('When the person is reminded'),
    silence_at: z.string().optional().describe('When the rule for a missing answer applies'),
    reminded: z.int().optional(),
    escalated_to: z.string().optional().describe('Person who may decide too, because nobody answered'),
    progress: z.number().optional(),
    blocked_on: z.string().optional(),
    error: Failure().optional(),
    rejection: z.object({ type: z.string(), message: z.string(), by: z.string(), at: z.string() }).optional(),
    ended_at: z.string().optional(),
    verified_by: z.string().optional(),
    debt: z.enum(['open', 'answered']).optional(),
    /** For the completion guard, so that a transition need not read the content. */
    deliverables: z.int(),
    aliases: z.record(z.string(), z.string()).optional(),
    trace: optional(
      z.object({ traceparent: z.string(), tracestate: z.string().optional() }),
      'W3C trace context of the call that sent it',
    ),
    imported_at: z.string().optional().describe('Taken over from a document, whose word its first state is'),
  }),
)
export type Handoff = z.infer<ReturnType<typeof Handoff>>
