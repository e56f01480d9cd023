import { ENGINE } from '../../domain/actor.ts'
import type { Failure, Handoff, Usage } from '../../domain/handoffs/handoff.ts'
import { decideRetry, retryAvailable, sumUsage } from '../../domain/handoffs/retry.ts'
import { stateWords } from '../../domain/handoffs/step-words.ts'
import { DEFAULT_RETRY, HOME_RULES } from '../../domain/home.ts'
import { present } from '../../domain/present.ts'
import { enterHandoff } from '../log-record.ts'
import { refuse } from '../write.ts'
import { amended, checkHolder, closeAttempt, finish, move, offerDeadline, type Step } from './moves.ts'

/** Taking an offer: acceptance, and with `start` the beginning of the attempt. */
export function take(
  step: Step,
  before: Handoff,
  start: boolean,
  notes?: string,
  said: Readonly<Record<string, unknown>> = {},
  lease_s?: number,
): Handoff {
  const { actor, at } = step
  return move(step, before, start ? 'claim' : 'accept', {
    set: {
      ...holding(step),
      accepted_at: at,
      accepted_by: actor.name,
      ...present({ ack_notes: notes, lease_s }),
      ...(start && { started_at: at }),
      attempts: [...before.attempts, { attempt: before.attempt, ...holding(step), started_at: at }],
    },
    unset: lease_s === undefined ? ['lease_s'] : [],
    fields: { notes, ...said },
    act: 'handoff.accept',
  })
}

/** An attempt that came to nothing: another one later, or the end. Shared with the engine's settling of leases. */
export function failed(step: Step, before: Handoff, error: Failure, command: 'fail' | 'time_out'): Handoff {
  const policy = before.retry ?? (command === 'time_out' ? DEFAULT_RETRY : undefined)
  const decision = policy && decideRetry({ policy, attempt: before.attempt, code: error.code, now: step.at })
  const fields = { error: error.message, error_code: error.code }
  // A receiver that gives up on blocked work has decided; only silence is tried again from there.
  if (decision?.action === 'retry' && !(before.state === 'blocked' && command === 'fail'))
    return move(step, before, 'retry_later', { set: { error, not_before: decision.at }, fields })
  return move(step, before, command, { set: { error }, fields })
}

/** Failed work that a rule of its document offers again at once, as the next attempt and maybe under another title. */
export function retriedAtOnce(
  step: Step,
  before: Handoff,
  error: Failure,
  set: Pick<Partial<Handoff>, 'title'>,
) {
  const waiting = move(step, before, 'retry_later', {
    set: { error, not_before: step.at, ...set },
    fields: { error: error.message, error_code: error.code },
    progress: true,
  })
  return again({ ...step, actor: ENGINE }, waiting)
}

/** Offered again: the next attempt starts without the traces of the last, which its own record keeps. */
export function again(step: Step, before: Handoff): Handoff {
  return move(step, before, 'retry', {
    set: { attempt: before.attempt + 1, ...reopened(before), ...offerDeadline(step, before) },
    unset: ['not_before', 'accepted_at', 'accepted_by', 'started_at', 'ended_at', 'progress', 'error'],
  })
}

/** Document 001: `max_retries` and no more, whoever asks. Elsewhere the sender may ask again after the last one. */
export function refuseSpent({ id, home, attempt, retry = DEFAULT_RETRY }: Handoff): void {
  if (typeof HOME_RULES[home].retry !== 'object' || retryAvailable(retry, attempt - 1)) return
  refuse('wrong_state', `all ${retry.max} retries of ${id} are used; send the work as a new handoff`, {
    id,
    max_retries: retry.max,
  })
}

/**
 * Offered again at once as the same attempt: a holder that goes away is not a failure. An open question stays open, and
 * its answer leads to the next holder.
 */
export function released(step: Step, before: Handoff, reason: string | undefined): Handoff {
  const isAsked = before.state === 'needs_input'
  return move(step, before, 'release', {
    set: isAsked
      ? { resume: 'offered', attempts: closeAttempt(before, step.at) }
      : offerDeadline(step, before),
    unset: [
      ...(['accepted_at', 'accepted_by', 'started_at', 'progress', 'blocked_on'] as const),
      ...(isAsked ? (['holder', 'instance'] as const) : []),
    ],
    fields: { reason },
  })
}

/** A delegation that is tried again owes its sender an answer again. */
export const reopened = ({ type }: Handoff): Pick<Handoff, 'debt'> =>
  type === 'delegation' ? { debt: 'open' } : {}

/**
 * A holder that was silent for too long and comes back goes on where it was, while nobody holds a newer
 * attempt: document 001's own sample finishes at 332 of 300 seconds. Others get the handoff as it stands.
 */
export function revived(step: Step, before: Handoff, attempt: number | undefined): Handoff {
  const last = before.attempts.at(-1)
  const { actor } = step
  if (before.state !== 'retry_wait' && before.state !== 'offered') return before
  if (last?.error?.code !== 'TIMEOUT' || (attempt !== undefined && attempt !== last.attempt)) return before
  if (last.holder !== actor.name || last.instance !== actor.instance || before.to !== actor.name)
    return before
  const { ended_at: _, outcome: __, error: ___, ...open } = last
  return move(step, before, before.state === 'offered' ? 'claim' : 'retry_in_place', {
    set: {
      ...holding(step),
      attempt: last.attempt,
      accepted_at: last.started_at,
      accepted_by: actor.name,
      started_at: last.started_at,
      attempts: [...before.attempts.slice(0, -1), open],
    },
    unset: ['error', 'not_before'],
    act: 'handoff.revive',
  })
}

/** Fencing: who works on an attempt that was given to somebody else has lost it. */
export function fence(handoff: Handoff, attempt: number | undefined): void {
  if (attempt === undefined || attempt === handoff.attempt) return
  refuse(
    'conflict',
    `attempt ${attempt} of ${handoff.id} is over; attempt ${handoff.attempt} is in progress`,
    { id: handoff.id, attempt: handoff.attempt },
  )
}

/** A sign of life of the holder. It leaves the state alone, so it renews the lease without a line in the table. */
export function beat(step: Step, before: Handoff, set: Partial<Handoff> = {}): Handoff {
  const { view, actor } = step
  if (actor.name !== before.to)
    refuse('not_allowed', `${actor.name} does not hold ${before.id}`, { id: before.id })
  if (!isUnderWay(before))
    refuse('wrong_state', `${before.id} ${stateWords(before.state)}, so it needs no heartbeat`, {
      id: before.id,
      state: before.state,
    })
  checkHolder(before, actor)
  const next = finish(step, before, amended(before, set))
  enterHandoff(step, 'handoff.heartbeat', next)
  view.putHandoff(next)
  return next
}

/** Work that another session of the same agent holds goes on in this one, as the same attempt. */
export function takenOver(step: Step, before: Handoff): Handoff {
  const { view, actor } = step
  const { id, holder } = before
  if (holder !== actor.name)
    refuse('not_allowed', `${actor.name} may not take over ${id}; that is for its holder ${holder}`, { id })
  const attempts = before.attempts.map((each) =>
    each.attempt === before.attempt ? { ...withoutInstance(each), ...holding(step) } : each,
  )
  const next = finish(step, before, amended(withoutInstance(before), { ...holding(step), attempts }))
  enterHandoff(step, 'handoff.take_over', next)
  view.putHandoff(next)
  return next
}

function withoutInstance<T extends { readonly instance?: string | undefined }>(held: T): T {
  const { instance: _, ...rest } = held
  return rest as T
}

/** Any call of the holder renews its lease; a call of somebody else changes nothing. */
export function keepAlive(step: Step, handoff: Handoff): void {
  const { actor } = step
  const holds = handoff.holder === actor.name && handoff.instance === actor.instance
  if (holds && handoff.lease_until !== undefined && isUnderWay(handoff)) beat(step, handoff)
}

/** Adds to the last attempt of the caller; its program may end after the work was handed in. */
export function addUsage(step: Step, before: Handoff, used: Usage): void {
  const { name, instance } = step.actor
  const own = before.attempts.findLastIndex((each) => each.holder === name && each.instance === instance)
  const at = own === -1 ? before.attempts.findLastIndex(({ holder }) => holder === name) : own
  const last = before.attempts[at]
  if (!last) refuse('not_allowed', `${name} has not worked on ${before.id}`, { id: before.id })
  const attempts = before.attempts.with(at, { ...last, usage: sumUsage(last.usage ?? {}, used) })
  const next = { ...before, attempts, rev: before.rev + 1, updated_at: step.at }
  enterHandoff(step, 'handoff.usage', next, { fields: used })
  step.view.putHandoff(next)
}

/** Whether somebody works on it at this moment, so that silence would matter. */
const isUnderWay = ({ state }: Handoff): boolean =>
  state === 'accepted' || state === 'in_progress' || state === 'blocked'

const holding = ({ actor }: Step) => ({ holder: actor.name, ...present({ instance: actor.instance }) })
