import { present } from '../present.ts'
import type { OnFailure } from './failure-routing.ts'
import { isWorkflowComplete, nextAgent, PHASES, type Phase, phaseProgress, type Status } from './phases.ts'

/** A block of document 002 as it was stored: what an agent said of its work, with the text it stood in. */
export interface Block {
  readonly uid: string
  /** SHA-256 of what was said and where it came from: the same summary is history once. */
  readonly digest: string
  readonly from: string
  readonly to: string
  readonly phase: string
  readonly status: string
  readonly task?: string
  /** uid of the run that it belongs to. */
  readonly run?: string
  readonly at: string
  readonly stored_at: string
  /** The block's text, byte for byte. */
  readonly raw: string
  /** The workflow it counts to: its `workflow_id`, else the caller's or the run's, else the UTC day. */
  readonly workflow?: string
  readonly retry_count?: number
  readonly metrics?: Readonly<Record<string, unknown>>
  readonly dependencies?: readonly string[]
  readonly on_failure?: OnFailure
  /** Keys that the document says an absent value for. */
  readonly defaulted?: readonly string[]
  /** The file it stood in, and its place among the blocks there. */
  readonly source?: string
  readonly ordinal?: number
  readonly line?: number
  /** The caller that brought it in. `from` is only what the text claims. */
  readonly by?: string
  /** Written by Baton itself after a failure, and by no agent. */
  readonly made?: true
  readonly followed?: Followed
}

/** The effects of a block. Handoffs by their ids, others by name. */
export interface Followed {
  /** The handoff to its author that it moved, and where to. */
  readonly moved?: { readonly id: string; readonly state: string }
  readonly next?: Placed
  readonly retry?: Placed & { readonly retry_count: number }
  readonly routed?: Placed
  readonly escalated?: Placed
  readonly notified?: string
  /** Why the work was not handed on. */
  readonly problem?: string
}

export interface Placed {
  readonly to: string
  readonly id: string
}

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
export interface Progress {
  readonly key: string
  readonly phase: string
  readonly status: string
  /** The agent whose move it is; absent when the branch has ended. */
  readonly holder?: string
  readonly step: number
  readonly of: number
  readonly percent: number
  readonly complete: boolean
  /** The newest word of each agent. */
  readonly agents: readonly { readonly agent: string; readonly phase: string; readonly status: string }[]
  readonly blocks: number
  readonly updated_at: string
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

const isPhase = (word: string): word is Phase => PHASES.some((phase) => phase === word)

function holderOf(block: Said): string | undefined {
  const { followed, status, from } = block
  if (status === 'complete') return nextAgent(block)
  if (status === 'failed')
    return followed?.retry?.to ?? followed?.routed?.to ?? followed?.escalated?.to ?? from
  return followed?.retry?.to ?? from
}
