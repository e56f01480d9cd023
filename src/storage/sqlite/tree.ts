import type { SignedCheckpoint, Tile, Tree } from '../store.ts'
import type { Statements } from './statements.ts'

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
