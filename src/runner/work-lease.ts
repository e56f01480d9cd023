import { BatonError, conflict, type ErrorCode } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { stateWords } from '../domain/handoffs/step-words.ts'
import { isHeld } from '../domain/lifecycle.ts'
import type { AgentLink } from './link.ts'

export interface WorkLeaseOptions {
  readonly link: AgentLink
  readonly handoff: Handoff
  /** Shows that the holder is alive. Revives an attempt that was silent too long; refused once another has it. */
  readonly beat: () => Promise<Handoff>
  /** Called once, with the reason, when this holder has lost the work. */
  readonly onLost: (reason: BatonError) => void
}

/** After this part of its lease a holder shows that it is alive: two calls may get lost before it lapses. */
const BEATS_PER_LEASE = 3
/** A store that does not answer is asked again sooner. */
const BEATS_WHILE_AWAY = 12
/** Shorter ones are not worth a call each. */
const SHORTEST_LEASE_MS = 100

/** Work that takes less is told of a loss when it is handed in. */
const WATCH_AFTER_MS = 100

/** Codes that say: somebody else has it now, or nobody needs it any more. */
export const LOST_CODES: readonly ErrorCode[] = ['conflict', 'wrong_state', 'not_allowed', 'not_found']

export const isLost = (error: unknown): error is BatonError =>
  error instanceof BatonError && LOST_CODES.includes(error.code)

/** The store is away; what was asked for may be asked again. */
export const isAway = (error: unknown): boolean => error instanceof BatonError && error.code === 'unavailable'

/** The store is there and cannot be used: nothing that is asked of it will work. */
export const isUnusable = (error: unknown): boolean =>
  error instanceof BatonError && error.code === 'store_refused'

/** Keeps the lease of a handoff and notices at once when it is lost, cancelled or given away. */
export class WorkLease {
  readonly #options: WorkLeaseOptions
  readonly #watchLater = setTimeout(() => void this.#watch(), WATCH_AFTER_MS)
  /** Made when it begins to watch. */
  #watching: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #isReleased = false

  constructor(options: WorkLeaseOptions) {
    this.#options = options
    this.#beatLater(options.handoff, BEATS_PER_LEASE)
  }

  /** No more looking: the holder is about to hand in, and is told of a loss then. */
  unwatch(): void {
    clearTimeout(this.#watchLater)
    this.#watching?.abort('no more looking')
  }

  /** No more heartbeats either: it was handed in, or is lost. */
  release(): void {
    this.#isReleased = true
    clearTimeout(this.#timer)
    this.unwatch()
  }

  #beatLater(handoff: Handoff, part: number): void {
    const { lease_until, updated_at } = handoff
    if (lease_until === undefined || this.#isReleased) return
    const leaseMs = Math.max(Date.parse(lease_until) - Date.parse(updated_at), SHORTEST_LEASE_MS)
    this.#timer = setTimeout(async () => {
      try {
        this.#beatLater(await this.#options.beat(), BEATS_PER_LEASE)
      } catch (error) {
        // Work that waits for an answer needs no heartbeat and is not lost.
        const reason = isLost(error) ? await this.#look().catch(() => error) : undefined
        if (reason) this.#lose(reason)
        else this.#beatLater(handoff, isLost(error) ? BEATS_PER_LEASE : BEATS_WHILE_AWAY)
      }
    }, leaseMs / part)
  }

  async #watch(): Promise<void> {
    try {
      const { link, handoff } = this.#options
      this.#watching = new AbortController()
      const about = { handoff: handoff.uid }
      const reason = await link.until(about, () => this.#look(), this.#watching.signal)
      if (reason) this.#lose(reason)
    } catch (error) {
      // To stop is the usual end. Any other failure shows again when the result is handed in.
      if (error instanceof BatonError) this.#lose(error)
    }
  }

  /** Why the work is lost. Where it only seems so, because the holder was silent too long, it is taken back. */
  async #look(): Promise<BatonError | undefined> {
    const { link, handoff, beat } = this.#options
    try {
      const reason = lossOf(handoff, await link.handoff(handoff.uid))
      // Its own end, which was written meanwhile, is not a loss.
      if (!reason || this.#isReleased) return undefined
      return await beat().then(
        () => undefined,
        (error: unknown) => (isLost(error) ? reason : Promise.reject(error)),
      )
    } catch (error) {
      if (isAway(error)) return undefined
      throw error
    }
  }

  #lose(reason: BatonError): void {
    if (this.#isReleased) return
    this.release()
    this.#options.onLost(reason)
  }
}

/** Why the holder has it no more; undefined while it has. A question to the sender does not give it away. */
function lossOf(mine: Handoff, now: Handoff | undefined): BatonError | undefined {
  const details = { id: mine.id, attempt: mine.attempt }
  if (!now) return new BatonError('not_found', `${mine.id} is gone`, details)
  if (isSame(now, mine) && (isHeld(now.state) || now.state === 'needs_input')) return undefined
  const what =
    now.state === 'cancelled' ? 'was cancelled' : `is no longer held here: it ${stateWords(now.state)}`
  // It may have been offered again, and taken by another, since the program of this attempt ended it.
  const tried = now.attempts.findLast((each) => isSame(each, mine))
  const outcome = tried?.error?.code === 'TIMEOUT' ? 'timed_out' : tried?.outcome
  return conflict(`${mine.id} ${what}`, { ...details, state: now.state, outcome })
}

type Held = Pick<Handoff, 'attempt' | 'holder' | 'instance'>

const isSame = (one: Held, other: Held): boolean =>
  one.attempt === other.attempt && one.holder === other.holder && one.instance === other.instance
