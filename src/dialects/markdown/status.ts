import {
  MARKDOWN_STATUSES,
  type MarkdownStatus,
  markdownStatus,
} from '../../domain/handoffs/markdown-status.ts'
import type { State } from '../../domain/lifecycle.ts'
import { findWord, STATE_WORDS } from '../text/words.ts'
import { plainText } from './body/body.ts'

/** What document 000's words mean. A receiver who said more than `Acknowledged` says it in the slot. */
export const STATE_OF: Readonly<Record<MarkdownStatus, State>> = {
  Created: 'draft',
  Active: 'offered',
  Acknowledged: 'accepted',
  Complete: 'completed',
  Expired: 'expired',
  Rejected: 'rejected',
}

/** The word for a state. A cancelled handoff has been sent, for all that a document says: it counts as rejected. */
export const statusFor = (state: State): MarkdownStatus => markdownStatus({ state, sent_at: '' })

export type ReadStatus =
  /** `exact`: one of the document's words, letter for letter. */
  | { readonly kind: 'state'; readonly state: State; readonly exact: boolean }
  /** The folder, not a state. */
  | { readonly kind: 'archived' }
  /** All the words to choose from, as in a template. */
  | { readonly kind: 'choice' }
  | { readonly kind: 'unknown' }

/** A status as people write it: `open`, `✅ Completed`, `**IN PROGRESS** (60 %)`. */
export function readStatus(text: string): ReadStatus {
  const native = MARKDOWN_STATUSES.find((status) => status === text)
  if (native) return { kind: 'state', state: STATE_OF[native], exact: true }
  const plain = plainText(text).slice(0, 200)
  if (/^archived?$/i.test(plain)) return { kind: 'archived' }
  const choices = plain.split(/\s*[|/]\s*/)
  if (choices.length > 2 && choices.filter((choice) => stateIn(choice)).length > 2) return { kind: 'choice' }
  const state = stateIn(plain)
  return state ? { kind: 'state', state, exact: false } : { kind: 'unknown' }
}

/** The whole text, else what stands before an aside, else its first words. */
function stateIn(text: string): State | undefined {
  const before = text.split(/\s*(?:[([|,;:]|[—–]|\s-\s)/)[0]!.trim()
  const words = before.split(/\s+/)
  for (const candidate of [text, before, ...[3, 2, 1].map((count) => words.slice(0, count).join(' '))]) {
    const state = candidate === '' ? undefined : wordFor(plainText(candidate))
    if (state) return state
  }
  return undefined
}

function wordFor(text: string): State | undefined {
  const native = MARKDOWN_STATUSES.find((status) => status.toLowerCase() === text.toLowerCase())
  return native ? STATE_OF[native] : findWord(STATE_WORDS, text)?.word
}
