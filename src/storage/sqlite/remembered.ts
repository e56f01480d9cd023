import { MOST_REMEMBERED } from '../rows.ts'
import type { Statements } from './statements.ts'

/** More than is worked on at a time. */
const MAX_REMEMBERED = 3_000

/**
 * Rows that were read or written last. They hold for as long as nobody else has written: SQLite tells whether another
 * connection has committed, and whoever writes through this one says what it wrote, or forgets them all.
 */
export class Remembered {
  readonly #db: Statements
  readonly #rows = new Map<string, unknown>()
  #version: unknown

  constructor(db: Statements) {
    this.#db = db
  }

  /** Looks whether what is remembered holds still; within a write transaction it does so to the end. */
  refresh(): void {
    const version = this.#db.get('PRAGMA data_version')?.data_version
    if (version !== this.#version) this.#rows.clear()
    this.#version = version
  }

  get<T>(key: string, read: () => T): T {
    if (this.#rows.has(key)) return this.#rows.get(key) as T
    const row = read()
    this.put(key, row)
    return row
  }

  put(key: string, row: unknown): void {
    if (typeof row === 'string' && row.length > MOST_REMEMBERED) this.#rows.delete(key)
    else this.#rows.set(key, row)
    if (this.#rows.size > MAX_REMEMBERED) this.#rows.delete(this.#rows.keys().next().value!)
  }

  /** Lowers a remembered minimum. */
  lower(key: string, value: string): void {
    const least = this.#rows.get(key)
    if (typeof least === 'string' && value < least) this.#rows.set(key, value)
  }

  forget(key: string): void {
    this.#rows.delete(key)
  }

  forgetAll(): void {
    this.#rows.clear()
  }
}
