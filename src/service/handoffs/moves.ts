import type { Actor, Agent } from '../../domain/agent.ts'
import { type AckOverrides, ackDeadline, addMs, leaseMs } from '../../domain/handoffs/deadlines.ts'
import { answerFor } from '../../domain/handoffs/debts.ts'
import {
  delegationConditions,
  receiverCompletes,
  reviewerOf,
  rolesFor,
  verifierOf,
} from '../../domain/handoffs/guards.ts'
import type { Handoff, HandoffType } from '../../domain/handoffs/handoff.ts'
import { isMarkdownStep, markdownStatus } from '../../domain/handoffs/markdown-status.ts'
import type { Package, Result } from '../../domain/handoffs/package.ts'
import { returnedIn } from '../../domain/handoffs/package-fields.ts'
import { stepWords } from '../../domain/handoffs/step-words.ts'
import { HOME_RULES, type Home } from '../../domain/home.ts'
import { type Command, decide, isEnd, isHeld, type Role } from '../../domain/lifecycle.ts'
import type { NoticeKind } from '../../domain/people/notice.ts'
import { kindOf } from '../../domain/policy.ts'
import { present } from '../../domain/present.ts'
import type { Needs, Reads, View } from '../../storage/store.ts'
import type { Call, News, ServiceDeps } from '../deps.ts'
import { enterHandoff } from '../log-record.ts'
import { must } from '../lookup.ts'
import { addNotice, tell, tellWait, withTimers } from '../people/notification.ts'
import { refuseDeclined, refuseShut } from '../people/shut-gates.ts'
import { noteGate, noteTask } from '../tasks/task-follow.ts'
import { numberedIn } from '../workflows/in-run.ts'
import { refuse, type Write, write } from '../write.ts'

/** The context in which every step of a handoff is decided. */
export interface Step {
  readonly deps: ServiceDeps
  readonly view: View
  readonly actor: Actor
  readonly at: string
  /** Told when the write is committed. */
  readonly news?: News[]
}

export interface Change {
  readonly set?: Partial<Handoff>
  readonly unset?: readonly (keyof Handoff)[]
  /** Text that goes into the log as salted disclosures. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** The step adds something to the work: the cycle rule starts afresh. */
  readonly progress?: boolean
  /** The name of the action in the log, when it is not the command's. */
  readonly act?: string
  /** A further role of the actor: cancelling a run also cancels handoffs that others sent in it. */
  readonly as?: Role
  /** The return that the delegate sent itself; Baton then does not write one. */
  readonly returns?: Returned
}

export interface Returned {
  readonly uid: string
  /** Of the file that it was sent by. */
  readonly id?: string | undefined
  readonly home?: Handoff['home'] | undefined
  readonly title: string
  readonly package: Package
}

/** Applies a command to a handoff: who may, what follows, what the log says, who is told. */
export function move(step: Step, handoff: Handoff, command: Command, change: Change = {}): Handoff {
  const { deps, view, actor } = step
  const { roles, isOver } = rolesFor(command, actor, handoff, deps.policy, view.agent(actor.name), change.as)
  const decision = decide(handoff.state, command, roles, handoff.resume)
  if (!decision.ok) {
    const details = { id: handoff.id, command, state: handoff.state, actor: actor.name }
    const [verb, refusal] = stepWords(command, handoff.state, change.act)
    if (verb === 'accept' && handoff.accepted_by === actor.name && isHeld(handoff.state))
      refuse('wrong_state', `you have accepted ${handoff.id} already; see: baton show ${handoff.id}`, details)
    if (decision.code === 'wrong_state') refuse('wrong_state', `${handoff.id} ${refusal}`, details)
    const who = list([...new Set(decision.needs)].map((role) => whoIs(handoff, role)))
    refuse('not_allowed', `${actor.name} may not ${verb} ${handoff.id}; that is for ${who}`, details)
  }
  if (roles.has('receiver') && !roles.has('clock')) checkHolder(handoff, actor)
  if (command === 'reject') refuseDeclined(handoff)
  if (isEnd(handoff.state)) refuseSentAgain(handoff)
  if (command === 'submit' || command === 'complete') {
    const done = command === 'submit' ? 'submitted' : 'completed'
    refuseShut(step, handoff, done)
    refuseShut(step, handoff, done, delegationConditions)
  }

  const changed = amended(handoff, { ...change.set, state: decision.to }, change.unset)
  checkDocument(handoff, changed, command)
  const next = finish(step, handoff, changed)
  noteNews(step, handoff, change.act ?? `handoff.${command}`)
  const seq = enterHandoff(step, change.act ?? `handoff.${isOver ? 'override_' : ''}${command}`, next, {
    from: handoff.state,
    to: next.state,
    ...present({ fields: change.fields, progress: change.progress }),
  })
  const kept = command === 'send' ? { ...next, sent_seq: seq } : next
  view.putHandoff(kept)
  if (isOver) tellOverride(step, kept, command)
  noteTask(step, handoff, kept)
  noteGate(step, kept)
  if (kept.state === 'needs_input') tellWait(step, handoff, kept)
  const settled = isEnd(kept.state) && !isEnd(handoff.state) ? settleDebt(step, kept, change.returns) : kept
  if (settled.run !== undefined) deps.follow?.(step, handoff, settled)
  return settled
}

function tellOverride(step: Step, handoff: Handoff, command: Command): void {
  const kind = command === 'cancel' ? 'cancelled' : 'reassigned'
  const text = `${step.actor.name} ${kind} ${handoff.id}${kind === 'cancelled' ? '' : ` to ${handoff.to}`}`
  notify(step, handoff.from, kind, handoff, text)
}

/** A holder at work hears at its next step what others did. */
export function noteNews({ actor, news }: Step, { holder, instance, id }: Handoff, act: string): void {
  if (holder !== undefined && holder !== actor.name)
    news?.push({ agent: holder, instance, id, act, by: actor.name })
}

/** One change of a handoff, which its unit has read. */
export function changeHandoff(
  deps: ServiceDeps,
  call: Call,
  work: Pick<Write<Handoff>, 'op' | 'input'> & {
    readonly uid: string
    /** Read beside the handoff. */
    readonly reads?: Reads
    readonly decide: (step: Step, before: Handoff) => Handoff | Needs
  },
): Promise<Handoff> {
  const { op, input, uid, reads, decide } = work
  return write(deps, call, {
    op,
    input,
    reads: { handoffs: [uid], ...reads },
    decide: (step) => decide(step, must(step.view, uid)),
    reload: (subject) => deps.store.handoff(subject),
  })
}

/** Why work was taken back, given to another or given back, kept where a receiver's refusal is. */
export function reasoned(
  { actor, at }: Pick<Step, 'actor' | 'at'>,
  type: 'cancelled' | 'reassigned' | 'given_back',
  reason: string | undefined,
): Pick<Change, 'set'> {
  return reason === undefined ? {} : { set: { rejection: { type, message: reason, by: actor.name, at } } }
}

/** A copy with fields set and others taken away. */
export function amended(
  handoff: Handoff,
  set: Partial<Handoff>,
  unset: readonly (keyof Handoff)[] = [],
): Handoff {
  const next: Handoff = { ...handoff, ...set }
  for (const key of unset) delete next[key]
  return next
}

/** Sets the fields that follow from the state alone: revision, next mover, lease, attempt, end. */
export function finish(step: Step, before: Handoff, next: Handoff): Handoff {
  const { deps, actor, at, view } = step
  const lease = leaseMs(next, kindOf(deps.policy, next.to, view.agent(next.to)) === 'human')
  // A return waits for its asker as long as it takes, also when the asker has begun to read it.
  const leased =
    next.type !== 'return' &&
    (next.state === 'accepted' || next.state === 'in_progress' || next.state === 'blocked')
  const result = amended(next, { rev: before.rev + 1, updated_at: at })
  if (!leased || lease === undefined) delete result.lease_until
  // Any call of the holder renews its lease; others do not.
  else if (before.lease_until === undefined || actor.name === next.to) result.lease_until = addMs(at, lease)
  const waiting = waitingFor(step, result)
  if (waiting === undefined) delete result.waiting_for
  else result.waiting_for = waiting
  const held = isHeld(result.state) || result.state === 'needs_input'
  if (!held && result.holder !== undefined) {
    result.attempts = closeAttempt(result, at)
    delete result.holder
    delete result.instance
  }
  if (isEnd(result.state)) result.ended_at = (isEnd(before.state) ? before.ended_at : undefined) ?? at
  else delete result.ended_at
  const isAsked = result.state === 'needs_input' || before.state === 'needs_input'
  return isAsked ? withTimers(step, before, result) : result
}

function waitingFor({ deps }: Step, handoff: Handoff): string | undefined {
  switch (handoff.state) {
    case 'draft':
      return handoff.from
    case 'offered':
    case 'accepted':
    case 'in_progress':
    case 'blocked':
      return handoff.to
    case 'needs_input':
      return handoff.need === 'clarification' ? handoff.from : (handoff.escalated_to ?? handoff.to)
    case 'in_review':
      return verifierOf(handoff, deps.policy)
    default:
      return undefined
  }
}

/** The attempts with the last one ended. */
export function closeAttempt(handoff: Handoff, at: string): Handoff['attempts'] {
  const last = handoff.attempts.at(-1)
  if (!last || last.ended_at !== undefined) return handoff.attempts
  return [
    ...handoff.attempts.slice(0, -1),
    { ...last, ended_at: at, outcome: handoff.state, ...present({ error: handoff.error }) },
  ]
}

/** The end of a handoff reaches whoever asked for it, exactly once: the debt is closed in the same transaction. */
function settleDebt(step: Step, handoff: Handoff, returns?: Returned): Handoff {
  const answer = answerFor(handoff, step.actor.name)
  if (answer?.form === 'return') sendReturn(step, handoff, answer.text, returns)
  else if (answer) notify(step, answer.to, answer.kind, handoff, answer.text)
  if (handoff.rejection?.type === 'skill_gap')
    notify(step, step.deps.policy.chief, 'escalated', handoff, `Skill gap: ${handoff.rejection.message}`)
  if (handoff.debt !== 'open') return handoff
  const answered: Handoff = { ...handoff, debt: 'answered' }
  step.view.putHandoff(answered)
  return answered
}

export function notify(step: Step, to: string, kind: NoticeKind, about: Handoff, text: string): void {
  addNotice(step, to, kind, about, text)
  tell(step, kind, to, about)
}

/** Cancels work that ends with something above it. Its sender is told too, unless it ends that itself. */
export function takeBack(step: Step, handoff: Handoff, reason: string | undefined, along = ''): void {
  const why = reasoned(step, 'cancelled', reason)
  const cancelled = move(step, handoff, 'cancel', { ...why, as: 'sender', fields: { reason } })
  const text = `Handoff ${handoff.id} was cancelled${along}${reason === undefined ? '' : `: ${reason}`}`
  if (handoff.from !== step.actor.name) notify(step, handoff.from, 'cancelled', cancelled, text)
}

/** The result of a delegation, as a handoff to the asker: exempt from limits, depth and deadlines. */
function sendReturn(step: Step, delegation: Handoff, text: string, returns?: Returned): void {
  const { view, at, deps } = step
  const uid = returns?.uid ?? deps.newUid()
  const result = view.content(delegation.uid)?.result
  // An asker that verified the work itself has seen the result; nothing is left for it to do.
  const isSeen = step.actor.name === delegation.from
  const handoff: Handoff = {
    uid,
    id: returns?.id ?? `${delegation.id}-R`,
    rev: 1,
    home: returns?.home ?? delegation.home,
    type: 'return',
    state: isSeen ? 'completed' : 'offered',
    from: delegation.to,
    to: delegation.from,
    title: returns?.title ?? `Return: ${delegation.title}`,
    ...present({ task: delegation.task }),
    priority: delegation.priority,
    root: delegation.root,
    parent: delegation.uid,
    depth: delegation.depth + 1,
    in_reply_to: delegation.uid,
    created_at: at,
    updated_at: at,
    sent_at: at,
    ...(isSeen ? { ended_at: at } : { waiting_for: delegation.from }),
    attempt: 1,
    attempts: [],
    deliverables: 0,
    ...(delegation.run !== undefined && numberedIn(view, delegation.run)),
    ...present({ trace: delegation.trace }),
  }
  const { id, title } = handoff
  enterHandoff(step, 'handoff.return', handoff, {
    to: handoff.state,
    ...present({ fields: returns && { id, title, ...returns.package } }),
  })
  view.putHandoff(handoff)
  view.putContent(uid, { package: returns?.package ?? answered(text, result), thread: [], verifications: [] })
}

/** The result as a package for the asker. */
const answered = (summary: string, result: Result | undefined): Package => ({
  summary,
  ...present({ data: result && { result } }),
  ...returnedIn(result),
})

/** Document 000's own table holds for its handoffs too. It knows no gates, and returns are ours. */
function checkDocument(before: Handoff, after: Handoff, command: Command): void {
  if (
    HOME_RULES[before.home].statuses === 'all' ||
    (before.type !== 'sequential' && before.type !== 'delegation')
  )
    return
  if (isMarkdownStep(before, after)) return
  const [from, to] = [markdownStatus(before), markdownStatus(after)]
  refuse(
    'wrong_state',
    `${before.id} is ${from}, and the markdown format has no step to ${to}; send a new handoff with --supersedes`,
    { id: before.id, state: before.state, command, from, to },
  )
}

/** Work that was sent again goes on there, and nowhere else. */
export function refuseSentAgain({ id, state, superseded_by: next }: Handoff): void {
  if (next !== undefined)
    refuse('wrong_state', `${id} was sent again as ${next}; see: baton show ${next}`, { id, state, next })
}

/** Refuses a session of an agent that touches a handoff held by another of its sessions. */
export function checkHolder(
  handoff: Handoff,
  actor: Actor,
  code: 'not_allowed' | 'wrong_state' = 'not_allowed',
): void {
  if (handoff.instance === undefined || actor.instance === undefined || handoff.instance === actor.instance)
    return
  if (handoff.holder !== actor.name) return
  const { id, holder, instance, attempt } = handoff
  refuse(
    code,
    `${id} is held by another session of ${holder}; if that one has ended, take the work over: baton accept ${id} --take-over`,
    { id, holder, instance, attempt },
  )
}

const list = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

function whoIs(handoff: Handoff, role: Role): string {
  if (role === 'sender') return `its sender ${handoff.from}`
  if (role === 'receiver' || (role === 'completer' && receiverCompletes(handoff)))
    return `its receiver ${handoff.to}`
  if (role === 'person') return 'a person it is addressed to'
  if (role === 'clock') return 'the engine'
  const named = reviewerOf(handoff)
  if (named !== undefined) return `its reviewer ${named} or a person`
  return HOME_RULES[handoff.home].lastWord === 'verifier'
    ? 'its verifier'
    : `its sender ${handoff.from}, a verifier or a person, never its receiver ${handoff.to}`
}

/** A home's deadlines by the policy. Returns, and native work for a person, wait without one. */
export function overridesFor(
  deps: ServiceDeps,
  home: Home,
  name: string,
  to: Agent | undefined,
  type: HandoffType,
): AckOverrides {
  const own = deps.policy.deadlines[home] ?? {}
  const isPerson = kindOf(deps.policy, name, to) === 'human'
  const free = type === 'return' || (HOME_RULES[home].peopleHaveTime && isPerson)
  return free ? { ...own, offeredMs: 'none' } : own
}

/** The acceptance deadline of a handoff that is offered now, as a change to it. */
export function offerDeadline(step: Step, handoff: Handoff): Pick<Handoff, 'ack_deadline'> {
  const { to, home, type } = handoff
  const overrides = overridesFor(step.deps, home, to, step.view.agent(to), type)
  const at = ackDeadline(handoff.home, 'offered', step.at, overrides)
  return at === undefined ? {} : { ack_deadline: at }
}
