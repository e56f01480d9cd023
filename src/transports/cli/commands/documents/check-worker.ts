import { parentPort, workerData } from 'node:worker_threads'
import type { Target } from './files.ts'
import { type CheckedEntry, checkTarget } from './target-check.ts'

/** Files to check, and the answer: the documents of each. */
export type Batch = readonly Target[]
export type Checked = readonly (readonly CheckedEntry[])[]

export interface CheckJob {
  readonly role: typeof WORKER_ROLE
  /** See `checkTarget`; the same for all files. */
  readonly options: Parameters<typeof checkTarget>[1]
}

export const WORKER_ROLE = 'baton: check files'

/** The URL of this module, as source and in the built package alike: the threads are started from it. */
export const WORKER_URL = new URL(import.meta.url)

// The module is also loaded by threads that are not ours to answer for.
if (parentPort && workerData?.role === WORKER_ROLE) {
  const [port, { options }] = [parentPort, workerData as CheckJob]
  port.on('message', (batch: Batch) => {
    port.postMessage(batch.map((target) => checkTarget(target, options)) satisfies Checked)
  })
}
