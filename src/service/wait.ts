import { BatonError, HandoffFailedException, HandoffTimeoutException, timedOut } from '../domain/errors.ts'
import { dueOf, isPast } from '../domain/handoffs/deadlines.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content, Result } from '../domain/handoffs/package.ts'
import { endReason } from '../domain/handoffs/reasons.ts'
import { isEnd } from '../domain/lifecycle.ts'
import { present } from '../domain/present.ts'
import { DEFAULT_WAIT_S, demandSeconds, HOLD_MS } from '../domain/wait-limits.ts'
import type { Changed } from '../storage/store.ts'
import type { Hold, ServiceDeps } from './deps.ts'
import { find, isUid } from './lookup.ts'
import { LOOK_AGAIN_MS, waitsOf } from './waits.ts'

export interface WaitOptions {
  readonly timeout_s?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** A failure is told at once, as its file in `failed/` tells it, though another attempt follows. */
  readonly untilFailure?: boolean | undefined
}

/**
 * Waits until the handoff is completed and answers it. Throws document 001's two exceptions: when it ended
 * otherwise, and when nothing final happened in time. One last look is taken at the deadline. A store that is away
 * for a while ends no wait: it is asked again until the deadline.
 */
export const waitForEnd = async (
  deps: ServiceDeps,
  ref: string,
  options: WaitOptions = {},
): Promise<Handoff> => (await waitForContent(deps, ref, options)).handoff

/** The handoff with what was handed in for it. A result that this process wrote itself is not read again. */
export async function waitForResult(deps: ServiceDeps, ref: string | Handoff, options: WaitOptions = {}) {
  const { handoff, content } = await waitForContent(deps, ref, options)
  const { result = {} } = content ?? (await deps.store.content(handoff.uid)) ?? {}
  // Others may be told of the same rows.
  return { ...(content ? (JSON.parse(JSON.stringify(result)) as Result) : result), handoff }
}

async function waitForContent(
  deps: ServiceDeps,
  ref: string | Handoff,
  options: WaitOptions,
): Promise<{ readonly handoff: Handoff; readonly content: Content | undefined }> {
  demandSeconds(options.timeout_s)
  const begun = performance.now()
  const { signal } = options
  let away: BatonError | undefined
  const [name, known] = typeof ref === 'string' ? [ref, undefined] : [ref.uid, ref]
  let seen: Handoff | undefined = known
  const seconds = () => options.timeout_s ?? seen?.timeout_s ?? DEFAULT_WAIT_S
  const left = () => seconds() * 1_000 - (performance.now() - begun)
  const until = <T>(look: (woken: Woken) => Promise<T | undefined>, about?: string, isTold?: IsTold) => {
    const patient = (woken: Woken) => {
      away = undefined
      return look(woken).catch((error: unknown) => {
        if (isPassing(error)) away = error
        throw error
      })
    }
    return waitFor(deps, patient, left, signal, about, isTold)
  }
  // A uid is looked up once, by the first look, when its changes are heard already.
  const found = isUid(name) ? { uid: name } : await until(() => find(deps, name))
  let content: Content | undefined
  const isTold = ({ state }: Handoff) =>
    isEnd(state) || (options.untilFailure === true && state === 'retry_wait')
  const look = async (uid: string, { changed, isLate }: Woken): Promise<Handoff | undefined> => {
    const own = changed?.handoffs?.get(uid)
    // At the deadline it is read all the same.
    if (known && !own && left() > 0 && (await deps.store.isPending(uid, deps.now().toISOString())))
      return undefined
    seen = own ?? (await settled(deps, uid))
    content = changed?.contents?.get(uid)
    if (!isTold(seen)) return undefined
    if (isLate && Date.parse(seen.updated_at) < deps.now().getTime() - LOOK_AGAIN_MS / 2) late += 1
    return seen
  }
  const ended = found && (await until((woken) => look(found.uid, woken), found.uid, isTold))
  if (!ended) throw timedOut(seen?.id ?? name, seconds(), seen ?? {}, away)
  if (ended.state === 'completed') return { handoff: ended, content }
  throw new HandoffFailedException(reasonOf(ended), {
    id: ended.id,
    state: ended.state,
    ...present({ error: ended.error }),
  })
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

/** The same look may succeed later, without anybody's doing. */
const isPassing = (error: unknown): error is BatonError => error instanceof BatonError && error.retry

function reasonOf(handoff: Handoff): string {
  const { id, state, error } = handoff
  return error?.message ?? endReason(handoff)?.message ?? `Handoff ${id} is ${state}`
}

/** The cause of a look: rows that this process wrote itself, or that no signal came and the log had to be read. */
interface Woken {
  readonly changed?: Changed | undefined
  readonly isLate?: boolean
}

/** Whether this state of a handoff is worth a look. */
type IsTold = (handoff: Handoff) => boolean

/** The time that is left of so many milliseconds. */
export function within(ms: number): () => number {
  const end = performance.now() + ms
  return () => end - performance.now()
}

/**
 * Looks at once, whenever what it is about may have changed, and at the deadline, until `look` answers something.
 * `about` is the uid of a handoff or the name of an agent; without it every change counts. The log names handoffs only,
 * so for all else a look is taken every second too, and so it is when the store was away. `isTold` judges what this
 * process wrote itself.
 */
export async function waitFor<T>(
  deps: ServiceDeps,
  look: (woken: Woken) => Promise<T | undefined>,
  leftMs: () => number,
  signal?: AbortSignal,
  about = '',
  isTold?: IsTold,
): Promise<T | undefined> {
  let wake: () => void = () => undefined
  let woken: Woken | undefined = {}
  // Joined before the first look: a change between look and sleep must not be missed.
  const waits = waitsOf(deps)
  const leave = waits.join(about, (changed, isLate) => {
    const own = changed?.handoffs?.get(about)
    if (!woken && own && isTold?.(own) === false) return
    // Changes that came together are read anew.
    woken = woken ? {} : { changed, isLate }
    wake()
  })
  const rouse = () => wake()
  signal?.addEventListener('abort', rouse)
  try {
    await waits.begin()
    for (;;) {
      signal?.throwIfAborted()
      const isLast = leftMs() <= 0
      let isBlind = !isUid(about)
      if (woken || isLast) {
        const by: Woken = woken ?? {}
        woken = undefined
        const found = await look(by).catch((error: unknown) => {
          if (!isPassing(error)) throw error
          isBlind = true
          return undefined
        })
        if (found !== undefined) return found
        // A look that began before the deadline is not the last one, however long it took.
        if (isLast) return undefined
      }
      const left = leftMs()
      if (!woken && left > 0 && !signal?.aborted)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(left, LOOK_AGAIN_MS))
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      if (isBlind) woken ??= {}
    }
  } finally {
    signal?.removeEventListener('abort', rouse)
    leave()
  }
}
