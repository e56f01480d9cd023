import { TABLES } from '../rows.ts'
import { type Call, call, type Statement } from './round-trip.ts'

export type Cell = string | number | null | Uint8Array
export type Row = Readonly<Record<string, Cell>>

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

export function typeOf(table: string, column: string): string {
  if (table === 'meta') return 'text'
  return table === 'entry' && column === 'id' ? 'bigint' : (TYPES[column] ?? 'text')
}

/** Tables whose rows are remembered: a write answers where each stands now, in the order in which they were given. */
const VERSIONED = new Set(['handoff', 'content', 'stream'])

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
export function insertInto(table: string, without: readonly string[] = [], conflict = ''): Insert {
  const columns = (TABLES[table] ?? []).filter((column) => !without.includes(column))
  const cells = columns.map((column, i) => `unnest($${i + 2}::${typeOf(table, column)}[])`)
  const versions = VERSIONED.has(table) ? 'RETURNING ctid' : ''
  const text = `INSERT INTO baton.${table} (ws, ${columns.join(', ')})
    SELECT $1::integer, ${cells.join(', ')} ${conflict} ${versions}`
  return {
    columns,
    statement: { name: `${conflict ? 'upsert' : 'insert'}_${table}_${columns.length}`, text },
  }
}

/**
 * Writes whole rows, new ones and changed ones: of a row that is there only these columns change. Written as an
 * insert because that finds each row by its key, whatever the planner believes about the size of the table.
 */
export function upsertInto(table: string, changed: readonly string[]): Insert {
  const set = changed.map((column) => `${column} = excluded.${column}`)
  return insertInto(table, [], `ON CONFLICT (ws, uid) DO UPDATE SET ${set.join(', ')}`)
}

export const fill = ({ statement, columns }: Insert, ws: number, rows: readonly Row[]): Call =>
  call(statement, ws, ...columns.map((column) => rows.map((row) => row[column] ?? null)))
