import type { Log, LogFields } from '../server/log.ts'

/** When each work in the background succeeded last, by the clock of the process. */
export const lastRuns = new Map<string, number>()

/**
 * Does something again and again, one run at a time. Stopping ends the signal and waits for the run in progress. A run that fails is
 * logged once for each new reason and tried again: a store that was away for an hour must not fill the log.
 */
export function repeat(
  run: (signal: AbortSignal) => Promise<void>,
  everyMs: number,
  { log, work }: { readonly log: Log; readonly work: string },
): () => Promise<void> {
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let told = ''
  const attempt = async (): Promise<void> => {
    try {
      await run(stopping.signal)
      lastRuns.set(work, performance.now())
      told = ''
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== told) log('error', `${work} failed`, { error: reason })
      told = reason
    }
  }
  const timer = setInterval(() => {
    running ??= attempt().finally(() => {
      running = undefined
    })
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await running
  }
}

const ALARM_EVERY_MS = 60_000

/** Writes an error into the log, at most once a minute. */
export function alarmOf(log: Log, event: string): (fields: LogFields) => void {
  let last = Number.NEGATIVE_INFINITY
  return (fields) => {
    if (performance.now() - last < ALARM_EVERY_MS) return
    last = performance.now()
    log('error', event, fields)
  }
}
