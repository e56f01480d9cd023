import { ANYONE } from '../domain/actor.ts'
import { BatonError, invalidInput, onRefusal } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { withoutSecrets } from '../domain/texts/secrets.ts'
import { demandSeconds } from '../domain/wait-limits.ts'
import { Attempt, type AttemptOptions } from './attempt.ts'
import type { AgentLink, Claimed, Link } from './link.ts'
import { type AfterSchema, type BeforeSchema, prepareSchema, type Schema } from './schema.ts'
import { warn } from './warnings.ts'
import type { Handler } from './work.ts'
import { isAway, isUnusable, LOST_CODES } from './work-lease.ts'

export interface WorkerOptions {
  /** How many handoffs are worked on at the same time; 1 unless said. */
  readonly concurrency?: number
  /** Closes the specialist when it is aborted, without waiting for handlers. */
  readonly signal?: AbortSignal
}

export interface SpecialistOptions<In extends Schema = Schema, Out extends Schema = Schema>
  extends WorkerOptions {
  /** The schema of the handoff's input. A refusal fails the handoff with SCHEMA_VALIDATION_FAILED. */
  readonly input?: In
  /** The schema of the handler's output. A refusal fails the handoff with VALIDATION_FAILED. */
  readonly output?: Out
}

/** A receiver that runs in this process. */
export interface Specialist {
  readonly name: string
  /** One run of the specialist: what it holds is held by name and instance. */
  readonly instance: string
  /** Settles when it has stopped; rejects when it stopped because the store can no longer be used. */
  readonly done: Promise<void>
  /**
   * Takes no more work and waits up to `timeout_s` seconds (30) for handlers to finish. What is not finished then
   * is aborted and released: it is offered again at once as the same attempt.
   *
   * ```ts
   * await specialist.close({ timeout_s: 5 })
   * ```
   */
  close(options?: CloseOptions): Promise<void>
  /** `await using` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface CloseOptions {
  /** How long handlers may take to finish, in seconds; 30 unless said. */
  readonly timeout_s?: number
}

const CLOSE_TIMEOUT_S = 30
/** A worker beats by itself, so a dead one is noticed soon. A `timeout_s` of the sender counts instead. */
export const LEASE_S = 30
/** A timer with more than 31 bits fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Enough to see an offer among what other instances of the same name hold already. */
const LOOK_AHEAD = 20
/** While every claim finds work, the inbox is looked at this often, by one slot, for work that came back. */
const LOOK_EVERY_MS = 100

/** Starts a specialist: its schemas are ready and it is listening when the promise resolves. */
export async function startSpecialist<In extends Schema, Out extends Schema>(
  { as, compile }: Pick<Link, 'as' | 'compile'>,
  name: string,
  options: SpecialistOptions<In, Out>,
  handler: Handler<AfterSchema<In>, BeforeSchema<Out>>,
): Promise<Specialist> {
  demandWorker(name, options, handler)
  const { concurrency = 1 } = options
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new BatonError('invalid_input', `concurrency is ${concurrency}; it is a whole number from 1 up`, {
      concurrency,
    })
  options.signal?.throwIfAborted()
  const [checkInput, checkOutput] = await Promise.all([
    prepareSchema(options.input, compile),
    prepareSchema(options.output, compile),
  ])
  const link = as(name, { instance: crypto.randomUUID(), kind: 'specialist' })
  await demandProgram(link)
  const attempt = {
    link,
    checkInput,
    checkOutput,
    // The schemas are what makes the handler's own types true.
    handler: handler as Handler,
  }
  return new RunningSpecialist({
    link,
    concurrency,
    signal: options.signal,
    work: (claimed, world) => new Attempt({ ...attempt, ...world }, claimed).run(),
  })
}

/** A program without types may leave out anything, and work would be taken only to fail. */
function demandWorker(name: string, options: unknown, handler: unknown): void {
  if (typeof handler !== 'function')
    throw invalidInput(
      `the specialist ${name} has no handler; give it as the third argument: specialist(name, options, handler)`,
      { name },
    )
  if (typeof options !== 'object' || options === null)
    throw invalidInput(`the options of the specialist ${name} are not an object; use {} for none`, { name })
}

/** A program does not take the work of a person. A token that cannot see the agents is judged by the name alone. */
export async function demandProgram({ name, call }: AgentLink): Promise<void> {
  const known = await call('agent_list', {}).catch(onRefusal({ items: [] }, ...LOST_CODES))
  if (name === ANYONE || known.items.some((agent) => agent.name === name && agent.kind === 'human'))
    throw new BatonError('not_allowed', `${name} is a person; give the worker the name of a program`, {
      name,
    })
}

interface RunningOptions {
  readonly link: AgentLink
  readonly concurrency: number
  readonly signal: AbortSignal | undefined
  readonly work: (
    claimed: Claimed,
    world: Pick<AttemptOptions, 'stopped' | 'hasFreeSlot' | 'onEnding'>,
  ) => Promise<void>
}

class RunningSpecialist implements Specialist {
  readonly name: string
  readonly instance: string
  readonly done: Promise<void>
  readonly #options: RunningOptions
  /** Slots at work. Each goes from one handoff to the next while there is more. */
  readonly #slots = new Set<Promise<void>>()
  #onFree: () => void = () => undefined
  /** The handoffs that slots are at, and during a look at the inbox all that they were at since it began. */
  readonly #atWork = new Set<string>()
  readonly #since = new Set<string>()
  /** Claims beside the ends of attempts. */
  readonly #claiming = new Set<Promise<unknown>>()
  /** Attempts whose end could not be written: they look as if they went on, until their lease lapses. */
  readonly #unended = new Set<string>()
  /** Aborted: take no more. */
  readonly #closing = new AbortController()
  /** Aborted: wait for no handler. */
  readonly #stopped = new AbortController()
  #failure: { readonly error: unknown } | undefined
  /** The inbox was seen to be long, and all claims since have found work. */
  #isLong = false
  /** When the inbox was looked at last, or a slot was left free for that. */
  #lookedAt = Number.NEGATIVE_INFINITY
  #mustLook = false

  constructor(options: RunningOptions) {
    this.#options = options
    this.name = options.link.name
    this.instance = options.link.instance ?? ''
    const { signal } = options
    const stop = () => void this.close({ timeout_s: 0 })
    signal?.addEventListener('abort', stop, { once: true })
    this.done = this.#run().finally(() => signal?.removeEventListener('abort', stop))
    // A caller that awaits `done` gets the error. Without one the process goes on, and a warning says why.
    this.done.catch((error: unknown) => warn(`the specialist ${this.name} has stopped`, error))
    if (signal?.aborted) stop()
  }

  async close(options: CloseOptions = {}): Promise<void> {
    demandSeconds(options.timeout_s)
    this.#closing.abort()
    const waitMs = Math.min((options.timeout_s ?? CLOSE_TIMEOUT_S) * 1_000, LONGEST_TIMER_MS)
    const timer = setTimeout(() => this.#stopped.abort(), waitMs)
    // The caller of `close` asked for the end; `done` reports what went wrong.
    await this.done.catch(() => undefined)
    clearTimeout(timer)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #run(): Promise<void> {
    try {
      while (!this.#closing.signal.aborted) {
        if (this.#free > 0) await this.#takeNext()
        else
          await new Promise<void>((resolve) => {
            this.#onFree = resolve
          })
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#fail(error)
    }
    await Promise.all(this.#slots)
    if (this.#failure) throw this.#failure.error
  }

  async #takeNext(): Promise<void> {
    const { link } = this.#options
    const taken = await link.until({ agent: this.name }, () => this.#take(), this.#closing.signal)
    for (const claimed of taken ?? []) {
      const slot = this.#work(claimed).finally(() => {
        this.#slots.delete(slot)
        this.#onFree()
      })
      this.#slots.add(slot)
    }
  }

  get #free(): number {
    return this.#options.concurrency - this.#slots.size
  }

  /** One slot: while the inbox is long, the transaction that ends an attempt claims the next. */
  async #work(first: Claimed): Promise<void> {
    let claimed: Claimed | undefined = first
    while (claimed) {
      const { handoff }: Claimed = claimed
      let next: Promise<readonly Claimed[] | undefined> | undefined
      this.#begin(handoff)
      const options = {
        stopped: this.#stopped.signal,
        hasFreeSlot: () => this.#free > 0,
        onEnding: () => {
          if (!this.#isLong || this.#closing.signal.aborted || this.#isTimeToLook()) return
          const claiming = this.#claims(1).catch(() => undefined)
          this.#claiming.add(claiming)
          next = claiming.finally(() => this.#claiming.delete(claiming))
        },
      }
      await this.#options.work(claimed, options).catch((error: unknown) => this.#abandon(handoff, error))
      const [found] = (await next) ?? []
      claimed = found
      this.#atWork.delete(handoff.uid)
    }
  }

  #begin({ uid }: Handoff): void {
    this.#atWork.add(uid)
    this.#since.add(uid)
  }

  /** One slot is told so and ends; the others go on from one handoff to the next. */
  #isTimeToLook(): boolean {
    if (performance.now() - this.#lookedAt < LOOK_EVERY_MS) return false
    this.#lookedAt = performance.now()
    this.#mustLook = true
    return true
  }

  /** An attempt could neither be handed in nor reported: that ends it alone, unless no other would fare better. */
  #abandon(handoff: Handoff, error: unknown): void {
    if (isUnusable(error)) {
      this.#fail(error)
      return
    }
    this.#unended.add(attemptOf(handoff))
    const { attempt, id } = handoff
    warn(
      `the end of attempt ${attempt} of ${id} could not be written, and ${this.name} goes on without it`,
      error,
    )
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#closing.abort()
  }

  /** Takes work for all free slots; claims share a transaction. It looks before it claims: a claim takes locks. */
  async #take(): Promise<readonly Claimed[] | undefined> {
    const { link } = this.#options
    try {
      if (this.#isLong && !this.#mustLook && !this.#isTimeToLook()) {
        const claimed = await this.#claims(this.#free)
        if (claimed) return claimed
      }
      // Before the read: work that is handed in meanwhile may still be shown in progress, and is not to be done again.
      this.#since.clear()
      for (const uid of this.#atWork) this.#since.add(uid)
      this.#mustLook = false
      this.#lookedAt = performance.now()
      const { items, next } = await link.inbox(Math.min(this.#atWork.size + LOOK_AHEAD, 5 * LOOK_AHEAD))
      // Nor is work that was claimed before the read, and is begun after it.
      await Promise.all(this.#claiming)
      const free = this.#free
      const mine = items.filter(({ holder, instance }) => holder === this.name && instance === this.instance)
      // Begun work that nobody here is at was handed in, and its verifier gave it back.
      const refused = mine.filter(
        (item) => isBegun(item) && !this.#since.has(item.uid) && !this.#unended.has(attemptOf(item)),
      )
      if (refused.length > 0) return refused.slice(0, free).map((handoff) => ({ handoff }))
      const answered = mine.filter(({ state }) => state === 'accepted').slice(0, free)
      const offers = items.filter((item) => item.state === 'offered' && item.to === this.name).length
      if (answered.length > 0) return await begunOf(answered.map((item) => this.#acknowledge(item)))
      if (next !== undefined) this.#isLong = true
      return await this.#claims(next ? free : Math.min(free, offers))
    } catch (error) {
      if (isAway(error)) return undefined
      throw error
    }
  }

  async #claims(wanted: number): Promise<readonly Claimed[] | undefined> {
    const begun = await begunOf(Array.from({ length: wanted }, () => this.#claim()))
    if (begun?.length !== wanted) this.#isLong = false
    // A look that is under way may show them already.
    for (const { handoff } of begun ?? []) this.#begin(handoff)
    return begun
  }

  async #claim(): Promise<Claimed | undefined> {
    const claimed = await this.#options.link.claim(LEASE_S)
    return claimed?.handoff.state === 'accepted' ? this.#acknowledge(claimed.handoff) : claimed
  }

  /** Document 004 begins with the task in its receiver's words, and a program has none but its title. */
  async #acknowledge({ uid, title }: Handoff): Promise<Claimed | undefined> {
    const understood = withoutSecrets(title)
    const accepted = this.#options.link.call('handoff_accept', { id: uid, understood })
    // Cancelled or given away meanwhile: there is other work.
    return accepted.catch(onRefusal(undefined, ...LOST_CODES))
  }
}

/** A claim that finds a required artifact missing has failed the handoff already; an unclear package waits for its sender. */
const isBegun = (handoff: Handoff): boolean => handoff.state === 'in_progress'

/** Those that can be worked on; throws where none can be and one was refused. */
async function begunOf(
  taking: readonly Promise<Claimed | undefined>[],
): Promise<readonly Claimed[] | undefined> {
  const found = await Promise.allSettled(taking)
  const begun = found.flatMap((one) =>
    one.status === 'fulfilled' && one.value && isBegun(one.value.handoff) ? [one.value] : [],
  )
  for (const one of found) if (one.status === 'rejected' && begun.length === 0) throw one.reason
  return begun.length > 0 ? begun : undefined
}

const attemptOf = ({ uid, attempt }: Handoff): string => `${attempt} of ${uid}`
