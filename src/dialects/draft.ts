import * as z from 'zod'
import { OnFailure } from '../domain/blocks/block.ts'
import { Failure, RetryRule, TYPES } from '../domain/handoffs/handoff.ts'
import { Package, Result, VerificationRecord } from '../domain/handoffs/package.ts'
import { STATES } from '../domain/lifecycle.ts'
import { once } from '../domain/once.ts'
import { PRIORITIES } from '../domain/priority.ts'

const Name = z.string().max(200)
const Time = z.string().max(40).describe('An instant, for example 2026-02-21T14:30:00Z')
const Data = z.record(z.string(), z.unknown())

/** What was done to a task (document 003), in either of its shapes. */
export const Record003 = once(() =>
  z.object({
    branch: z.string().optional(),
    commit_sha: z.string().optional(),
    tests_run: z.array(z.string()).optional(),
    summary: z.string().optional(),
    blockers: z.array(z.union([z.string(), Data])).optional(),
    files_changed: z.array(z.string()).optional(),
    related_thought_records: z.array(z.string()).optional(),
    status: z.string().optional(),
    notes: z.string().optional(),
  }),
)

/** What a receiver answered to a package (document 004). */
export const Acknowledgment = once(() =>
  z.object({
    handoff_id: z.string().optional(),
    from: Name.optional(),
    at: Time.optional(),
    understood: z.enum(['yes', 'partial', 'no']).optional(),
    understanding: z.array(z.string()).optional(),
    questions: z.array(z.string()).optional(),
    blockers: z.array(z.string()).optional(),
    starting: z.boolean().optional(),
  }),
)

/** A decision point for a person, and what the person said. */
export const Gate = once(() =>
  z.object({
    name: z.string().optional(),
    type: z.enum(['blocking', 'advisory', 'auto']).optional(),
    step: z.union([z.string(), z.number(), z.null()]).optional(),
    response: z
      .object({
        decision: z.enum(['approve', 'reject', 'question']),
        by: Name.optional(),
        at: Time.optional(),
        comment: z.string().optional(),
      })
      .optional(),
  }),
)

/**
 * What a document of any dialect says, in the engine's words. Every field may be absent: a draft is what was
 * found, not what is valid. Agents are written without `@`. Times are instants; how they were written stays in
 * the document.
 */
export const Draft = once(() =>
  z.object({
    uid: z.string().optional(),
    id: Name.optional().describe('As the dialect calls it'),
    type: z.enum(TYPES).optional(),
    state: z.enum(STATES).optional(),
    from: Name.optional(),
    to: Name.nullable().optional().describe('null: said to be nobody'),
    from_role: Name.optional(),
    to_role: Name.optional(),
    to_reason: z.string().optional(),
    /** Phases by number (001), by word (002), steps by number or word (004; null: outside the workflow). */
    from_phase: z.number().optional(),
    to_phase: z.number().optional(),
    phase: z.string().optional(),
    from_step: z.union([z.string(), z.number(), z.null()]).optional(),
    to_step: z.union([z.string(), z.number(), z.null()]).optional(),
    title: z.string().optional(),
    task: Name.optional(),
    project: Name.optional(),
    priority: z.enum(PRIORITIES).optional(),
    in_reply_to: Name.optional(),
    supersedes: Name.optional(),
    created_at: Time.optional(),
    updated_at: Time.optional(),
    accepted_at: Time.optional(),
    accepted_by: Name.optional(),
    ack_notes: z.string().optional(),
    started_at: Time.optional(),
    ended_at: Time.optional(),
    ack_deadline: Time.optional(),
    target_completion: z.string().optional(),
    timeout_s: z.number().optional(),
    retry_count: z.number().optional(),
    retry: RetryRule().partial().optional(),
    review: Name.optional(),
    retry_available: z.boolean().optional(),
    not_before: Time.optional(),
    on_failure: OnFailure().optional(),
    error: Failure().optional(),
    rejection: z
      .object({ type: z.string(), message: z.string(), by: Name.optional(), at: Time.optional() })
      .optional(),
    package: Package().optional(),
    /** Names of the schemas that input and output must match. */
    input_schema: z.string().optional(),
    output_schema: z.string().optional(),
    /** What document 001 expects back: artifact type, format, destination. */
    expected_output: Data.optional(),
    result: Result().optional(),
    verification: VerificationRecord().optional(),
    gate: Gate().optional(),
    acknowledgment: Acknowledgment().optional(),
    record: Record003().optional(),
    workflow: Data.optional(),
    metrics: Data.optional(),
    depends_on: z.array(z.string()).optional(),
    next_steps: z.array(z.string()).optional(),
    progress: z.number().optional(),
    body: z.string().optional().describe('Text around or below the data: a markdown body'),
    /** Keys that no field above has a place for, as found, by their native path. */
    extra: Data.optional(),
  }),
)
export type Draft = z.infer<ReturnType<typeof Draft>>
