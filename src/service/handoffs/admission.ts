import type { Agent } from '../../domain/agent.ts'
import { BatonError, toError } from '../../domain/errors.ts'
import {
  type ChainPlace,
  checkCycle,
  checkDepth,
  describeChain,
  type Link,
} from '../../domain/handoffs/chain.ts'
import type { Handoff, HandoffType } from '../../domain/handoffs/handoff.ts'
import { stateWords } from '../../domain/handoffs/step-words.ts'
import { HOME_RULES, type Home } from '../../domain/home.ts'
import { isOpen } from '../../domain/lifecycle.ts'
import { checkLimits } from '../../domain/limits.ts'
import { shutGates, shutReason } from '../../domain/people/gate.ts'
import { hasLimit, kindOf, limitsOf, mayRoute } from '../../domain/policy.ts'
import { type Needs, needs } from '../../storage/store.ts'
import { knownAgents } from '../agents/agents.ts'
import type { ServiceDeps } from '../deps.ts'
import { must } from '../lookup.ts'
import { refuseShut } from '../people/shut-gates.ts'
import { refuseShutTask } from '../tasks/task-follow.ts'
import { demand, refuse } from '../write.ts'
import type { Step } from './moves.ts'

/** A handoff that a caller wants to make, before it is admitted. */
export interface Candidate {
  readonly from: string
  readonly to: string
  readonly home: Home
  readonly type: HandoffType
  readonly task?: string | undefined
  readonly place: ChainPlace
  /** uid of the handoff that it replaces. */
  readonly supersedes?: string | undefined
}

type Parties = Pick<Candidate, 'from' | 'to' | 'type'>

/** Only people decide these types; limits, depth and the cycle rule do not apply to them. */
export const isForPerson = (type: HandoffType): boolean => type === 'gate' || type === 'escalation'

/** Refuses a handoff that may not be. Everything is judged on rows that are locked until it is written. */
export function admit(step: Step, candidate: Candidate): void {
  const { view, deps } = step
  const { from, to, type, place, supersedes } = candidate
  for (const name of [from, to]) refuseRemoved(view.agent(name))
  if (supersedes !== undefined) refuseOpen(step, supersedes)
  if (isForPerson(type)) {
    refuseNoPerson(deps, type, to, view.agent(to))
    return
  }
  refusePast(step, candidate)
  checkCounts(step, candidate)
  demand(checkDepth(place, deps.policy.depthLimit))
  if (supersedes === undefined) refuseRepeat(step, candidate)
}

/** A gate that nobody could open is not sent. */
export function refuseNoPerson({ policy }: ServiceDeps, type: HandoffType, to: string, agent?: Agent): void {
  if (kindOf(policy, to, agent) !== 'human')
    refuse(
      'invalid_input',
      `only a person can decide ${type === 'gate' ? 'a gate' : 'an escalation'}, not ${to}; send it to human, or ask a person to run: baton agent add ${to} --kind human`,
      { to, type },
    )
}

/** The routes in `baton.yaml`, when it lists any, bind every kind of handing over. */
export function refuseRoute({ policy }: ServiceDeps, from: string, to: string): void {
  if (!mayRoute(policy, from, to))
    refuse('not_allowed', `${from} may not hand to ${to}; see routes in baton.yaml`, { from, to })
}

/** Looked at in the transaction: what this process remembers of an agent may be old. */
export function refuseRemoved(agent: Agent | undefined): void {
  if (agent?.removed)
    refuse('not_found', `agent ${agent.name} was removed; add it again with: baton agent add ${agent.name}`, {
      agent: agent.name,
    })
}

/** Work is not handed on while a gate holds it up. */
function refusePast(step: Step, { from, task: id, place: { parent } }: Candidate): void {
  const work = parent === undefined ? undefined : step.view.handoff(parent)
  if (work?.to === from) refuseShut(step, work, 'passed on')
  const task = id === undefined ? undefined : step.view.task(id)?.task
  if (task?.owner === from) refuseShutTask(task, 'passed on')
}

function refuseOpen({ view }: Step, uid: string): void {
  const old = must(view, uid)
  if (isOpen(old.state))
    refuse('wrong_state', `${old.id} ${stateWords(old.state)}; only ended handoffs can be superseded`, {
      id: old.id,
      state: old.state,
    })
  // Handing the same work over anew must not be a way round the question that was asked about it.
  const [waiting] = shutGates(view.gates(uid), uid).filter(({ state }) => isOpen(state))
  if (waiting)
    refuse('unmet', `${old.id} cannot be superseded yet: ${shutReason(waiting)}`, {
      id: old.id,
      gate: waiting.id,
    })
}

/** Those whose open handoffs may have to be counted, as far as this process knows them. */
export function mayBeLimited(deps: ServiceDeps, names: readonly string[]): readonly string[] {
  const known = knownAgents(deps)
  return names.filter((name) => !known.has(name) || hasLimit(limitsOf(deps.policy, name, known.get(name))))
}

/** Asks for the open handoffs of agents that have a limit, unless they were counted. */
export function uncounted({ view, deps }: Step, { from, to, type }: Parties): Needs | undefined {
  const limited = [from, to].filter((name) => hasLimit(limitsOf(deps.policy, name, view.agent(name))))
  return isForPerson(type) || view.hasRead({ counted: limited }) ? undefined : needs({ counted: [from, to] })
}

/**
 * Refuses a handoff that takes a place which its sender or receiver has not got: one that was ended, or that goes to
 * another receiver. One that waits for its next attempt has kept its places.
 */
export function refuseFull(step: Step, before: Handoff, next: Handoff): Needs | undefined {
  const isNew = { from: !isOpen(before.state), to: !isOpen(before.state) || before.to !== next.to }
  if (!isNew.to || isForPerson(next.type)) return undefined
  const more = uncounted(step, next)
  if (!more) checkCounts(step, next, isNew)
  return more
}

function checkCounts(step: Step, parties: Parties, takes = { from: true, to: true }): void {
  const { view, deps } = step
  const { from, to } = parties
  if (uncounted(step, parties))
    refuse('internal', 'the open handoffs of an agent with a limit were not counted')
  const limits = (name: string) => limitsOf(deps.policy, name, view.agent(name))
  demand(
    checkLimits({
      from,
      to,
      outgoing: view.openOutgoing(from) ?? 0,
      incoming: view.openIncoming(to) ?? 0,
      limits: { from: takes.from ? limits(from) : undefined, to: takes.to ? limits(to) : undefined },
    }),
  )
}

/** Document 000 allows one open handoff of a task between two agents; a chain must not go round in circles. */
function refuseRepeat({ view }: Step, { home, from, to, task, place }: Candidate): void {
  const before = task === undefined ? undefined : view.latest({ task, from, to })
  if (before && HOME_RULES[home].oneOpen && isOpen(before.state))
    refuse(
      'conflict',
      `${before.id} already hands ${before.task} from ${before.from} to ${before.to} and is open`,
      { before: before.id },
    )
  const log = task === undefined ? undefined : view.task(task)?.task.uid
  const recorded = log === undefined ? -1 : (view.stream(log)?.progress_seq ?? -1)
  if (before && recorded > (before.task_seq ?? -1)) return
  demand(checkCycle(before, place, view.stream(place.root)?.progress_seq ?? -1))
}

/** The deepest chain that a workspace can have is longer than anybody reads. */
const MOST_LINKS = 32

/** The same refusal with the chain that led to it, where one did: who handed to whom, and in which handoffs. */
export async function withChain(
  deps: ServiceDeps,
  error: unknown,
  parent: Handoff | undefined,
  to: string,
): Promise<unknown> {
  if (!parent || !(error instanceof BatonError) || !isAboutChain(error)) return error
  const links = await linksTo(deps, parent)
  return toError(error.code, `${error.message}; the chain is ${describeChain(links, to)}`, {
    ...error.details,
    chain: links,
  })
}

/** Refusals of the depth and of the cycle rule say how deep, or what was before. */
const isAboutChain = ({ code, details }: BatonError): boolean =>
  (code === 'limit_exceeded' && details.depth !== undefined) ||
  (code === 'conflict' && details.before !== undefined && details.task !== undefined)

/** Oldest first. */
async function linksTo({ store }: ServiceDeps, last: Handoff): Promise<readonly Link[]> {
  const links: Link[] = []
  let handoff: Handoff | undefined = last
  while (handoff && links.length < MOST_LINKS) {
    const { id, from, to, parent }: Handoff = handoff
    links.unshift({ id, from, to })
    handoff = parent === undefined ? undefined : await store.handoff(parent)
  }
  return links
}
