import type { Handoff } from '../../domain/handoff.ts'

/** What of a handoff says which other rows belong to it. Only the receiver changes in its life. */
export interface Place {
  readonly root: string
  readonly task?: string | undefined
  readonly from: string
  readonly to: string
}

/** More than a process works on at a time. */
const MOST = 10_000

/**
 * Where the handoffs stand that this process has seen: what belongs to one can be asked for by name then, instead of
 * through its row. A hint only: whoever uses it looks again when the row was read.
 */
export class Places {
  readonly #known = new Map<string, Place>()

  get(uid: string): Place | undefined {
    return this.#known.get(uid)
  }

  keep({ uid, root, task, from, to }: Handoff): void {
    this.#known.set(uid, { root, task, from, to })
    const [oldest] = this.#known.size > MOST ? this.#known.keys() : []
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}
