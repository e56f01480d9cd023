import type { z } from 'zod'
import { addMs, SECOND_MS } from './deadlines.ts'
import type { RetryRule, Usage } from './handoff.ts'

/** How often and how fast failed work is offered again. `max` counts retries: attempts are one more. */
export type RetryPolicy = Readonly<z.infer<ReturnType<typeof RetryRule>>>

export type RetryDecision =
  | { readonly action: 'retry'; readonly at: string; readonly attempt: number }
  /** `retry_available`: its sender may still ask for another attempt. */
  | { readonly action: 'stop'; readonly retry_available: boolean }

/**
 * Document 001's error codes. `automatic`: the same input may succeed next time, so the engine tries again
 * by itself; the others fail the same way until somebody has mended something.
 */
// biome-ignore format: read as a table
export const ERROR_KINDS = {
  SCHEMA_VALIDATION_FAILED: { automatic: false, recovery: ['Fix input, retry'] },
  PROCESSING_ERROR:         { automatic: true,  recovery: ['Check logs, retry'] },
  TIMEOUT:                  { automatic: true,  recovery: ['Increase timeout, retry'] },
  DEPENDENCY_MISSING:       { automatic: false, recovery: ['Generate dependency first'] },
  VALIDATION_FAILED:        { automatic: false, recovery: ['Fix implementation'] },
} as const satisfies Record<string, { automatic: boolean; recovery: readonly string[] }>

export type KnownErrorCode = keyof typeof ERROR_KINDS

/** A year. Growth has to end somewhere: a long policy would leave the range of dates. */
const MAX_DELAY_S = 365 * 24 * 3_600

/** Foreign codes are kept as they are written; this says which ones the table knows. */
export const isKnownErrorCode = (code: string): code is KnownErrorCode => Object.hasOwn(ERROR_KINDS, code)

/** The worker's advice, else the document's for a known code; empty for an unknown one. */
export function recoveryActions(code: string, given: readonly string[] = []): readonly string[] {
  if (given.length > 0) return given
  return isKnownErrorCode(code) ? ERROR_KINDS[code].recovery : []
}

/** Seconds between the failure before and this attempt. Attempts count from 1; the first is immediate. */
export function delayBeforeAttempt(policy: RetryPolicy, attempt: number): number {
  if (attempt <= 1 || policy.delay_s === 0) return 0
  return Math.min(policy.delay_s * policy.multiplier ** (attempt - 2), MAX_DELAY_S)
}

/** `retryCount` is how many retries were made: 0 when the first attempt failed. */
export const retryAvailable = (policy: RetryPolicy, retryCount: number): boolean => retryCount < policy.max

/** Decides on the failure of `attempt` at `now`. An unknown code is never retried without being asked. */
export function decideRetry(failure: {
  readonly policy: RetryPolicy
  readonly attempt: number
  readonly code: string
  readonly now: string
}): RetryDecision {
  const { policy, attempt, code, now } = failure
  const available = retryAvailable(policy, attempt - 1)
  const automatic = isKnownErrorCode(code) && ERROR_KINDS[code].automatic
  if (!available || !automatic) return { action: 'stop', retry_available: available }
  const next = attempt + 1
  return { action: 'retry', at: addMs(now, delayBeforeAttempt(policy, next) * SECOND_MS), attempt: next }
}

/** The sum of two usages, without the last digits of decimal fractions; a number that nobody reported stays absent. */
export const sumUsage = (sum: Usage, used: Usage): Usage => ({
  ...sum,
  ...Object.fromEntries(
    (Object.keys(used) as (keyof Usage)[]).map((name) => [
      name,
      Number(((sum[name] ?? 0) + (used[name] ?? 0)).toPrecision(12)),
    ]),
  ),
})
