import type { Handoff } from './handoff.ts'

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
