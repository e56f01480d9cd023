import type { Handoff } from './handoff.ts'

/** What the engine must do next without being asked, and when. */
export interface Due {
  readonly at: string
  readonly kind: 'expire' | 'lease' | 'retry'
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
    case 'retry_wait':
      return handoff.not_before === undefined ? undefined : { at: handoff.not_before, kind: 'retry' }
    default:
      return undefined
  }
}
