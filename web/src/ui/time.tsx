import { useSyncExternalStore } from 'react'

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** An instant as people say it, exact when pointed at. */
export function Time({ at }: { readonly at: string }) {
  useSyncExternalStore(watch, () => ticks)
  return (
    <time dateTime={at} title={`${LOCAL.format(new Date(at))} (${at})`}>
      {relative(Date.parse(at), Date.now())}
    </time>
  )
}

export function relative(at: number, now: number): string {
  const seconds = (at - now) / 1_000
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return FORMAT.format(Math.trunc(seconds / size), unit)
  return seconds < 0 ? 'just now' : 'in a moment'
}

/** One clock for all instants on the page. */
const TICK_MS = 30_000
const watching = new Set<() => void>()
let ticks = 0
let timer: ReturnType<typeof setInterval> | undefined

function watch(tell: () => void): () => void {
  watching.add(tell)
  timer ??= setInterval(tick, TICK_MS)
  return () => {
    watching.delete(tell)
    if (watching.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  ticks += 1
  for (const tell of watching) tell()
}
