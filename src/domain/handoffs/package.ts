import * as z from 'zod'
import { once, optional } from '../once.ts'

const Text = z.string().max(64_000)
const Line = z.string().min(1).max(2_000)
/** As hexadecimal digits. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const ArtifactRef = once(() =>
  z.object({
    path: z.string().min(1).max(1_000),
    type: z.string().max(40).optional(),
    role: z.enum(['input', 'output', 'changed']).optional(),
    description: Text.optional(),
    sha256: Sha256.optional(),
    commit: z.string().max(64).optional(),
  }),
)
export type ArtifactRef = z.infer<ReturnType<typeof ArtifactRef>>

/** A decision and its reason. The id `pending` marks one that somebody else has to make. */
export const Decision = once(() =>
  z.object({ id: z.string().optional(), decision: Text, rationale: Text.optional() }),
)
export type Decision = z.infer<ReturnType<typeof Decision>>

/** An acceptance check that Baton itself runs when the work is submitted, where it can. */
export const Check = once(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('file_exists'), path: Line }),
    z.object({ kind: z.literal('sha256'), path: Line, sha256: Sha256 }),
    z.object({ kind: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }),
    z.object({ kind: z.literal('command'), command: Line }),
    z.object({ kind: z.literal('evidence'), deliverable: Line }),
  ]),
)
export type Check = z.infer<ReturnType<typeof Check>>

/** The content that travels with a handoff. */
export const Package = once(() =>
  z.object({
    summary: Text.optional().describe('Summary for the receiver, in two or three sentences'),
    purpose: Text.optional().describe('Why it is handed over'),
    context: Text.optional().describe('Background as text'),
    data: z.record(z.string(), z.unknown()).optional().describe('Background as data'),
    decisions: z.array(Decision()).max(200).optional(),
    artifacts: z.array(ArtifactRef()).max(1_000).optional(),
    open_questions: z
      .array(
        z.object({
          question: Text,
          priority: z.enum(['high', 'medium', 'low']).optional(),
          context: Text.optional(),
        }),
      )
      .max(200)
      .optional()
      .describe('Questions that are still open'),
    deliverables: z.array(Line).max(200).optional().describe('Results to hand in; each needs evidence'),
    criteria: z.array(Line).max(200).optional().describe('Measurable conditions for done'),
    constraints: z.array(Line).max(200).optional().describe('Limits to keep'),
    input: z.unknown().optional().describe('Structured input for a specialist'),
    links: z.record(z.string(), z.string()).optional().describe('For example meeting or skill'),
    checks: z.array(Check()).max(50).optional().describe('Checks that Baton runs at submit and at verify'),
    validation_request: optional(
      z.object({ items: z.array(Line).max(200), options: z.record(z.string(), z.string()).optional() }),
      'Points for a person to validate, and the options with their meanings',
    ),
  }),
)
export type Package = z.infer<ReturnType<typeof Package>>

export const Evidence = once(() => z.object({ deliverable: Line, evidence: Text }))
export type Evidence = z.infer<ReturnType<typeof Evidence>>

/** The report that document 001 asks for with an output. */
export const Validation = once(() =>
  z.looseObject({
    status: z.enum(['passed', 'failed']).optional(),
    tests_passing: z.boolean().optional(),
    typescript_errors: z.number().optional(),
    eslint_warnings: z.number().optional(),
    coverage_percentage: z.number().optional(),
  }),
)
export type Validation = z.infer<ReturnType<typeof Validation>>

export const CheckResult = once(() =>
  z.object({
    name: z.string(),
    ok: z.boolean().optional().describe('Absent: it has not run'),
    detail: z.string().optional(),
    where: z.string().optional().describe('The host and the folder in which it ran'),
  }),
)
export type CheckResult = z.infer<ReturnType<typeof CheckResult>>

/** The receiver's result for one attempt. */
export const Result = once(() =>
  z.object({
    output: z.unknown().optional(),
    evidence: z.array(Evidence()).max(500).optional().describe('Proof of each deliverable'),
    note: Text.optional(),
    artifacts: z.array(ArtifactRef()).max(1_000).optional(),
    decisions: z.array(Decision()).max(200).optional().describe('Decisions made during the work'),
    validation: Validation().optional(),
    schema_compliance: optional(z.enum(['valid', 'invalid']), 'Whether the output passed its schema'),
    checks: z.array(CheckResult()).optional().describe('The run of the one who handed in'),
    metadata: z.record(z.string(), z.unknown()).optional(),
    next_steps: z.array(Text).max(200).optional().describe('Steps that should follow'),
    submitted_at: z.string().optional(),
  }),
)
export type Result = z.infer<ReturnType<typeof Result>>

export const VerificationRecord = once(() =>
  z.object({
    verified_at: z.string(),
    verified_by: z.string(),
    pass: z.boolean(),
    note: Text.optional(),
    deliverable_checks: z
      .array(
        z.object({ deliverable: z.string(), status: z.enum(['verified', 'refused']), evidence: z.string() }),
      )
      .max(500),
    checks: z.array(CheckResult()).optional().describe('The run of the verifier, which counts'),
  }),
)
export type VerificationRecord = z.infer<ReturnType<typeof VerificationRecord>>

export const ThreadItem = once(() =>
  z.object({
    kind: z.enum(['question', 'answer', 'decision', 'progress', 'comment']),
    by: z.string(),
    at: z.string(),
    text: Text,
    choice: z.string().optional(),
  }),
)
export type ThreadItem = z.infer<ReturnType<typeof ThreadItem>>

/** The receiver's answer before it begins (document 004). The first line of `understanding` is the task. */
export const Acknowledgment = once(() =>
  z.object({
    by: z.string(),
    at: z.string(),
    understood: z.enum(['yes', 'partial', 'no']),
    understanding: z.array(Text).optional(),
    questions: z.array(Text).optional(),
    blockers: z.array(Text).optional(),
    starting: z.boolean(),
    checks: z.array(CheckResult()).optional(),
  }),
)
export type Acknowledgment = z.infer<ReturnType<typeof Acknowledgment>>

/** A person's word that a declared check need not hold. */
export const Waiver = once(() => z.object({ check: z.string(), by: z.string(), at: z.string() }))
export type Waiver = z.infer<ReturnType<typeof Waiver>>

/** Edits that the receiver has not been shown: the fields as it saw them. */
export interface Edited {
  readonly by: string
  readonly at: string
  readonly was: Readonly<Record<string, unknown>>
}

/** Everything of a handoff that is read only when somebody looks into it. */
export interface Content {
  readonly package: Package
  readonly result?: Result
  readonly thread: readonly ThreadItem[]
  readonly verifications: readonly VerificationRecord[]
  readonly acknowledgment?: Acknowledgment
  readonly waived?: readonly Waiver[]
  /** Absent unless its sender edited it while somebody worked on it. */
  readonly edited?: Edited
}
