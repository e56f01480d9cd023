import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A place of an agent on this machine: what one process holds there, the next one that takes it goes on with. */
export interface Seat {
  readonly instance: string
  leave(): void
}

const MOST_SEATS = 100

/**
 * Takes the first seat that no living process sits on. Processes that run at once have different ones, so none
 * takes the other's work; a process that starts after another was killed gets its seat, and with it its work. The
 * system itself frees a seat: it is a lock on a file, held by SQLite, which ends with the process.
 */
export function takeSeat(home: string, store: string, agent: string): Seat {
  const folder = join(home, '.baton', 'seats', createHash('sha256').update(store).digest('hex').slice(0, 16))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (let number = 1; number <= MOST_SEATS; number++) {
      const seat = takenAt(join(folder, `${agent}.${number}`))
      if (seat) return seat
    }
  } catch {
    // Without a home of its own a process cannot be followed by another; it works all the same.
  }
  return { instance: instanceOf(randomUUID()), leave: () => undefined }
}

/** The name that a seat got when it was first taken, so that those of other machines and users are others. */
function takenAt(path: string): Seat | undefined {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // In this mode the lock outlives the transaction that took it.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    database.exec('CREATE TABLE IF NOT EXISTS seat (id TEXT NOT NULL)')
    const known = database.prepare('SELECT id FROM seat').get()?.id
    const id = typeof known === 'string' ? known : randomUUID()
    if (id !== known) database.prepare('INSERT INTO seat (id) VALUES (?)').run(id)
    database.exec('COMMIT')
    return { instance: instanceOf(id), leave: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

const instanceOf = (id: string): string =>
  `${hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 40)}:${id}`

const isBusy = (error: unknown): boolean => error instanceof Error && Object(error).errcode === 5
