/** The functions that are called back after commits. A call is a hint: they look for themselves. */
export abstract class Listeners {
  readonly #listeners = new Set<() => void>()
  protected isClosed = false

  /** Begins to hear of other processes' commits, where it does not yet. */
  protected abstract watch(): void
  protected abstract unwatch(): void

  subscribe(listener: () => void): () => void {
    if (this.isClosed) return () => undefined
    // A function of its own for each subscription: one listener may subscribe twice.
    const own = () => listener()
    this.#listeners.add(own)
    this.watch()
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) this.unwatch()
    }
  }

  close(): void {
    this.isClosed = true
    this.#listeners.clear()
    this.unwatch()
  }

  protected wake(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener()
      } catch {
        // The commit stands, whatever a listener makes of it.
      }
    }
  }
}
