import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const MEMORY_LIMIT_MB = 256
const EXHAUSTED: readonly unknown[] = ['ABORT_ERR', 'ERR_WORKER_OUT_OF_MEMORY']

/**
 * The answer of a module in a thread of its own. Undefined where it took too long or too much memory, or where
 * the caller has gone: then the thread was ended.
 */
export async function askApart<T>(
  module: URL,
  workerData: object,
  timeLimitMs: number,
  caller?: AbortSignal,
): Promise<T | undefined> {
  const worker = new Worker(module, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  // It may run out of memory while it is ended, when nobody waits for it any longer.
  worker.on('error', () => undefined)
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(timeLimitMs), ...(caller ? [caller] : [])])
    const [answer] = await once(worker, 'message', { signal })
    return answer
  } catch (error) {
    if (EXHAUSTED.includes((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  } finally {
    await worker.terminate()
  }
}
