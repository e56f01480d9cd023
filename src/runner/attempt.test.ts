import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore } from '../main.ts'
import type { Store } from '../service/service.ts'
import { Baton } from './baton.ts'
import type { BatonAgent } from './baton-agent.ts'

let baton: Baton
let sender: BatonAgent

/** A store in which some methods do something else; they are given what the method does by itself. */
type Replaced = { [Name in keyof Store]?: (real: Store) => unknown }

const replace = (store: Store, by: Replaced): Store =>
  new Proxy(store, {
    get(target, key) {
      const other = by[key as keyof Store]?.(target)
      const value = other ?? Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

async function open(by: Replaced = {}): Promise<void> {
  const store = replace(await openStore({ engine: 'sqlite', path: ':memory:' }), by)
  baton = new Baton({ service: createService(store), base: '.', close: () => store.close() })
  sender = baton.as('planner')
}

beforeEach(() => open())
afterEach(() => baton.close())

const send = (more: Partial<Parameters<BatonAgent['send']>[0]> = {}) =>
  sender.send({ to: 'worker', title: 'Build it', home: 'queue', ...more })

describe('an attempt', () => {
  it('[S1-69] is run once, also when it is handed in while the specialist looks for more', async () => {
    await baton.close()
    const looked = Promise.withResolvers<void>()
    const handedIn = Promise.withResolvers<void>()
    // As a database under load: what was read before the work was handed in arrives after it.
    const inbox =
      (real: Store): Store['inbox'] =>
      async (...asked) => {
        const page = await real.inbox(...asked)
        if (page.items.some(({ state }) => state === 'in_progress')) {
          looked.resolve()
          await handedIn.promise
        }
        return page
      }
    await open({ inbox })
    let runs = 0
    await baton.specialist('worker', { concurrency: 2 }, async () => {
      runs += 1
      await looked.promise
      return { output: true }
    })

    const sent = await send()
    await sent.wait()
    // The specialist hears of the end a few turns after the sender can see it.
    await pause(20)
    handedIn.resolve()
    await (await send({ title: 'Another' })).wait()

    assert.equal(runs, 2)
  })
})
