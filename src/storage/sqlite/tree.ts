import type { SQLInputValue } from 'node:sqlite'
import type { AuditSession } from '../../domain/audit-session.ts'
import { toPage } from '../page.ts'
import type { Page, PageRequest, SessionFilter, SignedCheckpoint, Tile, Tree } from '../store.ts'
import type { Row, Statements } from './statements.ts'

const TILE = 'level, n, first, bytes'

/** The tree over the log, its checkpoints, and the audit sessions. */
export class SqliteTree {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  tree(): Tree & { newest: number } {
    const newest = (this.#db.get('SELECT max(id) AS id FROM entry')?.id as number | null) ?? 0
    const row = this.#db.get('SELECT size, last, edge FROM tree')
    if (!row) return { size: 0, last: 0, edge: [], newest }
    const { size, last, edge } = row
    return { size: size as number, last: last as number, edge: JSON.parse(edge as string), newest }
  }

  /** Run within a transaction that holds the write lock. */
  grow(expectedSize: number, { size, last, edge }: Tree, tiles: readonly Tile[]): boolean {
    if (this.tree().size !== expectedSize) return false
    this.#db.run(
      `INSERT INTO tree (one, size, last, edge) VALUES (1, ?, ?, ?)
       ON CONFLICT (one) DO UPDATE SET size = excluded.size, last = excluded.last, edge = excluded.edge`,
      size,
      last,
      JSON.stringify(edge),
    )
    for (const tile of tiles)
      this.#db.run(
        `INSERT INTO tile (${TILE}) VALUES (?, ?, ?, ?) ON CONFLICT (level, n) DO UPDATE SET bytes = excluded.bytes`,
        tile.level,
        tile.n,
        tile.first ?? null,
        tile.bytes,
      )
    return true
  }

  tiles(level: number, first: number, count: number): readonly Tile[] {
    return this.#db
      .all(`SELECT ${TILE} FROM tile WHERE level = ? AND n >= ? ORDER BY n LIMIT ?`, level, first, count)
      .map(toTile)
  }

  tileOfEntry(id: number): Tile | undefined {
    if (id > this.tree().last) return undefined
    const row = this.#db.get(
      `SELECT ${TILE} FROM tile WHERE first IS NOT NULL AND first <= ? ORDER BY first DESC LIMIT 1`,
      id,
    )
    return row && toTile(row)
  }

  checkpoints(before: number | undefined, limit: number): readonly SignedCheckpoint[] {
    return this.#db
      .all(
        'SELECT size, at, note FROM checkpoint WHERE size < ? ORDER BY size DESC LIMIT ?',
        before ?? Number.MAX_SAFE_INTEGER,
        limit,
      )
      .map((row) => ({ ...row }) as unknown as SignedCheckpoint)
  }

  addCheckpoint({ size, at, note }: SignedCheckpoint): void {
    this.#db.run(
      'INSERT INTO checkpoint (size, at, note) VALUES (?, ?, ?) ON CONFLICT (size) DO NOTHING',
      size,
      at,
      note,
    )
  }

  session(ref: string): AuditSession | undefined {
    const row =
      this.#db.get('SELECT doc FROM audit_session WHERE uid = ?', ref) ??
      this.#db.get('SELECT doc FROM audit_session WHERE id = ?', ref)
    return row && toSession(row)
  }

  sessions({ by, state }: SessionFilter, { limit, cursor }: PageRequest): Page<AuditSession> {
    const where: string[] = []
    const values: SQLInputValue[] = []
    if (by !== undefined) {
      where.push('by_agent = ?')
      values.push(by)
    }
    if (state) {
      where.push(`state IN (${state.map(() => '?').join(', ')})`)
      values.push(...state)
    }
    if (cursor !== undefined) {
      where.push('uid < ?')
      values.push(cursor)
    }
    const rows = this.#db.all(
      `SELECT doc FROM audit_session ${where.length ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY uid DESC LIMIT ?`,
      ...values,
      limit + 1,
    )
    return toPage(rows.map(toSession), limit, ({ uid }) => uid)
  }
}

const toSession = (row: Row): AuditSession => JSON.parse(row.doc as string)

const toTile = ({ level, n, first, bytes }: Row): Tile => ({
  level: level as number,
  n: n as number,
  ...(first !== null && { first: first as number }),
  bytes: bytes as Uint8Array,
})
