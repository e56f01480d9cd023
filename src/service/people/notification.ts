import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { takes } from '../../domain/people/delivery.ts'
import type { NoticeKind } from '../../domain/people/notice.ts'
import { timersOf } from '../../domain/people/silence.ts'
import { kindOf } from '../../domain/policy.ts'
import type { Step } from '../handoffs/moves.ts'

/** Puts a notice into an inbox; answers its uid. */
export function addNotice(
  { deps, view, at }: Pick<Step, 'deps' | 'view' | 'at'>,
  to: string,
  kind: NoticeKind,
  about: { readonly uid: string; readonly id: string },
  text: string,
): string {
  const uid = deps.newUid()
  view.addNotice({
    uid,
    to,
    kind,
    about: about.uid,
    about_id: about.id,
    text: text.slice(0, 2_000),
    created_at: at,
  })
  return uid
}

/** Writes a message for every channel that wants this event. It is sent after the transaction, by whoever sends. */
export function tell({ deps, view, at }: Step, event: string, to: string, about: Handoff): void {
  for (const channel of deps.notify?.channels ?? []) {
    if (!takes(channel, event, to)) continue
    view.putDelivery({
      uid: deps.newUid(),
      kind: channel.kind,
      due_at: at,
      attempts: 0,
      created_at: at,
      channel: channel.name,
      event,
      about: about.uid,
      to,
    })
  }
}

const EVENTS = { gate: 'gate', decision: 'decision', clarification: 'question' } as const

/** Tells of a person's move when it became theirs. What the engine moved is told with the reason for it. */
export function tellWait(step: Step, before: Handoff, now: Handoff): void {
  const isNew = before.state !== 'needs_input' || before.waiting_for !== now.waiting_for
  if (!isNew || now.waiting_for === undefined || now.need === undefined || now.gate?.type === 'auto') return
  if (step.actor.auth !== 'engine' && waitsForPerson(step, now))
    tell(step, EVENTS[now.need], now.waiting_for, now)
}

/** Whether it is a person's move. Whoever was asked in place of a silent one is a person too. */
export function waitsForPerson({ deps, view }: Step, handoff: Handoff): boolean {
  const { state, waiting_for: who } = handoff
  if (state !== 'needs_input' || who === undefined) return false
  return who === handoff.escalated_to || kindOf(deps.policy, who, view.agent(who)) === 'human'
}

const TIMERS = ['remind_at', 'silence_at', 'reminded'] as const

/** Sets, keeps or takes away the instants at which a person's silence matters. */
export function withTimers(step: Step, before: Handoff, next: Handoff): Handoff {
  const { at, deps } = step
  const waits = waitsForPerson(step, next)
  const timers = timersOf(before, next, { at, rules: deps.policy.people ?? {}, waitsForPerson: waits })
  const result = { ...next }
  for (const key of TIMERS) {
    if (timers[key] === undefined) delete result[key]
    else Object.assign(result, { [key]: timers[key] })
  }
  return result
}
