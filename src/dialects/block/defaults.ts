import { present } from '../../domain/present.ts'
import type { Data } from '../difference.ts'

const DEFAULTS = { retry_count: () => 0, metrics: () => ({}), dependencies: () => [] } as const

/**
 * A block with the values that the document says an absent key has, and the names of the keys that were
 * filled. The present time is the caller's to give; without it `timestamp` stays absent.
 */
export function withDefaults(
  handoff: Readonly<Data>,
  now?: string,
): { readonly handoff: Data; readonly defaulted: readonly string[] } {
  const fill: Data = {
    ...Object.fromEntries(Object.entries(DEFAULTS).map(([key, make]) => [key, make()])),
    ...present({ timestamp: now }),
  }
  const defaulted = Object.keys(fill).filter((key) => !Object.hasOwn(handoff, key) || handoff[key] === null)
  return {
    handoff: { ...handoff, ...Object.fromEntries(defaulted.map((key) => [key, fill[key]])) },
    defaulted,
  }
}
