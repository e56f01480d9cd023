import { dueOf } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { fieldOf } from './tables.ts'

/**
 * A lease that its holder prolongs stays where it was in the order of what is due: otherwise every heartbeat would move
 * the handoff in all of its indexes. So `due_at` may be too early, never too late; a process that settles puts it right.
 */
const STAYS = 'stays'

/** How the column is changed. */
export const DUE_AT = `CASE k.due_at WHEN '${STAYS}' THEN r.due_at ELSE k.due_at END`

/** The new value of `due_at`, from the handoff before and after the change. */
export function dueAt(before: Handoff | undefined, after: Handoff): string | null {
  const [was, now] = [before && dueOf(before), dueOf(after)]
  const isProlonged = was?.kind === 'lease' && now?.kind === 'lease' && was.at <= now.at
  return isProlonged && before?.holder === after.holder ? STAYS : (now?.at ?? null)
}

/** When a handoff is due, whatever its row says. */
export const dueIn = (doc: string): string | null => dueOf(JSON.parse(doc))?.at ?? null

const LEASE_UNTIL = fieldOf('lease_until')
/** That a handoff is due at an instant (`$2`), whatever its row says. */
export const IS_DUE = `ws = $1 AND due_at <= $2 AND (due_kind <> 'lease' OR ${LEASE_UNTIL} <= $2)`

/** Passes over rows that somebody has locked: nobody waits for the work of another. */
export const PUT_RIGHT = {
  name: 'put_right',
  text: `UPDATE baton.handoff SET due_at = ${LEASE_UNTIL} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM baton.handoff WHERE ws = $1 AND due_at <= $2 AND due_kind = 'lease' AND ${LEASE_UNTIL} > $2
    FOR UPDATE SKIP LOCKED))`,
}
