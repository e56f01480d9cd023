import { BatonError, HandoffFailedException, HandoffTimeoutException, timedOut } from '../domain/errors.ts'
import { dueOf, isPast } from '../domain/handoffs/deadlines.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content, Result } from '../domain/handoffs/package.ts'
import { endReason } from '../domain/handoffs/reasons.ts'
import { isEnd } from '../domain/lifecycle.ts'
import { present } from '../domain/present.ts'
import { DEFAULT_WAIT_S, demandSeconds, HOLD_MS } from '../domain/wait-limits.ts'
import type { Hold, ServiceDeps } from './deps.ts'
import { find, isUid } from './lookup.ts'
import { LOOK_AGAIN_MS, Wait, type Woken } from './waits.ts'

export interface WaitOptions {
  readonly timeout_s?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** A failure is told at once, as its file in `failed/` tells it, though another attempt follows. */
  readonly untilFailure?: boolean | undefined
}

interface Ended {
  readonly handoff: Handoff
  readonly content: Content | undefined
}
type EndAnswer<A> = (ended: Ended, deps: ServiceDeps) => A | Promise<A>

/**
 * Waits until the handoff is completed and answers it. Throws document 001's two exceptions: when it ended
 * otherwise, and when nothing final happened in time. One last look is taken at the deadline. A store that is away
 * for a while ends no wait: it is asked again until the deadline.
 */
export const waitForEnd = (deps: ServiceDeps, ref: string, options: WaitOptions = {}): Promise<Handoff> =>
  waitUntilEnd(deps, ref, options, ({ handoff }) => handoff)

/** The handoff with what was handed in for it. A result that this process wrote itself is not read again. */
export const waitForResult = (
  deps: ServiceDeps,
  ref: string | Handoff,
  options: WaitOptions = {},
): Promise<Result & { readonly handoff: Handoff }> => waitUntilEnd(deps, ref, options, resultOf)

async function resultOf({ handoff, content }: Ended, { store }: ServiceDeps) {
  const { result = {} } = content ?? (await store.content(handoff.uid)) ?? {}
  // Others may be told of the same rows.
  return { ...(content ? (JSON.parse(JSON.stringify(result)) as Result) : result), handoff }
}

/** Not async: thousands may wait for known handoffs at once, and each would keep one more promise. */
function waitUntilEnd<A>(
  deps: ServiceDeps,
  ref: string | Handoff,
  options: WaitOptions,
  answer: EndAnswer<A>,
): Promise<A> {
  try {
    demandSeconds(options.timeout_s)
  } catch (error) {
    return Promise.reject(error)
  }
  if (typeof ref !== 'string')
    return new EndWait(deps, ref.uid, options, answer, ref).until(deps, options.signal)
  return waitForNamed(deps, ref, options, answer)
}

async function waitForNamed<A>(deps: ServiceDeps, ref: string, options: WaitOptions, answer: EndAnswer<A>) {
  const { timeout_s = DEFAULT_WAIT_S, signal } = options
  // A uid is looked up once, by the first look, when its changes are heard already.
  if (isUid(ref)) return new EndWait(deps, ref, options, answer).until(deps, signal)
  const begun = performance.now()
  const left = () => timeout_s * 1_000 - (performance.now() - begun)
  const wait = new LooseWait(() => find(deps, ref), left, '')
  const found = await wait.until(deps, signal)
  if (!found) throw timedOut(ref, timeout_s, {}, wait.away)
  return new EndWait(deps, found.uid, options, answer, undefined, begun).until(deps, signal)
}

class EndWait<A> extends Wait<Handoff, A> {
  readonly #deps: ServiceDeps
  readonly #options: WaitOptions
  readonly #answer: EndAnswer<A>
  readonly #begun: number
  #seen: Handoff | undefined
  #content: Content | undefined

  constructor(
    deps: ServiceDeps,
    uid: string,
    options: WaitOptions,
    answer: EndAnswer<A>,
    known?: Handoff,
    begun = performance.now(),
  ) {
    super(uid, known !== undefined)
    this.#deps = deps
    this.#options = options
    this.#answer = answer
    this.#seen = known
    this.#begun = begun
  }

  protected override answerOf(ended: Handoff | undefined): A | Promise<A> {
    const [seen, content, seconds] = [this.#seen, this.#content, this.#seconds]
    // A wait that took long outlives its end in memory, and would keep these with it.
    this.#seen = undefined
    this.#content = undefined
    if (!ended) throw timedOut(seen?.id ?? this.about, seconds, seen ?? {}, this.away)
    if (ended.state === 'completed') return this.#answer({ handoff: ended, content }, this.#deps)
    throw new HandoffFailedException(reasonOf(ended), {
      id: ended.id,
      state: ended.state,
      ...present({ error: ended.error }),
    })
  }

  get #seconds(): number {
    return this.#options.timeout_s ?? this.#seen?.timeout_s ?? DEFAULT_WAIT_S
  }

  leftMs(): number {
    return this.#seconds * 1_000 - (performance.now() - this.#begun)
  }

  protected override isTold({ state }: Handoff): boolean {
    return isEnd(state) || (this.#options.untilFailure === true && state === 'retry_wait')
  }

  protected async look({ changed, isLate }: Woken): Promise<Handoff | undefined> {
    const seen = changed?.handoffs?.get(this.about) ?? (await settled(this.#deps, this.about))
    this.#seen = seen
    this.#content = changed?.contents?.get(this.about)
    if (!this.isTold(seen)) return undefined
    if (isLate && Date.parse(seen.updated_at) < this.#deps.now().getTime() - LOOK_AGAIN_MS / 2) late += 1
    return seen
  }
}

let late = 0

/** How many waits of this process no signal has ended, but a look at the log after a second. */
export const lateWaits = (): number => late

/** The handoff as it is once what is due has been settled. */
async function settled(deps: ServiceDeps, uid: string): Promise<Handoff> {
  const handoff = await find(deps, uid)
  const due = dueOf(handoff)
  const now = deps.now().toISOString()
  if (!due || !isPast(due.at, now)) return handoff
  await deps.store.settle(now)
  return find(deps, uid)
}

/**
 * Waits for the end within the bounds of a call. When time is up it answers the handoff as it is; `left_s` is the
 * time that the caller can still ask for.
 */
export async function waitHeld(
  deps: ServiceDeps,
  ref: string,
  options: WaitOptions,
  { caller, stopping, ms = HOLD_MS }: Hold,
): Promise<{ readonly handoff: Handoff; readonly left_s?: number }> {
  const held_s = ms / 1_000
  const whole = options.timeout_s ?? (await find(deps, ref)).timeout_s ?? DEFAULT_WAIT_S
  const signal = AbortSignal.any(stopping ? [caller, stopping] : [caller])
  try {
    return { handoff: await waitForEnd(deps, ref, { timeout_s: Math.min(whole, held_s), signal }) }
  } catch (error) {
    if (error === signal.reason)
      throw new BatonError(
        'unavailable',
        caller.aborted ? 'the client disconnected' : 'the server is stopping; ask again',
      )
    if (!(error instanceof HandoffTimeoutException)) throw error
    return { handoff: await find(deps, ref), ...(whole > held_s && { left_s: whole - held_s }) }
  }
}

function reasonOf(handoff: Handoff): string {
  const { id, state, error } = handoff
  return error?.message ?? endReason(handoff)?.message ?? `Handoff ${id} is ${state}`
}

/** The time that is left of so many milliseconds. */
export function within(ms: number): () => number {
  const end = performance.now() + ms
  return () => end - performance.now()
}

class LooseWait<T> extends Wait<T, T | undefined> {
  readonly #look: () => Promise<T | undefined>
  readonly leftMs: () => number

  constructor(look: () => Promise<T | undefined>, leftMs: () => number, about: string) {
    super(about)
    this.#look = look
    this.leftMs = leftMs
  }

  protected look(): Promise<T | undefined> {
    return this.#look()
  }

  protected answerOf(found: T | undefined): T | undefined {
    return found
  }
}

/** Looks until `look` answers something. `about` is the uid of a handoff or the name of an agent; without it every change counts. */
export const waitFor = <T>(
  deps: ServiceDeps,
  look: () => Promise<T | undefined>,
  leftMs: () => number,
  signal?: AbortSignal,
  about = '',
): Promise<T | undefined> => new LooseWait(look, leftMs, about).until(deps, signal)
