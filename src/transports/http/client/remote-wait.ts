import { BatonError, HandoffTimeoutException, timedOut } from '../../../domain/errors.ts'
import { DEFAULT_WAIT_S } from '../../../service/wait.ts'
import { rest } from './rest.ts'

type RemoteInput = Readonly<Record<string, unknown>>

/** The server, as far as a wait has to do with it. */
export interface Waited {
  /** One request for the rest of the wait, given up when no answer can come any more. */
  ask(input: RemoteInput, answerMs: number): Promise<unknown>
  /** How long the handoff itself says that it may take. */
  ownTimeout(): Promise<number | undefined>
  /** Whether it has ever answered. One that never did is not away for a while: its address may be wrong. */
  isKnown(): boolean
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4_000
/** How much later than at the deadline an answer may come in. */
const SLACK_MS = 5_000

/**
 * A wait that is longer than the server holds a request, or than the server lives, as several requests. It goes on
 * until its own deadline and ends there as a wait in process does; what will not pass is thrown at once.
 */
export async function waitOn(server: Waited, input: RemoteInput): Promise<unknown> {
  const begun = performance.now()
  // The server refuses a timeout that is not a number.
  let whole = Number.isFinite(input.timeout_s) ? Number(input.timeout_s) : undefined
  const leftMs = () => Math.max(0, (whole ?? DEFAULT_WAIT_S) * 1_000 - (performance.now() - begun))
  const late = (error: unknown) =>
    timedOut(input.id, whole ?? DEFAULT_WAIT_S, error instanceof BatonError ? error.details : {}, error)
  let part = input
  for (let pause = FIRST_PAUSE_MS; ; ) {
    try {
      // A caller without a timeout gets the handoff's own, once a request has been broken off.
      if (whole === undefined && part !== input) whole = (await server.ownTimeout()) ?? DEFAULT_WAIT_S
      if (part !== input) part = { ...input, timeout_s: leftMs() / 1_000 }
      return await server.ask(part, whole === undefined ? Number.POSITIVE_INFINITY : leftMs() + SLACK_MS)
    } catch (error) {
      server.signal?.throwIfAborted()
      const held = heldOf(error)
      if (held === undefined) {
        if (error instanceof HandoffTimeoutException && part !== input) throw late(error)
        if (!isPassing(error) || !server.isKnown()) throw error
      }
      // The last look was at the deadline.
      if (part.timeout_s === 0) throw late(error)
      whole ??= held
      part = { ...input }
      if (held !== undefined) continue
      await rest(Math.min(pause, leftMs()), server.signal)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }
}

/** The whole of a wait of which the server has held a part. */
function heldOf(error: unknown): number | undefined {
  if (!(error instanceof HandoffTimeoutException) || error.details.held_s === undefined) return undefined
  return Number(error.details.timeout_s)
}

const isPassing = (error: unknown): boolean =>
  error instanceof BatonError && error.retry && !(error instanceof HandoffTimeoutException)
