import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { HOME_RULES } from '../../domain/home.ts'
import type { ServiceDeps } from '../deps.ts'
import { refuse } from '../write.ts'

type Reviewed = Pick<Handoff, 'to' | 'home' | 'type'> & {
  readonly review?: string | undefined
  readonly package: Package
}

/** Judges the sender's choice of who has the last word. It is made with the handoff and never changed. */
export function refuseReview({ live }: ServiceDeps, sent: Reviewed): void {
  const { review, to, home, type } = sent
  if (review === undefined) return
  const no = (message: string) => refuse('invalid_input', message, { review })
  if (type !== 'sequential' && type !== 'delegation') no(`review is for work; a ${type} has its own answer`)
  if (HOME_RULES[home].lastWord === 'verifier')
    no(`work of the ${home} format is reviewed by its verifier; leave review out`)
  if (live?.has(home)) no(`a file of the ${home} format cannot carry review; leave review out`)
  refuseOwnReview(sent, to)
  // Evidence is the receiver's own word.
  if (review === 'none' && !sent.package.checks?.some(({ kind }) => kind !== 'evidence'))
    no(
      'review none needs a check that decides; add one to checks, for example {"kind": "json_schema", "schema": {…}} for the output',
    )
}

/** A receiver's own word is never the last one by name. */
export function refuseOwnReview({ review }: Pick<Reviewed, 'review'>, to: string): void {
  if (review === to)
    refuse('invalid_input', `${to} cannot review its own work; name another agent, or sender`, { review, to })
}
