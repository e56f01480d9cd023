import * as z from 'zod'
import { AgentName } from '../agent.ts'
import type { ErrorCode } from '../errors.ts'
import { type AnswerOf, type Given, type InputOf, once, optional } from '../once.ts'
import { present } from '../present.ts'
import { PlacedProblem, SEVERITIES } from '../problem.ts'
import { text } from '../schema-parts.ts'
import { ROUTE_MODES } from './failure-routing.ts'
import {
  isPhase,
  isWorkflowComplete,
  nextAgent,
  PHASES,
  phaseProgress,
  STATUSES,
  type Status,
} from './phases.ts'

/** A summary is a page; what is larger is refused before it is read. */
const MAX_TEXT = 4_000_000
const MAX_DOCUMENTS = 1_000

/** The input of a collection. */
export const collectFields = () => ({
  documents: z
    .array(
      z.strictObject({
        text: z.string().max(MAX_TEXT).describe('The summary, with its blocks in it'),
        path: z.string().max(1_000).optional().describe('Path of the text'),
      }),
    )
    .min(1)
    .max(MAX_DOCUMENTS),
  source: optional(text(200), 'Tells equal summaries of different runs apart, such as a CI run number'),
  workflow: z.string().min(1).max(200).optional().describe('For blocks without a workflow_id'),
  run: z.string().min(1).max(200).optional().describe('Run of a workflow that the blocks belong to'),
  route_mode: optional(
    z.enum(ROUTE_MODES),
    'Retries by the same agent (after_retries), or by route_to from the first failure on',
  ),
})
export type CollectInput = Given<typeof collectFields>

/** Which blocks are meant. `run` is its id or uid, `workflow` its name. */
export const blockFilterFields = () => ({
  agent: AgentName.optional().describe('Of this agent'),
  phase: z.enum(PHASES).optional().describe('Of this phase'),
  task: z.string().min(1).max(200).optional().describe('Of this task'),
  workflow: z.string().min(1).max(200).optional().describe('Of this workflow'),
  run: z.string().min(1).max(200).optional().describe('Of this run'),
})
export type HistoryFilter = InputOf<typeof blockFilterFields>

const Placed = () => z.object({ to: z.string(), id: z.string().describe('The handoff') })
export type Placed = AnswerOf<typeof Placed>

/** The effects of a block. Handoffs by their ids, others by name. */
const Followed = () =>
  z.object({
    moved: optional(
      z.object({ id: z.string(), state: z.string() }),
      "The handoff to the block's author that it moved",
    ),
    next: Placed().optional().describe('Handed on to the next agent'),
    retry: Placed().extend({ retry_count: z.int() }).optional(),
    routed: Placed().optional(),
    escalated: Placed().optional(),
    notified: z.string().optional(),
    problem: z.string().optional().describe('Why it was not handed on'),
  })
export type Followed = AnswerOf<typeof Followed>

/** Document 002's recovery rules for the work that a block describes. */
export const OnFailure = once(() =>
  z.object({
    retry: z.number().optional(),
    route_to: z.string().max(200).optional(),
    notify: z.string().max(200).optional(),
    escalate_after: z.number().optional(),
    context: z.string().optional(),
  }),
)
export type OnFailure = Readonly<z.infer<ReturnType<typeof OnFailure>>>

const Data = () => z.record(z.string(), z.unknown())

/** A block of document 002 as it was stored: what an agent said of its work, with the text it stood in. */
export const Block = () =>
  z.object({
    uid: z.string(),
    /** SHA-256 of what was said and where it came from: the same summary is history once. */
    digest: z.string(),
    from: z.string(),
    to: z.string(),
    phase: z.string(),
    status: z.string(),
    task: z.string().optional(),
    run: z.string().optional().describe('uid of the run that it belongs to'),
    /** The workflow it counts to: its `workflow_id`, else the caller's or the run's, else the UTC day. */
    workflow: z.string().optional(),
    at: z.string(),
    stored_at: z.string(),
    raw: z.string().describe('The text, byte for byte'),
    retry_count: z.number().optional(),
    metrics: Data().optional(),
    dependencies: z.array(z.string()).optional(),
    on_failure: Data().optional(),
    defaulted: z.array(z.string()).optional().describe('Keys that the document says an absent value for'),
    /** The file it stood in, and its place among the blocks there. */
    source: z.string().optional(),
    ordinal: z.int().optional(),
    line: z.int().optional(),
    /** `from` is only what the text claims. */
    by: z.string().optional().describe('The agent that brought it in'),
    made: z.literal(true).optional().describe('Written by Baton after a failure'),
    followed: Followed().optional(),
  })
export type Block = Omit<AnswerOf<typeof Block>, 'on_failure'> & { readonly on_failure?: OnFailure }

/** The verdict of a pipeline on a status, with its exit code. The worst first. */
// biome-ignore format: read as a table
export const VERDICTS = {
  failed:     { exit: 1,  title: 'failed' },
  blocked:    { exit: 10, title: 'blocked' },
  unfinished: { exit: 11, title: 'not finished' },
  no_block:   { exit: 12, title: 'a handoff block is missing or invalid' },
  complete:   { exit: 0,  title: 'complete' },
} as const satisfies Record<string, { exit: number; title: string }>
export type Verdict = keyof typeof VERDICTS

/** Metrics do not count: a run with a failed scenario that says complete is complete. */
// biome-ignore format: read as a table
const VERDICT_OF: Readonly<Record<Status, Verdict>> = {
  complete:    'complete',
  failed:      'failed',
  blocked:     'blocked',
  pending:     'unfinished',
  in_progress: 'unfinished',
  retry:       'unfinished',
}

export const verdictOf = (status: Status | undefined): Verdict =>
  status === undefined ? 'no_block' : VERDICT_OF[status]

/** The worst of several; an empty list does not pass. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  const order = Object.keys(VERDICTS) as Verdict[]
  return order.find((verdict) => verdicts.includes(verdict)) ?? 'no_block'
}

/** The progress of a workflow or a task. */
export const Progress = () =>
  z.object({
    key: z.string(),
    phase: z.string(),
    status: z.string(),
    /** Absent when the branch has ended. */
    holder: z.string().optional().describe('Whose move it is'),
    step: z.int().describe('Phase by number, from 1'),
    of: z.int(),
    percent: z.number(),
    complete: z.boolean(),
    /** The newest word of each agent. */
    agents: z.array(z.object({ agent: z.string(), phase: z.string(), status: z.string() })),
    blocks: z.int(),
    updated_at: z.string(),
  })
export type Progress = AnswerOf<typeof Progress>

/** One block of one document, or the one entry of a document without any. */
const CollectedBlock = () =>
  z.object({
    /** `read`: valid, and not stored. `refused`: valid, and the workspace does not take it. */
    outcome: z
      .enum(['recorded', 'unchanged', 'read', 'refused', 'invalid', 'inferred', 'no_block'])
      .describe('inferred: hints from a summary without a block, never stored'),
    path: z.string().optional(),
    line: z.int(),
    verdict: z.enum(Object.keys(VERDICTS) as [Verdict, ...Verdict[]]),
    status: z.enum(STATUSES).optional(),
    phase: z.string().optional(),
    from: z.string().optional().describe('The agent that the block names as its author'),
    to: z.string().optional(),
    task: z.string().optional(),
    workflow: z.string().optional(),
    retry_count: z.number().optional(),
    metrics: Data().optional(),
    dependencies: z.array(z.string()).optional(),
    unmet: z.array(z.string()).optional().describe('Dependencies that are not complete'),
    digest: z.string().optional(),
    uid: z.string().optional(),
    at: z.string().optional(),
    followed: Followed().optional(),
    reason: z.string().optional(),
    code: z.string().optional().describe('Of a refused block: the code that a call would get'),
    diagnostics: z.array(PlacedProblem()),
    open: z.literal(true).optional().describe('Its fence is not closed'),
  })
export type CollectedBlock = Omit<AnswerOf<typeof CollectedBlock>, 'code'> & { readonly code?: ErrorCode }

export const Collected = () =>
  z.object({
    blocks: z.array(CollectedBlock()),
    order: z.array(
      z.object({
        severity: z.enum(SEVERITIES),
        code: z.enum(['dependency_unmet', 'dependency_unknown', 'dependency_cycle']),
        id: z.string(),
        message: z.string(),
      }),
    ),
    progress: z.array(Progress()),
  })
export type Collected = Omit<AnswerOf<typeof Collected>, 'blocks'> & {
  readonly blocks: readonly CollectedBlock[]
}

/** The fields of a block that decide its place in a workflow. */
export type Said = Pick<Block, 'from' | 'to' | 'phase' | 'status' | 'at' | 'followed' | 'made'>

/** How far the work of these blocks is, in the order in which they came; there is at least one. */
export function progressOf(key: string, blocks: readonly Said[]): Progress {
  const last = lastOf(blocks)
  const holder = holderOf(last)
  const newest = new Map(blocks.map(({ from, phase, status }) => [from, { agent: from, phase, status }]))
  return {
    key,
    phase: last.phase,
    status: last.status,
    ...present({ holder }),
    ...(isPhase(last.phase) ? phaseProgress(last.phase) : { step: 0, of: PHASES.length, percent: 0 }),
    complete: isWorkflowComplete(last),
    agents: [...newest.values()],
    blocks: blocks.filter(({ made }) => !made).length,
    updated_at: last.at,
  }
}

/** A block of an earlier phase that was collected after the end opens nothing again. */
function lastOf(blocks: readonly Said[]): Said {
  const newest = blocks.at(-1)!
  const end = blocks.findLast(isWorkflowComplete)
  const step = ({ phase }: Said) => PHASES.findIndex((each) => each === phase)
  return end && newest.status === 'complete' && step(newest) >= 0 && step(newest) < step(end) ? end : newest
}

function holderOf(block: Said): string | undefined {
  const { followed, status, from } = block
  if (status === 'complete') return nextAgent(block)
  if (status === 'failed')
    return followed?.retry?.to ?? followed?.routed?.to ?? followed?.escalated?.to ?? from
  return followed?.retry?.to ?? from
}
