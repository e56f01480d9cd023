import { type Refusal, refusalOf } from '../errors.ts'
import type { Handoff } from './handoff.ts'

/** The place of a new handoff in its chain. */
export interface ChainPlace {
  readonly root: string
  readonly parent?: string
  readonly depth: number
}

export const placeBelow = (uid: string, parent?: Handoff): ChainPlace =>
  parent ? { root: parent.root, parent: parent.uid, depth: parent.depth + 1 } : { root: uid, depth: 0 }

export function checkDepth(place: ChainPlace, limit: number): { readonly ok: true } | Refusal {
  if (place.depth <= limit) return { ok: true }
  return refusalOf(
    'limit_exceeded',
    `this would be handoff ${place.depth + 1} in one chain (max: ${limit + 1}); finish or return the work instead of passing it on`,
    { depth: place.depth, limit },
  )
}

/**
 * The same pair may pass one task again only after something was added: a record, evidence, an answer or a
 * decision. Otherwise two agents could hand it back and forth for ever.
 */
export function checkCycle(
  before: Handoff | undefined,
  place: ChainPlace,
  progressSeq: number,
): { readonly ok: true } | Refusal {
  if (!before || before.root !== place.root) return { ok: true }
  if (progressSeq > (before.sent_seq ?? -1)) return { ok: true }
  const { id, from, to, task } = before
  return refusalOf(
    'conflict',
    `${from} already handed ${task} to ${to} (${id}) and nothing was added since; add a record, evidence or an answer first`,
    { before: id, from, to, task },
  )
}

/** One link of a chain, as people are told of it. */
export type Link = Pick<Handoff, 'id' | 'from' | 'to'>

const SHOWN_LINKS = 6

/** The last links of a chain and the one that is refused: `… b → a → b (HO-1, HO-2), and now to a`. */
export function describeChain(links: readonly Link[], to: string): string {
  const shown = links.slice(-SHOWN_LINKS)
  const agents = [...shown.slice(0, 1).map(({ from }) => from), ...shown.map((link) => link.to)]
  const path = `${shown.length < links.length ? '… → ' : ''}${agents.join(' → ')}`
  return `${path} (${shown.map(({ id }) => id).join(', ')}), and now to ${to}`
}
