import { invalidInput } from './errors.ts'

/** Document 001's default, for handoffs that name no time of their own. */
export const DEFAULT_WAIT_S = 300
/** Proxies and clients give up on a silent connection after about a minute. */
export const HOLD_MS = 60_000

/** A program without types may say anything, and a wait until no number at all would never end. */
export function demandSeconds(timeout_s: unknown, field = 'timeout_s'): void {
  if (timeout_s === undefined || (Number.isFinite(timeout_s) && Number(timeout_s) >= 0)) return
  const given = typeof timeout_s === 'number' ? timeout_s : `of the type ${typeof timeout_s}`
  throw invalidInput(`${field} is ${given}; it is a number of seconds from 0 up, for example 60`, { field })
}
