import { DatabaseSync } from 'node:sqlite'
import { BatonError } from '../../domain/errors.ts'
import { staysBehind, TABLES } from '../rows.ts'
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
        if (table !== 'meta' || !/^(moved$|flow )/.test(String(row.key))) yield { table, row: { ...row } }
  } catch (error) {
    throw toBatonError(error, path)
  } finally {
    apart?.close()
  }
}

/** Rows are put as they come: memory does not grow with the store. The caller's transaction makes it all or nothing. */
export async function putRows(
  statements: Statements,
  path: string,
  rows: AsyncIterable<DumpRow>,
): Promise<number> {
  refuseUsed(statements, path)
  let count = 0
  for await (const each of rows) {
    const { table, row } = each
    const columns = TABLES[table]
    if (!columns) throw new BatonError('invalid_input', `a backup holds an unknown table ${table}`, { table })
    count += 1
    if (staysBehind(each)) continue
    statements.run(
      `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ...columns.map((column) => (row as Row)[column] ?? null),
    )
  }
  // Nothing was counted here that old rows could make wrong.
  statements.run(`DELETE FROM facet WHERE key > '+' AND key < ','`)
  return count
}

function refuseUsed(statements: Statements, path: string): void {
  const tables = ['handoff', 'task', 'agent', 'entry']
  const found = tables.map((table) => `SELECT 1 FROM ${table}`).join(' UNION ALL ')
  if (statements.get(`SELECT 1 AS found WHERE EXISTS (${found})`))
    throw new BatonError('conflict', `${path} is not empty; restore into a new store`, { file: path })
}
