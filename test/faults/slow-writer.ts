import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openStore, type StoreTarget } from '../../src/compose/main.ts'
import { entryOf, run } from '../support/store/store-units.ts'

export interface SlowWriter {
  readonly target: StoreTarget
  readonly stream: string
  /** Two numbers: the writer sets the first inside its transaction and waits there for the second. */
  readonly gate: Int32Array
}

// A thread of its own: a decision is synchronous, so whoever waits inside it lets nothing else run.
const { target, stream, gate } = workerData as SlowWriter
const store = await openStore(target)
await run(store, { streams: [stream] }, (view) => {
  Atomics.store(gate, 0, 1)
  Atomics.wait(gate, 1, 0)
  return view.append(entryOf(stream))
})
await store.close()
;(parentPort as MessagePort).postMessage('done')
