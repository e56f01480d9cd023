import { closeSync, type FSWatcher, futimesSync, openSync, watch } from 'node:fs'
import { type Changed, Listeners } from '../listeners.ts'
import type { Statements } from './statements.ts'

/**
 * Tells other processes that something was committed, by touching a small file after the commit. (Watching the
 * `-wal` file instead wakes them before the commit can be read.) A hint only: readers look for themselves.
 */
export class Signal extends Listeners {
  readonly #path: string | undefined
  readonly #heard: () => Changed | undefined | false
  #fd: number | undefined
  #watcher: FSWatcher | undefined

  /** `heard` says what others have committed since it was asked last; false where nobody has. */
  constructor(path: string | undefined, heard: () => Changed | undefined | false = () => undefined) {
    super()
    this.#path = path
    this.#heard = heard
  }

  send(changed?: Changed): void {
    this.wake(changed)
    if (this.#path === undefined || this.isClosed) return
    try {
      this.#fd ??= openSync(this.#path, 'a', 0o600)
      const now = Date.now() / 1000
      futimesSync(this.#fd, now, now)
    } catch {
      // The commit stands; whoever waits looks again within a second.
    }
  }

  override close(): void {
    super.close()
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  protected override watch(): void {
    if (this.#watcher || this.#path === undefined) return
    try {
      closeSync(openSync(this.#path, 'a', 0o600))
      this.#watcher = watch(this.#path, { persistent: false }, () => {
        const changed = this.#heard()
        if (changed !== false) this.wake(changed)
      })
      this.#watcher.on('error', () => this.unwatch())
      this.#heard()
    } catch {
      // No watches left on this machine: waiters fall back on looking every second.
    }
  }

  protected override unwatch(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }
}

/** Of more than this, everybody looks for themselves. */
const MOST_HEARD = 1_000
const LOG_END = 'SELECT max(id) FROM entry'
const ENTRIES = `SELECT e.id, e.subject, coalesce(h.waiting_for, '') FROM entry e LEFT JOIN handoff h ON h.uid = e.subject
  WHERE e.id > ? ORDER BY e.id LIMIT ?`

/** The end of the log, read once for all who wait in this process. */
export class Tail {
  readonly #db: Statements
  #version: unknown
  #seen: number | undefined

  constructor(db: Statements) {
    this.#db = db
  }

  /** Changes that others have committed since the last call; false where only this connection has, which says so itself. */
  read(): Changed | undefined | false {
    try {
      const version = this.#db.get('PRAGMA data_version')?.data_version
      if (this.#seen !== undefined && version === this.#version) return false
      const after = this.#seen
      const rows = after === undefined ? [] : this.#db.rows(ENTRIES, after, MOST_HEARD)
      const isWhole = after !== undefined && rows.length < MOST_HEARD
      this.#seen = Number((isWhole ? rows.at(-1)?.[0] : this.#db.rows(LOG_END)[0]?.[0]) ?? after ?? 0)
      this.#version = version
      return isWhole ? { names: new Set(rows.flatMap(([, ...names]) => names.map(String))) } : undefined
    } catch {
      // While the log of a process that was killed is recovered, nobody can read.
      return undefined
    }
  }
}
