import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Interrupted } from '../../shell.ts'
import type { Batch, Checked, CheckJob } from './check-worker.ts'
import type { Target } from './files.ts'
import type { CheckedEntry } from './target-check.ts'

/** Files for one message: fewer cost more messages, more leave a thread waiting for the last one. */
const BATCH = 32
const MOST_THREADS = 8

interface PoolOptions {
  readonly options: CheckJob['options']
  readonly signal: AbortSignal
  readonly tell: (done: number, of: number) => void
}

/** Checks many files on all cores; the answer is in the order of the files, whichever thread was first. */
export async function checkOnThreads(
  targets: readonly Target[],
  { options, signal, tell }: PoolOptions,
): Promise<readonly CheckedEntry[]> {
  const { WORKER_URL, WORKER_ROLE } = await import('./check-worker.ts')
  const results: (readonly CheckedEntry[])[] = []
  const starts = Array.from({ length: Math.ceil(targets.length / BATCH) }, (_, i) => i * BATCH)
  let done = 0
  const work = async (): Promise<void> => {
    const worker = new Worker(WORKER_URL, { workerData: { role: WORKER_ROLE, options } satisfies CheckJob })
    const stop = () => void worker.terminate()
    signal.addEventListener('abort', stop)
    try {
      for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
        const found = await answerOf(worker, targets.slice(start, start + BATCH))
        for (const [i, entries] of found.entries()) results[start + i] = entries
        done += found.length
        tell(done, targets.length)
        if (signal.aborted) throw new Interrupted()
      }
    } finally {
      signal.removeEventListener('abort', stop)
      await worker.terminate()
    }
  }
  const threads = Math.min(availableParallelism(), MOST_THREADS, starts.length)
  await Promise.all(Array.from({ length: threads }, work))
  return results.flat()
}

function answerOf(worker: Worker, batch: Batch): Promise<Checked> {
  return new Promise((resolve, reject) => {
    const settle = (answer: Checked): void => {
      worker.off('error', reject).off('exit', end)
      resolve(answer)
    }
    // It ends by itself only when it is told to.
    const end = (): void => reject(new Interrupted())
    worker.once('message', settle).once('error', reject).once('exit', end)
    worker.postMessage(batch)
  })
}
