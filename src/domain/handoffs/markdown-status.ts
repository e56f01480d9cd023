import type { State } from '../lifecycle.ts'
import type { Handoff } from './handoff.ts'

/** Document 000's words for where a handoff is. Case-sensitive. */
export const MARKDOWN_STATUSES = [
  'Created',
  'Active',
  'Acknowledged',
  'Complete',
  'Expired',
  'Rejected',
] as const
export type MarkdownStatus = (typeof MARKDOWN_STATUSES)[number]

/** The document's table of transitions. A pair that is not listed is refused; the last three are terminal. */
// biome-ignore format: read as a table
export const MARKDOWN_TRANSITIONS: Readonly<Record<MarkdownStatus, readonly MarkdownStatus[]>> = {
  Created:      ['Active', 'Expired'],
  Active:       ['Acknowledged', 'Expired', 'Rejected'],
  Acknowledged: ['Complete', 'Rejected'],
  Complete:     [],
  Expired:      [],
  Rejected:     [],
}

const STATUS: Readonly<Record<State, MarkdownStatus>> = {
  draft: 'Created',
  offered: 'Active',
  accepted: 'Acknowledged',
  in_progress: 'Acknowledged',
  blocked: 'Acknowledged',
  needs_input: 'Acknowledged',
  in_review: 'Acknowledged',
  retry_wait: 'Acknowledged',
  completed: 'Complete',
  failed: 'Rejected',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Rejected',
}

type StatusPart = Pick<Handoff, 'state' | 'resume' | 'sent_at'>

/** How document 000 would call the state of a handoff. */
export function markdownStatus({ state, resume, sent_at }: StatusPart): MarkdownStatus {
  if (state === 'needs_input' && resume === 'offered') return 'Active'
  // The document has no way from Created to Rejected: a draft that is taken back has expired early.
  if (state === 'cancelled' && sent_at === undefined) return 'Expired'
  return STATUS[state]
}

/** Whether document 000 has this step. Inside one of its open statuses ours may change freely. */
export function isMarkdownStep(before: StatusPart, after: StatusPart): boolean {
  const from = markdownStatus(before)
  const to = markdownStatus(after)
  const ways = MARKDOWN_TRANSITIONS[from]
  return ways.includes(to) || (from === to && ways.length > 0)
}
