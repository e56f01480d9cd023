import { BatonError, HandoffTimeoutException, timedOut } from '../../../domain/errors.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { DEFAULT_WAIT_S } from '../../../domain/wait-limits.ts'
import { rest } from './rest.ts'

type RemoteInput = Readonly<Record<string, unknown>>

/** The answer to one request: `left_s` while the server would wait on. */
export interface Part {
  readonly done: boolean
  readonly left_s?: number
  readonly handoff: Handoff
}

/** The server, as far as a wait has to do with it. */
export interface Waited {
  /** One request for the rest of the wait, given up when no answer can come any more. */
  ask(input: RemoteInput, answerMs: number): Promise<Part>
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
  let part = input
  for (let pause = FIRST_PAUSE_MS; ; ) {
    try {
      // A caller without a timeout gets the handoff's own, once a request has been broken off.
      if (whole === undefined && part !== input) whole = (await server.ownTimeout()) ?? DEFAULT_WAIT_S
      if (part !== input) part = { ...input, timeout_s: leftMs() / 1_000 }
      const answer = await server.ask(
        part,
        whole === undefined ? Number.POSITIVE_INFINITY : leftMs() + SLACK_MS,
      )
      if (answer.done) return answer
      whole ??= answer.handoff.timeout_s ?? DEFAULT_WAIT_S
      if (answer.left_s === undefined) throw timedOut(answer.handoff.id, whole, answer.handoff)
      part = { ...input }
    } catch (error) {
      server.signal?.throwIfAborted()
      if (error instanceof HandoffTimeoutException || !isPassing(error) || !server.isKnown()) throw error
      // The last look was at the deadline.
      if (part.timeout_s === 0) throw timedOut(input.id, whole ?? DEFAULT_WAIT_S, {}, error)
      part = { ...input }
      await rest(Math.min(pause, leftMs()), server.signal)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }
}

const isPassing = (error: unknown): boolean => error instanceof BatonError && error.retry
