import { closeSync, type FSWatcher, fstatSync, futimesSync, openSync, watch } from 'node:fs'
import { type Changed, Listeners } from '../listeners.ts'

/**
 * Tells other processes that something was committed, by touching a small file after the commit. (Watching the
 * `-wal` file instead wakes them before the commit can be read.) A hint only: readers look for themselves.
 */
export class Signal extends Listeners {
  readonly #path: string | undefined
  readonly #version: () => unknown
  #seen: unknown
  #fd: number | undefined
  #watcher: FSWatcher | undefined

  /** `version` changes whenever another connection commits. */
  constructor(path: string | undefined, version: () => unknown = () => undefined) {
    super()
    this.#path = path
    this.#version = version
  }

  send(changed?: Changed): void {
    this.wake(changed)
    if (this.#path === undefined || this.isClosed) return
    try {
      this.#fd ??= openSync(this.#path, 'a', 0o600)
      const now = Date.now() / 1000
      futimesSync(this.#fd, now, now)
    } catch {
      // The commit stands; whoever waits looks again within a second.
    }
  }

  override close(): void {
    super.close()
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  /** Whether others have committed since it was asked last; this connection says so itself. */
  #isNew(): boolean {
    const before = this.#seen
    try {
      this.#seen = this.#version()
    } catch {
      // While the log of a process that was killed is recovered, nobody can read.
      this.#seen = undefined
    }
    return this.#seen === undefined || this.#seen !== before
  }

  protected override watch(): void {
    if (this.#watcher || this.#path === undefined) return
    try {
      closeSync(openSync(this.#path, 'a', 0o600))
      this.#watcher = watch(this.#path, { persistent: false }, () => {
        if (this.#isNew()) this.wake()
      })
      this.#watcher.on('error', () => this.unwatch())
      this.#isNew()
    } catch {
      // No watches left on this machine: waiters fall back on looking every second.
    }
  }

  protected override unwatch(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }
}

/**
 * The kernel's time, as the file system notes it on a file that is touched: the same for every process of the machine,
 * whatever clock the process itself was given.
 */
export class KernelClock {
  readonly #path: string
  readonly #least: () => number
  #fd: number | undefined
  #turnMs: number | undefined

  /** It is never behind `least`. */
  constructor(path: string, least: () => number) {
    this.#path = path
    this.#least = least
  }

  /** A turn of the event loop is one instant. */
  now(): Date {
    if (this.#turnMs === undefined) {
      setImmediate(() => {
        this.#turnMs = undefined
      })
      this.#turnMs = Math.max(this.#touched(), this.#least())
    }
    return new Date(this.#turnMs)
  }

  #touched(): number {
    this.#fd ??= openSync(this.#path, 'a', 0o600)
    futimesSync(this.#fd, 0, 0)
    return fstatSync(this.#fd).ctimeMs
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
  }
}
