import { isPast } from '../domain/deadlines.ts'
import { dueOf, type Handoff } from '../domain/handoff.ts'
import type { View } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'
import { refuse } from './write.ts'

/** The handoff that a reference means: its uid or its whole id. Shortened ids are the command line's to resolve. */
export async function find(deps: ServiceDeps, ref: string): Promise<Handoff> {
  const handoff = await deps.store.handoff(ref)
  if (!handoff)
    refuse('not_found', `there is no handoff ${ref}; see what is there with: baton handoff list`, { id: ref })
  return handoff
}

export function must(view: View, uid: string): Handoff {
  const handoff = view.handoff(uid)
  if (!handoff) refuse('not_found', `there is no handoff ${uid}`, { id: uid })
  return handoff
}

/** How a handoff shows on a store that cannot be written: as if what is due had been settled. */
export function asSettled(handoff: Handoff, now: string): Handoff {
  const due = dueOf(handoff)
  if (!due || !isPast(due.at, now)) return handoff
  if (due.kind === 'expire') return { ...handoff, state: 'expired', ended_at: due.at }
  if (due.kind === 'retry') return { ...handoff, state: 'offered', attempt: handoff.attempt + 1 }
  return handoff
}
