import { ENGINE } from '../domain/actor.ts'
import { dueOf, isPast, leaseMs, SECOND_MS } from '../domain/handoffs/deadlines.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { nextReminder, spokenTime } from '../domain/people/silence.ts'
import type { DueItem, Unit } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'
import { again, failed } from './handoffs/attempts.ts'
import { amended, finish, move, notify, type Step } from './handoffs/moves.ts'
import { enterHandoff } from './log-record.ts'
import { noteGate } from './tasks/task-follow.ts'

/** Turns due handoffs into units. Each looks again before it acts, so two settling processes act once. */
export const settlementUnits = (
  deps: ServiceDeps,
  due: readonly DueItem[],
  at: string,
): readonly Unit<unknown>[] =>
  due.map(({ uid }) => ({
    reads: { handoffs: [uid] },
    at,
    decide: (view) => {
      const handoff = view.handoff(uid)
      const now = handoff && dueOf(handoff)
      if (now && isPast(now.at, at)) settle({ deps, view, actor: ENGINE, at }, handoff, now.kind)
    },
  }))

function settle(step: Step, handoff: Handoff, kind: DueItem['kind']): Handoff {
  if (kind === 'expire') return move(step, handoff, 'expire')
  if (kind === 'retry') return again(step, handoff)
  if (kind === 'remind') return remind(step, handoff)
  if (kind === 'silence') return endSilence(step, handoff)
  const seconds = (leaseMs(handoff, false) ?? 0) / SECOND_MS
  return failed(
    step,
    handoff,
    {
      code: 'TIMEOUT',
      message: `${handoff.holder ?? handoff.to} sent no heartbeat for ${seconds} seconds`,
      severity: 'error',
      recovery_actions: ['Increase timeout, retry'],
    },
    'time_out',
  )
}

/** The person is reminded, and again later. */
function remind(step: Step, handoff: Handoff): Handoff {
  const who = handoff.waiting_for ?? handoff.to
  notify(step, who, 'reminder', handoff, `${handoff.id} still waits for ${who}: ${handoff.title}`)
  const { remind_at: _, ...rest } = handoff
  return note(step, handoff, { ...rest, ...nextReminder(handoff, rulesOf(step), step.at) }, 'handoff.remind')
}

/** Nobody answered in time: what the sender or the workspace has ruled for that happens, once. */
function endSilence(step: Step, handoff: Handoff): Handoff {
  const silence = handoff.silence ?? rulesOf(step).silence
  if (silence?.policy === 'expire') return move(step, handoff, 'expire')
  const spent: Handoff = amended(handoff, { silence: { policy: 'wait' } }, ['silence_at'])
  const { to } = silence ?? {}
  // The rule of the workspace was taken back meanwhile, so the person may take their time.
  if (to === undefined || silence?.policy === 'wait') return note(step, handoff, spent, 'handoff.wait_on')
  const silent = handoff.waiting_for ?? handoff.to
  const text = `${silent} did not answer ${handoff.id} within ${spokenTime(silence?.after_s ?? 0)}`
  notify(step, to, 'escalated', handoff, `${text}: ${handoff.title}`)
  // Only its sender can answer a question about the work, so there is nobody to give it to.
  if (handoff.need === 'clarification') return note(step, handoff, spent, 'handoff.escalate')
  if (silence?.policy === 'escalate') {
    notify(step, silent, 'escalated', handoff, `${text}, so ${to} was asked too; you can still decide it`)
    return note(step, handoff, { ...spent, escalated_to: to }, 'handoff.escalate')
  }
  notify(step, silent, 'reassigned', handoff, `${text}, so it was given to ${to}`)
  const { escalated_to: _, ...given } = spent
  return note(step, handoff, { ...given, to }, 'handoff.reassign')
}

const rulesOf = ({ deps }: Step) => deps.policy.people ?? {}

/** The state stays as it is, so the table of transitions has no line for these. */
function note(step: Step, before: Handoff, next: Handoff, act: string): Handoff {
  const result = finish(step, before, next)
  enterHandoff(step, act, result)
  step.view.putHandoff(result)
  noteGate(step, result)
  return result
}
