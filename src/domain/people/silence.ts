import { type Refusal, refusalOf } from '../errors.ts'
import { addMs, SECOND_MS } from '../handoffs/deadlines.ts'
import type { Handoff } from '../handoffs/handoff.ts'
import type { Silence } from './people-schema.ts'

export const SILENCE_POLICIES = ['wait', 'expire', 'escalate', 'reassign'] as const

/** Rules for handoffs that set none of their own. */
export interface PeopleRules {
  readonly silence?: Silence | undefined
  readonly remind_s?: number | undefined
}

export function checkSilence(silence: Silence): { readonly ok: true } | Refusal {
  const { policy, after_s, to } = silence
  const missing = [
    policy !== 'wait' && after_s === undefined ? 'after_s' : '',
    (policy === 'escalate' || policy === 'reassign') && to === undefined ? 'to' : '',
  ].filter((field) => field !== '')
  if (missing.length === 0) return { ok: true }
  const message = `silence: ${policy} needs ${missing.join(' and ')}`
  return refusalOf('invalid_input', message, { silence, missing })
}

type Timers = Pick<Handoff, 'remind_at' | 'silence_at' | 'reminded'>

/**
 * When a person who is waited for is reminded, and when the silence ends. The time runs from the moment at which it
 * became that person's move and is not moved by anything else that happens meanwhile.
 */
export function timersOf(
  before: Handoff,
  next: Handoff,
  { at, rules, waitsForPerson }: { at: string; rules: PeopleRules; waitsForPerson: boolean },
): Timers {
  if (next.state !== 'needs_input' || !waitsForPerson) return {}
  if (before.state === 'needs_input' && before.waiting_for === next.waiting_for) {
    const { remind_at, silence_at, reminded } = next
    return { remind_at, silence_at, reminded }
  }
  const silence = next.silence ?? rules.silence
  const remind = next.remind_s ?? rules.remind_s
  const ends = silence && silence.policy !== 'wait' ? silence.after_s : undefined
  return {
    remind_at: remind === undefined ? undefined : addMs(at, remind * SECOND_MS),
    silence_at: ends === undefined ? undefined : addMs(at, ends * SECOND_MS),
  }
}

/** Reminders come at longer and longer intervals: a question that waits for a year is not a thousand messages. */
export function nextReminder(handoff: Handoff, rules: PeopleRules, at: string): Timers {
  const seconds = handoff.remind_s ?? rules.remind_s
  const reminded = (handoff.reminded ?? 0) + 1
  if (seconds === undefined) return { reminded }
  return { reminded, remind_at: addMs(at, seconds * SECOND_MS * 2 ** Math.min(reminded, 10)) }
}

const TIME_UNITS = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
] as const

/** A length of time in its largest whole unit. */
export function spokenTime(seconds: number): string {
  const [unit, size] = TIME_UNITS.find(([, each]) => seconds % each === 0) ?? ['seconds', 1]
  const n = seconds / size
  return `${n} ${n === 1 ? unit.slice(0, -1) : unit}`
}
