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
