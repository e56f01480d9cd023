import { dueOf } from '../domain/handoffs/deadlines.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Changed, Store } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'

/** Signals are hints: this often the end of the log is read, once for all who wait. */
export const LOOK_AGAIN_MS = 1_000
/** Of more entries than this, everybody looks for themselves. */
const MOST_HEARD = 1_000
/** A timer with more than 31 bits fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Called when what is waited for may have changed; `isLate` when no signal came and the log had to be read. */
export type Rouse = (changed: Changed | undefined, isLate: boolean) => void

const waits = new WeakMap<Store, Waits>()

/** The waits of this process on a store: one subscription, one timer and one read for all of them. */
export function waitsOf(deps: ServiceDeps): Waits {
  const known = waits.get(deps.store) ?? new Waits(deps)
  waits.set(deps.store, known)
  return known
}

class Waits {
  readonly #deps: ServiceDeps
  /** By the uid of a handoff or the name of an agent; those under '' wait for anything. */
  readonly #groups = new Map<string, Set<Rouse>>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  /** The end of the log when it was read last. */
  #cursor: string | undefined

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  join(about: string, rouse: Rouse): () => void {
    const group = this.#groups.get(about) ?? new Set()
    this.#groups.set(about, group.add(rouse))
    if (!this.#unsubscribe) {
      this.#unsubscribe = this.#deps.store.subscribe((changed) => {
        this.#tell(changed, false)
        for (const handoff of changed?.handoffs?.values() ?? []) this.#settleRetry(handoff)
      })
      this.#cursor = undefined
      this.#lookLater()
    }
    return () => {
      group.delete(rouse)
      if (group.size > 0) return
      if (this.#groups.get(about) === group) this.#groups.delete(about)
      if (this.#groups.size > 0) return
      clearTimeout(this.#timer)
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
    }
  }

  #tell(changed: Changed | undefined, isLate: boolean): void {
    const names = changed ? ['', ...changed.names] : [...this.#groups.keys()]
    for (const name of names) for (const rouse of [...(this.#groups.get(name) ?? [])]) rouse(changed, isLate)
  }

  /** A retry that this process has seen begin to wait is offered at its instant, not at the next look. */
  #settleRetry(handoff: Handoff): void {
    const due = handoff.state === 'retry_wait' ? dueOf(handoff) : undefined
    if (!due) return
    const { store, now } = this.#deps
    const ms = Date.parse(due.at) - now().getTime()
    const settle = () => void store.settle(now().toISOString()).catch(() => undefined)
    if (ms < LONGEST_TIMER_MS) setTimeout(settle, ms + 1).unref()
  }

  #lookLater(): void {
    this.#timer = setTimeout(async () => {
      try {
        await this.#lookAgain()
      } catch {
        // All look for themselves: the store may be away for a while, or for good.
        this.#cursor = undefined
        this.#tell(undefined, true)
      }
      if (this.#unsubscribe) this.#lookLater()
    }, LOOK_AGAIN_MS)
  }

  /** Settles what is due, and tells of entries that are new since the last time, for signals that were lost. */
  async #lookAgain(): Promise<void> {
    const { store, now } = this.#deps
    await store.settle(now().toISOString())
    const after = this.#cursor
    const { entries, cursor } = await store.changes(after, MOST_HEARD)
    this.#cursor = cursor
    if (after === undefined || entries.length === MOST_HEARD) return this.#tell(undefined, true)
    this.#tell({ names: new Set(entries.map(({ subject }) => subject)) }, true)
  }
}
