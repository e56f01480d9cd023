import { ENGINE } from '../../domain/actor.ts'
import { addMs, isPast, SECOND_MS } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { isOpen } from '../../domain/lifecycle.ts'
import { backOffSeconds, CLAIM_S, type Delivery, WAITING_EVENTS } from '../../domain/people/delivery.ts'
import { present } from '../../domain/present.ts'
import type { Message, Notifying, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { enter } from '../log-record.ts'
import { addNotice } from './notification.ts'

/** Outcomes of the messages that were due, counted. */
export interface Sendings {
  sent: number
  /** To be tried again later. */
  failed: number
  given_up: number
  /** Not sent: the question was answered meanwhile. */
  dropped: number
}

const AT_ONCE = 20
const ASKING: readonly string[] = [...WAITING_EVENTS, 'reminder']
const ERROR_LENGTH = 300

/**
 * Sends what is due, once. A message is claimed before it is sent, so of several processes one sends it; one that died
 * on the way is sent again by another, with the same id. Where no channel is configured nothing is touched. Who is
 * about to stop begins no further message.
 */
export async function sendDeliveries(deps: ServiceDeps, stopping?: AbortSignal): Promise<Sendings> {
  const result: Sendings = { sent: 0, failed: 0, given_up: 0, dropped: 0 }
  const { notify, store } = deps
  if (!notify || notify.channels.length === 0 || store.info.readOnly) return result
  const seen = new Set<string>()
  for (;;) {
    const due = await store.dueDeliveries(now(deps), AT_ONCE)
    const fresh = due.filter(({ uid }) => !seen.has(uid))
    if (fresh.length === 0) return result
    for (const { uid } of fresh) {
      if (stopping?.aborted) return result
      seen.add(uid)
      const claimed = await claim(deps, uid)
      if (claimed) result[await attempt(deps, notify, claimed)] += 1
    }
  }
}

/** Moves the next try forward; nothing when another process was faster. */
function claim({ store, now: clock }: ServiceDeps, uid: string): Promise<Delivery | undefined> {
  const at = clock().toISOString()
  return store.transact({
    reads: { deliveries: [uid] },
    at,
    decide: (view) => {
      const delivery = view.delivery(uid)
      if (!delivery || !isPast(delivery.due_at, at)) return undefined
      const claimed = { ...delivery, due_at: addMs(at, CLAIM_S * SECOND_MS), attempts: delivery.attempts + 1 }
      view.putDelivery(claimed)
      return claimed
    },
  })
}

async function attempt(deps: ServiceDeps, notify: Notifying, delivery: Delivery): Promise<keyof Sendings> {
  const handoff = await deps.store.handoff(delivery.about)
  if (!handoff || isAnswered(delivery, handoff)) {
    await close(deps, delivery, {})
    return 'dropped'
  }
  try {
    await notify.send(delivery.channel, toMessage(deps, delivery, handoff))
  } catch (error) {
    return fail(deps, delivery, error instanceof Error ? error.message : String(error))
  }
  await close(deps, delivery, { delivered_at: now(deps) })
  return 'sent'
}

/** Nobody wants to be asked for what was decided while the mail server was away. */
function isAnswered({ event, to }: Delivery, handoff: Handoff): boolean {
  if (event === 'escalated') return handoff.choice !== undefined
  return ASKING.includes(event) && handoff.waiting_for !== to
}

function toMessage(deps: ServiceDeps, delivery: Delivery, handoff: Handoff): Message {
  const { uid, id, type, state, from, to, title, need, trace } = handoff
  const command = need === undefined ? 'show' : need === 'clarification' ? 'answer' : 'decide'
  return {
    uid: delivery.uid,
    event: delivery.event,
    at: now(deps),
    to: delivery.to,
    workspace: deps.store.info.workspace,
    handoff: { uid, id, type, state, from, to, title, ...present({ trace }) },
    ...(isOpen(state) && { command: `baton ${command} ${id}` }),
  }
}

async function fail(deps: ServiceDeps, delivery: Delivery, reason: string): Promise<'failed' | 'given_up'> {
  const last_error = reason.slice(0, ERROR_LENGTH)
  const seconds = backOffSeconds(delivery.attempts)
  if (seconds === undefined) {
    await close(deps, delivery, { last_error })
    return 'given_up'
  }
  const at = now(deps)
  await deps.store.transact({
    reads: { deliveries: [delivery.uid] },
    at,
    decide: (view) => {
      // This try took too long and another process claimed the message: that one goes on with it.
      if (view.delivery(delivery.uid)?.attempts !== delivery.attempts) return
      view.putDelivery({ ...delivery, due_at: addMs(at, seconds * SECOND_MS), last_error })
    },
  })
  return 'failed'
}

/** Ends the tries. A notice in the workspace tells of a message that was given up. */
async function close(
  deps: ServiceDeps,
  delivery: Delivery,
  end: Pick<Delivery, 'delivered_at' | 'last_error'>,
): Promise<void> {
  const at = now(deps)
  const { due_at: _, ...rest } = delivery
  await deps.store.transact({
    reads: { deliveries: [delivery.uid], handoffs: [delivery.about] },
    at,
    decide: (view) => {
      if (view.delivery(delivery.uid)?.attempts !== delivery.attempts) return
      view.putDelivery({ ...rest, ...end })
      const about = view.handoff(delivery.about)
      if (end.last_error === undefined || !about) return
      const step: Step = { deps, view, actor: ENGINE, at }
      const text = `A message about ${about.id} could not be delivered by ${delivery.channel}: ${end.last_error}`
      const id = addNotice(step, delivery.to, 'undelivered', about, text)
      enter(step, 'notice.undelivered', { k: 'notice', id, stream: about.root, subject: about.uid })
    },
  })
}

const now = ({ now: clock }: ServiceDeps): string => clock().toISOString()
