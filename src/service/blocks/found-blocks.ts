import { STATUS_OF } from '../../dialects/block/words.ts'
import type { Draft } from '../../dialects/draft.ts'
import type { Document } from '../../dialects/index.ts'
import type { Block, OnFailure } from '../../domain/blocks/block.ts'
import type { Status } from '../../domain/blocks/phases.ts'
import { present } from '../../domain/present.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { documentsIn, isWrong, type TextInput } from '../documents/check.ts'
import { agentNameOf, instant, taskOf } from '../documents/handoff.ts'

/** The content of a block, with the values of absent keys filled in. */
export interface BlockSaid
  extends Pick<Block, 'phase' | 'from' | 'on_failure' | 'task' | 'workflow'>,
    Required<Pick<Block, 'retry_count' | 'metrics' | 'dependencies' | 'defaulted'>> {
  /** `None` where nobody is next. */
  readonly to: string
  readonly status: Status
  /** When it was written, where it says so. */
  readonly at?: string
}

/** A block of a text, whether it can be used or not. */
export interface FoundBlock {
  readonly line: number
  /** Its place among the blocks of the text, from 1. */
  readonly ordinal: number
  readonly raw: string
  /** Of a block with an error only `failed`. */
  readonly status?: Status
  /** Absent when the block has an error: such a block is not stored as history. */
  readonly said?: BlockSaid
  readonly draft?: Draft
  readonly diagnostics: readonly PlacedProblem[]
  /** Its fence is not closed: whoever writes it may not be done. */
  readonly isOpen: boolean
}

/** Guessed from the lines of a summary without a block. No agent said it: it is shown, never stored. */
export interface InferredSummary extends Partial<Pick<BlockSaid, 'phase' | 'status' | 'to' | 'metrics'>> {
  readonly line: number
}

export interface FoundBlocks {
  readonly blocks: readonly FoundBlock[]
  readonly inferred?: InferredSummary
}

/** Every block of a text in order. A summary without a block is not an error. */
export function blocksIn(input: TextInput): FoundBlocks {
  const documents = documentsIn(input)
  const blocks = documents.filter(isBlock).map((document, i): FoundBlock => foundBlock(document, i + 1))
  const hint = blocks.length > 0 ? undefined : documents.find(({ form }) => form === 'summary')
  return { blocks, ...present({ inferred: hint?.draft && inferredFrom(hint, hint.draft) }) }
}

/** A fence that cannot be read and was meant as a block is one too: it must be heard of. */
function isBlock({ dialect, form, source, diagnostics }: Document): boolean {
  if (dialect === 'block') return form !== 'summary'
  const isBroken = dialect === undefined && diagnostics.some(({ severity }) => severity === 'error')
  return isBroken && source.kind === 'fence' && /^\s*["']?handoff["']?\s*:/m.test(rawOf(source))
}

const rawOf = ({ text, start, end }: Document['source']): string => text.slice(start, end)

function foundBlock(document: Document, ordinal: number): FoundBlock {
  const { source, draft, diagnostics } = document
  const status = statusIn(document)
  const said = draft && !isWrong(document) ? saidIn(document, draft) : undefined
  return {
    line: source.position(source.start).line,
    ordinal,
    raw: rawOf(source),
    ...present({ status, said, draft }),
    diagnostics,
    isOpen: source.kind === 'fence' && source.text.slice(source.end).trim() === '',
  }
}

/** A block with an error never passes. Its failure counts all the same. */
function statusIn(document: Document): Status | undefined {
  const { source, draft } = document
  if (!isWrong(document)) return draft?.state && STATUS_OF[draft.state]
  const { handoff } = (source.value ?? {}) as { readonly handoff?: { readonly status?: unknown } | null }
  return handoff?.status === 'failed' ? 'failed' : undefined
}

function saidIn({ source }: Document, draft: Draft): BlockSaid | undefined {
  const { phase, state, metrics, depends_on, on_failure, retry_count, workflow } = draft
  const [from, at, task] = [agentNameOf(draft.from), instant(draft.created_at), taskOf(draft)]
  const to = draft.to === null ? 'None' : agentNameOf(draft.to)
  if (phase === undefined || state === undefined || from === undefined || to === undefined) return undefined
  const handoff = (source.value as { handoff?: object } | undefined)?.handoff ?? {}
  return {
    phase,
    from,
    to,
    status: STATUS_OF[state],
    retry_count: retry_count ?? 0,
    metrics: metrics ?? {},
    dependencies: depends_on ?? [],
    ...present({
      on_failure: on_failure && rulesOf(on_failure),
      task,
      workflow: (typeof workflow?.id === 'string' && workflow.id.slice(0, 200)) || undefined,
      at,
    }),
    defaulted: DEFAULTED.filter((key) => !Object.hasOwn(handoff, key)),
  }
}

const DEFAULTED = ['retry_count', 'metrics', 'dependencies', 'timestamp']

function rulesOf(rules: NonNullable<Draft['on_failure']>): OnFailure {
  const [route_to, notify] = [agentNameOf(rules.route_to), agentNameOf(rules.notify)]
  const { route_to: _, notify: __, ...rest } = rules
  return { ...rest, ...present({ route_to, notify }) }
}

function inferredFrom({ source }: Document, { phase, state, to, metrics }: Draft): InferredSummary {
  const said = present({ phase, status: state && STATUS_OF[state], to: to === null ? 'None' : to, metrics })
  return { line: source.position(source.bodyAt).line, ...said }
}
