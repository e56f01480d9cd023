import * as z from 'zod'
import { AgentName } from '../agent.ts'
import { HOMES } from '../home.ts'
import type { AnswerOf, Given, InputOf } from '../once.ts'
import { optional } from '../once.ts'
import { RemindSeconds, Silence } from '../people/people-schema.ts'
import { TaskId } from '../tasks/task.ts'
import { PRIORITIES, RetryRule, TYPES, Usage } from './handoff.ts'
import { Package, Result, Sha256, VerificationRecord } from './package.ts'

export const Id = z.string().min(1).max(200).describe('Handoff id, for example HO-2026-001')
export const Note = z.string().max(8_000)
export const Title = z
  .string()
  .min(1, { abort: true })
  .max(300)
  .regex(/\S/, 'is blank; say in a few words what it is about')

/** Fields that a sender may set when people are asked. */
const askedOfPeople = () => ({
  gate: optional(
    z.strictObject({
      type: optional(z.string().max(40), 'blocking, advisory or auto; anything else is taken as blocking'),
      name: z.string().min(1).max(200).optional(),
      step: z.union([z.string().max(100), z.number()]).optional(),
    }),
    'blocking (the default) holds up the work until a person approves, advisory does not, auto passes with its checks',
  ),
  silence: optional(
    Silence(),
    'For a person who does not answer (wait): after after_s seconds it expires or goes to another',
  ),
  remind_s: RemindSeconds().optional(),
})

/** A new handoff as its sender gives it. */
export const newHandoffFields = () => ({
  to: AgentName.describe('The receiver'),
  title: Title,
  ...Package().shape,
  type: optional(z.enum(TYPES), 'delegation comes back to you; gate and escalation wait for a person'),
  task: TaskId.optional(),
  priority: z.enum(PRIORITIES).optional(),
  timeout_s: optional(
    z.coerce.number().positive().max(31_536_000),
    'Seconds without a heartbeat after which an attempt times out',
  ),
  retry: optional(
    RetryRule(),
    'Retries of failed work: the first after delay_s seconds, each later one after multiplier times as long',
  ),
  review: optional(
    AgentName,
    'The last word on the result: sender, an agent, or none, where the declared checks decide alone',
  ),
  parent: optional(Id, 'The handoff that this one is part of'),
  supersedes: optional(Id, 'The rejected or expired handoff that this one replaces'),
  home: optional(z.enum(HOMES), 'The format whose rules it follows'),
  // It stands in our sentences as a name; a sentence of its own has spaces in it.
  alias: optional(
    z
      .string()
      .max(200)
      .regex(
        /^(?![@.-])[^\s"/\\]+$/,
        'an id begins with a letter or a digit and has no spaces, quotes and slashes, for example limits-1',
      ),
    'An id of your own; in a live folder the name of its file',
  ),
  created_files: optional(
    z.array(z.string().min(1).max(1_000)).max(5_000),
    'Files that you created; a warning names each file that is not an artifact',
  ),
  in_reply_to: optional(Id, 'The delegation that a return answers, where it could be several'),
  ...askedOfPeople(),
})
export type NewHandoff = Package & Omit<Given<typeof newHandoffFields>, keyof Package>
export type AskedOfPeople = Given<typeof askedOfPeople>

const UnderstoodLine = () => z.string().trim().min(1).max(8_000)

/** Document 004's form, or only the sentence. */
const Understood = () =>
  z.union([
    UnderstoodLine(),
    z.strictObject({
      task: UnderstoodLine(),
      constraints: z.union([UnderstoodLine(), z.array(UnderstoodLine()).max(200)]).optional(),
    }),
  ])

export const acceptFields = () => ({
  start: optional(z.boolean(), 'Begin at once (true by default)'),
  notes: Note.optional(),
  blockers: optional(z.array(z.string().min(1).max(2_000)).max(50), 'Problems to solve first'),
  understood: optional(Understood(), 'The task in your own words, or partial; a package needs it'),
  questions: optional(
    z.array(z.string().min(1).max(2_000)).max(50),
    'Questions to the sender; without start the work waits for the answer',
  ),
  from: optional(AgentName, 'The sender you expect; another is refused'),
  take_over: optional(z.boolean(), 'Take work over from another session of yours'),
})
export type AcceptInput = Given<typeof acceptFields>

export const claimFields = () => ({
  id: optional(Id, 'This handoff, and not the next one'),
  lease_s: optional(
    z.coerce.number().positive().max(3_600),
    'For a program with heartbeats: times out after these seconds, unless timeout_s is set',
  ),
})

export type ClaimInput = InputOf<typeof claimFields>

/** The attempt that a worker believes to hold. */
const AttemptHeld = () => optional(z.coerce.number().int().positive(), 'Refused if it is another by now')

/** Characters of a running program's output that are shown. */
export const MOST_LIVE = 65_536

export const heartbeatFields = () => ({
  progress: z.coerce.number().min(0).max(100).optional(),
  blocked: optional(
    z.union([z.string().min(1).max(2_000), z.literal(false)]),
    'The reason why you are blocked, or false when it is gone',
  ),
  log: optional(
    z.union([z.string().max(MOST_LIVE), z.literal(false)]),
    'Newest output of your program, or false at its end',
  ),
  attempt: AttemptHeld(),
})

export const submitFields = () => ({
  ...Result().omit({ checks: true, submitted_at: true }).shape,
  attempt: AttemptHeld(),
})
export type SubmitInput = InputOf<typeof submitFields>

export const failFields = () => ({
  message: z.string().min(1).max(8_000),
  code: optional(
    z.string().regex(/^[A-Z][A-Z0-9_]{1,60}$/),
    'For example PROCESSING_ERROR or DEPENDENCY_MISSING',
  ),
  details: z.array(z.record(z.string(), z.unknown())).max(200).optional(),
  recovery_actions: z.array(z.string().max(2_000)).max(20).optional(),
  attempt: AttemptHeld(),
})

export const releaseFields = () => ({ reason: optional(Note, 'Why, for the log'), attempt: AttemptHeld() })

export const verifyFields = () => ({
  pass: z.boolean().describe('Whether it is done as agreed'),
  note: optional(Note, 'Needed when it does not pass'),
  checks: optional(
    VerificationRecord().shape.deliverable_checks,
    'The evidence you saw for each deliverable; by default the evidence that was handed in',
  ),
})
export type VerifyInput = InputOf<typeof verifyFields>

/** A file that travels with the work, without its bytes. */
export const artifactFields = () => ({
  path: z.string().min(1).max(1_000),
  type: z.string().max(40).optional(),
  role: z.enum(['input', 'output', 'changed']).optional(),
  description: z.string().max(4_000).optional(),
  handoff: z.string().max(200).optional(),
  sha256: Sha256.optional(),
  commit: z.string().max(64).optional(),
  usage: optional(Usage(), 'Cost and tokens of your program, for your last attempt'),
})

/** The same as it is kept. */
export const Artifact = () =>
  z.object({
    uid: z.string(),
    path: z.string(),
    type: z.string().optional(),
    role: z.string().optional(),
    description: z.string().optional(),
    handoff: z.string().optional(),
    sha256: z.string().optional(),
    commit: z.string().optional(),
    size: z.int().optional(),
    stored: z.boolean(),
    by: z.string(),
    created_at: z.string(),
  })
export type Artifact = AnswerOf<typeof Artifact>
