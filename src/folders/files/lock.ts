import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../../domain/errors.ts'

/** How long to wait for another process at the live folders. */
export const LOCK_WAIT_MS = 10_000

/**
 * Runs while no other process of this machine is at the live folders. SQLite's lock on an otherwise empty file:
 * the system takes it back from a process that dies, so there is nothing to clear up.
 */
export async function withLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const lock = new Lock(file)
  try {
    return await lock.hold(waitMs, work)
  } finally {
    lock.close()
  }
}

/** The same for whoever needs it often. One at a time. */
export class Lock {
  readonly #file: string
  #open: { readonly db: DatabaseSync; readonly ino: number } | undefined

  constructor(file: string) {
    this.#file = file
  }

  async hold<T>(waitMs: number, work: () => Promise<T>): Promise<T> {
    const db = await this.#taken(waitMs)
    try {
      return await work()
    } finally {
      if (db.isOpen && db.isTransaction) db.exec('ROLLBACK')
    }
  }

  close(): void {
    this.#open?.db.close()
    this.#open = undefined
  }

  /** Whoever took the file away and made another one would not see a lock on the old one. */
  async #taken(waitMs: number): Promise<DatabaseSync> {
    for (;;) {
      this.#open ??= { db: new DatabaseSync(this.#file, { timeout: 0 }), ino: inoOf(this.#file) ?? 0 }
      const { db, ino } = this.#open
      await taken(db, this.#file, waitMs)
      if (inoOf(this.#file) === ino) return db
      this.close()
    }
  }
}

export const inoOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

async function taken(db: DatabaseSync, file: string, waitMs: number): Promise<void> {
  const deadline = Date.now() + waitMs
  for (let attempt = 0; ; attempt++) {
    try {
      db.exec('BEGIN EXCLUSIVE')
      return
    } catch (error) {
      if (!/locked|busy/i.test(String((error as Error).message))) throw error
      if (Date.now() >= deadline)
        throw unavailable(
          `another process has been syncing the live folders for ${waitMs / 1_000} s; try again`,
          { file },
          error,
        )
      await pause(Math.random() * Math.min(2 + attempt, 20))
    }
  }
}
