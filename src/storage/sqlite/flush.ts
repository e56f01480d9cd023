import type { Writes } from '../loaded.ts'
import {
  changingIn,
  indexedColumns,
  keyOf,
  type Row,
  redactedRows,
  rowsOf,
  stubOf,
  type Written,
  writtenIn,
} from '../rows.ts'
import type { Redaction, SignedCheckpoint, Store, Tile, Tree } from '../store.ts'
import { EARLIEST_DUE } from './load.ts'
import type { Remembered } from './remembered.ts'
import type { Statements } from './statements.ts'

const SHIFT_DEPENDENTS = `UPDATE task SET open_deps = open_deps + ?
  WHERE uid IN (SELECT task FROM task_dep WHERE depends_on = ?)`

/** A new task lengthens the chains of its dependencies; the walk ends where a chain is as long already. */
const RAISE_CHAINS = `WITH RECURSIVE up (uid, height) AS (
    SELECT d.depends_on, t.height + 1 FROM task_dep d JOIN task t ON t.uid = d.task WHERE d.task = ?
    UNION
    SELECT d.depends_on, up.height + 1 FROM up JOIN task t ON t.uid = up.uid AND t.height < up.height
      JOIN task_dep d ON d.task = up.uid)
  UPDATE task SET height = r.height FROM (SELECT uid, max(height) AS height FROM up GROUP BY uid) AS r
  WHERE task.uid = r.uid AND task.height < r.height`

/** Writes everything that the units left, each row once. */
export function flush(db: Statements, writes: Writes, remembered: Remembered): void {
  // Shifts first: the counts of new tasks are right already.
  for (const { uid, by } of writes.dependents) db.run(SHIFT_DEPENDENTS, by, uid)
  for (const written of rowsOf(writes)) {
    for (const row of written.rows) remember(remembered, written.table, row)
    if (written.table === 'handoff' && written.mode === 'update') updateHandoffs(db, written, writes)
    else write(db, written)
  }
  for (const [uid, { depends_on }] of writes.newTasks) if (depends_on.length > 0) db.run(RAISE_CHAINS, uid)
  for (const [uid, at] of writes.seen)
    db.run('UPDATE notice SET seen_at = ? WHERE uid = ? AND seen_at IS NULL', at, uid)
  for (const redaction of writes.redactions) flushRedaction(db, redaction)
}

/** Bodies longer than a stub are whole. */
const PUT_AWAY = `UPDATE entry SET body = ?, disclosures = NULL
  WHERE id = ? AND coalesce(disclosures, '[]') = ? AND length(body) > 20`

const END_LIVE = 'DELETE FROM live WHERE at < ? OR (uid = ? AND attempt = ?)'

export function keepLive(db: Statements, ...[row, before]: Parameters<Store['keepLive']>): void {
  const { uid, attempt, at, text } = row
  if (text === undefined) db.run(END_LIVE, before, uid, attempt)
  else db.run('INSERT OR REPLACE INTO live VALUES (?, ?, ?, ?)', uid, attempt, at, text)
}

export const putAway = (db: Statements, entries: Parameters<Store['putAway']>[0]): number =>
  entries.reduce((sum, { id, index, disclosures = [] }) => {
    return sum + db.run(PUT_AWAY, Buffer.from(stubOf(index)), id, JSON.stringify(disclosures))
  }, 0)

function flushRedaction(db: Statements, redaction: Redaction): void {
  for (const { stream, seq, disclosures } of redaction.entries)
    db.run(
      'UPDATE entry SET disclosures = ? WHERE stream = ? AND seq = ?',
      JSON.stringify(disclosures),
      stream,
      seq,
    )
  for (const written of redactedRows(redaction)) write(db, written)
  for (const sha256 of redaction.blobs) db.run('DELETE FROM blob WHERE sha256 = ?', sha256)
  for (const uid of redaction.inputs) db.run(`UPDATE idem SET input_hash = '' WHERE subject = ?`, uid)
}

function remember(remembered: Remembered, table: string, row: Row): void {
  if (table === 'handoff' || table === 'content') remembered.put(`${table} ${row.uid}`, row.doc)
  else if (table === 'stream') remembered.put(`stream ${row.uid}`, row)
  else if (table === 'agent' || table === 'token') remembered.forget(`${table} ${row[keyOf(table)]}`)
  if (table === 'handoff' && typeof row.due_at === 'string') remembered.lower(EARLIEST_DUE, row.due_at)
}

/** SQLite rewrites every index that a column in the SET list belongs to, changed or not: so only what changed is set. */
function updateHandoffs(db: Statements, { rows }: Written, { oldHandoffs }: Writes): void {
  for (const row of rows) {
    const uid = String(row.uid)
    const old = oldHandoffs.get(uid)
    const before: Row = old ? indexedColumns(old) : {}
    const changed = changingIn('handoff').filter((column) => before[column] !== row[column])
    const set = changed.map((column) => `${column} = ?`).join(', ')
    db.run(`UPDATE handoff SET ${set} WHERE uid = ?`, ...changed.map((column) => row[column] ?? null), uid)
  }
}

function write(db: Statements, { mode, table, rows }: Written): void {
  const { sql, columns } = statementOf(mode, table)
  for (const row of rows) db.run(sql, ...columns.map((column) => row[column] ?? null))
}

const statements = new Map<string, { readonly sql: string; readonly columns: readonly string[] }>()

function statementOf(mode: Written['mode'], table: string) {
  const name = `${mode} ${table}`
  const known = statements.get(name)
  if (known) return known
  const made = mode === 'update' ? updateOf(table) : insertOf(table, mode === 'upsert')
  statements.set(name, made)
  return made
}

function updateOf(table: string) {
  const changed = changingIn(table)
  const set = changed.map((column) => `${column} = ?`).join(', ')
  return { sql: `UPDATE ${table} SET ${set} WHERE ${keyOf(table)} = ?`, columns: [...changed, keyOf(table)] }
}

/** The body of an entry is stored as the bytes that were hashed; equal bytes of two artifacts are stored once. */
function insertOf(table: string, isUpsert: boolean) {
  const columns = writtenIn(table)
  const cells = columns.map((column) => (column === 'body' ? 'CAST(? AS BLOB)' : '?'))
  const set = changingIn(table).map((column) => `${column} = excluded.${column}`)
  const conflict = isUpsert
    ? `ON CONFLICT (${keyOf(table)}) DO UPDATE SET ${set.join(', ')}`
    : table === 'blob' && 'ON CONFLICT DO NOTHING'
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${cells.join(', ')}) ${conflict || ''}`
  return { sql, columns }
}

/** Run within a transaction that holds the write lock. */
export function growTree(
  db: Statements,
  expectedSize: number,
  { size, last, edge }: Tree,
  tiles: readonly Tile[],
): boolean {
  if ((db.get('SELECT size FROM tree')?.size ?? 0) !== expectedSize) return false
  db.run(
    `INSERT INTO tree (one, size, last, edge) VALUES (1, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE SET size = excluded.size, last = excluded.last, edge = excluded.edge`,
    size,
    last,
    JSON.stringify(edge),
  )
  const put = `INSERT INTO tile (level, n, first, bytes) VALUES (?, ?, ?, ?)
    ON CONFLICT (level, n) DO UPDATE SET bytes = excluded.bytes`
  for (const { level, n, first, bytes } of tiles) db.run(put, level, n, first ?? null, bytes)
  return true
}

export function addCheckpoint(db: Statements, { size, at, note }: SignedCheckpoint): void {
  const put = 'INSERT INTO checkpoint (size, at, note) VALUES (?, ?, ?) ON CONFLICT (size) DO NOTHING'
  db.run(put, size, at, note)
}
