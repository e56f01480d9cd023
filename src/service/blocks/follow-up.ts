import { block as dialect } from '../../dialects/block/index.ts'
import type { Draft } from '../../dialects/draft.ts'
import type { Block, Followed, Placed } from '../../domain/blocks/block.ts'
import { decideFailure, type FailureDecision, type RouteMode } from '../../domain/blocks/failure-routing.ts'
import { answerFor } from '../../domain/handoffs/debts.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { NewHandoff } from '../../domain/handoffs/inputs.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { present } from '../../domain/present.ts'
import type { Step } from '../handoffs/moves.ts'
import { addNotice } from '../people/notification.ts'
import type { BlockSaid } from './found-blocks.ts'
import { BLOCK_HOME, type Work } from './work.ts'
import { isMovable } from './work-moves.ts'

/** The facts a block is judged with: read before the transaction, and fenced by the revision of the given handoff. */
export interface Situation {
  readonly said: BlockSaid
  readonly draft: Draft
  readonly work: Work
  readonly mode: RouteMode
  /** The open handoff to the block's author. */
  readonly given?: Handoff | undefined
  /** Open handoffs of this work from its author, by receiver: what waits there is not sent twice. */
  readonly waiting: ReadonlyMap<string, string>
  readonly delegator?: string | undefined
  /** Whether the delegator is a person, who is asked to decide. */
  readonly isPerson: boolean
  readonly newUid: () => string
}

/** A handoff that follows from a block. */
export interface FollowingHandoff {
  readonly as: 'next' | 'retry' | 'routed' | 'escalated'
  readonly uid: string
  /** Its sender: whoever brought the block asks an agent without a handoff of its own to try again. */
  readonly by: 'author' | 'caller'
  readonly input: NewHandoff
  /** Attempts are what the engine counts retries by. */
  readonly attempt?: number
}

/** The effects that a block asks for. */
export interface BlockPlan {
  readonly decision?: FailureDecision | undefined
  /** The failed work is offered again as the same handoff, under this title. */
  readonly retry?: { readonly title?: string } | undefined
  readonly sends: readonly FollowingHandoff[]
  /** Handoffs that were sent before and wait. */
  readonly waiting: Readonly<Partial<Record<FollowingHandoff['as'], Placed>>>
}

export function planFor(block: Pick<Block, 'uid'>, situation: Situation): BlockPlan {
  const { said, given } = situation
  // A step of a run fails and goes on by the rules of its workflow.
  if (given?.step !== undefined) return sorted(situation, [])
  if (said.status === 'failed') return planFailure(block, situation)
  const isPassed = said.status === 'complete' && said.to !== 'None'
  return sorted(situation, isPassed ? [nextOf(block, situation)] : [])
}

/** Parts from what is to be sent what its author has sent before and nobody has taken yet. */
function sorted({ waiting }: Situation, sends: readonly FollowingHandoff[]): BlockPlan {
  const known = sends.flatMap(({ as, by, input: { to } }) => {
    const id = by === 'author' ? waiting.get(to) : undefined
    return id === undefined ? [] : [[as, { to, id }] as const]
  })
  const waits = Object.fromEntries(known) as BlockPlan['waiting']
  return { sends: sends.filter(({ as }) => !waits[as]), waiting: waits }
}

/**
 * Retries so far. The engine counts too: an agent that forgets to raise its count is not retried for ever, and not
 * at all while the work that was taken from it waits with another.
 */
function retriesOf({ said, mode, waiting, given }: Situation): number {
  const { retry = 0, escalate_after = 1 } = said.on_failure ?? {}
  const isTaken = mode === 'after_retries' && waiting.size > 0
  return Math.max(
    said.retry_count,
    (given?.attempt ?? 1) - 1,
    isTaken ? Math.max(retry, escalate_after - 1) : 0,
  )
}

function planFailure(block: Pick<Block, 'uid'>, situation: Situation): BlockPlan {
  const { said, mode, delegator, given, isPerson } = situation
  const retries = retriesOf(situation)
  const decision = decideFailure({ retry_count: retries, on_failure: said.on_failure, delegator, mode })
  const { retry, route_to, escalate_to } = decision
  const failure = (retry_count: number) => failurePackage(block, situation, retry_count)
  const title = retry && `Retry ${retry.retry_count} of ${said.on_failure?.retry}: ${blockTitle(said)}`
  const isSame = retry?.agent === 'same'
  const inPlace = isSame && given && isMovable(given) ? given : undefined
  const again = (): FollowingHandoff => ({
    ...sending(situation, 'retry', isSame ? said.from : retry!.agent, isSame ? 'caller' : 'author', {
      title: title!,
      ...failure(retry!.retry_count),
    }),
    attempt: retry!.retry_count + 1,
  })
  const told = (
    as: FollowingHandoff['as'],
    to: string | undefined,
    input: Omit<NewHandoff, 'to' | keyof Package>,
  ) => (to === undefined ? [] : [sending(situation, as, to, 'author', { ...input, ...failure(retries) })])
  const plan = sorted(situation, [
    ...(retry && !inPlace ? [again()] : []),
    ...told('routed', route_to, { title: `Failed: ${blockTitle(said)}` }),
    ...told('escalated', escalate_to, {
      title: `Escalated: ${blockTitle(said)} failed ${times(retries + 1)}`,
      priority: 'high',
      ...(isPerson && { type: 'escalation' as const }),
    }),
  ])
  const renamed = inPlace?.title.startsWith('Retry ') ? title : undefined
  return { ...plan, decision, retry: inPlace && present({ title: renamed }) }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

function sending(
  { given, work, newUid }: Situation,
  as: FollowingHandoff['as'],
  to: string,
  by: FollowingHandoff['by'],
  input: Omit<NewHandoff, 'to'>,
): FollowingHandoff {
  const parent = by === 'author' ? given?.uid : undefined
  const made = { ...input, to, home: BLOCK_HOME, ...present({ task: work.task, parent }) }
  return { as, uid: newUid(), by, input: made }
}

function nextOf(block: Pick<Block, 'uid'>, situation: Situation): FollowingHandoff {
  const { said, work, draft } = situation
  const context = draft.body?.trim().slice(0, 64_000)
  return sending(situation, 'next', said.to, 'author', {
    title: `After ${said.phase} by ${said.from}${work.task === undefined ? '' : `: ${work.task}`}`,
    ...draft.package,
    ...(context && draft.package?.context === undefined && { context }),
    data: { ...draft.package?.data, ...dataOf(block, situation, 0) },
  })
}

/** The effects of a block in this unit, for its history. */
export function followedBy(
  step: Step,
  block: Pick<Block, 'uid'>,
  situation: Situation,
  plan: BlockPlan,
): Followed {
  const { given } = situation
  const moved = given && step.view.handoff(given.uid)
  const placed = (as: FollowingHandoff['as']): Placed | undefined => {
    const sent = plan.sends.find((each) => each.as === as)
    const id = sent && step.view.handoff(sent.uid)?.id
    return id === undefined ? plan.waiting[as] : { to: sent!.input.to, id }
  }
  const again = plan.retry && moved ? { to: moved.to, id: moved.id } : placed('retry')
  const { retry, notify } = plan.decision ?? {}
  const [routed, escalated, next] = [placed('routed'), placed('escalated'), placed('next')]
  const about = { uid: block.uid, about: moved, routed: again ?? routed }
  if (notify !== undefined) tell(step, notify, situation, about)
  return {
    ...(moved && moved.rev !== given?.rev && { moved: { id: moved.id, state: moved.state } }),
    ...(again && retry && { retry: { ...again, retry_count: retry.retry_count } }),
    ...present({ next, routed, escalated, notified: notify }),
  }
}

const blockTitle = ({ phase, from, task }: BlockSaid): string =>
  `${phase} by ${from}${task === undefined ? '' : `, ${task}`}`

function failurePackage(block: Pick<Block, 'uid'>, situation: Situation, retry_count: number): Package {
  const { said, draft } = situation
  const body = draft.body?.trim().slice(0, 64_000)
  return {
    summary: said.on_failure?.context ?? `${blockTitle(said)} failed; its block gives no reason.`,
    ...(body && { context: body }),
    data: dataOf(block, situation, retry_count),
  }
}

const dataOf = (block: Pick<Block, 'uid'>, { said, work }: Situation, retry_count: number) => ({
  workflow: work.workflow,
  phase: said.phase,
  block: block.uid,
  ...(retry_count > 0 && { retry_count }),
  ...(Object.keys(said.metrics).length > 0 && { metrics: said.metrics }),
  ...present({ on_failure: said.on_failure }),
})

/** One notice for each failure: where the end of the handoff tells the same agent already, nothing is said twice. */
function tell(
  step: Step,
  to: string,
  { said, work }: Situation,
  { uid: block, about, routed }: { uid: string; about: Handoff | undefined; routed: Placed | undefined },
): void {
  if (about && answerFor(about, said.from)?.to === to) return
  const then = routed ? `; it went to ${routed.to} as ${routed.id}` : ''
  const why = said.on_failure?.context === undefined ? '' : `: ${said.on_failure.context}`
  const uid = about?.uid ?? block
  const id = routed?.id ?? about?.id ?? said.task ?? work.workflow
  addNotice(step, to, 'failed', { uid, id }, `${blockTitle(said)} failed${why}${then}`)
}

/** Document 002: a failure that is retried is followed by a block that says so. */
export function retryBlock(at: string, { draft, said }: Situation, retry_count: number): string {
  const { body: _, ...rest } = draft
  const native = dialect.toNative({
    ...rest,
    from: said.from,
    state: 'retry_wait',
    retry_count,
    created_at: at,
  })
  return native.ok ? dialect.print({ value: native.value }) : ''
}
