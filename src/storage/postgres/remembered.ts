import type { Stream } from '../store.ts'

/** Which version of a row it is: where it stands, and the transaction that put it there. No other has both. */
export interface Version {
  readonly tid: string
  readonly xid: string
}

export interface Known<T> extends Version {
  readonly value: T
}

/** An agent, and how often those of the workspace had changed by then. */
export interface KnownAgent {
  readonly changes: string
  readonly value: string
}

/** A row read a moment ago has likely not changed; later another process may have written it. */
export const MOMENT_MS = 1_000
/** More than a process works on at a time. */
const MAX_REMEMBERED = 2_000

/** The rows of one kind that this process read or wrote last. */
class Recent<T> {
  readonly #rows = new Map<string, { readonly row: T; readonly at: number }>()

  /** The row as it was a moment ago. */
  get(key: string): T | undefined {
    const seen = this.#rows.get(key)
    return seen && performance.now() - seen.at <= MOMENT_MS ? seen.row : undefined
  }

  /** The row as it was when it was last seen. */
  last(key: string): T | undefined {
    return this.#rows.get(key)?.row
  }

  keep(key: string, row: T): void {
    this.#rows.delete(key)
    this.#rows.set(key, { row, at: performance.now() })
    if (this.#rows.size > MAX_REMEMBERED) this.#rows.delete(this.#rows.keys().next().value!)
  }

  forget(key: string): void {
    this.#rows.delete(key)
  }
}

/**
 * Rows that this process has just seen. Work on them can be decided before the transaction begins: it writes only where
 * they are the same versions still. Never more than a guess: whoever takes it for granted has it checked. Documents are
 * kept as their text: what is made of one is somebody's own, who may change it.
 */
export class Remembered {
  readonly handoffs = new Recent<Known<string>>()
  readonly contents = new Recent<Known<string>>()
  readonly agents = new Recent<KnownAgent>()
  readonly streams = new Recent<Known<Stream>>()
}
