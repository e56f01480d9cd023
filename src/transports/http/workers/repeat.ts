/** Does something again and again, one run at a time. Stopping waits for the run in progress. */
export function repeat(run: () => Promise<void>, everyMs: number): () => Promise<void> {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= run().finally(() => {
      running = undefined
    })
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
