import { dueOf, isPast } from '../domain/handoffs/deadlines.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content } from '../domain/handoffs/package.ts'
import { decideRetry } from '../domain/handoffs/retry.ts'
import { DEFAULT_RETRY } from '../domain/home.ts'
import type { View } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'
import { refuse } from './write.ts'

/** The handoff that a reference means: its uid or its whole id. Shortened ids are the command line's to resolve. */
export async function find(deps: ServiceDeps, ref: string): Promise<Handoff> {
  const handoff = await deps.store.handoff(ref)
  if (!handoff)
    refuse('not_found', `there is no handoff ${ref}; see what is there with: baton list`, { id: ref })
  if (SESSION_ID.test(ref)) await refuseSeveral(deps, handoff, ref)
  return handoff
}

/** Document 004 counts anew in every session: what has the same number in another one has a longer id here. */
const SESSION_ID = /^HO-\d{3,}$/

async function refuseSeveral({ store }: ServiceDeps, handoff: Handoff, ref: string): Promise<void> {
  const { items } = await store.handoffs({ ref: `${ref}-` }, { limit: 50 })
  const others = items.filter(({ aliases }) => aliases?.package === ref)
  if (others.length === 0) return
  const candidates = [{ ...handoff, id: handoff.uid }, ...others].map(({ id, title, state, updated_at }) => ({
    id,
    title,
    state,
    at: updated_at,
  }))
  const names = candidates.map(({ id }) => id).join(', ')
  refuse('invalid_input', `${ref} is in ${candidates.length} sessions; name the one you mean: ${names}`, {
    id: handoff.id,
    candidates,
  })
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isUid = (ref: string): boolean => UUID.test(ref)

/** The uid that a reference means. A uid is taken as it is: whether it exists shows when it is read under its lock. */
export async function uidOf(deps: ServiceDeps, ref: string): Promise<string> {
  return isUid(ref) ? ref : (await find(deps, ref)).uid
}

export function must(view: View, uid: string): Handoff {
  const handoff = view.handoff(uid)
  if (!handoff) refuse('not_found', `there is no handoff ${uid}`, { id: uid })
  return handoff
}

export const mustContent = (view: View, uid: string): Content =>
  view.content(uid) ?? refuse('internal', 'the content of this handoff is missing')

/** How a handoff shows on a store that cannot be written: as if what is due had been settled. */
export function asSettled(handoff: Handoff, now: string): Handoff {
  const due = dueOf(handoff)
  if (!due || !isPast(due.at, now) || due.kind === 'remind') return handoff
  // The handoff waits for the same person until passing it on has been written.
  if (due.kind === 'silence' && handoff.silence?.policy !== 'expire') return handoff
  const { waiting_for: _, lease_until: __, ...rest } = handoff
  if (due.kind === 'expire' || due.kind === 'silence') return { ...rest, state: 'expired', ended_at: due.at }
  if (due.kind === 'retry')
    return { ...rest, state: 'offered', attempt: handoff.attempt + 1, waiting_for: handoff.to }
  const policy = handoff.retry ?? DEFAULT_RETRY
  const next = decideRetry({ policy, attempt: handoff.attempt, code: 'TIMEOUT', now })
  return next.action === 'retry'
    ? { ...rest, state: 'retry_wait', not_before: next.at }
    : { ...rest, state: 'failed', ended_at: due.at }
}
