import { HOME_RULES, type Home } from '../home.ts'
import type { Handoff } from './handoff.ts'

/** Milliseconds that replace a home's own, or `none`: people and returns have no deadline. */
export interface AckOverrides {
  readonly draftMs?: number | 'none' | undefined
  readonly offeredMs?: number | 'none' | undefined
}

export const SECOND_MS = 1_000
export const HOUR_MS = 3_600 * SECOND_MS

/**
 * The instant by which a draft must be sent, or an offered handoff accepted; undefined where it may wait.
 * `at` is when the step began: creation for a draft, sending for an offer. Store the answer: it is never
 * computed again from a time that an edit moves, and never turned into a lease.
 */
export function ackDeadline(
  home: Home,
  step: 'draft' | 'offered',
  at: string,
  overrides: AckOverrides = {},
): string | undefined {
  const own = step === 'draft' ? overrides.draftMs : overrides.offeredMs
  const usual = HOME_RULES[home][`${step}_s`]
  const ms = own ?? (usual === 'none' ? usual : usual * SECOND_MS)
  return ms === 'none' ? undefined : addMs(at, ms)
}

/** A deadline is past from its own millisecond on; no deadline is never past. */
export function isPast(deadline: string | undefined, now: string): boolean {
  return deadline !== undefined && Date.parse(now) >= Date.parse(deadline)
}

/** How long a holder may stay silent before the attempt has failed; undefined where it may for ever. */
export function leaseMs(
  { home, timeout_s, lease_s }: Pick<Handoff, 'home' | 'timeout_s' | 'lease_s'>,
  receiverIsPerson: boolean,
): number | undefined {
  const usual = HOME_RULES[home].lease_s
  return usual === 'none' || receiverIsPerson
    ? undefined
    : Math.round((timeout_s ?? lease_s ?? usual) * SECOND_MS)
}

/** The instant `ms` after `at`, in UTC with milliseconds. */
export function addMs(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString()
}

/** The next thing that the engine must do without being asked, and its time. */
export interface Due {
  readonly at: string
  readonly kind: 'expire' | 'lease' | 'retry' | 'remind' | 'silence'
}

export function dueOf(handoff: Handoff): Due | undefined {
  switch (handoff.state) {
    case 'draft':
    case 'offered':
      return handoff.ack_deadline === undefined ? undefined : { at: handoff.ack_deadline, kind: 'expire' }
    case 'accepted':
    case 'in_progress':
    case 'blocked':
      return handoff.lease_until === undefined ? undefined : { at: handoff.lease_until, kind: 'lease' }
    case 'needs_input':
      return silenceOf(handoff)
    case 'retry_wait':
      return handoff.not_before === undefined ? undefined : { at: handoff.not_before, kind: 'retry' }
    default:
      return undefined
  }
}

/** Of two instants that are the same the end of the silence wins: there is nothing left to remind of. */
function silenceOf({ remind_at, silence_at }: Handoff): Due | undefined {
  if (silence_at !== undefined && (remind_at === undefined || silence_at <= remind_at))
    return { at: silence_at, kind: 'silence' }
  return remind_at === undefined ? undefined : { at: remind_at, kind: 'remind' }
}
