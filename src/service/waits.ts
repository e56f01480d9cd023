import type { Changed, Store } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'

/** Signals are hints: this often the end of the log is read, once for all who wait. */
export const LOOK_AGAIN_MS = 1_000
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
  /** All who wait have looked after this place of the log, or were told of what came behind it. */
  #cursor: string | undefined
  #beginning: Promise<void> | undefined

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  join(about: string, rouse: Rouse): () => void {
    const group = this.#groups.get(about) ?? new Set()
    this.#groups.set(about, group.add(rouse))
    if (!this.#unsubscribe) {
      this.#unsubscribe = this.#deps.store.subscribe((changed) => {
        if (changed) this.#tell(changed, false)
        else void this.#hear(false)
      })
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

  /** To be awaited between `join` and the first look. It takes time only once in a process. */
  begin(): Promise<void> {
    this.#beginning ??= this.#deps.store.heard(undefined).then(
      ({ cursor }) => {
        this.#cursor = cursor
      },
      () => undefined,
    )
    return this.#beginning
  }

  #tell(changed: Changed | undefined, isLate: boolean): void {
    const names = changed ? ['', ...changed.names] : [...this.#groups.keys()]
    for (const name of names) for (const rouse of [...(this.#groups.get(name) ?? [])]) rouse(changed, isLate)
    for (const at of changed?.retries ?? []) this.#settleAt(at)
  }

  /** A retry is offered at its instant, not at the next look. */
  #settleAt(at: string): void {
    const { store, now } = this.#deps
    const ms = Date.parse(at) - now().getTime()
    const settle = () => void store.settle(now().toISOString()).catch(() => undefined)
    if (ms < LONGEST_TIMER_MS) setTimeout(settle, Math.max(ms, 0) + 1).unref()
  }

  #lookLater(): void {
    this.#timer = setTimeout(async () => {
      const { store, now } = this.#deps
      await store.settle(now().toISOString()).catch(() => undefined)
      await this.#hear(true)
      if (this.#unsubscribe) this.#lookLater()
    }, LOOK_AGAIN_MS)
  }

  /** Reads the log once for all who wait, and tells of what is new in it. */
  async #hear(isLate: boolean): Promise<void> {
    try {
      const { cursor, changed } = await this.#deps.store.heard(this.#cursor)
      this.#cursor = cursor
      this.#tell(changed, isLate)
    } catch {
      // All look for themselves: the store may be away for a while, or for good.
      this.#tell(undefined, isLate)
    }
  }
}
