import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, linkSync, mkdirSync, openSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { BatonError } from '../../domain/errors.ts'
import { isBusy, toBatonError } from './errors.ts'
import { checkSchema, migrate, SCHEMA, schemaVersion } from './migrate.ts'

export interface OpenOptions {
  readonly readOnly?: boolean
  /** Runs steps that an older program could not live beside. */
  readonly upgrade?: boolean
  /** How long to wait for other processes before giving up. */
  readonly lockWaitMs?: number
  /** Told the name of the log of a store before that is in its place. */
  readonly onMake?: (origin: string, location: string) => void
  /** Which file system a folder is on, as the number that statfs answers. */
  readonly filesystemOf?: (folder: string) => number
}

export const LOCK_WAIT_MS = 5_000

/** File systems whose locks do not hold between machines, by the number that statfs answers. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x65735546, 'FUSE'],
])

/** Names a file on disk, whatever its path is. */
export interface FileId {
  readonly dev: number
  readonly ino: number
}

export interface Opened {
  readonly db: DatabaseSync
  /** Absent for a store in memory. */
  readonly file?: FileId
}

/** A connection to an existing or new store file, checked and migrated. */
export function openDatabase(path: string, options: OpenOptions = {}): Opened {
  try {
    if (path === ':memory:') return { db: connect(path, options) }
    return retryWhilePassing(() => openFile(path, options), options.lockWaitMs ?? LOCK_WAIT_MS)
  } catch (error) {
    throw toBatonError(error, path)
  }
}

function openFile(path: string, options: OpenOptions): Opened {
  const isThere = existsSync(path)
  if (!isThere && options.readOnly)
    throw new BatonError('not_found', `there is no store at ${path}`, { file: path })
  if (!isThere) mkdirSync(dirname(path), { recursive: true })
  refuseNetwork(path, options.filesystemOf)
  if (!isThere) create(path, options.onMake)
  const file = fileAt(path)
  try {
    const db = connect(path, options)
    if (file && isAt(path, file)) return { db, file }
    db.close()
  } catch (error) {
    if (file && isAt(path, file)) throw error
  }
  throw moved(path)
}

/** SQLite goes on writing to a deleted file, and what it writes is lost when the last process closes that file. */
export function refuseMoved(path: string, file: FileId | undefined): void {
  if (file && !isAt(path, file)) throw moved(path)
}

const fileAt = (path: string): FileId | undefined => statSync(path, { throwIfNoEntry: false })

function isAt(path: string, { dev, ino }: FileId): boolean {
  const there = fileAt(path)
  return there?.ino === ino && there.dev === dev
}

const moved = (path: string): BatonError =>
  new BatonError(
    'unavailable',
    `the store at ${path} was deleted or replaced while this process had it open. Nothing was written; restart the process (baton serve, baton mcp or your own program)`,
    { store: 'sqlite', file: path, moved: true },
  )

function connect(path: string, options: OpenOptions): DatabaseSync {
  // While opening, SQLite's own waiting is good enough; afterwards it starves and we wait ourselves.
  const timeout = options.lockWaitMs ?? LOCK_WAIT_MS
  const db = options.readOnly ? openReadOnly(path, timeout) : new DatabaseSync(existing(path), { timeout })
  try {
    db.exec(
      'PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000',
    )
    // While the log of pages still grows, a commit takes twice as long as in a log that is written over.
    db.exec('PRAGMA wal_autocheckpoint = 2000')
    // Before anything is written: a file that is not ours is left as it is.
    checkSchema(db, path, options.readOnly ?? false)
    if (!options.readOnly) {
      prepare(db)
      if (schemaVersion(db) < SCHEMA) inTransaction(db, () => migrate(db, options))
    }
    db.exec('PRAGMA busy_timeout = 0')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Without this mode SQLite would put an empty file where a store was deleted a moment ago. */
const existing = (path: string): string | URL => (path === ':memory:' ? path : addressOf(path, 'mode', 'rw'))

function addressOf(path: string, option: string, value: string): URL {
  const address = pathToFileURL(path)
  address.searchParams.set(option, value)
  return address
}

function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/**
 * In a read-only folder SQLite cannot make the index of its log. Without a log no process is writing, and the
 * file can be read as it stands.
 */
function openReadOnly(path: string, timeout: number): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout })
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return db
  } catch (error) {
    db.close()
    if (isBusy(error) || path === ':memory:' || existsSync(`${path}-wal`)) throw error
    return new DatabaseSync(addressOf(path, 'immutable', '1'), { readOnly: true })
  }
}

/** Durable on commit, and said so: a store that does not take the settings is refused. */
function prepare(db: DatabaseSync): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
  db.exec('PRAGMA synchronous = FULL')
  const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous
  if ((mode !== 'wal' && mode !== 'memory') || synchronous !== 2)
    throw new BatonError(
      'store_refused',
      `this file system does not let SQLite write safely (journal ${mode}, synchronous ${synchronous}); move .baton to a local disk`,
      { journal_mode: mode, synchronous },
    )
}

/**
 * A new store is made under another name and linked into place: processes that start at once would otherwise
 * meet a file that is not yet in WAL mode, and most of them would fail.
 */
function create(path: string, onMake?: OpenOptions['onMake']): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.new`
  try {
    // For its owner alone; SQLite gives the files beside it the same permissions.
    closeSync(openSync(draft, 'wx', 0o600))
    const db = new DatabaseSync(draft)
    try {
      prepare(db)
      inTransaction(db, () => migrate(db))
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      onMake?.(String(db.prepare(`SELECT value FROM meta WHERE key = 'origin'`).get()?.value), path)
    } finally {
      db.close()
    }
    try {
      linkSync(draft, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
  }
}

function refuseNetwork(path: string, filesystemOf = (folder: string) => statfsSync(folder).type): void {
  const name = NETWORK_FILE_SYSTEMS.get(filesystemOf(dirname(path)))
  if (name)
    throw new BatonError(
      'store_refused',
      `${path} is on a network file system (${name}), where SQLite can lose data; use a local folder or PostgreSQL`,
      { file: path, filesystem: name },
    )
}

function retryWhilePassing<T>(open: () => T, waitMs: number): T {
  const deadline = Date.now() + waitMs
  for (;;) {
    try {
      return open()
    } catch (error) {
      const isPassing = isBusy(error) || (error as BatonError).code === 'unavailable'
      if (!isPassing || Date.now() >= deadline) throw error
      // Opening is synchronous for its callers, so the pause is too.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * 10)
    }
  }
}
