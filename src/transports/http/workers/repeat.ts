import type { Log } from '../server/log.ts'

/**
 * Does something again and again, one run at a time. Stopping waits for the run in progress. A run that fails is
 * logged once for each new reason and tried again: a store that was away for an hour must not fill the log.
 */
export function repeat(
  run: () => Promise<void>,
  everyMs: number,
  { log, failed }: { readonly log: Log; readonly failed: string },
): () => Promise<void> {
  let running: Promise<void> | undefined
  let told = ''
  const attempt = async (): Promise<void> => {
    try {
      await run()
      told = ''
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== told) log('error', failed, { error: reason })
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
