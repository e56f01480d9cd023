import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content } from '../domain/handoffs/package.ts'

/** The changes of a commit. */
export interface Changed {
  /** uids of handoffs, and names of the agents for which they wait now. */
  readonly names: ReadonlySet<string>
  /** Rows that this process has written itself: nobody needs to read them. */
  readonly handoffs?: ReadonlyMap<string, Handoff>
  readonly contents?: ReadonlyMap<string, Content>
  /** Instants at which handoffs that wait for a retry are to be offered. */
  readonly retries?: ReadonlySet<string>
}

/** Told after a commit; without an argument anything may have changed. */
export type Listener = (changed?: Changed) => void

/** A listener stays for the next wait: to begin takes a connection, or a watch of the system. */
const LINGER_MS = 10_000

/** The functions that are called back after commits. A call is a hint: they look for themselves. */
export abstract class Listeners {
  readonly #listeners = new Set<Listener>()
  #leaving: NodeJS.Timeout | undefined
  protected isClosed = false

  /** Begins to hear of other processes' commits, where it does not yet. */
  protected abstract watch(): void
  protected abstract unwatch(): void
  /** Nobody listens at the moment: a watch must not keep the process from its end. */
  protected linger(): void {}

  subscribe(listener: Listener): () => void {
    if (this.isClosed) return () => undefined
    // A function of its own for each subscription: one listener may subscribe twice.
    const own: Listener = (changed) => listener(changed)
    this.#listeners.add(own)
    clearTimeout(this.#leaving)
    this.watch()
    return () => {
      if (!this.#listeners.delete(own) || this.#listeners.size > 0) return
      this.linger()
      this.#leaving = setTimeout(() => this.unwatch(), LINGER_MS).unref()
    }
  }

  close(): void {
    this.isClosed = true
    this.#listeners.clear()
    clearTimeout(this.#leaving)
    this.unwatch()
  }

  protected wake(changed?: Changed): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(changed)
      } catch {
        // The commit stands, whatever a listener makes of it.
      }
    }
  }
}
