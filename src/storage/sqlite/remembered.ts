import type { Statements } from './statements.ts'

const MOST = 1_000

/**
 * Rows that are read for every request: who a token stands for. They are kept for as long as nobody has written: SQLite
 * tells whether another connection has committed, and whoever writes through this one forgets them.
 */
export class Remembered {
  readonly #db: Statements
  readonly #rows = new Map<string, unknown>()
  #version: unknown

  constructor(db: Statements) {
    this.#db = db
  }

  get<T>(key: string, read: () => T): T {
    const version = this.#db.get('PRAGMA data_version')?.data_version
    if (version !== this.#version || this.#rows.size >= MOST) this.#rows.clear()
    this.#version = version
    if (this.#rows.has(key)) return this.#rows.get(key) as T
    const row = read()
    this.#rows.set(key, row)
    return row
  }

  forget(): void {
    this.#rows.clear()
  }
}
