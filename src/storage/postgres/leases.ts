import { dueOf } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { DueItem } from '../store.ts'
import { type Call, call, type Rows } from './connection/round-trip.ts'
import { columnsOf } from './tables.ts'

/**
 * A lease that its holder prolongs stays where it was in the order of what is due: otherwise every sign of life would
 * move the handoff in all of its indexes. So `due_at` may be too early, never too late; whoever finds it so puts it
 * right.
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

const PUT_RIGHT = {
  text: `UPDATE baton.handoff AS r SET due_at = k.due_at
    FROM unnest($2::text[], $3::text[], $4::text[]) AS k (uid, xid, due_at) CROSS JOIN LATERAL (
      SELECT ctid FROM baton.handoff WHERE ws = $1 AND uid = k.uid AND xmin = k.xid::xid FOR UPDATE SKIP LOCKED) AS now
    WHERE r.ctid = now.ctid RETURNING 1`,
}

/** A handoff that is due later than its row says. */
export interface Early {
  readonly uid: string
  readonly xid: string
  readonly due_at: string
}

/** Of rows of a uid, what is due of it and whose it is, the version and the document: what is due at this instant. */
export function dueAmong(
  rows: Rows,
  at: string,
): { readonly due: readonly DueItem[]; readonly early: readonly Early[] } {
  const due: DueItem[] = []
  const early: Early[] = []
  for (const [uid, kind, holder, xid, doc] of rows) {
    const due_at = dueIn(doc!)
    if (due_at !== null && due_at > at) early.push({ uid: uid!, xid: xid!, due_at })
    else due.push({ uid, kind, ...present({ holder: holder ?? undefined }) } as DueItem)
  }
  return { due, early }
}

/** Passes over what somebody has locked: who works on something else does not wait for it. Answers a row for each that is right. */
export function putRight(ws: number, early: readonly Early[]): Call {
  const rows = early.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
  return call(PUT_RIGHT, ws, ...columnsOf(rows, 'uid', 'xid', 'due_at'))
}
