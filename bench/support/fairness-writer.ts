// One of the processes of fairness.ts: lives through lifecycles for a given time and says how it fared.
import { createService, openStore } from '../../src/compose/main.ts'
import { lifecycle } from './lifecycle.ts'

export interface Start {
  readonly path: string
  readonly number: number
}

export interface Fared {
  readonly lifecycles: number
  /** The longest that one call waited for its answer. */
  readonly longestMs: number
}

process.once('message', async ({ path, number }: Start) => {
  const store = await openStore({ engine: 'sqlite', path })
  let longestMs = 0
  const transact = store.transact.bind(store)
  // Every call of the service ends in one of these.
  store.transact = async (unit) => {
    const began = performance.now()
    try {
      return await transact(unit)
    } finally {
      longestMs = Math.max(longestMs, performance.now() - began)
    }
  }
  const service = createService(store)
  await lifecycle(service, 0, number)
  process.once('message', async (forMs: number) => {
    longestMs = 0
    const end = performance.now() + forMs
    let lifecycles = 0
    for (; performance.now() < end; lifecycles++) await lifecycle(service, lifecycles, number)
    process.send?.({ lifecycles, longestMs } satisfies Fared)
    await store.close()
    process.disconnect?.()
  })
  process.send?.('ready')
})
