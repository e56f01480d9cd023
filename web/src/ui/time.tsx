import { useEffect, useState } from 'react'

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** An instant as people say it, exact when pointed at. */
export function Time({ at }: { readonly at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={at}>
      {relative(Date.parse(at), now)}
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
function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
