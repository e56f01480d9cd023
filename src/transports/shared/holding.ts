import { BatonError, HandoffTimeoutException } from '../../domain/errors.ts'
import type { Service } from '../../service/service.ts'
import { DEFAULT_WAIT_S, type WaitOptions } from '../../service/waiting.ts'

/** Proxies and clients give up on a silent connection after about a minute. */
export const HOLD_MS = 60_000

export interface Hold {
  /** Ends when the caller has gone. Only a wait looks at it. */
  readonly caller: AbortSignal
  /** Ends when the server stops. */
  readonly stopping?: AbortSignal | undefined
  readonly ms?: number | undefined
}

/**
 * The service as one request sees it: its waits end when the caller is gone, when the server stops, and after a
 * minute at most. The answer then holds `held_s` and `timeout_s`, so that the caller can ask again for the rest.
 */
export function holding(service: Service, hold: Hold): Service {
  let seen = SEEN.get(service)
  if (!seen) {
    seen = Object.create(service, {
      wait: {
        value(this: { readonly hold: Hold }, ref: string, options: WaitOptions = {}) {
          return waitAtMost(service, ref, options, this.hold)
        },
      },
    }) as Service
    SEEN.set(service, seen)
  }
  return Object.assign(Object.create(seen), { hold })
}

/** What all requests see of a service in common: made for each of them it would make every look into it slow. */
const SEEN = new WeakMap<Service, Service>()

async function waitAtMost(service: Service, ref: string, options: WaitOptions, hold: Hold) {
  const seconds = (hold.ms ?? HOLD_MS) / 1_000
  const whole = options.timeout_s ?? (await service.looking.get(ref)).handoff.timeout_s ?? DEFAULT_WAIT_S
  const held = new AbortController()
  const timer =
    whole > seconds
      ? setTimeout(() => held.abort(stillOpen(ref, whole, seconds)), seconds * 1_000)
      : undefined
  const gone = () => held.abort(new BatonError('unavailable', 'the caller went away'))
  const stopped = () => held.abort(new BatonError('unavailable', 'the server is stopping; ask again'))
  const { caller } = hold
  caller.addEventListener('abort', gone)
  hold.stopping?.addEventListener('abort', stopped)
  if (caller.aborted) gone()
  if (hold.stopping?.aborted) stopped()
  try {
    return await service.wait(ref, { timeout_s: whole, signal: held.signal })
  } finally {
    clearTimeout(timer)
    caller.removeEventListener('abort', gone)
    hold.stopping?.removeEventListener('abort', stopped)
  }
}

function stillOpen(ref: string, whole: number, seconds: number): HandoffTimeoutException {
  return new HandoffTimeoutException(
    `${ref} has not ended after ${seconds} s, the longest that a request is held; ask again to go on waiting`,
    { id: ref, timeout_s: whole, held_s: seconds },
  )
}
