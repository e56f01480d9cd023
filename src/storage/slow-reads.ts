import { AsyncLocalStorage } from 'node:async_hooks'
import { BatonError } from '../domain/errors.ts'
import type { PoolState, Reader, StoreLimits } from './pools.ts'

/** Limits that nobody has set. */
export const STORE_LIMITS: StoreLimits = {
  writers: 2,
  readers: 4,
  slowReaders: 2,
  queryMs: 30_000,
  slowReadMs: 10_000,
  slowBudgetMs: 15_000,
}

const MINUTE_MS = 60_000
const ASK_FOR_LESS = 'To ask for less, name a task, an agent or open states'
/** How many of one agent may wait for their turn. */
const MOST_WAITING = 16
const MOST_TOKENS = 10_000
/** The share of its budget that an agent may use without a pause. */
const BURST = 0.013
/** In parts of the time that the call took. With three, one agent at two servers kept a core from all others. */
const PAUSE = 9
/** Longer reads have used up the budget before long. */
const MOST_PAUSE_MS = 5_000

/** A read that waits for its turn, which `take` begins or refuses. */
interface Turn {
  readonly reader: Reader | undefined
  take(refusal?: unknown): void
}

/**
 * Lets few slow reads run at once, in turn between agents. One agent never holds every place, and it stops when it has
 * used up its time: a search of one agent must not hold up the calls of the others.
 */
export class SlowReads {
  readonly #limits: StoreLimits
  readonly #readers = new AsyncLocalStorage<Reader>()
  /** In the order of their next turn. */
  readonly #waiting = new Map<string, Turn[]>()
  readonly #running = new Map<string, number>()
  /** Time that an agent may still use; the one that was silent longest comes first. */
  readonly #left = new Map<string, { readonly ms: number; readonly at: number }>()
  /**
   * Between the calls of an agent, each of which may read more than once. A search takes a core of the database, so one
   * agent must not search all the time. People do not.
   */
  readonly #pauses = new Map<string, { readonly until: number; readonly after: Reader | undefined }>()

  constructor(limits: StoreLimits) {
    this.#limits = limits
  }

  get state(): PoolState {
    const count = (all: Iterable<number>) => [...all].reduce((sum, each) => sum + each, 0)
    return {
      size: this.#limits.slowReaders,
      used: count(this.#running.values()),
      waiting: count([...this.#waiting.values()].map((turns) => turns.length)),
    }
  }

  /** The reads of `work` are this caller's. */
  readAs<T>(reader: Reader, work: () => Promise<T>): Promise<T> {
    return this.#readers.run(reader, work)
  }

  /** The caller that is read for; absent outside a server. */
  get reader(): Reader | undefined {
    return this.#readers.getStore()
  }

  /**
   * The signal ends when the caller has gone or the time is up. What has to be done `before` may take longer: it holds
   * no place and is not taken from the budget, but the pause after it is as long as after a read.
   */
  async run<T>(read: (signal: AbortSignal) => Promise<T>, before?: () => Promise<unknown>): Promise<T> {
    const { agent = '', signal } = this.reader ?? {}
    if (agent) this.#refuseSpent(agent)
    const begun = performance.now()
    await before?.()
    const beforeMs = performance.now() - begun
    await this.#turn(agent, signal)
    const started = performance.now()
    const late = AbortSignal.timeout(this.#limits.slowReadMs)
    try {
      return await read(signal ? AbortSignal.any([signal, late]) : late)
    } catch (error) {
      if (late.aborted) throw this.#tookTooLong(error)
      throw error
    } finally {
      const ms = performance.now() - started
      if (agent) this.#spend(agent, ms, ms + beforeMs)
      this.#end(agent)
    }
  }

  #turn(agent: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (agent) this.#refuseSpent(agent)
    const turns = this.#waiting.get(agent) ?? []
    if (agent && turns.length >= MOST_WAITING) throw tooMany(agent)
    this.#waiting.set(agent, turns)
    return new Promise((resolve, reject) => {
      const leave = () => {
        turns.splice(turns.indexOf(turn), 1)
        reject(signal?.reason)
      }
      const take = (refusal?: unknown) => {
        signal?.removeEventListener('abort', leave)
        if (refusal) reject(refusal)
        else resolve()
      }
      const turn = { reader: this.reader, take }
      signal?.addEventListener('abort', leave, { once: true })
      turns.push(turn)
      this.#startNext()
    })
  }

  #startNext(): void {
    const { slowReaders: atOnce } = this.#limits
    for (const [agent, turns] of this.#waiting) {
      if (turns.length === 0) this.#waiting.delete(agent)
      const running = this.#running.get(agent) ?? 0
      if (turns.length === 0 || this.state.used >= atOnce || running >= Math.max(1, atOnce - 1)) continue
      const next = this.#nextOf(agent, turns)
      if (next < 0) continue
      const [turn] = turns.splice(next, 1)
      // Behind the others.
      this.#waiting.delete(agent)
      this.#waiting.set(agent, turns)
      try {
        if (agent) this.#refuseSpent(agent)
        this.#running.set(agent, running + 1)
        turn!.take()
      } catch (error) {
        turn!.take(error)
      }
    }
  }

  /** In a pause the call goes on that the pause comes after. */
  #nextOf(agent: string, turns: readonly Turn[]): number {
    const pause = this.#pauses.get(agent)
    return pause ? turns.findIndex(({ reader }) => reader === pause.after) : 0
  }

  #end(agent: string): void {
    const running = this.#running.get(agent)! - 1
    if (running === 0) this.#running.delete(agent)
    else this.#running.set(agent, running)
    this.#startNext()
  }

  #leftOf(agent: string, now: number): number {
    const { slowBudgetMs: budgetMs } = this.#limits
    const known = this.#left.get(agent)
    return known ? Math.min(budgetMs, known.ms + ((now - known.at) / MINUTE_MS) * budgetMs) : budgetMs
  }

  /** The time that its budget loses, and the time after which it pauses. */
  #spend(agent: string, ms: number, restMs: number): void {
    const now = performance.now()
    const left = this.#leftOf(agent, now)
    this.#left.delete(agent)
    if (this.#left.size >= MOST_TOKENS) this.#left.delete(this.#left.keys().next().value!)
    this.#left.set(agent, { ms: left - ms, at: now })
    if (this.reader?.isPerson || left - ms > this.#limits.slowBudgetMs * (1 - BURST)) return
    const wanted = Math.max(now, this.#pauses.get(agent)?.until ?? 0) + PAUSE * restMs
    const until = Math.min(wanted, now + MOST_PAUSE_MS)
    this.#pauses.set(agent, { until, after: this.reader })
    const end = () => {
      if (this.#pauses.get(agent)?.until === until) this.#pauses.delete(agent)
      this.#startNext()
    }
    setTimeout(end, until - now).unref()
  }

  #refuseSpent(agent: string): void {
    const { slowBudgetMs: budgetMs } = this.#limits
    const left = this.#leftOf(agent, performance.now())
    if (left > 0) return
    const retry_after_s = Math.ceil(((1 - left) / budgetMs) * (MINUTE_MS / 1_000))
    throw new BatonError(
      'limit_exceeded',
      `the searches of ${agent} took more than ${budgetMs / 1_000} s of the last minute; wait ${retry_after_s} s. ${ASK_FOR_LESS}`,
      { retry_after_s, budget_s: budgetMs / 1_000 },
    )
  }

  #tookTooLong(cause: unknown): BatonError {
    const seconds = this.#limits.slowReadMs / 1_000
    return new BatonError(
      'timed_out',
      `this search took longer than ${seconds} s and was stopped. ${ASK_FOR_LESS}`,
      { limit_s: seconds },
      cause,
    )
  }
}

const tooMany = (agent: string): BatonError =>
  new BatonError(
    'limit_exceeded',
    `${MOST_WAITING} searches of ${agent} wait for their turn, which is the most; wait until one has ended`,
    { retry_after_s: 1, most: MOST_WAITING },
  )
