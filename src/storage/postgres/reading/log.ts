import type { Trip } from '../connection/ask.ts'
import { call } from '../connection/round-trip.ts'

/** The newest number that was given to an entry, committed or not. */
const LAST = {
  name: 'log_last',
  text: 'SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM baton.entry_id_seq',
}
const WRITING = {
  name: 'log_writing',
  text: `SELECT DISTINCT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::oid AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
}
/** Locks are named by two numbers of 31 bits: the workspace, and the number before the first that was taken. */
const LOCK_CLASS = 0x62740000
const LOCK_BITS = 2 ** 31

/**
 * A query that holds, until the end of the transaction, the mark by which readers of the log know that numbers
 * above the newest one may not be readable yet. `$1` is the workspace.
 */
export const MARK_WRITING = `SELECT pg_advisory_xact_lock_shared(${LOCK_CLASS} + $1::integer,
  ((CASE WHEN is_called THEN last_value ELSE 0 END) % ${LOCK_BITS})::integer) FROM baton.entry_id_seq`

/**
 * Every lower number is committed or will never be. Numbers are given out before the commit, so a reader that has seen
 * 7 would pass over a 6 that is committed later.
 *
 * Every writer marks with a lock which number was the newest before it took its own. The newest number is read
 * first, the locks second, the entries last, each by a statement of its own. So whoever holds a lower number
 * either is still marked, which lowers the answer, or has ended, and its entries can be read. (A lock is
 * released only after the commit is visible.) Unlike the oldest transaction of the server, this is not held
 * back by strangers, and the order of numbers is the order of every chain.
 */
export async function settled(trip: Trip, ws: number): Promise<number> {
  const [last, writing] = await trip([call(LAST), call(WRITING, LOCK_CLASS + ws)])
  const newest = Number(last?.[0]?.[0] ?? 0)
  return (writing ?? []).reduce((settled, [mark]) => {
    const ahead = (((Number(mark) - newest) % LOCK_BITS) + LOCK_BITS) % LOCK_BITS
    // A mark ahead of the newest number was set after that was read.
    return ahead < LOCK_BITS / 2 ? settled : Math.min(settled, newest + ahead - LOCK_BITS)
  }, newest)
}
