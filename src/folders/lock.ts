import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '../domain/errors.ts'

/**
 * Runs while no other process of this machine is at the live folders. SQLite's lock on an otherwise empty file:
 * the system takes it back from a process that dies, so there is nothing to clear up.
 */
export async function withLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    await taken(db, file, waitMs)
    return await work()
  } finally {
    db.close()
  }
}

async function taken(db: DatabaseSync, file: string, waitMs: number): Promise<void> {
  const deadline = Date.now() + waitMs
  for (let attempt = 0; ; attempt++) {
    try {
      db.exec('BEGIN EXCLUSIVE')
      return
    } catch (error) {
      if (!/locked|busy/i.test(String((error as Error).message))) throw error
      if (Date.now() >= deadline)
        throw new BatonError(
          'unavailable',
          `another process is at the live folders and has not come to an end in ${waitMs / 1_000} s; try again`,
          { file },
          error,
        )
      await pause(Math.random() * Math.min(2 + attempt, 20))
    }
  }
}
