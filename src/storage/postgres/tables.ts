import { changingIn, keyOf, type Row, TABLES } from '../rows.ts'
import { type Call, call, type Statement } from './connection/round-trip.ts'

/** Columns that are not text. */
const TYPES: Readonly<Record<string, string>> = {
  open: 'integer',
  rank: 'integer',
  critical: 'integer',
  level: 'integer',
  open_deps: 'integer',
  height: 'integer',
  rev: 'integer',
  value: 'bigint',
  seq: 'bigint',
  progress_seq: 'bigint',
  size: 'bigint',
  last: 'bigint',
  n: 'bigint',
  first: 'bigint',
  body: 'bytea',
  bytes: 'bytea',
}

/**
 * A field of a document. PostgreSQL cannot take apart JSON that holds certain escapes (`\u0000`, half a surrogate
 * pair), and one such document must not fail what is asked of all of them.
 */
export const fieldOf = (name: string): string =>
  `((CASE strpos(doc, '\\u') WHEN 0 THEN doc ELSE replace(replace(doc, '\\\\', ''), '\\u', 'u') END)::json ->> '${name}')`

export function typeOf(table: string, column: string): string {
  if (table === 'meta') return 'text'
  return table === 'entry' && column === 'id' ? 'bigint' : (TYPES[column] ?? 'text')
}

/** Writes all rows of a table with one statement: an array for each column. */
export interface Insert {
  readonly columns: readonly string[]
  readonly statement: Statement
}

/**
 * An insert of these columns, by default all. Arrays are taken apart in the list of columns, side by side and row by
 * row: behind FROM each would be a table of its own first. So rows keep their order, and with it the numbers they are
 * given.
 */
export function insertInto(table: string, columns = TABLES[table] ?? [], conflict = ''): Insert {
  const cells = columns.map((column, i) => `unnest($${i + 2}::${typeOf(table, column)}[])`)
  const text = `INSERT INTO baton.${table} (ws, ${columns.join(', ')})
    SELECT $1::integer, ${cells.join(', ')} ${conflict}`
  return {
    columns,
    statement: { name: `${conflict ? 'upsert' : 'insert'}_${table}_${columns.length}`, text },
  }
}

/** Changes rows that are locked, each looked up by its key. `how` says what is written where it is not the cell. */
export function changeIn(
  table: string,
  changed = changingIn(table),
  how: Readonly<Record<string, string>> = {},
): Insert {
  const columns = ['uid', ...changed]
  const cells = columns.map((column, i) => `unnest($${i + 2}::${typeOf(table, column)}[]) AS ${column}`)
  const set = changed.map((column) => `${column} = ${how[column] ?? `k.${column}`}`)
  const text = `UPDATE baton.${table} AS r SET ${set.join(', ')}
    FROM (SELECT $1::integer AS ws, ${cells.join(', ')}) AS k WHERE ${IN_WORKSPACE} AND r.uid = k.uid`
  return { columns, statement: { name: `change_${table}`, text } }
}

/**
 * That a row (`r`) is of the workspace of one that is given (`k`), in words by which it can only be looked up, for each
 * of those that are given. With a plain `=` the planner may begin with all rows of all workspaces, in the order of an
 * index; it does so while a table is small, and plans are kept.
 */
export const IN_WORKSPACE = 'r.ws = ANY (ARRAY[k.ws])'

/**
 * Writes whole rows, new ones and changed ones: of a row that is there only some columns change. Written as an
 * insert because that finds each row by its key, whatever the planner believes about the size of the table.
 */
export function upsertInto(table: string): Insert {
  const set = changingIn(table).map((column) => `${column} = excluded.${column}`)
  const conflict = `ON CONFLICT (ws, ${keyOf(table)}) DO UPDATE SET ${set.join(', ')}`
  return insertInto(table, TABLES[table], conflict)
}

export const fill = ({ statement, columns }: Insert, ws: number, rows: readonly Row[]): Call =>
  call(statement, ws, ...columns.map((column) => rows.map((row) => row[column] ?? null)))

/** Rows as arrays, one for each of these columns. */
export const columnsOf = <T, K extends keyof T>(rows: readonly T[], ...columns: readonly K[]) =>
  columns.map((column) => rows.map((row) => row[column]))
