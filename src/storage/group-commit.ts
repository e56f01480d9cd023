import { BatonError } from '../domain/errors.ts'
import { type DueItem, type MoreReads, Needs, type Pair, type Reads, type Unit } from './store.ts'

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown }

/** The answer of one transaction: an outcome for each unit, or the handoffs that must be settled first. */
export type BatchResult = { readonly outcomes: readonly Outcome[] } | { readonly due: readonly DueItem[] }

/** Thrown by an engine when the transaction as a whole was lost and nothing of it took effect. */
export class TransactionLost extends Error {
  override readonly name = 'TransactionLost'
  /** Whether the same units may get through when they are tried again at once. */
  readonly again: boolean
  constructor(cause: unknown, again = true) {
    super('the transaction was lost', { cause })
    this.again = again && !(cause instanceof BatonError && !cause.retry)
  }
}

/** Changes nothing and settles nothing: no deadline is as old. */
export const EMPTY_UNIT: Unit<undefined> = { reads: {}, at: '', decide: () => undefined }

export interface GroupCommitOptions {
  /** Runs the units in one transaction. With `settled`, due handoffs outside that set are reported instead. */
  readonly run: (
    units: readonly Unit<unknown>[],
    settled: ReadonlySet<string> | 'skip',
  ) => Promise<BatchResult>
  /** How many transactions may be under way at once. */
  readonly lanes: number
  readonly maxBatch: number
}

interface Waiting {
  readonly unit: Unit<unknown>
  /** Wants no outcome but the number of settled handoffs, so it does not share its transaction. */
  readonly settles: boolean
  /** How often it has asked for more reads. */
  readonly asked: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A transaction takes the time of about eleven units by itself: for fewer a lane of their own does not pay. */
const FAIR_BATCH = 12

/**
 * How often a transaction that was lost (deadlock, serialization, lost connection before commit, a claim whose work
 * another one held) is tried, and how long is waited at most in between: about a second in all.
 */
const ATTEMPTS = 12
const LONGEST_PAUSE_MS = 256

/** How often a unit may ask for more reads: each answer shows it rows that it did not know of. */
const MOST_ASKED = 5

/**
 * Units that are in flight together share a transaction. A lone caller never waits for company: the queue is
 * emptied on the next turn of the event loop, which is when its simultaneous callers have arrived too.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  readonly #queue: Waiting[] = []
  #running = 0
  /** Units of the transactions that are under way. */
  #inFlight = 0
  #scheduled = false
  #settle: ((due: readonly DueItem[], at: string) => readonly Unit<unknown>[]) | undefined
  #idle: (() => void)[] = []

  constructor(options: GroupCommitOptions) {
    this.#options = options
  }

  onDue(settle: (due: readonly DueItem[], at: string) => readonly Unit<unknown>[]): void {
    this.#settle = settle
  }

  submit<T>(unit: Unit<T>): Promise<T> {
    return this.#enqueue(unit, false) as Promise<T>
  }

  /** Settles what is due without other work; answers how many handoffs were looked at. */
  settle(at: string): Promise<number> {
    return this.#enqueue({ reads: {}, at, decide: () => undefined }, true) as Promise<number>
  }

  /** Resolves when nothing is queued or under way. */
  drained(): Promise<void> {
    if (this.#running === 0 && this.#queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  #enqueue(unit: Unit<unknown>, settles: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ unit, settles, asked: 0, resolve, reject })
      this.#schedule()
    })
  }

  #take(): readonly Waiting[] {
    if (this.#queue[0]?.settles) return this.#queue.splice(0, 1)
    const next = this.#queue.findIndex((waiting) => waiting.settles)
    const ready = next === -1 ? this.#queue.length : next
    return this.#queue.splice(0, Math.min(this.#options.maxBatch, ready, this.#fairShare()))
  }

  /** Equal lanes: one transaction is decided here while the server is at work on the other. */
  #fairShare(): number {
    const units = this.#queue.length + this.#inFlight
    const lanes = Math.max(1, Math.min(this.#options.lanes, Math.floor(units / FAIR_BATCH)))
    return Math.ceil(units / lanes)
  }

  #schedule(): void {
    if (this.#scheduled || this.#running >= this.#options.lanes || this.#queue.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const batch = this.#take()
      if (batch.length === 0) return
      this.#running++
      this.#inFlight += batch.length
      void this.#runBatch(batch).finally(() => {
        this.#running--
        this.#inFlight -= batch.length
        if (this.#queue.length > 0) this.#schedule()
        else if (this.#running === 0) for (const done of this.#idle.splice(0)) done()
      })
      this.#schedule()
    })
  }

  async #runBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const { outcomes, settled } = await this.#runSettled(batch.map((w) => w.unit))
      const again: Waiting[] = []
      for (const [i, waiting] of batch.entries()) {
        const outcome = waiting.settles ? { ok: true as const, value: settled } : outcomes[i]
        if (isLost(outcome)) again.push(waiting)
        else if (isAsking(outcome)) this.#runLater(waiting, outcome.value)
        else answer(waiting, outcome)
      }
      for (const waiting of again) await this.#runBatch([waiting])
    } catch (error) {
      if (batch.length === 1 || !(error instanceof TransactionLost)) {
        for (const waiting of batch) waiting.reject(unwrap(error))
        return
      }
      // One poisoned unit must not take the others with it: each runs again alone.
      for (const waiting of batch) await this.#runBatch([waiting])
    }
  }

  /** Back into the queue, so that it shares its next transaction with the others that wait by then. */
  #runLater({ asked, ...waiting }: Waiting, { reads }: Needs): void {
    try {
      this.#queue.push({ ...waiting, unit: withMore(waiting.unit, reads, asked), asked: asked + 1 })
    } catch (error) {
      waiting.reject(error)
    }
  }

  async #runSettled(
    units: readonly Unit<unknown>[],
  ): Promise<{ outcomes: readonly Outcome[]; settled: number }> {
    const settled = new Set<string>()
    for (;;) {
      const result = await this.#tryRun(units, settled)
      if ('outcomes' in result) return { outcomes: result.outcomes, settled: settled.size }
      for (const item of result.due) settled.add(item.uid)
      const at = latestOf(units)
      // Each due handoff is settled on its own: one that cannot be must not keep the rest, or the caller, waiting.
      const settling = this.#settle?.(result.due, at) ?? []
      try {
        await this.#runDue(settling)
      } catch {
        for (const unit of settling) await this.#runDue([unit]).catch(() => undefined)
      }
    }
  }

  async #runDue(settling: readonly Unit<unknown>[]): Promise<void> {
    let units = settling
    for (let asked = 0; units.length > 0; asked++) {
      const result = await this.#tryRun(units, 'skip')
      const outcomes = 'outcomes' in result ? result.outcomes : []
      units = units.flatMap((unit, i) => {
        const outcome = outcomes[i]
        return isAsking(outcome) ? [withMore(unit, outcome.value.reads, asked)] : []
      })
    }
  }

  async #tryRun(
    units: readonly Unit<unknown>[],
    settled: ReadonlySet<string> | 'skip',
  ): Promise<BatchResult> {
    const attempts = units.length === 1 || settled === 'skip' ? ATTEMPTS : 1
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.#options.run(units, settled)
        // A unit that could not be decided yet has changed nothing, and alone there is nothing else to keep.
        const [only] = units.length === 1 && 'outcomes' in result ? result.outcomes : []
        if (isLost(only)) throw only.error
        return result
      } catch (error) {
        if (!(error instanceof TransactionLost) || !error.again || attempt >= attempts) throw error
        await new Promise((resolve) =>
          setTimeout(resolve, Math.random() * Math.min(2 ** attempt, LONGEST_PAUSE_MS)),
        )
      }
    }
  }
}

const latestOf = (units: readonly Unit<unknown>[]): string =>
  units.reduce((last, unit) => (unit.at > last ? unit.at : last), '')

/** How many due handoffs are settled at once. */
const DUE_AT_ONCE = 100

/** Until when handoffs are due for these units, and how many rows to read: none that `dueFirst` leaves out hides another. */
export const dueWithin = (units: readonly Unit<unknown>[], settled: ReadonlySet<string>) => ({
  at: latestOf(units),
  limit: units.reduce((sum, { reads }) => sum + (reads.handoffs?.length ?? 0), DUE_AT_ONCE + settled.size),
})

/** Of what is due, what is settled before these units are judged: a unit may revive its own lapsed lease. */
export const dueFirst = (
  due: readonly DueItem[],
  units: readonly Unit<unknown>[],
  settled: ReadonlySet<string>,
): readonly DueItem[] =>
  due.filter(({ uid, kind, holder }) => {
    const isOwn = (unit: Unit<unknown>) => unit.holder === holder && unit.reads.handoffs?.includes(uid)
    return !settled.has(uid) && !(kind === 'lease' && holder !== undefined && units.some(isOwn))
  })

/** All that a batch reads, without repeats and in one order, so that no two batches wait for each other. */
export function mergeReads(units: readonly Unit<unknown>[]): Required<
  Omit<Reads, 'claim' | 'idem' | 'latest'>
> & {
  readonly claims: ReadonlyMap<string, number>
  readonly idems: readonly NonNullable<Reads['idem']>[]
  readonly pairs: readonly Pair[]
  /** The instant of the latest unit, and its year. */
  readonly at: string
  readonly year: string
} {
  const claims = new Map<string, number>()
  const idems: NonNullable<Reads['idem']>[] = []
  const pairs: Pair[] = []
  let numbers = 0
  const at = latestOf(units)
  for (const { reads } of units) {
    if (reads.claim !== undefined) claims.set(reads.claim, (claims.get(reads.claim) ?? 0) + 1)
    if (reads.idem) idems.push(reads.idem)
    pairs.push(...(reads.latest ?? []))
    numbers += reads.numbers ?? 0
  }
  const union = (key: Exclude<keyof Reads, 'claim' | 'idem' | 'latest' | 'numbers'>) => {
    if (units.length === 1) return units[0]?.reads[key] ?? []
    const all = new Set<string>()
    for (const { reads } of units) for (const item of reads[key] ?? []) all.add(item)
    return [...all].sort()
  }
  return {
    handoffs: union('handoffs'),
    contents: union('contents'),
    agents: union('agents'),
    counted: [...union('counted')].sort(),
    tasks: [...union('tasks')].sort(),
    streams: union('streams'),
    notices: union('notices'),
    sessions: [...union('sessions')].sort(),
    runs: [...union('runs')].sort(),
    blocks: union('blocks'),
    deliveries: [...union('deliveries')].sort(),
    numbers,
    at,
    year: at.slice(0, 4),
    claims,
    idems,
    pairs,
  }
}

/** Whether the reads name all of these. */
export const isWithin = (reads: Reads, more: MoreReads): boolean =>
  listsOf(more).every(([key, items]) => items.every((item) => reads[key]?.includes(item)))

/** The unit with the reads that its decision asked for. */
function withMore(unit: Unit<unknown>, more: MoreReads, asked: number): Unit<unknown> {
  if (isWithin(unit.reads, more)) throw new Error('a unit asked again for what it has read')
  if (asked === MOST_ASKED) throw new Error(`a unit asked more than ${MOST_ASKED} times for more reads`)
  const merged = listsOf(more).map(([key, items]) => [
    key,
    [...new Set([...(unit.reads[key] ?? []), ...items])],
  ])
  return { ...unit, reads: { ...unit.reads, ...Object.fromEntries(merged) } }
}

const listsOf = (reads: MoreReads) =>
  Object.entries(reads) as (readonly [keyof MoreReads, readonly string[]])[]

function answer(waiting: Waiting, outcome: Outcome | undefined): void {
  if (outcome?.ok) waiting.resolve(outcome.value)
  else waiting.reject(outcome ? outcome.error : new Error('a unit got no outcome'))
}

const isLost = (outcome: Outcome | undefined): outcome is { ok: false; error: TransactionLost } =>
  outcome?.ok === false && outcome.error instanceof TransactionLost

const isAsking = (outcome: Outcome | undefined): outcome is { ok: true; value: Needs } =>
  outcome?.ok === true && outcome.value instanceof Needs

const unwrap = (error: unknown): unknown => (error instanceof TransactionLost ? error.cause : error)
