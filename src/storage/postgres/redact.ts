import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { keyOf, redactedRows, stubOf } from '../rows.ts'
import { HELD_BYTES, type Redaction, type Store } from '../store.ts'
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

const OWN_TABLES = `SELECT pg_has_role(relowner, 'USAGE') AS ours, pg_has_role(datdba, 'USAGE') AS is_whole, (SELECT sum(pg_total_relation_size(('baton.' || name)::regclass))
    FROM unnest($1::text[]) AS t (name))::float8 AS bytes FROM pg_class, pg_database
  WHERE pg_class.oid = 'baton.entry'::regclass AND datname = current_database()`
const MAY_CLEAR = `SELECT pg_has_role('pg_checkpoint', 'USAGE') AND has_function_privilege('pg_ls_waldir()', 'EXECUTE')
  AND has_function_privilege('pg_switch_wal()', 'EXECUTE') AS may`
/** Without a message the server is in a new file already, and stays in it. */
const NEXT_FILE = `SELECT pg_logical_emit_message(false, 'baton', 'next file'), pg_switch_wal()`
const FILES = 'SELECT count(*)::integer AS files, sum(size)::float8 AS bytes FROM pg_ls_waldir()'

/** More would lock the tables, or fill archives of the log, for too long: it is left to a quiet time. */
const MOST_REWRITTEN_BYTES = 256 * 1_024 * 1_024
const ALL_FILES = 'the tables and the write-ahead log'
const leftIn = (files: string) =>
  `old bytes in ${files} of PostgreSQL: at a quiet time, run the statements "After a redaction" of docs/how-to/postgres.md`

/**
 * Clears the bytes of old row versions: small tables and the search index get new files, and the server's log of
 * changes is written over where the role may do so. Answers the places where old bytes are left. Sessions that began
 * earlier may still see the versions, and get five seconds to end.
 */
export function scrub(connections: Connections): Promise<readonly string[]> {
  return withClient(connections, 'writes', async (client) => {
    const [{ ours, is_whole, bytes }] = (await client.query(OWN_TABLES, [TEXTS])).rows
    if (!ours) return [leftIn(ALL_FILES)]
    const limit = (await client.query("SELECT current_setting('statement_timeout') AS limit")).rows[0].limit
    const [{ place }] = (await client.query(PLACE)).rows
    let isSeen = true
    for (const end = performance.now() + READERS_MS; isSeen && performance.now() < end; await pause(20))
      isSeen = (await client.query(IS_SEEN, [place])).rows.length > 0
    await client.query('SET statement_timeout = 0')
    // The statistics are the database's.
    const isSmall = is_whole && bytes <= MOST_REWRITTEN_BYTES
    for (const table of TEXTS) await client.query(`VACUUM ${isSmall ? '(FULL, ANALYZE) ' : ''}baton.${table}`)
    // The index keeps every word that it ever held, and pages of the table keep deleted rows: both get new files.
    await client.query('VACUUM (FULL, ANALYZE) baton.word')
    // The planner remembers common values.
    if (isSmall) await client.query('VACUUM (FULL) pg_statistic')
    const isLogClear = isSmall && (await clearLog(client))
    await client.query("SELECT set_config('statement_timeout', $1, false)", [limit])
    const left = isLogClear ? [] : [leftIn(isSmall ? 'the write-ahead log' : ALL_FILES)]
    return isSeen ? [HELD_BYTES, ...left] : left
  })
}

/** PostgreSQL keeps old files of the log for later, with their bytes: all are written over. */
async function clearLog(client: ClientBase): Promise<boolean> {
  if (!(await client.query(MAY_CLEAR)).rows[0].may) return false
  await client.query(NEXT_FILE)
  await client.query('CHECKPOINT')
  const [{ files, bytes }] = (await client.query(FILES)).rows
  if (bytes > MOST_REWRITTEN_BYTES) return false
  for (let file = 0; file < files; file += 1) await client.query(NEXT_FILE)
  return true
}
