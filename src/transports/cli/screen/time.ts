const TIME_STEPS: readonly (readonly [unit: string, ms: number, upTo: number])[] = [
  ['s', 1_000, 60_000],
  ['min', 60_000, 3_600_000],
  ['h', 3_600_000, 48 * 3_600_000],
  ['d', 86_400_000, 120 * 86_400_000],
  ['months', 30 * 86_400_000, 730 * 86_400_000],
  ['years', 365 * 86_400_000, Number.POSITIVE_INFINITY],
]
/** Nearer than this is now: a command takes about so long to read. */
const NOW_MS = 5_000

/** How far away an instant is, for people: `3 min ago`, `in 4 h`, `just now`. */
export function relativeTime(instant: string, now: Date): string {
  const distance = Date.parse(instant) - now.getTime()
  if (Number.isNaN(distance)) return instant
  if (Math.abs(distance) < NOW_MS) return distance > 0 ? 'now' : 'just now'
  const text = duration(Math.abs(distance))
  return distance > 0 ? `in ${text}` : `${text} ago`
}

/** A length of time with the one unit that fits it. */
export function duration(ms: number): string {
  // Rounded first, so that 59.7 minutes are an hour and not 60 min.
  for (const [unit, size, upTo] of TIME_STEPS) {
    const count = Math.round(ms / size)
    if (count * size < upTo) return `${count} ${unit}`
  }
  return `${Math.round(ms / TIME_STEPS.at(-1)![1])} years`
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  min: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
}

/** Seconds of a length as people type it (`600`, `10m`, `2h`, `90d`); undefined when it is invalid. */
export function toSeconds(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim())
  if (!match) return undefined
  const unit = match[2] === '' ? 1 : UNITS[match[2]!.toLowerCase()]
  return unit === undefined ? undefined : Number(match[1]) * unit
}
