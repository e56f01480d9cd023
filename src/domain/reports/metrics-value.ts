/** A metric with its type, so that only like is added to like. */
export type MetricValue =
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  /** In percent: 95 for `95%`. */
  | { readonly type: 'percent'; readonly value: number }
  /** In milliseconds. */
  | { readonly type: 'duration'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }

export const METRIC_TYPES = ['number', 'boolean', 'percent', 'duration', 'text'] as const
export type MetricType = (typeof METRIC_TYPES)[number]

const PERCENT = /^[+-]?\d{1,15}(?:\.\d{1,15})? ?%$/
const PART =
  /(\d{1,15}(?:\.\d{1,6})?) ?(ms|d|h|m|s|days?|hours?|hrs?|hr|minutes?|mins?|seconds?|secs?)(?![a-z])/y
// biome-ignore format: read as a table
const MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function metricValue(value: unknown): MetricValue {
  if (typeof value === 'number' && Number.isFinite(value)) return { type: 'number', value }
  if (typeof value === 'boolean') return { type: 'boolean', value }
  if (typeof value !== 'string') return { type: 'text', value: JSON.stringify(value) ?? String(value) }
  const text = value.trim()
  if (PERCENT.test(text)) return { type: 'percent', value: Number.parseFloat(text) }
  const ms = parseDuration(text)
  return ms === undefined ? { type: 'text', value } : { type: 'duration', value: ms }
}

/** Milliseconds of `45s`, `3m 45s`, `2h 15m`, `1.5 hours`; each unit once, the larger first. */
export function parseDuration(text: string): number | undefined {
  const lower = text.trim().toLowerCase()
  let total = 0
  let smallest = Number.POSITIVE_INFINITY
  for (let at = 0; at < lower.length; ) {
    PART.lastIndex = at
    const [whole, amount, unit] = PART.exec(lower) ?? []
    if (whole === undefined || amount === undefined || unit === undefined) return undefined
    const ms = MS[unit === 'ms' ? 'ms' : unit.charAt(0)]!
    if (ms >= smallest) return undefined
    smallest = ms
    total += Number(amount) * ms
    at += whole.length
    while (lower[at] === ' ') at += 1
  }
  return smallest === Number.POSITIVE_INFINITY ? undefined : Math.round(total)
}

/** `3m 45s`, as the document writes durations. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`
  const seconds = Math.round(ms / 1_000)
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'm'],
    [seconds % 60, 's'],
  ] as const
  return parts.flatMap(([amount, unit]) => (amount > 0 ? [`${amount}${unit}`] : [])).join(' ')
}
