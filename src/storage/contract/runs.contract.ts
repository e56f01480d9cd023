import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AT, freshHandoff, nextUid, offer, put, run } from '../../../test/support/store/store-units.ts'
import type { Block } from '../../domain/blocks/block.ts'
import type { Delivery } from '../../domain/people/delivery.ts'
import type { Run } from '../../domain/workflow/run.ts'
import type { NewRoom } from '../store.contract.ts'
import type { Store } from '../store.ts'

export function describeRuns(newRoom: NewRoom): void {
  describe('workflow runs', () => {
    it('are found by uid and by id, and listed newest first by state and name', async (t) => {
      const store = await newRoom(t).open()
      const [first, second, third] = [
        aRun({ name: 'feature' }),
        aRun({ name: 'feature', state: 'completed' }),
        aRun({ name: 'release' }),
      ]
      for (const one of [first, second, third]) await begin(store, one)

      assert.deepEqual(await store.run(first.uid), first)
      assert.deepEqual(await store.run(third.id), third)
      assert.equal(await store.run('nothing'), undefined)
      assert.deepEqual((await store.runs({}, { limit: 9 })).items, [third, second, first])
      assert.deepEqual((await store.runs({ name: 'feature' }, { limit: 9 })).items, [second, first])
      assert.deepEqual((await store.runs({ state: ['running'] }, { limit: 9 })).items, [third, first])
      const page = await store.runs({}, { limit: 2 })
      assert.deepEqual(page.items, [third, second])
      assert.deepEqual((await store.runs({}, { limit: 2, cursor: page.next! })).items, [first])
    })

    it('come with their handoffs, each in its last form', async (t) => {
      const store = await newRoom(t).open()
      const begun = aRun()
      await begin(store, begun)
      const handoff = freshHandoff({ run: begun.uid, root: begun.uid, step: 'spec' })
      await run(store, { runs: [begun.uid] }, (view) => put(view, handoff))

      const step = (name: Run['state']) =>
        run(store, { handoffs: [handoff.uid] }, (view) => {
          const now = view.run(begun.uid)
          assert.ok(now)
          view.putRun({ ...now, rev: now.rev + 1, state: name })
          return now.rev
        })
      // One after the other in one transaction or in several: each sees what the one before left.
      const seen = await Promise.all([step('waiting'), step('running'), step('completed')])

      assert.deepEqual([...seen].sort(), [0, 1, 2])
      assert.equal((await store.run(begun.uid))?.rev, 3)
      assert.deepEqual(
        (await store.handoffs({ run: begun.uid }, { limit: 9 })).items.map(({ uid }) => uid),
        [handoff.uid],
      )
    })

    it('wait for each other in two processes, and a claim brings its run along', async (t) => {
      const room = newRoom(t)
      const stores = [await room.open(), await room.open()]
      const begun = aRun()
      await begin(stores[0]!, begun)
      const raise = (store: Store) =>
        run(store, { runs: [begun.uid] }, (view) => {
          const now = view.run(begun.uid)!
          view.putRun({ ...now, rev: now.rev + 1 })
        })
      await Promise.all(Array.from({ length: 20 }, (_, i) => raise(stores[i % 2]!)))
      assert.equal((await stores[0]!.run(begun.uid))?.rev, 20)

      const handoff = freshHandoff({ run: begun.uid, root: begun.uid, to: 'bob', state: 'offered' })
      await run(stores[0]!, { runs: [begun.uid] }, (view) => put(view, handoff))
      const found = await run(stores[1]!, { claim: 'bob' }, (view) => [
        view.claimed('bob')?.uid,
        view.run(begun.uid)?.rev,
      ])
      assert.deepEqual(found, [handoff.uid, 20])
    })
  })

  describe('blocks', () => {
    it('are history once, in the order in which they were stored', async (t) => {
      const store = await newRoom(t).open()
      const all = [
        aBlock({ digest: 'b', from: 'qa', phase: 'Testing', task: 'task-1' }),
        aBlock({ digest: 'a', from: 'dev', phase: 'Testing', run: 'r' }),
        aBlock({ digest: 'c', from: 'qa', phase: 'QA' }),
      ]
      const keep = (blocks: readonly Block[]) =>
        run(store, { blocks: blocks.map(({ digest }) => digest) }, (view) =>
          blocks.filter((block) => {
            const known = view.block(block.digest)
            view.addBlock(block)
            return !known
          }),
        )
      assert.equal((await keep(all)).length, 3)
      assert.equal((await keep([all[0]!, all[2]!])).length, 0)
      const twice = aBlock({ digest: 'd' })
      await Promise.all([keep([twice]), keep([twice])])

      const list = async (filter: Parameters<Store['blocks']>[0]) =>
        (await store.blocks(filter, { limit: 9 })).items.map(({ digest }) => digest)
      assert.deepEqual(await list({}), ['b', 'a', 'c', 'd'])
      assert.deepEqual(await list({ agent: 'qa' }), ['b', 'c'])
      assert.deepEqual(await list({ phase: 'Testing', agent: 'qa' }), ['b'])
      assert.deepEqual(await list({ task: 'task-1' }), ['b'])
      assert.deepEqual(await list({ run: 'r' }), ['a'])
      const page = await store.blocks({}, { limit: 3 })
      assert.deepEqual((await store.blocks({}, { limit: 3, cursor: page.next! })).items, [twice])
    })

    it('that two processes store at the same moment are history once', async (t) => {
      const room = newRoom(t)
      const stores = [await room.open(), await room.open()]
      const blocks = ['a', 'b', 'c', 'd'].map((digest) => aBlock({ digest }))
      const keep = (store: Store, some: readonly Block[]) =>
        run(store, { blocks: some.map(({ digest }) => digest) }, (view) => {
          for (const block of some) view.addBlock(block)
        })
      for (let i = 0; i < 5; i++)
        await Promise.all([keep(stores[0]!, blocks), keep(stores[1]!, [...blocks].reverse())])
      assert.equal((await stores[0]!.blocks({}, { limit: 9 })).items.length, 4)
    })
  })

  describe('messages to the outside', () => {
    it('are due in their order until they are not any more, and one of two claimers gets one', async (t) => {
      const room = newRoom(t)
      const stores = [await room.open(), await room.open()]
      const late = aDelivery({ due_at: '2026-01-01T00:00:02.000Z' })
      const soon = aDelivery({ due_at: '2026-01-01T00:00:01.000Z' })
      const later = aDelivery({ due_at: '2027-01-01T00:00:00.000Z' })
      await run(stores[0]!, {}, (view) => [late, soon, later].map((one) => view.putDelivery(one)))
      assert.deepEqual(await stores[1]!.dueDeliveries('2026-01-01T00:00:02.000Z', 9), [soon, late])

      const claim = (store: Store) =>
        run(store, { deliveries: [soon.uid] }, (view) => {
          const now = view.delivery(soon.uid)
          if (!now || now.due_at !== soon.due_at) return false
          view.putDelivery({ ...now, due_at: '2027-02-01T00:00:00.000Z', attempts: now.attempts + 1 })
          return true
        })
      const claimed = await Promise.all([claim(stores[0]!), claim(stores[1]!), claim(stores[0]!)])
      assert.equal(claimed.filter(Boolean).length, 1)
      const { due_at: _, ...done } = late
      await run(stores[0]!, { deliveries: [late.uid] }, (view) => view.putDelivery(done))
      assert.deepEqual(await stores[0]!.dueDeliveries('2026-12-01T00:00:00.000Z', 9), [])
    })
  })

  it('runs, blocks and messages are part of a dump', async (t) => {
    const store = await newRoom(t).open()
    const copy = await newRoom(t).open()
    const begun = aRun()
    await begin(store, begun)
    const handoff = await offer(store, { run: begun.uid })
    await run(store, {}, (view) => {
      view.addBlock(aBlock({ digest: 'one' }))
      view.putDelivery(aDelivery({ due_at: AT }))
    })
    await copy.restore(store.dump())

    assert.deepEqual(await copy.run(begun.uid), begun)
    assert.deepEqual(
      (await copy.handoffs({ run: begun.uid }, { limit: 9 })).items.map(({ uid }) => uid),
      [handoff.uid],
    )
    assert.equal((await copy.dueDeliveries(AT, 9)).length, 1)
    await run(copy, {}, (view) => view.addBlock(aBlock({ digest: 'two' })))
    assert.deepEqual(
      (await copy.blocks({}, { limit: 9 })).items.map(({ digest }) => digest),
      ['one', 'two'],
    )
  })
}

const begin = (store: Store, begun: Run): Promise<void> =>
  run(store, { runs: [begun.uid] }, (view) => view.putRun(begun))

function aRun(some: Partial<Run> = {}): Run {
  const uid = nextUid()
  return {
    uid,
    id: `run-${uid}`,
    rev: 0,
    name: 'feature',
    state: 'running',
    by: 'orchestrator',
    auth: 'os-user',
    delegator: 'orchestrator',
    workflow: { name: 'feature', steps: [] },
    steps: [],
    kinds: {},
    numbered: 0,
    started_at: AT,
    updated_at: AT,
    ...some,
  }
}

const aBlock = (some: Partial<Block> & { readonly digest: string }): Block => ({
  uid: nextUid(),
  from: 'dev',
  to: 'None',
  phase: 'QA',
  status: 'complete',
  at: AT,
  stored_at: AT,
  raw: 'handoff:\n  phase: "QA"\n',
  ...some,
})

const aDelivery = (some: Partial<Delivery>): Delivery => ({
  uid: nextUid(),
  kind: 'webhook',
  attempts: 0,
  created_at: AT,
  channel: 'ops',
  event: 'gate',
  about: nextUid(),
  to: 'maria',
  ...some,
})
