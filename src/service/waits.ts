import { BatonError } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Changed, Store } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'
import { isUid } from './lookup.ts'

/** Signals are hints: this often the end of the log is read, once for all who wait. */
export const LOOK_AGAIN_MS = 1_000
/** A timer with more than 31 bits fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A wait with more time left needs no timer of its own: thousands share the tick. */
const NEAR_MS = 2 * LOOK_AGAIN_MS

/** The cause of a look: rows that this process wrote itself, or that no signal came and the log had to be read. */
export interface Woken {
  readonly changed?: Changed | undefined
  readonly isLate?: boolean
}

const MOST_ASKING = 128

interface Sleeper {
  readonly about: string
  leftMs(): number
  begin(isPending: boolean): void
  wake(): void
  rouse(changed: Changed | undefined, isLate: boolean): void
}

/**
 * One wait. It looks at once, whenever what it is about may have changed, and at the deadline, until `look` answers
 * something. The log names handoffs only, so for all else a look is taken every second too, and so it is when the store
 * was away. While it sleeps this object is all that is kept: thousands may be open at once.
 */
export abstract class Wait<T, A> implements Sleeper {
  /** The uid of a handoff or the name of an agent; '' for every change. */
  readonly about: string
  readonly #isKnown: boolean
  #woken: Woken | undefined
  #isAwake = true
  #isBlind = false
  #timer: NodeJS.Timeout | undefined
  #signal: AbortSignal | undefined
  readonly #ended = Promise.withResolvers<A>()
  #waits: Waits | undefined
  /** The store was away for the last look. */
  away: BatonError | undefined

  /** Of a known handoff it is asked only whether it is open still. */
  constructor(about: string, isKnown = false) {
    this.about = about
    this.#isKnown = isKnown
  }

  protected abstract look(woken: Woken): Promise<T | undefined>
  abstract leftMs(): number
  /** Judges a handoff that this process wrote itself: whether its state is worth a look. */
  protected isTold(_: Handoff): boolean {
    return true
  }

  /** The answer to what was found; undefined when time is up. */
  protected abstract answerOf(found: T | undefined): A | Promise<A>

  until(deps: ServiceDeps, signal?: AbortSignal): Promise<A> {
    this.#signal = signal
    const waits = waitsOf(deps)
    this.#waits = waits
    if (signal) wakeAtAbort(signal, this)
    // Joined before the first look: a change between look and sleep must not be missed.
    waits.join(this)
    if (this.#isKnown) waits.ask(this)
    else void waits.begin().then(() => this.begin(false))
    return this.#ended.promise
  }

  begin(isPending: boolean): void {
    if (!isPending) this.#woken ??= {}
    // Most of thousands need no look.
    if (!this.#woken && !this.#signal?.aborted && this.leftMs() > NEAR_MS) this.#isAwake = false
    else void this.#run()
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        this.#signal?.throwIfAborted()
        const isLast = this.leftMs() <= 0
        this.#isBlind = !isUid(this.about)
        if (this.#woken || isLast) {
          const by: Woken = this.#woken ?? {}
          this.#woken = undefined
          this.away = undefined
          const found = await this.look(by).catch((error: unknown) => {
            if (!isPassing(error)) throw error
            this.#isBlind = true
            this.away = error
            return undefined
          })
          // A look that began before the deadline is not the last one, however long it took.
          if (found !== undefined || isLast) {
            this.#leave()
            this.#ended.resolve(this.answerOf(found))
            return
          }
        }
        const left = this.leftMs()
        if (!this.#woken && left > 0 && !this.#signal?.aborted) {
          this.#isAwake = false
          if (this.#isBlind || left < NEAR_MS)
            this.#timer = setTimeout(() => this.wake(), Math.min(left, LOOK_AGAIN_MS))
          return
        }
        if (this.#isBlind) this.#woken ??= {}
      }
    } catch (error) {
      this.#leave()
      this.#ended.reject(error)
    }
  }

  #leave(): void {
    if (this.#signal) leaveSignal(this.#signal, this)
    this.#waits?.leave(this)
  }

  wake(): void {
    if (this.#isAwake) return
    this.#isAwake = true
    clearTimeout(this.#timer)
    if (this.#isBlind) this.#woken ??= {}
    queueMicrotask(() => void this.#run())
  }

  rouse(changed: Changed | undefined, isLate: boolean): void {
    const own = changed?.handoffs?.get(this.about)
    if (!this.#woken && own && !this.isTold(own)) return
    // Changes that came together are read anew.
    this.#woken = this.#woken ? {} : { changed, isLate }
    this.wake()
  }
}

/** The same look may succeed later, without anybody's doing. */
const isPassing = (error: unknown): error is BatonError => error instanceof BatonError && error.retry

class Aborted extends Set<Sleeper> {
  handleEvent(): void {
    for (const each of this) each.wake()
  }
}
const aborts = new WeakMap<AbortSignal, Aborted>()

/** One listener for all who wait with a signal: adding the thousandth compares it with those before. */
function wakeAtAbort(signal: AbortSignal, wait: Sleeper): void {
  const all = aborts.get(signal) ?? new Aborted()
  if (all.size === 0) signal.addEventListener('abort', all)
  aborts.set(signal, all.add(wait))
}

/** A signal made of others is never freed while anybody listens to it. */
function leaveSignal(signal: AbortSignal, wait: Sleeper): void {
  const all = aborts.get(signal)
  all?.delete(wait)
  if (all?.size === 0) signal.removeEventListener('abort', all)
}

const waits = new WeakMap<Store, Waits>()

/** The waits of this process on a store: one subscription, one timer and one read for all of them. */
function waitsOf(deps: ServiceDeps): Waits {
  const known = waits.get(deps.store) ?? new Waits(deps)
  waits.set(deps.store, known)
  return known
}

/** How many wait in this process. */
export const waitsHeld = (store: Store): number => waits.get(store)?.held ?? 0

class Waits {
  readonly #deps: ServiceDeps
  /** By the uid of a handoff or the name of an agent; those under '' wait for anything. Most wait alone. */
  readonly #first = new Map<string, Sleeper>()
  readonly #others = new Map<string, Set<Sleeper>>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  /** All who wait have looked after this place of the log, or were told of what came behind it. */
  #cursor: string | undefined
  #asking: Sleeper[] = []
  #beginning: Promise<void> | undefined

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  get held(): number {
    return [...this.#others.values()].reduce((sum, { size }) => sum + size, this.#first.size)
  }

  join(wait: Sleeper): void {
    const { about } = wait
    if (!this.#first.has(about)) this.#first.set(about, wait)
    else this.#others.set(about, (this.#others.get(about) ?? new Set()).add(wait))
    if (!this.#unsubscribe) {
      this.#unsubscribe = this.#deps.store.subscribe((changed) => {
        if (changed) this.#tell(changed, false)
        else void this.#hear(false)
      })
      this.#timer = setInterval(() => void this.#tick(), LOOK_AGAIN_MS)
    }
  }

  leave(wait: Sleeper): void {
    const { about } = wait
    if (this.#first.get(about) === wait) this.#first.delete(about)
    const others = this.#others.get(about)
    others?.delete(wait)
    if (others?.size === 0) this.#others.delete(about)
    if (this.#first.size + this.#others.size > 0) return
    clearInterval(this.#timer)
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  /** One read answers all that ask in one turn; of thousands a part in each turn, so that work goes on between. */
  ask(wait: Sleeper): void {
    if (this.#asking.push(wait) === 1) setImmediate(() => void this.#answer())
  }

  async #answer(): Promise<void> {
    await this.begin()
    const waits = this.#asking.splice(0, MOST_ASKING)
    if (this.#asking.length > 0) setImmediate(() => void this.#answer())
    const { store, now } = this.#deps
    const uids = waits.map(({ about }) => about)
    const pending = await store.pending(uids, now().toISOString()).catch(() => undefined)
    for (const each of waits) each.begin(pending?.has(each.about) ?? false)
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

  #about(name: string): readonly Sleeper[] {
    const first = this.#first.get(name)
    return [...(first ? [first] : []), ...(this.#others.get(name) ?? [])]
  }

  #all(): readonly Sleeper[] {
    return [...this.#first.values(), ...[...this.#others.values()].flatMap((others) => [...others])]
  }

  #tell(changed: Changed | undefined, isLate: boolean): void {
    for (const wait of changed ? ['', ...changed.names].flatMap((name) => this.#about(name)) : this.#all())
      wait.rouse(changed, isLate)
    for (const at of changed?.retries ?? []) this.#settleAt(at)
  }

  /** A retry is offered at its instant, not at the next look. */
  #settleAt(at: string): void {
    const { store, now } = this.#deps
    const ms = Date.parse(at) - now().getTime()
    const settle = () => void store.settle(now().toISOString()).catch(() => undefined)
    if (ms < LONGEST_TIMER_MS) setTimeout(settle, Math.max(ms, 0) + 1).unref()
  }

  /** Deadlines first: a store that does not answer must not hold them up. */
  async #tick(): Promise<void> {
    for (const wait of this.#all()) if (wait.leftMs() < NEAR_MS) wait.wake()
    if (this.#isLooking) return
    this.#isLooking = true
    const { store, now } = this.#deps
    await store.settle(now().toISOString()).catch(() => undefined)
    await this.#hear(true)
    this.#isLooking = false
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
