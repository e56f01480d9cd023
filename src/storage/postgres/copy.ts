import type { ClientBase } from 'pg'
import { BatonError } from '../../domain/errors.ts'
import { type Cell, NUMBERED, type Row, staysBehind, TABLES } from '../rows.ts'
import type { DumpRow } from '../store.ts'
import { type Connections, withClient } from './connection/connect.ts'
import { toBatonError } from './connection/errors.ts'
import { call, roundTrip } from './connection/round-trip.ts'
import { dueIn } from './leases.ts'
import { LOCK } from './migrate.ts'
import { addParties } from './migrations/0004-parties.ts'
import { addLists } from './migrations/0006-lists.ts'
import { fill, insertInto, typeOf } from './tables.ts'
import { sequenceOf } from './workspace.ts'

const ROWS_AT_ONCE = 500
/** Large values (blobs) are sent when this much has gathered, so that a copy fits into memory. */
const BYTES_AT_ONCE = 8_000_000
/** Kept by the database and its number here, not by a table. */
const APART = new Set(['meta', 'counter'])
const PATIENT =
  'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'

/** Every row of the workspace as it was at one moment. */
export async function* dump(connections: Connections, ws: number): AsyncGenerator<DumpRow> {
  const { connect, location } = connections
  const client = await connect('writes').catch((error: unknown) => {
    throw toBatonError(error, location)
  })
  let isDone = false
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${PATIENT}`)
    yield* dumpApart(client, ws)
    for (const [table, columns] of Object.entries(TABLES)) {
      if (APART.has(table)) continue
      const types = columns.map((column) => typeOf(table, column))
      const cells = columns.map((column, i) => (types[i] === 'bytea' ? `encode(${column}, 'hex')` : column))
      await client.query(
        `DECLARE rows NO SCROLL CURSOR FOR SELECT ${cells.join(', ')} FROM baton.${table} WHERE ws = ${ws} ORDER BY 1, 2`,
      )
      for (;;) {
        const [rows] = await roundTrip(client, [call({ text: `FETCH ${ROWS_AT_ONCE} FROM rows` })])
        if (!rows || rows.length === 0) break
        for (const row of rows) {
          const values = columns.map((column, i) => [column, toCell(row[i] ?? null, types[i]!)])
          const found: Row = Object.fromEntries(values)
          yield { table, row: table === 'handoff' ? { ...found, due_at: dueIn(String(found.doc)) } : found }
        }
      }
      await client.query('CLOSE rows')
    }
    await client.query('COMMIT')
    isDone = true
  } catch (error) {
    throw toBatonError(error, location)
  } finally {
    // A reader that stops early leaves a transaction open: such a connection is not used again.
    client.release(!isDone)
  }
}

async function* dumpApart(client: ClientBase, ws: number): AsyncGenerator<DumpRow> {
  const meta = await client.query(
    `SELECT key, value FROM baton.meta WHERE ws = $1 AND key !~ '^(moved$|flow )' ORDER BY key`,
    [ws],
  )
  for (const row of meta.rows) yield { table: 'meta', row }
  const { rows } = await client.query(`SELECT last_value, is_called FROM ${sequenceOf(ws)}`)
  if (rows[0].is_called)
    yield { table: 'counter', row: { name: 'handoff', value: Number(rows[0].last_value) } }
}

/** Takes a dump into an empty workspace, all of it or nothing; answers how many rows and the origin of the log. */
export function restore(
  connections: Connections,
  ws: number,
  rows: AsyncIterable<DumpRow>,
): Promise<{ count: number; origin: string }> {
  return withClient(connections, 'writes', async (client) => {
    // One at a time: two that have written would wait for each other when they lock the tables.
    await client.query(
      `BEGIN; ${PATIENT}; SET LOCAL baton.lists = later; SELECT pg_advisory_xact_lock(${LOCK})`,
    )
    await refuseUsed(client, ws)
    let count = 0
    for await (const { table, batch } of batches(rows)) {
      count += batch.length
      if (APART.has(table)) await restoreApart(client, ws, batch)
      else await roundTrip(client, [fill(insertInto(table), ws, batch)])
    }
    await client.query(addParties('h.ws = $1'), [ws])
    await client.query(addLists(`h.ws = ${ws}`))
    await moveNumbers(client, ws)
    // Last, as every transaction locks it.
    await client.query(
      `UPDATE baton.workspace SET uuid = value FROM baton.meta WHERE id = $1 AND ws = $1 AND key = 'workspace_uuid'`,
      [ws],
    )
    const origin = await client.query(`SELECT value FROM baton.meta WHERE ws = $1 AND key = 'origin'`, [ws])
    await client.query('COMMIT')
    return { count, origin: origin.rows[0].value }
  })
}

async function refuseUsed(client: ClientBase, ws: number): Promise<void> {
  const tables = ['handoff', 'task', 'agent', 'entry']
  const found = tables.map((table) => `EXISTS (SELECT FROM baton.${table} WHERE ws = $1)`)
  const { rows } = await client.query(`SELECT ${found.join(' OR ')} AS used`, [ws])
  const way = 'name a new one: --workspace of store move, or workspace in baton.yaml'
  if (rows[0].used) throw new BatonError('conflict', `this workspace is not empty; ${way}`)
}

async function restoreApart(client: ClientBase, ws: number, batch: readonly Row[]): Promise<void> {
  for (const row of batch) {
    if (row.name === 'handoff')
      await client.query('SELECT setval($1::regclass, $2)', [sequenceOf(ws), row.value])
    if (row.key === undefined || staysBehind({ table: 'meta', row })) continue
    await client.query(
      `INSERT INTO baton.meta (ws, key, value) VALUES ($1, $2, $3)
       ON CONFLICT (ws, key) DO UPDATE SET value = excluded.value`,
      [ws, row.key, row.value],
    )
  }
}

/** Entries, records and blocks keep their numbers; the next ones must be higher, whoever makes them. */
async function moveNumbers(client: ClientBase, ws: number): Promise<void> {
  // Nobody may take a number between the look and the move. In the order in which every transaction writes them.
  await client.query('LOCK TABLE baton.entry, baton.record, baton.block IN SHARE ROW EXCLUSIVE MODE')
  for (const [table, column] of Object.entries(NUMBERED))
    await client.query(
      `SELECT setval(name, highest) FROM (
         SELECT pg_get_serial_sequence('baton.${table}', '${column}')::regclass AS name, max(${column}) AS highest
         FROM baton.${table} WHERE ws = $1) AS n
       WHERE highest > coalesce(pg_sequence_last_value(name), 0)`,
      [ws],
    )
}

/** Rows of one table that follow each other, a few hundred at a time. */
async function* batches(rows: AsyncIterable<DumpRow>): AsyncGenerator<{ table: string; batch: Row[] }> {
  let table = ''
  let batch: Row[] = []
  let bytes = 0
  for await (const { table: next, row } of rows) {
    if (!(next in TABLES))
      throw new BatonError('invalid_input', `a backup holds an unknown table ${next}`, { table: next })
    if (batch.length > 0 && (next !== table || batch.length >= ROWS_AT_ONCE || bytes >= BYTES_AT_ONCE)) {
      yield { table, batch }
      batch = []
      bytes = 0
    }
    table = next
    // A dump holds the values that `toCell` and the other engine give.
    batch.push(row as Row)
    for (const value of Object.values(row))
      bytes += typeof value === 'string' ? value.length : value instanceof Uint8Array ? value.length * 2 : 8
  }
  if (batch.length > 0) yield { table, batch }
}

function toCell(text: string | null, type: string): Cell {
  if (text === null || type === 'text') return text
  return type === 'bytea' ? new Uint8Array(Buffer.from(text, 'hex')) : Number(text)
}
