import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { orElse } from '../domain/once.ts'
import { writeOwn } from './home-files.ts'
import { isRunning, type Running } from './process-tree.ts'

/** A place of an agent on this machine: what one process holds there, the next one that takes it goes on with. */
export interface Seat {
  readonly instance: string
  leave(): void
}

const MOST_SEATS = 100
/** Other hooks lock a seat for a moment too, to see whether its session has ended. */
const PATIENCE_MS = 300

/**
 * The seats of one agent in one store. Processes that run at once have different ones, so none takes the other's
 * work; a process that starts after another was killed gets its seat, and with it its work. The system itself frees
 * a seat: it is a lock on a file, held by SQLite, which ends with the process.
 *
 * The server, the hooks and the commands of one session of an agent are all started by the same process of its
 * program. A file named after that process ties it to its seat, also while no server runs.
 */
export class Seats {
  readonly #folder: string
  readonly #agent: string
  readonly #above: readonly Running[]

  /** `above` are the processes above this one, nearest first; none where a seat is for this process alone. */
  constructor(home: string, store: string, agent: string, above: readonly Running[] = []) {
    const hash = createHash('sha256').update(store).digest('hex').slice(0, 16)
    this.#folder = join(home, '.baton', 'seats', hash)
    this.#agent = agent
    this.#above = above
  }

  /** The instance that a program above was started with. Some programs keep variables from their servers. */
  get given(): string | undefined {
    return this.#above.find(({ instance }) => instance !== undefined)?.instance
  }

  /**
   * Takes a seat of this session, else the first one that no other session has. A subagent takes one for its own
   * server alone, so that hooks and commands still know the seat of their session.
   */
  take(isSubagent = false): Seat {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      const own = isSubagent || this.#session === undefined ? [] : this.#tiesOf(this.#session)
      const numbers = own.map(({ number }) => number)
      for (let number = 1; number <= MOST_SEATS; number++) if (!numbers.includes(number)) numbers.push(number)
      const soonFree = new Set([...numbers.slice(0, own.length), ...this.#left()])
      for (const number of numbers) {
        const seat = takenAt(this.#fileOf(number), soonFree.has(number) ? PATIENCE_MS : 0)
        if (!seat) continue
        const isOwn = own.some((tie) => tie.number === number)
        if (isOwn || !this.#isKept(number)) {
          if (!isOwn && !isSubagent) this.#tie([...own, { number, id: seat.id }])
          return seat
        }
        seat.leave()
      }
    } catch {
      // Without a home of its own a process cannot be followed by another; it works all the same.
    }
    return { instance: instanceOf(randomUUID()), leave: () => undefined }
  }

  /** Keeps a seat for the session that begins, and answers its instance; undefined where no process stands for it. */
  reserve(): string | undefined {
    if (this.#session === undefined) return undefined
    if (this.#tiesOf(this.#session).length === 0) this.take().leave()
    return onlyOne(this.#tiesOf(this.#session))
  }

  /**
   * The instance of the session that this process belongs to. Undefined where several servers of one process have
   * seats: it cannot be told which conversation asks.
   */
  tied(): string | undefined {
    for (const { name, instance } of this.#above) {
      const ties = this.#tiesOf(name)
      if (ties.length > 0 || instance !== undefined) return instance ?? onlyOne(ties)
    }
    return undefined
  }

  /** The instances of sessions that have ended. */
  ended(): ReadonlySet<string> {
    const ended = new Set<string>()
    for (let number = 1; existsSync(this.#fileOf(number)); number++) {
      const seat = takenAt(this.#fileOf(number))
      if (seat && !this.#isKept(number)) ended.add(seat.instance)
      seat?.leave()
    }
    return ended
  }

  /** Programs start hooks through a shell; the session is the program itself. */
  get #session(): string | undefined {
    return this.#above.find(({ program }) => !SHELLS.test(program))?.name
  }

  /** Homes may be shared by machines, whose processes have the same numbers. */
  #tieFile(name: string): string {
    return `${this.#agent}@${HOST}@${name}`
  }

  #fileOf(number: number): string {
    return join(this.#folder, `${this.#agent}.${number}`)
  }

  /** Seats of programs that were killed: their servers end a moment later. */
  #left(): readonly number[] {
    return this.#tied().flatMap((name) =>
      isRunning(name) ? [] : this.#tiesOf(name).map(({ number }) => number),
    )
  }

  /** Whether a session that still runs is tied to the seat. */
  #isKept(number: number): boolean {
    return this.#tied().some((name) => {
      if (isRunning(name)) return this.#tiesOf(name).some((tie) => tie.number === number)
      rmSync(join(this.#folder, this.#tieFile(name)), { force: true })
      return false
    })
  }

  /** The processes that are tied to seats of this agent. */
  #tied(): readonly string[] {
    const begins = this.#tieFile('')
    const files = readdirSync(this.#folder).filter((file) => file.startsWith(begins))
    return files.map((file) => file.slice(begins.length))
  }

  #tie(ties: readonly Tie[]): void {
    if (this.#session !== undefined)
      writeOwn(join(this.#folder, this.#tieFile(this.#session)), JSON.stringify(ties))
  }

  #tiesOf(name: string): readonly Tie[] {
    return orElse(() => JSON.parse(readFileSync(join(this.#folder, this.#tieFile(name)), 'utf8')), [])
  }
}

interface Tie {
  readonly number: number
  readonly id: string
}

const SHELLS = /^(?:(?:ba|da|z|k|fi)?sh|busybox)$/

const onlyOne = (ties: readonly Tie[]): string | undefined =>
  ties.length === 1 ? instanceOf(ties[0]!.id) : undefined

/** The name that a seat got when it was first taken, so that those of other machines and users are others. */
function takenAt(path: string, timeout = 0): (Seat & { readonly id: string }) | undefined {
  const database = new DatabaseSync(path, { timeout })
  try {
    // In this mode the lock outlives the transaction that took it.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    database.exec('CREATE TABLE IF NOT EXISTS seat (id TEXT NOT NULL)')
    const known = database.prepare('SELECT id FROM seat').get()?.id
    const id = typeof known === 'string' ? known : randomUUID()
    if (id !== known) database.prepare('INSERT INTO seat (id) VALUES (?)').run(id)
    database.exec('COMMIT')
    return { id, instance: instanceOf(id), leave: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

const HOST = hostname()
  .replace(/[^A-Za-z0-9._-]/g, '-')
  .slice(0, 40)
const instanceOf = (id: string): string => `${HOST}:${id}`

const isBusy = (error: unknown): boolean => error instanceof Error && Object(error).errcode === 5
