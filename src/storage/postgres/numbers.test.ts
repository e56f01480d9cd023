import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { messages, Wire } from '../../../test/faults/wire.ts'
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

  it('are drawn ahead while many callers are at work: what they begin is one message there and one back', async (t) => {
    const { wire, url } = await Wire.before(await newDatabase())
    t.after(() => wire.close())
    const store = await opened(t, url)

    const numbers = [...(await together(store, 10)), ...(await together(store, 10))]

    const inOrder = Array.from({ length: 20 }, (_, i) => i + 1)
    assert.deepEqual(numbers, inOrder)
    assert.equal(await messages(wire, () => together(store, 10)), 2)
  })

  it('are each given once, whoever draws them, and those that were left are not used later', async (t) => {
    const url = await newDatabase()
    const store = await opened(t, url)
    const beside = await open(t, url)
    const given: number[] = []
    for (let round = 0; round < 4; round++)
      given.push(...(await together(store, 9)), ...(await together(beside, 12)))
    const newest = await last(url)
    await pause(1_100)
    for (const each of [store, beside]) await run(each, { agents: ['planner', 'codex'] }, () => undefined)

    const later = [await begin(store), await begin(beside)]

    assert.equal(new Set([...given, ...later]).size, given.length + 2)
    assert.deepEqual(later, [newest + 1, newest + 2])
  })

  it('are not used when what drew them was not committed: after a crash the server may give them out again', async (t) => {
    const url = await newDatabase()
    const store = await opened(t, url)
    const refused = Array.from({ length: 10 }, () =>
      run(store, { agents: ['planner', 'codex'], numbers: 1 }, (view) => {
        throw new Error(`no ${view.number()}`)
      }).catch(() => undefined),
    )
    await Promise.all(refused)
    const drawn = await last(url)
    assert.ok(drawn > 10, 'none was drawn ahead')

    const numbers = await together(store, 10)

    assert.ok(
      numbers.every((number) => number > drawn),
      numbers.join(),
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

/** The newest number that was drawn. */
async function last(url: string): Promise<number> {
  const [row] = await query(url, 'SELECT last_value FROM baton.handoff_number_1')
  return Number(Object.values(row!)[0])
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
