import { BatonError } from '../../../domain/errors.ts'

/** How often one token may ask: so many at once, refilled by so many a second. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** Far above what agents and people do, far below what a runaway loop does. */
export const DEFAULT_RATE: Rate = { burst: 2_000, perSecond: 1_000 }

const MOST_CALLERS = 10_000

/** Refuses a caller that asks too often. Each server counts for itself. */
export class RateLimit {
  readonly #rate: Rate
  readonly #callers = new Map<string, { left: number; at: number }>()

  constructor(rate: Rate = DEFAULT_RATE) {
    this.#rate = rate
  }

  take(caller: string, now = performance.now()): void {
    const { burst, perSecond } = this.#rate
    const known = this.#callers.get(caller)
    const left = known ? Math.min(burst, known.left + ((now - known.at) / 1_000) * perSecond) : burst
    // The oldest goes: whoever was silent longest has a full measure anyway.
    if (!known && this.#callers.size >= MOST_CALLERS) this.#callers.delete(this.#callers.keys().next().value!)
    this.#callers.delete(caller)
    this.#callers.set(caller, { left: Math.max(0, left - 1), at: now })
    if (left >= 1) return
    const seconds = Math.max(1, Math.ceil((1 - left) / perSecond))
    throw new BatonError(
      'limit_exceeded',
      `this token asks more often than ${perSecond} times a second; wait ${seconds} s and go on more slowly`,
      { retry_after_s: seconds, per_second: perSecond },
    )
  }
}

/** How many streams and calls one token may keep open: a dashboard needs one stream, a team of agents a few dozen waits. */
const MOST_OPEN = { 'event streams': 50, calls: 1_000 }

/** Refuses a caller that keeps too much open. Each server counts for itself. */
export class OpenLimit {
  readonly #open = new Map<string, number>()

  count(what: keyof typeof MOST_OPEN): number {
    const counts = [...this.#open].filter(([key]) => key.startsWith(`${what} `)).map(([, count]) => count)
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Answers the function that ends it; calling it again does nothing. */
  take(caller: string, what: keyof typeof MOST_OPEN): () => void {
    const key = `${what} ${caller}`
    const before = this.#open.get(key) ?? 0
    const most = MOST_OPEN[what]
    if (before >= most)
      throw new BatonError(
        'limit_exceeded',
        `this token has ${most} ${what} open here, which is the most; close one first, or wait until one has ended`,
        { retry_after_s: 1, most },
      )
    this.#open.set(key, before + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const left = this.#open.get(key)! - 1
      if (left === 0) this.#open.delete(key)
      else this.#open.set(key, left)
    }
  }
}
