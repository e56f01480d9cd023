import { isEnd } from '../lifecycle.ts'
import type { NoticeKind } from '../people/notice.ts'
import type { Handoff } from './handoff.ts'

/** The answer that an ended handoff owes. */
export interface Answer {
  /** A delegation that was done comes back as a handoff of its own; every other end as a notice. */
  readonly form: 'return' | 'notice'
  readonly to: string
  readonly kind: NoticeKind
  readonly text: string
}

/** The sentence that the sender reads; two of them are document 000's, word for word. */
function textFor(handoff: Handoff): string {
  switch (handoff.state) {
    case 'expired':
      return handoff.need === undefined
        ? `Handoff ${handoff.id} expired without acknowledgment`
        : `Handoff ${handoff.id} expired without an answer`
    case 'rejected':
      return `Handoff rejected: ${handoff.rejection?.message ?? ''}`
    case 'failed':
      return `Handoff ${handoff.id} failed: ${handoff.error?.message ?? 'no reason given'}`
    case 'cancelled':
      return `Handoff ${handoff.id} was cancelled${cancelReason(handoff)}`
    default:
      return handoff.choice === undefined
        ? `Handoff ${handoff.id} is completed`
        : `${handoff.verified_by ?? handoff.to} answered ${handoff.id}: ${handoff.choice}`
  }
}

const cancelReason = ({ rejection }: Handoff): string =>
  rejection?.type === 'cancelled' ? `: ${rejection.message}` : ''

/**
 * The answer that is due when `after` has ended. A delegation gets exactly one; for other work the sender is told
 * unless it ended the handoff itself.
 */
export function answerFor(after: Handoff, by: string): Answer | undefined {
  if (!isEnd(after.state) || after.type === 'return') return undefined
  const { state, from, to, debt } = after
  const text = textFor(after)
  if (state === 'cancelled') {
    // The sender cancelled; the one to be told is the holder.
    return after.holder === undefined && after.accepted_by === undefined
      ? undefined
      : { form: 'notice', to, kind: 'cancelled', text }
  }
  if (debt === 'open' && state === 'completed') return { form: 'return', to: from, kind: 'returned', text }
  if (debt !== 'open' && by === from) return undefined
  return { form: 'notice', to: from, kind: kindFor(after), text }
}

const kindFor = (handoff: Handoff): NoticeKind =>
  handoff.state === 'expired' || handoff.state === 'rejected' || handoff.state === 'failed'
    ? handoff.state
    : 'completed'
