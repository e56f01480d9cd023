import { block as dialect } from '../../dialects/block/index.ts'
import type { Draft } from '../../dialects/draft.ts'
import type { Actor } from '../../domain/actor.ts'
import type { Block, Followed, Placed } from '../../domain/blocks/block.ts'
import { decideFailure, type FailureDecision, type RouteMode } from '../../domain/blocks/failure-routing.ts'
import { placeBelow } from '../../domain/handoffs/chain.ts'
import { answerFor } from '../../domain/handoffs/debts.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { kindOf, mayRoute } from '../../domain/policy.ts'
import { present } from '../../domain/present.ts'
import { admit } from '../handoffs/admission.ts'
import type { Step } from '../handoffs/moves.ts'
import { type PlacedHandoff, placeHandoff } from '../handoffs/placement.ts'
import type { BlockSaid } from './found-blocks.ts'
import { BLOCK_HOME, type Work } from './work.ts'
import { moveWork } from './work-moves.ts'

/** The facts a block is judged with: read before the transaction, and checked again under its lock. */
export interface Situation {
  readonly said: BlockSaid
  readonly draft: Draft
  readonly work: Work
  readonly mode: RouteMode
  /** uid of the open handoff to the block's author. */
  readonly given?: string | undefined
  /** Open handoffs of this work from its author, by receiver: what waits there is not sent twice. */
  readonly waiting: ReadonlyMap<string, string>
  readonly delegator?: string | undefined
  /** uids for what is made: the decision may run twice and must make the same. */
  readonly uids: readonly [string, string, string, string]
  readonly handsOn: boolean
}

export interface FollowUp {
  readonly followed: Followed
  /** The text of the block that Baton writes for a retry. */
  readonly retry?: { readonly retry_count: number; readonly to: string; readonly raw: string }
}

/** Does what follows from a block, in the transaction that stores it. */
export function follow(step: Step, block: Pick<Block, 'uid'>, situation: Situation): FollowUp {
  const { said, given: uid } = situation
  const given = uid === undefined ? undefined : step.view.handoff(uid)
  const author = authorOf(step, said.from)
  const claimed: Step = { ...step, actor: author }
  // A step of a run fails and goes on by the rules of its workflow.
  const isStep = given?.step !== undefined
  const decision = said.status === 'failed' && !isStep ? decideFor(situation, given) : undefined
  const moved = given && moveWork(claimed, given, said, decision?.retry?.agent === 'same')
  const followed: Followed = {
    ...(moved && moved.rev !== given?.rev && { moved: { id: moved.id, state: moved.state } }),
  }
  if (decision) return failing(step, claimed, block, situation, { decision, moved, followed })
  if (isStep || said.status !== 'complete' || said.to === 'None' || !situation.handsOn) return { followed }
  return { followed: { ...followed, next: handOn(claimed, block, situation, moved) } }
}

/** The block's author as a file claims it; its own caller is known better. */
function authorOf({ deps, view, actor }: Step, name: string): Actor {
  return actor.name === name
    ? actor
    : { name, kind: kindOf(deps.policy, name, view.agent(name)), auth: 'file' }
}

type Failed = Pick<Situation, 'said' | 'mode' | 'delegator' | 'waiting'>

/**
 * Retries so far. The engine counts too: an agent that forgets to raise its count is not retried for ever, and not
 * at all while the work that was taken from it waits with another.
 */
function retriesOf({ said, mode, waiting }: Failed, given: Handoff | undefined): number {
  const { retry = 0, escalate_after = 1 } = said.on_failure ?? {}
  const isTaken = mode === 'after_retries' && waiting.size > 0
  return Math.max(
    said.retry_count,
    (given?.attempt ?? 1) - 1,
    isTaken ? Math.max(retry, escalate_after - 1) : 0,
  )
}

export const decideFor = (situation: Failed, given: Handoff | undefined): FailureDecision =>
  decideFailure({
    retry_count: retriesOf(situation, given),
    on_failure: situation.said.on_failure,
    delegator: situation.delegator,
    mode: situation.mode,
  })

interface Failing {
  readonly decision: FailureDecision
  readonly moved: Handoff | undefined
  readonly followed: Followed
}

function failing(
  step: Step,
  claimed: Step,
  block: Pick<Block, 'uid'>,
  situation: Situation,
  { decision, moved, followed }: Failing,
): FollowUp {
  const { said, uids } = situation
  const problem = routeProblem(claimed, situation, decision)
  const { escalate_to, notify } = decision
  const retry = problem !== undefined && decision.retry?.agent !== 'same' ? undefined : decision.retry
  const route_to = problem === undefined ? decision.route_to : undefined
  const again = retry && retried(step, claimed, block, situation, { ...retry, moved })
  const routed =
    route_to === undefined
      ? undefined
      : placed(claimed, uids[1], situation, moved, {
          to: route_to,
          title: `Failed: ${blockTitle(said)}`,
          package: failurePackage(block, situation, retriesOf(situation, moved)),
        })
  const escalated =
    escalate_to === undefined ? undefined : escalate(claimed, block, situation, moved, escalate_to)
  if (notify !== undefined) tell(step, notify, { situation, block, about: moved, routed: again ?? routed })
  return {
    followed: {
      ...followed,
      ...(again && retry && { retry: { ...again, retry_count: retry.retry_count } }),
      ...present({ routed, escalated, notified: notify, problem }),
    },
    ...(again && retry && { retry: retryBlock(step, situation, retry.retry_count, again.to) }),
  }
}

/** Why the agent that a failure goes to cannot have it. The block is true all the same. */
function routeProblem(
  { deps, view }: Step,
  { said }: Situation,
  { retry, route_to }: FailureDecision,
): string | undefined {
  const to = route_to ?? (retry?.agent === 'same' ? undefined : retry?.agent)
  if (to === undefined) return undefined
  if (view.agent(to)?.removed) return `agent ${to} was removed; add it again with: baton agent add ${to}`
  if (!mayRoute(deps.policy, said.from, to))
    return `${said.from} may not hand to ${to}: see routes in baton.yaml`
  return undefined
}

/** The same handoff as its next attempt where the author has one; else a new one by whoever brought the block. */
function retried(
  step: Step,
  claimed: Step,
  block: Pick<Block, 'uid'>,
  situation: Situation,
  { agent, retry_count, moved }: NonNullable<FailureDecision['retry']> & { moved: Handoff | undefined },
): Placed {
  const { said, uids } = situation
  const title = `Retry ${retry_count} of ${said.on_failure?.retry}: ${blockTitle(said)}`
  if (agent === 'same' && moved?.state === 'offered') {
    if (moved.title.startsWith('Retry ')) step.view.putHandoff({ ...moved, title })
    return { to: moved.to, id: moved.id }
  }
  const to = agent === 'same' ? said.from : agent
  const by = agent === 'same' ? step : claimed
  const made = placed(by, uids[0], situation, agent === 'same' ? undefined : moved, {
    to,
    title,
    package: failurePackage(block, situation, retry_count),
  })
  const handoff = step.view.handoff(uids[0])
  // Attempts are what the engine counts retries by.
  if (handoff) step.view.putHandoff({ ...handoff, attempt: retry_count + 1 })
  return made
}

function handOn(
  claimed: Step,
  block: Pick<Block, 'uid'>,
  situation: Situation,
  moved: Handoff | undefined,
): Placed {
  const { said, work, uids, draft, waiting } = situation
  const waits = waiting.get(said.to)
  if (waits !== undefined) return { to: said.to, id: waits }
  const place = placeBelow(uids[0], moved)
  admit(claimed, {
    from: said.from,
    to: said.to,
    home: BLOCK_HOME,
    type: 'sequential',
    task: work.task,
    place,
  })
  const context = draft.body?.trim().slice(0, 64_000)
  return placed(claimed, uids[0], situation, moved, {
    to: said.to,
    title: `After ${said.phase} by ${said.from}${work.task === undefined ? '' : `: ${work.task}`}`,
    package: {
      ...draft.package,
      ...(context && draft.package?.context === undefined && { context }),
      data: { ...draft.package?.data, ...dataOf(block, situation, 0) },
    },
  })
}

function escalate(
  claimed: Step,
  block: Pick<Block, 'uid'>,
  situation: Situation,
  moved: Handoff | undefined,
  to: string,
): Placed {
  const { said, uids } = situation
  const { deps, view } = claimed
  const isPerson = kindOf(deps.policy, to, view.agent(to)) === 'human'
  return placed(claimed, uids[2], situation, moved, {
    to,
    title: `Escalated: ${blockTitle(said)} failed ${times(retriesOf(situation, moved) + 1)}`,
    priority: 'high',
    ...(isPerson && { type: 'escalation' as const }),
    package: failurePackage(block, situation, retriesOf(situation, moved)),
  })
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

/** Retries, reroutes and escalations are exempt from limits, depth and the rule about circles. */
function placed(
  step: Step,
  uid: string,
  { work, waiting, said }: Situation,
  below: Handoff | undefined,
  input: PlacedHandoff,
): Placed {
  const waits = step.actor.name === said.from ? waiting.get(input.to) : undefined
  if (waits !== undefined) return { to: input.to, id: waits }
  const { id } = placeHandoff(
    step,
    uid,
    { ...input, home: BLOCK_HOME, ...present({ task: work.task }) },
    { ...placeBelow(uid, below), from: step.actor.name, send: true, ...present({ run: work.run }) },
  )
  return { to: input.to, id }
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

interface Told {
  readonly situation: Situation
  readonly block: Pick<Block, 'uid'>
  readonly about: Handoff | undefined
  readonly routed: Placed | undefined
}

/** One notice for each failure: where the end of the handoff tells the same agent already, nothing is said twice. */
function tell(step: Step, to: string, { situation, block, about, routed }: Told): void {
  const { said } = situation
  if (about && answerFor(about, said.from)?.to === to) return
  const then = routed ? `; it went to ${routed.to} as ${routed.id}` : ''
  const why = said.on_failure?.context === undefined ? '' : `: ${said.on_failure.context}`
  step.view.addNotice({
    uid: situation.uids[3],
    to,
    kind: 'failed',
    about: about?.uid ?? block.uid,
    about_id: routed?.id ?? about?.id ?? said.task ?? situation.work.workflow,
    text: `${blockTitle(said)} failed${why}${then}`.slice(0, 2_000),
    created_at: step.at,
  })
}

/** Document 002: a failure that is retried is followed by a block that says so. */
function retryBlock(
  { at }: Step,
  { draft, said }: Situation,
  retry_count: number,
  to: string,
): NonNullable<FollowUp['retry']> {
  const { body: _, ...rest } = draft
  const native = dialect.toNative({
    ...rest,
    from: said.from,
    state: 'retry_wait',
    retry_count,
    created_at: at,
  })
  return { retry_count, to, raw: native.ok ? dialect.print({ value: native.value }) : '' }
}
