import { DatabaseSync } from 'node:sqlite'
import { BatonError } from '../../domain/errors.ts'
import { TABLES } from '../rows.ts'
import type { DumpRow } from '../store.ts'
import { toBatonError } from './errors.ts'
import { type Row, Statements } from './statements.ts'

/** Read through a connection of its own, where a transaction keeps the moment while others write. */
export function* dump(path: string, own: Statements): Iterable<DumpRow> {
  const apart = path === ':memory:' ? undefined : new DatabaseSync(path, { readOnly: true })
  try {
    apart?.exec('BEGIN')
    const statements = apart ? new Statements(apart) : own
    for (const [table, columns] of Object.entries(TABLES))
      for (const row of statements.iterate(`SELECT ${columns.join(', ')} FROM ${table}`))
        if (table !== 'meta' || row.key !== 'moved') yield { table, row: { ...row } }
  } catch (error) {
    throw toBatonError(error, path)
  } finally {
    apart?.close()
  }
}

/** Rows arrive one by one, the transaction is one: all of it is there afterwards or nothing. */
export async function gather(rows: AsyncIterable<DumpRow>): Promise<readonly DumpRow[]> {
  const all: DumpRow[] = []
  for await (const row of rows) {
    if (!TABLES[row.table])
      throw new BatonError('invalid_input', `a backup holds an unknown table ${row.table}`, {
        table: row.table,
      })
    all.push(row)
  }
  return all
}

export function putRows(statements: Statements, path: string, all: readonly DumpRow[]): void {
  refuseUsed(statements, path)
  for (const { table, row } of all) {
    const columns = TABLES[table] ?? []
    // The versions that a schema demands of programs belong to this file, not to the copy.
    if (table === 'meta' && String(row.key).startsWith('least_')) continue
    statements.run(
      `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ...columns.map((column) => (row as Row)[column] ?? null),
    )
  }
}

function refuseUsed(statements: Statements, path: string): void {
  const tables = ['handoff', 'task', 'agent', 'entry']
  const found = tables.map((table) => `SELECT 1 FROM ${table}`).join(' UNION ALL ')
  if (statements.get(`SELECT 1 AS found WHERE EXISTS (${found})`))
    throw new BatonError('conflict', `${path} is not empty; restore into a new store`, { file: path })
}
