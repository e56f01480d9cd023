import type { AuditSession } from '../../../domain/audit-session.ts'
import { toPage } from '../../page.ts'
import type { Page, PageRequest, SessionFilter, SignedCheckpoint, Tile, Tree } from '../../store.ts'
import type { Ask } from '../connection/ask.ts'
import type { Rows } from '../connection/round-trip.ts'

const TILE = `level, n, first, encode(bytes, 'hex')`

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

/** The tree over the log, its checkpoints, and the audit sessions. */
export class PostgresTree {
  readonly #ask: Ask

  constructor(ask: Ask) {
    this.#ask = ask
  }

  async tree(): Promise<Tree & { newest: number }> {
    const text = `SELECT (SELECT max(id) FROM baton.entry WHERE ws = $1), t.size, t.last, t.edge
      FROM (SELECT 1) AS one LEFT JOIN baton.tree t ON t.ws = $1`
    const [row] = await this.#ask('tree', text)
    const [newest, size, last, edge] = row ?? []
    return {
      size: Number(size ?? 0),
      last: Number(last ?? 0),
      edge: edge ? JSON.parse(edge) : [],
      newest: Number(newest ?? 0),
    }
  }

  async grow(expectedSize: number, { size, last, edge }: Tree, tiles: readonly Tile[]): Promise<boolean> {
    const [row] = await this.#ask(
      'grow_tree',
      GROW,
      expectedSize,
      size,
      last,
      JSON.stringify(edge),
      tiles.map((tile) => tile.level),
      tiles.map((tile) => tile.n),
      tiles.map((tile) => tile.first ?? null),
      tiles.map((tile) => tile.bytes),
    )
    return row?.[0] === '1'
  }

  async tiles(level: number, first: number, count: number): Promise<readonly Tile[]> {
    const text = `SELECT ${TILE} FROM baton.tile WHERE ws = $1 AND level = $2::integer AND n >= $3::bigint
      ORDER BY n LIMIT $4::integer`
    return toTiles(await this.#ask('tiles', text, level, first, count))
  }

  async tileOfEntry(id: number): Promise<Tile | undefined> {
    const text = `SELECT ${TILE} FROM baton.tile WHERE ws = $1 AND first IS NOT NULL AND first <= $2::bigint
      AND $2::bigint <= (SELECT last FROM baton.tree WHERE ws = $1) ORDER BY first DESC LIMIT 1`
    return toTiles(await this.#ask('tile_of_entry', text, id))[0]
  }

  async checkpoints(before: number | undefined, limit: number): Promise<readonly SignedCheckpoint[]> {
    const text = `SELECT size, at, note FROM baton.checkpoint WHERE ws = $1 AND size < $2::bigint
      ORDER BY size DESC LIMIT $3::integer`
    const rows = await this.#ask('checkpoints', text, before ?? Number.MAX_SAFE_INTEGER, limit)
    return rows.map(([size, at, note]) => ({ size: Number(size), at: at!, note: note! }))
  }

  async addCheckpoint({ size, at, note }: SignedCheckpoint): Promise<void> {
    const text = `INSERT INTO baton.checkpoint (ws, size, at, note) VALUES ($1, $2::bigint, $3, $4)
      ON CONFLICT (ws, size) DO NOTHING`
    await this.#ask('add_checkpoint', text, size, at, note)
  }

  async session(ref: string): Promise<AuditSession | undefined> {
    const text = `SELECT doc FROM baton.audit_session WHERE ws = $1 AND uid = $2
      UNION ALL SELECT doc FROM baton.audit_session WHERE ws = $1 AND id = $2 LIMIT 1`
    return toSessions(await this.#ask('session', text, ref))[0]
  }

  async sessions({ by, state }: SessionFilter, { limit, cursor }: PageRequest): Promise<Page<AuditSession>> {
    const text = `SELECT doc FROM baton.audit_session WHERE ws = $1 AND ($2::text IS NULL OR by_agent = $2)
      AND ($3::text[] IS NULL OR state = ANY ($3)) AND ($4::text IS NULL OR uid < $4)
      ORDER BY uid DESC LIMIT $5::integer`
    const rows = await this.#ask(undefined, text, by ?? null, state ?? null, cursor ?? null, limit + 1)
    return toPage(toSessions(rows), limit, ({ uid }) => uid)
  }
}

const toSessions = (rows: Rows): readonly AuditSession[] => rows.map(([doc]) => JSON.parse(doc!))

const toTiles = (rows: Rows): readonly Tile[] =>
  rows.map(([level, n, first, hex]) => ({
    level: Number(level),
    n: Number(n),
    ...(first != null && { first: Number(first) }),
    bytes: new Uint8Array(Buffer.from(hex!, 'hex')),
  }))
