import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { BatonError, notAllowed } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import { inoOf } from './files/lock.ts'
import { SAME_INSTANT_MS, type Stamp } from './files/tree.ts'
import { baseName } from './work.ts'

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
  /** Baton has looked into it before, or made it. */
  readonly isSeen?: boolean
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

const SCHEMA = 2
/** The revision of a version that Baton did not write. */
const REPLACED = -1
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
    sha256 TEXT NOT NULL, at INTEGER NOT NULL, settled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (folder, path)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS look_unsettled ON look (folder, path) WHERE settled = 0;
  CREATE TABLE IF NOT EXISTS stamp (
    folder TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL, at INTEGER NOT NULL, cost REAL NOT NULL,
    PRIMARY KEY (folder, path)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS late (
    file TEXT PRIMARY KEY, folder TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
`

/** One that was not new when it was looked at, and whose handoff has ended with exactly these bytes. */
const SETTLED = `(?7 > CAST(?5 AS INTEGER) / 1000000 + ${SAME_INSTANT_MS} AND EXISTS (
  SELECT 1 FROM file WHERE folder = ?1 AND path = ?2 AND open = 0 AND sha256 = ?6))`
const BELOW = 'WHERE folder = ? AND path >= ? AND path < ?'

/** Another machine counts as gone when it has not been heard of for this long. */
const OWNER_GONE_MS = 5 * 60_000
const OWNER_SAYS_MS = 30_000

/**
 * What this machine knows of its live folders. Nothing here is needed: a lost file is made again from the folders
 * and the engine.
 */
export class FolderState {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #ino: number | undefined
  readonly #statements = new Map<string, StatementSync>()
  readonly #soon: (() => void)[] = []
  #written: Promise<void> | undefined

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 5_000 })
    this.#file = file
    // What an old row said must not stay in the file: texts are redacted for good.
    this.#db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON',
    )
    const version = Number(this.#sql('PRAGMA user_version').get()?.user_version)
    if (version > SCHEMA) {
      this.#db.close()
      throw new BatonError('store_refused', `${file} was written by a newer Baton; use that one`, { file })
    }
    // Nothing of the first form has to be kept but the texts that were agreed on: files are looked at once more.
    if (version === 1) this.#db.exec('DROP TABLE look')
    if (version < SCHEMA) this.#db.exec(`${TABLES} PRAGMA user_version = ${SCHEMA}`)
    this.#ino = inoOf(file)
  }

  /** Somebody took the file away: it is made again, and this one is no longer it. */
  get isGone(): boolean {
    return inoOf(this.#file) !== this.#ino
  }

  /** Compiled once: a pass asks the same questions for every file. */
  #sql(text: string): StatementSync {
    const known = this.#statements.get(text) ?? this.#db.prepare(text)
    this.#statements.set(text, known)
    return known
  }

  close(): void {
    this.#db.close()
  }

  /** Rewrites the whole file, then empties the log of pages beside it: both held the old rows. */
  scrub(): void {
    this.#db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
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

  /** The same with the rows of all who ask for it in one turn of the event loop. */
  soon(work: () => void): Promise<void> {
    this.#soon.push(work)
    this.#written ??= new Promise(setImmediate).then(() => {
      this.#written = undefined
      const all = this.#soon.splice(0)
      this.together(() => all.map((each) => each()))
    })
    return this.#written
  }

  /** One machine keeps the folders of a checkout: file locks do not reach another. */
  own(host: string, now: number): void {
    const row = this.#sql('SELECT host, at FROM owner').get()
    if (row && row.host !== host && now - Number(row.at) < OWNER_GONE_MS)
      throw notAllowed(
        `another machine (${row.host}) syncs these folders, last seen ${Math.round((now - Number(row.at)) / 1_000)} s ago; work there, or stop it and wait five minutes`,
        { host: row.host },
      )
    // Said now and then is enough, and spares every pass a write.
    if (row?.host !== host || Math.abs(now - Number(row.at)) > OWNER_SAYS_MS)
      this.#sql('INSERT OR REPLACE INTO owner VALUES (1, ?, ?)').run(host, now)
  }

  folder(folder: string): FolderRow {
    const row = this.#sql('SELECT cursor, head FROM folder WHERE path = ?').get(folder)
    const [cursor, head] = [row?.cursor, row?.head] as (string | null | undefined)[]
    return { isSeen: row !== undefined, ...present({ cursor: cursor ?? undefined, head: head ?? undefined }) }
  }

  putFolder(folder: string, { cursor, head }: FolderRow): void {
    const sql = 'INSERT OR REPLACE INTO folder (path, cursor, head) VALUES (?, ?, ?)'
    this.#sql(sql).run(folder, cursor ?? null, head ?? null)
  }

  file(folder: string, uid: string): FileRow | undefined {
    return toFile(this.#sql('SELECT * FROM file WHERE folder = ? AND uid = ?').get(folder, uid))
  }

  fileAt(folder: string, path: string): FileRow | undefined {
    return toFile(this.#sql('SELECT * FROM file WHERE folder = ? AND path = ?').get(folder, path))
  }

  putFile(folder: string, row: FileRow): void {
    this.#sql(
      'INSERT OR REPLACE INTO file (folder, uid, path, rev, sha256, text, open, kept, ended_at, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(
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
    const open = this.#sql('SELECT * FROM file WHERE folder = ? AND open = 1')
    for (const row of open.iterate(folder)) yield toFile(row)!
    const done = this.#sql(
      'SELECT * FROM file WHERE folder = ? AND open = 0 AND ended_at >= ? ORDER BY ended_at DESC LIMIT ?',
    )
    for (const row of done.iterate(folder, ended.since, ended.limit)) yield toFile(row)!
  }

  /** Every file; for a doctor, who looks at all of them. */
  *all(folder: string): Iterable<FileRow> {
    for (const row of this.#sql('SELECT * FROM file WHERE folder = ?').iterate(folder)) yield toFile(row)!
  }

  /** Noted before the file is put in place, so that whoever finds it knows whose it is. */
  willWrite(folder: string, sha256: string, uid: string, rev: number): void {
    this.#sql('INSERT OR REPLACE INTO wrote VALUES (?, ?, ?, ?)').run(folder, sha256, uid, rev)
  }

  /** Noted before an author's version is taken away: if the process dies meanwhile, it is not somebody's late text. */
  willReplace(folder: string, sha256: string, uid: string): void {
    this.#sql(`INSERT OR IGNORE INTO wrote VALUES (?, ?, ?, ${REPLACED})`).run(folder, sha256, uid)
  }

  /** The handoff of a version that Baton wrote or dealt with. */
  knows(folder: string, sha256: string): string | undefined {
    const row = this.#sql('SELECT uid FROM wrote WHERE folder = ? AND sha256 = ?').get(folder, sha256)
    return row && String(row.uid)
  }

  wrote(folder: string, sha256: string): { readonly uid: string; readonly rev: number } | undefined {
    const sql = `SELECT uid, rev FROM wrote WHERE folder = ? AND sha256 = ? AND rev <> ${REPLACED}`
    const row = this.#sql(sql).get(folder, sha256)
    return row && { uid: String(row.uid), rev: Number(row.rev) }
  }

  /** What a folder was like when it was last listed, and how many milliseconds that took. */
  stamp(folder: string, path: string): Listed | undefined {
    const row = this.#sql('SELECT * FROM stamp WHERE folder = ? AND path = ?').get(folder, path)
    return row && { stamp: String(row.stamp), at: Number(row.at), cost: Number(row.cost) }
  }

  putStamp(folder: string, path: string, { stamp, at, cost }: Listed): void {
    this.#sql('INSERT OR REPLACE INTO stamp VALUES (?, ?, ?, ?, ?)').run(folder, path, stamp, at, cost)
  }

  /** Of the files in one folder, by path. */
  looksIn(folder: string, path: string): Map<string, Look> {
    const rows = this.#sql(`SELECT * FROM look ${BELOW}`).all(folder, `${path}/`, `${path}0`)
    return new Map(rows.map((row) => [String(row.path), row as unknown as Look]))
  }

  /** Names of the files in one folder that were dealt with: one answer, because a hundred thousand rows take long. */
  namesIn(folder: string, path: string): Set<string> {
    const row = this.#sql(`SELECT json_group_array(substr(path, ?)) AS names FROM look ${BELOW}`).get(
      path.length + 2,
      folder,
      `${path}/`,
      `${path}0`,
    )
    return new Set(JSON.parse(String(row?.names)) as string[])
  }

  /** Names of those that have to be looked at again. */
  unsettledIn(folder: string, path: string): readonly string[] {
    const rows = this.#sql(`SELECT path FROM look ${BELOW} AND settled = 0`)
    return rows.all(folder, `${path}/`, `${path}0`).map((row) => String(row.path).slice(path.length + 1))
  }

  /** Paths of the files whose handoffs ended last. */
  newestEnded(folder: string, limit: number): readonly string[] {
    const rows = this.#sql(
      'SELECT path FROM file WHERE folder = ? AND open = 0 ORDER BY ended_at DESC LIMIT ?',
    )
    return rows.all(folder, limit).map((row) => String(row.path))
  }

  /** Names of the files of open handoffs, wherever they lie. */
  openNames(folder: string): readonly string[] {
    const rows = this.#sql('SELECT path FROM file WHERE folder = ? AND open = 1').all(folder)
    return rows.map(({ path }) => baseName(String(path)))
  }

  look(folder: string, path: string): Look | undefined {
    const row = this.#sql('SELECT * FROM look WHERE folder = ? AND path = ?').get(folder, path)
    return row as unknown as Look | undefined
  }

  putLook(folder: string, { path, ino, size, mtime, sha256, at }: Look): void {
    this.#sql(
      `INSERT OR REPLACE INTO look (folder, path, ino, size, mtime, sha256, at, settled)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ${SETTLED})`,
    ).run(folder, path, ino, size, mtime, sha256, at)
  }

  keepLate(folder: string, { file, path, sha256 }: Late, at: number): void {
    this.#sql('INSERT OR REPLACE INTO late VALUES (?, ?, ?, ?, ?)').run(file, folder, path, sha256, at)
  }

  isLate(file: string): boolean {
    return this.#sql('SELECT 1 FROM late WHERE file = ?').get(file) !== undefined
  }

  /** Replaced before this instant. */
  lateBefore(folder: string, at: number): readonly Late[] {
    const rows = this.#sql('SELECT file, path, sha256 FROM late WHERE folder = ? AND at < ?')
    return rows.all(folder, at) as unknown as readonly Late[]
  }

  dropLate(file: string): void {
    this.#sql('DELETE FROM late WHERE file = ?').run(file)
  }

  dropLook(folder: string, path: string): void {
    this.#sql('DELETE FROM look WHERE folder = ? AND path = ?').run(folder, path)
  }
}

/** A folder as it was when it was listed. */
export interface Listed {
  readonly stamp: string
  readonly at: number
  readonly cost: number
}

/** A file that was replaced while it was new, and what it said. */
export interface Late {
  readonly file: string
  readonly path: string
  readonly sha256: string
}

function toFile(row: Record<string, unknown> | undefined): FileRow | undefined {
  if (!row) return undefined
  const { folder: _, text, ended_at, open, facts, ...rest } = row
  const said = present({ text: text ?? undefined, ended_at: ended_at ?? undefined })
  return { ...rest, ...said, open: open === 1, facts: JSON.parse(String(facts)) } as unknown as FileRow
}
