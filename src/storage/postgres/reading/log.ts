import { numberCursor, toPage } from '../../page.ts'
import type { LogEntry, Page, PageRequest } from '../../store.ts'
import { type Ask, askWith, type Trip } from '../connection/ask.ts'
import { call, type Rows } from '../connection/round-trip.ts'

const ENTRY = `id, stream, seq, subject, act, at, hash, convert_from(body, 'UTF8'), disclosures`
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

/** The reads of the log. */
export class PostgresLog {
  readonly #ask: Ask
  readonly #trip: Trip
  readonly #ws: number

  constructor(trip: Trip, ws: number) {
    this.#ask = askWith(trip, ws)
    this.#trip = trip
    this.#ws = ws
  }

  async timeline(stream: string, subject: string, limit: number): Promise<readonly LogEntry[]> {
    const text = `SELECT ${ENTRY} FROM baton.entry WHERE ws = $1 AND stream = $2 AND subject = $3
      ORDER BY seq LIMIT $4::integer`
    return toEntries(await this.#ask('timeline', text, stream, subject, limit))
  }

  async entries(stream: string, from: number, limit: number): Promise<readonly LogEntry[]> {
    const text = `SELECT ${ENTRY} FROM baton.entry WHERE ws = $1 AND stream = $2 AND seq >= $3::bigint
      ORDER BY seq LIMIT $4::integer`
    return toEntries(await this.#ask('entries', text, stream, from, limit))
  }

  async streams(page: PageRequest): Promise<Page<string>> {
    const text = 'SELECT uid FROM baton.stream WHERE ws = $1 AND uid > $2 ORDER BY uid LIMIT $3::integer'
    const rows = await this.#ask('streams', text, page.cursor ?? '', page.limit + 1)
    return toPage(
      rows.map(([uid]) => uid!),
      page.limit,
      (uid) => uid,
    )
  }

  /**
   * Numbers are given out before the commit, so a reader that has seen 7 would pass over a 6 that is committed
   * later. It reads up to `#settled` only: every lower number is committed or will never be.
   */
  async changes(
    cursor: string | undefined,
    limit: number,
  ): Promise<{ entries: readonly LogEntry[]; cursor: string }> {
    const after = cursor === undefined ? undefined : numberCursor(cursor)
    const settled = await this.#settled()
    if (cursor === undefined || after === undefined) {
      const text = 'SELECT max(id) FROM baton.entry WHERE ws = $1 AND id <= $2::bigint'
      const [row] = await this.#ask('end', text, settled)
      return { entries: [], cursor: row?.[0] ?? '0' }
    }
    if (after >= settled) return { entries: [], cursor }
    const text = `SELECT ${ENTRY} FROM baton.entry WHERE ws = $1 AND id > $2::bigint AND id <= $3::bigint
      ORDER BY id LIMIT $4::integer`
    const entries = toEntries(await this.#ask('changes', text, cursor, settled, limit))
    return { entries, cursor: String(entries.at(-1)?.id ?? cursor) }
  }

  /**
   * Every writer marks with a lock which number was the newest before it took its own. The newest number is read
   * first, the locks second, the entries last, each by a statement of its own. So whoever holds a lower number
   * either is still marked, which lowers the answer, or has ended, and its entries can be read. (A lock is
   * released only after the commit is visible.) Unlike the oldest transaction of the server, this is not held
   * back by strangers, and the order of numbers is the order of every chain.
   */
  async #settled(): Promise<number> {
    const [last, writing] = await this.#trip([call(LAST), call(WRITING, LOCK_CLASS + this.#ws)])
    const newest = Number(last?.[0]?.[0] ?? 0)
    return (writing ?? []).reduce((settled, [mark]) => {
      const ahead = (((Number(mark) - newest) % LOCK_BITS) + LOCK_BITS) % LOCK_BITS
      // A mark ahead of the newest number was set after that was read.
      return ahead < LOCK_BITS / 2 ? settled : Math.min(settled, newest + ahead - LOCK_BITS)
    }, newest)
  }
}

const toEntries = (rows: Rows): readonly LogEntry[] =>
  rows.map(([id, stream, seq, subject, act, at, hash, body, disclosures]) => ({
    id: Number(id),
    stream: stream!,
    seq: Number(seq),
    subject: subject!,
    act: act!,
    at: at!,
    hash: hash!,
    body: body!,
    ...(disclosures && { disclosures: JSON.parse(disclosures) }),
  }))
