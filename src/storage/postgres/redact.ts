import { setTimeout as pause } from 'node:timers/promises'
import { keyOf, redactedRows, stubOf } from '../rows.ts'
import type { Redaction, Store } from '../store.ts'
import type { Ask } from './connection/ask.ts'
import { type Connections, withClient } from './connection/connect.ts'
import { type Call, call } from './connection/round-trip.ts'
import { columnsOf, fill, type Insert } from './tables.ts'

const ENTRIES = {
  text: `UPDATE baton.entry AS e SET disclosures = n.disclosures
    FROM unnest($2::text[], $3::bigint[], $4::text[]) AS n (stream, seq, disclosures)
    WHERE e.ws = $1 AND e.stream = n.stream AND e.seq = n.seq`,
}

const BLOBS = { text: 'DELETE FROM baton.blob WHERE ws = $1 AND sha256 = ANY ($2::text[])' }

const INPUTS = {
  text: `UPDATE baton.idem SET input_hash = '' WHERE ws = $1 AND subject = ANY ($2::text[])`,
}

const documentsOf = (table: string): Insert => ({
  columns: [keyOf(table), 'doc'],
  statement: {
    text: `UPDATE baton.${table} AS t SET doc = n.doc FROM unnest($2::text[], $3::text[]) AS n (key, doc)
      WHERE t.ws = $1 AND t.${keyOf(table)} = n.key`,
  },
})

/** Bodies longer than a stub are whole. */
const PUT_AWAY = `WITH gone AS (UPDATE baton.entry AS e SET body = convert_to(n.body, 'UTF8'), disclosures = NULL
    FROM unnest($2::bigint[], $3::text[], $4::text[]) AS n (id, body, disclosures) WHERE e.ws = $1 AND e.id = n.id
      AND coalesce(e.disclosures, '[]') = n.disclosures AND octet_length(e.body) > 20 RETURNING 1)
  SELECT count(*) FROM gone`

export async function putAway(ask: Ask, entries: Parameters<Store['putAway']>[0]): Promise<number> {
  const bodies = entries.map(({ index }) => stubOf(index))
  const texts = entries.map(({ disclosures = [] }) => JSON.stringify(disclosures))
  const [row] = await ask(undefined, PUT_AWAY, ...columnsOf(entries, 'id'), bodies, texts)
  return Number(row?.[0])
}

/** Tables that can hold a text which somebody wrote. */
// biome-ignore format: a list of names
const TEXTS = [
  'entry', 'handoff', 'content', 'task', 'record', 'notice', 'artifact', 'blob', 'idem', 'run', 'block', 'delivery',
]

/** The writes of a redaction, beside those that every unit may make. */
export function redactCalls(ws: number, redaction: Redaction): Call[] {
  const { entries, blobs, inputs } = redaction
  const calls: Call[] = []
  const left = entries.map(({ disclosures }) => JSON.stringify(disclosures))
  if (entries.length > 0) calls.push(call(ENTRIES, ws, ...columnsOf(entries, 'stream', 'seq'), left))
  for (const { table, rows } of redactedRows(redaction))
    if (rows.length > 0) calls.push(fill(documentsOf(table), ws, rows))
  if (blobs.length > 0) calls.push(call(BLOBS, ws, [...blobs]))
  if (inputs.length > 0) calls.push(call(INPUTS, ws, [...inputs]))
  return calls
}

const PLACE = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS place'
/** Sessions of this database, this one included: a snapshot counts the open writes of other databases too. */
const IS_SEEN = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND age(backend_xmin) > age($1::text::xid8::xid)`
const READERS_MS = 5_000

/**
 * Gives the space of old row versions back. Sessions that began earlier may still see them, and get five seconds to
 * end. Versions that are seen even then stay until the server's own vacuum, and bytes stay in free space and in the
 * server's log of changes until they are written over. Answers false where the tables belong to another role, which
 * the server lets vacuum nothing.
 */
export function scrub(connections: Connections): Promise<boolean> {
  return withClient(connections, 'writes', async (client) => {
    const owner = `SELECT pg_has_role(relowner, 'USAGE') AS ours FROM pg_class WHERE oid = 'baton.entry'::regclass`
    if (!(await client.query(owner)).rows[0].ours) return false
    const limit = (await client.query("SELECT current_setting('statement_timeout') AS limit")).rows[0].limit
    const [{ place }] = (await client.query(PLACE)).rows
    for (const end = performance.now() + READERS_MS; performance.now() < end; await pause(20))
      if ((await client.query(IS_SEEN, [place])).rows.length === 0) break
    await client.query('SET statement_timeout = 0')
    for (const table of TEXTS) await client.query(`VACUUM baton.${table}`)
    // The index keeps every word that it ever held, and pages of the table keep deleted rows: both get new files.
    await client.query('VACUUM (FULL) baton.word')
    await client.query("SELECT set_config('statement_timeout', $1, false)", [limit])
    return true
  })
}
