import { closeSync, type FSWatcher, futimesSync, openSync, watch } from 'node:fs'

/**
 * Tells other processes that something was committed, by touching a small file after the commit. (Watching the
 * `-wal` file instead wakes them before the commit can be read.) A hint only: readers look for themselves.
 */
export class Signal {
  readonly #path: string | undefined
  readonly #listeners = new Set<() => void>()
  #fd: number | undefined
  #watcher: FSWatcher | undefined
  #closed = false

  constructor(path: string | undefined) {
    this.#path = path
  }

  send(): void {
    this.#wake()
    if (this.#path === undefined || this.#closed) return
    try {
      this.#fd ??= openSync(this.#path, 'a', 0o600)
      const now = Date.now() / 1000
      futimesSync(this.#fd, now, now)
    } catch {
      // The commit stands; whoever waits looks again within a second.
    }
  }

  subscribe(listener: () => void): () => void {
    if (this.#closed) return () => undefined
    // A function of its own for each subscription: one listener may subscribe twice.
    const own = () => listener()
    this.#listeners.add(own)
    this.#watch()
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) this.#unwatch()
    }
  }

  close(): void {
    this.#closed = true
    this.#listeners.clear()
    this.#unwatch()
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener()
      } catch {
        // The commit stands, whatever a listener makes of it.
      }
    }
  }

  #watch(): void {
    if (this.#watcher || this.#path === undefined) return
    try {
      closeSync(openSync(this.#path, 'a', 0o600))
      this.#watcher = watch(this.#path, { persistent: false }, () => this.#wake())
      this.#watcher.on('error', () => this.#unwatch())
    } catch {
      // No watches left on this machine: waiters fall back on looking every second.
    }
  }

  #unwatch(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }
}
