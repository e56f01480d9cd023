import type { SignedCheckpoint, Tile, Tree } from '../../store.ts'
import type { Ask } from '../connection/ask.ts'
import { columnsOf } from '../tables.ts'

/**
 * Of two sequencers at work, the second waits for the row, finds another size in it and changes nothing: the
 * first has done it.
 */
const GROW = `WITH grown AS (
    INSERT INTO baton.tree (ws, size, last, edge)
    SELECT $1::integer, $3::bigint, $4::bigint, $5::text
    WHERE $2::bigint = 0 OR EXISTS (SELECT FROM baton.tree WHERE ws = $1)
    ON CONFLICT (ws) DO UPDATE SET size = excluded.size, last = excluded.last, edge = excluded.edge
    WHERE baton.tree.size = $2::bigint RETURNING 1),
  put AS (
    INSERT INTO baton.tile (ws, level, n, first, bytes)
    SELECT $1::integer, level, n, first, bytes
    FROM unnest($6::integer[], $7::bigint[], $8::bigint[], $9::bytea[]) AS t (level, n, first, bytes)
    WHERE EXISTS (SELECT FROM grown)
    ON CONFLICT (ws, level, n) DO UPDATE SET bytes = excluded.bytes)
  SELECT count(*) FROM grown`

export async function growTree(
  ask: Ask,
  expectedSize: number,
  { size, last, edge }: Tree,
  tiles: readonly Tile[],
): Promise<boolean> {
  const [row] = await ask(
    'grow_tree',
    GROW,
    expectedSize,
    size,
    last,
    JSON.stringify(edge),
    ...columnsOf(tiles, 'level', 'n'),
    tiles.map((tile) => tile.first ?? null),
    tiles.map((tile) => tile.bytes),
  )
  return row?.[0] === '1'
}

export async function addCheckpoint(ask: Ask, { size, at, note }: SignedCheckpoint): Promise<void> {
  const text = `INSERT INTO baton.checkpoint (ws, size, at, note) VALUES ($1, $2::bigint, $3, $4)
    ON CONFLICT (ws, size) DO NOTHING`
  await ask('add_checkpoint', text, size, at, note)
}
