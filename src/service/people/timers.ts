import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { timersOf } from '../../domain/people/silence.ts'
import type { Step } from '../handoffs/moves.ts'
import { waitsForPerson } from './telling.ts'

const TIMERS = ['remind_at', 'silence_at', 'reminded'] as const

/** Sets, keeps or takes away the instants at which a person's silence matters. */
export function withTimers(step: Step, before: Handoff, next: Handoff): Handoff {
  const { at, deps } = step
  if (next.state !== 'needs_input' && before.state !== 'needs_input') return next
  const waits = waitsForPerson(step, next)
  const timers = timersOf(before, next, { at, rules: deps.policy.people ?? {}, waitsForPerson: waits })
  const result = { ...next }
  for (const key of TIMERS) {
    if (timers[key] === undefined) delete result[key]
    else Object.assign(result, { [key]: timers[key] })
  }
  return result
}
