import type { Log } from '../server/log.ts'

/** When each work in the background succeeded last, by the clock of the process. */
export const lastRuns = new Map<string, number>()

/**
 * Does something again and again, one run at a time. Stopping waits for the run in progress. A run that fails is
 * logged once for each new reason and tried again: a store that was away for an hour must not fill the log.
 */
export function repeat(
  run: () => Promise<void>,
  everyMs: number,
  { log, work }: { readonly log: Log; readonly work: string },
): () => Promise<void> {
  let running: Promise<void> | undefined
  let told = ''
  const attempt = async (): Promise<void> => {
    try {
      await run()
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
    await running
  }
}
