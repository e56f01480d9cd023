import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const MEMORY_LIMIT_MB = 256
/** V8 ends the whole process when a thread passes its own limit by one large allocation: that one must be out of reach. */
const OUT_OF_REACH_MB = 2_048
const LOOK_EVERY_MS = 50
/** Together they stay below the memory of a small server. */
const MOST_THREADS = 4
const EXHAUSTED: readonly unknown[] = ['ABORT_ERR', 'ERR_WORKER_OUT_OF_MEMORY']

let threads = 0
const waiting: (() => void)[] = []

/**
 * The answer of a module in a thread of its own. Undefined where it took too long or too much memory, or where
 * the caller has gone: then the thread was ended. A few run at a time, and the others wait for their turn.
 */
export async function askApart<T>(
  module: URL | string,
  workerData: object,
  timeLimitMs: number,
  caller?: AbortSignal,
): Promise<T | undefined> {
  if (threads < MOST_THREADS) threads += 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return caller?.aborted ? undefined : await askNow<T>(module, workerData, timeLimitMs, caller)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else threads -= 1
  }
}

async function askNow<T>(
  module: URL | string,
  workerData: object,
  timeLimitMs: number,
  caller?: AbortSignal,
): Promise<T | undefined> {
  const worker = new Worker(module, {
    workerData,
    eval: typeof module === 'string',
    resourceLimits: { maxOldGenerationSizeMb: OUT_OF_REACH_MB },
  })
  const full = new AbortController()
  const looking = setInterval(() => {
    worker.getHeapStatistics().then(
      ({ used_heap_size }) => used_heap_size > MEMORY_LIMIT_MB * 1024 * 1024 && full.abort(),
      // It has ended.
      () => undefined,
    )
  }, LOOK_EVERY_MS)
  // It may run out of memory while it is ended, when nobody waits for it any longer.
  worker.on('error', () => undefined)
  try {
    const limits = [AbortSignal.timeout(timeLimitMs), full.signal]
    const signal = AbortSignal.any(caller ? [...limits, caller] : limits)
    const [answer] = await once(worker, 'message', { signal })
    return answer
  } catch (error) {
    if (EXHAUSTED.includes((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  } finally {
    clearInterval(looking)
    await worker.terminate()
  }
}
