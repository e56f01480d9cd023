import { DatabaseSync } from 'node:sqlite'
import { BatonError } from '../domain/errors.ts'
import type { Stamp } from './tree.ts'

/** The file of one handoff as it was last agreed on: written by Baton, or an author's version that was taken in. */
export interface FileRow {
  readonly uid: string
  /** Relative to the live folder. */
  readonly path: string
  readonly rev: number
  readonly sha256: string
  /** While the handoff is open: what an author's change is compared with. */
  readonly text?: string
  readonly open: boolean
  /** `git`: a checkout left it so; it is brought up to date with the next change of the handoff. */
  readonly kept: 'ours' | 'git' | 'absent'
  readonly ended_at?: string
  /** What the folder's extra files say of it. */
  readonly facts: unknown
}

export interface FolderRow {
  /** How far the log was followed; absent before the first pass is through. */
  readonly cursor?: string
  /** What git had checked out at the last pass. */
  readonly head?: string
}

/** A file that was dealt with and need not be read again. */
export interface Look extends Stamp {
  readonly path: string
  readonly sha256: string
  /** When it was looked at: a change in the same instant would leave the same stamp. */
  readonly at: number
}

const SCHEMA = 1
const TABLES = `
  CREATE TABLE IF NOT EXISTS folder (path TEXT PRIMARY KEY, cursor TEXT, head TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS owner (id INTEGER PRIMARY KEY CHECK (id = 1), host TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS file (
    folder TEXT NOT NULL, uid TEXT NOT NULL, path TEXT NOT NULL, rev INTEGER NOT NULL, sha256 TEXT NOT NULL, text TEXT,
    open INTEGER NOT NULL, kept TEXT NOT NULL, ended_at TEXT, facts TEXT NOT NULL, PRIMARY KEY (folder, uid)) STRICT;
  CREATE INDEX IF NOT EXISTS file_path ON file (folder, path);
  CREATE INDEX IF NOT EXISTS file_open ON file (folder) WHERE open = 1;
  CREATE INDEX IF NOT EXISTS file_ended ON file (folder, ended_at) WHERE open = 0;
  CREATE TABLE IF NOT EXISTS wrote (
    folder TEXT NOT NULL, sha256 TEXT NOT NULL, uid TEXT NOT NULL, rev INTEGER NOT NULL,
    PRIMARY KEY (folder, sha256)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS look (
    folder TEXT NOT NULL, path TEXT NOT NULL, ino TEXT NOT NULL, size INTEGER NOT NULL, mtime TEXT NOT NULL,
    sha256 TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (folder, path)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS late (
    file TEXT PRIMARY KEY, folder TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
`

/** Another machine counts as gone when it has not been heard of for this long. */
const OWNER_GONE_MS = 5 * 60_000

/**
 * What this machine knows of its live folders. Nothing here is needed: a lost file is made again from the folders
 * and the engine.
 */
export class FolderState {
  readonly #db: DatabaseSync

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 5_000 })
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF')
    const version = Number(this.#db.prepare('PRAGMA user_version').get()?.user_version)
    if (version > SCHEMA) {
      this.#db.close()
      throw new BatonError('store_refused', `${file} was written by a newer Baton; use that one`, { file })
    }
    if (version < SCHEMA) this.#db.exec(`${TABLES} PRAGMA user_version = ${SCHEMA}`)
  }

  close(): void {
    this.#db.close()
  }

  /** All of it or nothing, and one wait for the disk instead of many. */
  together<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }

  /** One machine keeps the folders of a checkout: file locks do not reach another. */
  own(host: string, now: number): void {
    const row = this.#db.prepare('SELECT host, at FROM owner').get()
    if (row && row.host !== host && now - Number(row.at) < OWNER_GONE_MS)
      throw new BatonError(
        'not_allowed',
        `these folders are kept by another machine (${row.host}), heard of ${Math.round((now - Number(row.at)) / 1_000)} s ago; work there, or wait until it has been silent for five minutes`,
        { host: row.host },
      )
    this.#db.prepare('INSERT OR REPLACE INTO owner VALUES (1, ?, ?)').run(host, now)
  }

  folder(folder: string): FolderRow {
    const row = this.#db.prepare('SELECT cursor, head FROM folder WHERE path = ?').get(folder)
    return {
      ...(typeof row?.cursor === 'string' && { cursor: row.cursor }),
      ...(typeof row?.head === 'string' && { head: row.head }),
    }
  }

  putFolder(folder: string, { cursor, head }: FolderRow): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO folder (path, cursor, head) VALUES (?, ?, ?)')
      .run(folder, cursor ?? null, head ?? null)
  }

  file(folder: string, uid: string): FileRow | undefined {
    return toFile(this.#db.prepare('SELECT * FROM file WHERE folder = ? AND uid = ?').get(folder, uid))
  }

  fileAt(folder: string, path: string): FileRow | undefined {
    return toFile(this.#db.prepare('SELECT * FROM file WHERE folder = ? AND path = ?').get(folder, path))
  }

  putFile(folder: string, row: FileRow): void {
    this.#db
      .prepare(
        'INSERT OR REPLACE INTO file (folder, uid, path, rev, sha256, text, open, kept, ended_at, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        folder,
        row.uid,
        row.path,
        row.rev,
        row.sha256,
        row.open ? (row.text ?? null) : null,
        Number(row.open),
        row.kept,
        row.ended_at ?? null,
        JSON.stringify(row.facts ?? null),
      )
  }

  /** Open ones, and the newest of those that have ended. */
  *files(folder: string, ended: { readonly since: string; readonly limit: number }): Iterable<FileRow> {
    const open = this.#db.prepare('SELECT * FROM file WHERE folder = ? AND open = 1')
    for (const row of open.iterate(folder)) yield toFile(row)!
    const done = this.#db.prepare(
      'SELECT * FROM file WHERE folder = ? AND open = 0 AND ended_at >= ? ORDER BY ended_at DESC LIMIT ?',
    )
    for (const row of done.iterate(folder, ended.since, ended.limit)) yield toFile(row)!
  }

  /** Every file; for a doctor, who looks at all of them. */
  *all(folder: string): Iterable<FileRow> {
    for (const row of this.#db.prepare('SELECT * FROM file WHERE folder = ?').iterate(folder))
      yield toFile(row)!
  }

  forget(folder: string, uid: string): void {
    this.#db.prepare('DELETE FROM file WHERE folder = ? AND uid = ?').run(folder, uid)
  }

  /** Noted before the file is put in place, so that whoever finds it knows whose it is. */
  willWrite(folder: string, sha256: string, uid: string, rev: number): void {
    this.#db.prepare('INSERT OR REPLACE INTO wrote VALUES (?, ?, ?, ?)').run(folder, sha256, uid, rev)
  }

  wrote(folder: string, sha256: string): { readonly uid: string; readonly rev: number } | undefined {
    const row = this.#db
      .prepare('SELECT uid, rev FROM wrote WHERE folder = ? AND sha256 = ?')
      .get(folder, sha256)
    return row && { uid: String(row.uid), rev: Number(row.rev) }
  }

  looks(folder: string): Map<string, Look> {
    const rows = this.#db.prepare('SELECT * FROM look WHERE folder = ?').all(folder)
    return new Map(rows.map((row) => [String(row.path), row as unknown as Look]))
  }

  look(folder: string, path: string): Look | undefined {
    const row = this.#db.prepare('SELECT * FROM look WHERE folder = ? AND path = ?').get(folder, path)
    return row as unknown as Look | undefined
  }

  putLook(folder: string, { path, ino, size, mtime, sha256, at }: Look): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO look VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(folder, path, ino, size, mtime, sha256, at)
  }

  keepLate(folder: string, { file, path, sha256 }: Late, at: number): void {
    this.#db.prepare('INSERT OR REPLACE INTO late VALUES (?, ?, ?, ?, ?)').run(file, folder, path, sha256, at)
  }

  /** Replaced before this instant. */
  lateBefore(folder: string, at: number): readonly Late[] {
    const rows = this.#db.prepare('SELECT file, path, sha256 FROM late WHERE folder = ? AND at < ?')
    return rows.all(folder, at) as unknown as readonly Late[]
  }

  dropLate(file: string): void {
    this.#db.prepare('DELETE FROM late WHERE file = ?').run(file)
  }

  dropLook(folder: string, path: string): void {
    this.#db.prepare('DELETE FROM look WHERE folder = ? AND path = ?').run(folder, path)
  }
}

/** A file that was replaced while it was new, and what it said. */
export interface Late {
  readonly file: string
  readonly path: string
  readonly sha256: string
}

function toFile(row: Record<string, unknown> | undefined): FileRow | undefined {
  if (!row) return undefined
  return {
    uid: String(row.uid),
    path: String(row.path),
    rev: Number(row.rev),
    sha256: String(row.sha256),
    ...(typeof row.text === 'string' && { text: row.text }),
    open: row.open === 1,
    kept: row.kept as FileRow['kept'],
    ...(typeof row.ended_at === 'string' && { ended_at: row.ended_at }),
    facts: JSON.parse(String(row.facts)),
  }
}
