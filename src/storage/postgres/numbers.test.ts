import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { anAgent } from '../../../test/support/store/builders.ts'
import { newDatabase, query } from '../../../test/support/store/store-places.ts'
import { freshHandoff, put, run } from '../../../test/support/store/store-units.ts'
import type { Store } from '../store.ts'
import { openPostgresStore } from './postgres-store.ts'

describe('numbers of new handoffs', () => {
  it('are taken one by one while callers come one by one', async (t) => {
    const url = await newDatabase()
    const store = await opened(t, url)
    const beside = await open(t, url)

    const numbers = [await begin(store), await begin(beside), await begin(store), await begin(beside)]

    assert.deepEqual(numbers, [1, 2, 3, 4])
  })

  it('are each given once, whoever draws them', async (t) => {
    const url = await newDatabase()
    const store = await opened(t, url)
    const beside = await open(t, url)

    const given: number[] = []
    for (let round = 0; round < 4; round++)
      given.push(...(await together(store, 9)), ...(await together(beside, 12)))

    assert.deepEqual(
      given,
      Array.from({ length: 84 }, (_, i) => i + 1),
    )
  })

  it('go on behind those of a workspace that was replaced under the process', async (t) => {
    const url = await newDatabase()
    const store = await opened(t, url)
    const before = await together(store, 10)
    await query(
      url,
      `UPDATE baton.handoff SET id = 'HO-' || (substr(id, 4)::integer + 10) WHERE id IN ('HO-9', 'HO-10')`,
    )

    const after = await together(store, 10)

    assert.equal(new Set(after).size, 10)
    assert.ok(!after.some((number) => [...before, 19, 20].includes(number)), after.join())
  })
})

const together = (store: Store, count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => begin(store)))

/** Puts a handoff under the number that it is given. */
async function begin(store: Store): Promise<number> {
  const handoff = freshHandoff({ from: 'planner', to: 'codex' })
  return run(store, { agents: ['planner', 'codex'], numbers: 1 }, (view) => {
    const number = view.number()
    put(view, { ...handoff, id: `HO-${number}` })
    return number
  })
}

async function opened(t: TestContext, url?: string): Promise<Store> {
  const store = await open(t, url ?? (await newDatabase()))
  await run(store, { agents: ['planner', 'codex'] }, (view) => {
    for (const name of ['planner', 'codex']) view.putAgent(anAgent(name))
  })
  return store
}

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openPostgresStore({ url, workspace: 'ours' })
  t.after(() => store.close())
  return store
}
