import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AT,
  allPages,
  freshHandoff,
  freshNotice,
  nextUid,
  offer,
  run,
} from '../../../test/support/store/store-units.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { PRIORITIES } from '../../domain/handoffs/handoff.ts'
import type { State } from '../../domain/lifecycle.ts'
import { WINDOW } from '../filters.ts'
import { tableRow } from '../rows.ts'
import type { NewRoom } from '../store.contract.ts'
import type { HandoffFilter, PageRequest } from '../store.ts'

export function describePages(newRoom: NewRoom): void {
  describe('pages', () => {
    for (const limit of [1, 3, 11, 50])
      it(`of ${limit} hold every handoff once, newest first`, async (t) => {
        const store = await newRoom(t).open()
        const made = []
        for (let i = 0; i < 11; i++) made.push(await offer(store))

        const listed = await allPages(limit, (page) => store.handoffs({}, page))

        assert.deepEqual(listed, made.reverse())
      })

    it('neither repeat nor skip when something is made or ends between them', async (t) => {
      const store = await newRoom(t).open()
      const made = []
      for (let i = 0; i < 6; i++) made.push(await offer(store))

      const first = await store.handoffs({ to: 'codex' }, { limit: 3 })
      await offer(store)
      const second = await store.handoffs({ to: 'codex' }, { limit: 3, cursor: first.next! })

      assert.deepEqual([...first.items, ...second.items], made.reverse())
      assert.equal(second.next, undefined)
    })

    it('of an inbox come by priority, then age, and hold only what waits for the agent', async (t) => {
      const store = await newRoom(t).open()
      const made: Handoff[] = []
      for (let i = 0; i < 12; i++) made.push(await offer(store, { priority: PRIORITIES[i % 4]! }))
      await offer(store, { to: 'claude' })
      await offer(store, { waiting_for: 'claude' })

      const expected = PRIORITIES.flatMap((priority) => made.filter((h) => h.priority === priority))
      for (const limit of [1, 5, 12, 30])
        assert.deepEqual(await allPages(limit, (page) => store.inbox('codex', page)), expected)
    })

    it('of notices hold what was not seen, oldest first', async (t) => {
      const store = await newRoom(t).open()
      const notices = Array.from({ length: 7 }, () => freshNotice())
      await run(store, {}, (view) => {
        for (const notice of notices) view.addNotice(notice)
        view.addNotice(freshNotice({ to: 'codex' }))
      })
      await run(store, { notices: [notices[2]!.uid] }, (view) => view.seeNotice(notices[2]!.uid, AT))

      const listed = await allPages(2, (page) => store.notices('planner', page))

      assert.deepEqual(
        listed,
        notices.filter((_, i) => i !== 2),
      )
      const seen = await run(store, { notices: [notices[2]!.uid] }, (view) => view.notice(notices[2]!.uid))
      assert.deepEqual(seen, { ...notices[2], seen_at: AT })
    })

    it('of streams name each once', async (t) => {
      const store = await newRoom(t).open()
      const made: string[] = []
      for (let i = 0; i < 5; i++) made.push((await offer(store)).root)

      assert.deepEqual(await allPages(2, (page) => store.streams(page)), made)
    })

    it('end without a cursor when they are just full', async (t) => {
      const store = await newRoom(t).open()
      await offer(store)
      await offer(store)

      assert.equal((await store.handoffs({}, { limit: 2 })).next, undefined)
      assert.equal((await store.inbox('codex', { limit: 2 })).next, undefined)
      assert.notEqual((await store.inbox('codex', { limit: 1 })).next, undefined)
    })

    it('refuse a cursor that was not given out', async (t) => {
      const store = await newRoom(t).open()

      for (const cursor of ['nonsense', '', '1', '-1:x', "1'; DROP TABLE handoff; --"])
        for (const list of [
          (page: PageRequest) => store.inbox('codex', page),
          (page: PageRequest) => store.handoffs({}, page),
          (page: PageRequest) => store.tasks({}, page),
          (page: PageRequest) => store.runs({}, page),
        ])
          await assert.rejects(list({ limit: 5, cursor }), {
            code: 'invalid_input',
            message: 'this cursor is not one that Baton gave out',
          })
      for (const cursor of ['nonsense', '', '-1', '1.5'])
        await assert.rejects(store.blocks({}, { limit: 5, cursor }), { code: 'invalid_input' })
    })
  })

  describe('a list of handoffs', () => {
    it('is narrowed by each field, alone and together', async (t) => {
      const store = await newRoom(t).open()
      const parent = nextUid()
      const a = await offer(store, {
        title: 'Add 100% rate_limiting',
        from: 'planner',
        to: 'codex',
        task: 'T1',
      })
      const b = await offer(store, { state: 'in_review', from: 'codex', to: 'planner', waiting_for: 'codex' })
      const c = await offer(store, { state: 'completed', type: 'return', to: 'planner', parent, task: 'T1' })
      const list = async (filter: HandoffFilter) =>
        (await store.handoffs(filter, { limit: 9 })).items.map(({ uid }) => uid)

      assert.deepEqual(await list({}), [c.uid, b.uid, a.uid])
      assert.deepEqual(await list({ state: ['offered'] }), [a.uid])
      assert.deepEqual(await list({ state: ['offered', 'completed'] }), [c.uid, a.uid])
      assert.deepEqual(await list({ state: [] }), [])
      assert.deepEqual(await list({ from: 'planner' }), [c.uid, a.uid])
      assert.deepEqual(await list({ to: 'planner' }), [c.uid, b.uid])
      assert.deepEqual(await list({ task: 'T1' }), [c.uid, a.uid])
      assert.deepEqual(await list({ type: 'return' }), [c.uid])
      assert.deepEqual(await list({ waiting_for: 'codex' }), [b.uid, a.uid])
      assert.deepEqual(await list({ parent }), [c.uid])
      assert.deepEqual(await list({ ref: a.id.slice(3).toLowerCase() }), [a.uid])
      assert.deepEqual(await list({ ref: '%' }), [])
      assert.deepEqual(await list({ from: 'planner', state: ['offered'], task: 'T1', ref: a.id }), [a.uid])
      assert.deepEqual(await list({ from: 'planner', to: 'claude' }), [])
    })

    it('looks through so many for a part of an id, says where it stopped, and goes on from there', async (t) => {
      const store = await newRoom(t).open()
      const made = Array.from({ length: WINDOW + 7 }, (_, i) =>
        freshHandoff({
          id: `${i === 3 ? 'THE-NEEDLE' : 'HAY'}-${i}`,
          state: i % 3 === 0 ? 'completed' : 'offered',
        }),
      )
      await store.restore(
        (async function* () {
          for (const each of made) yield { table: 'handoff', row: { ...tableRow('handoff')(each) } }
        })(),
      )

      for (const filter of [{ ref: 'needle' }, { ref: 'needle', type: 'sequential' } as const]) {
        const first = await store.handoffs(filter, { limit: 5 })
        const second = await store.handoffs(filter, { limit: 5, cursor: first.next! })
        assert.deepEqual([first.items, first.next], [[], made[7]!.uid])
        assert.deepEqual([second.items, second.next], [[made[3]], undefined])
      }
      assert.equal((await store.handoffs({ ref: 'hay' }, { limit: 5 })).items.length, 5)
    })

    it('and counts follow what ends and what begins again', async (t) => {
      const store = await newRoom(t).open()
      const [a, b] = [await offer(store), await offer(store, { state: 'completed' })]
      const move = (uid: string, state: State) =>
        store.transact({
          reads: { handoffs: [uid] },
          at: AT,
          decide: (view) => view.putHandoff({ ...view.handoff(uid)!, state }),
        })

      await move(a.uid, 'failed')
      const { handoffs } = await store.counts()
      const failed = await store.handoffs({ state: ['failed'], type: 'sequential' }, { limit: 9 })
      await move(a.uid, 'offered')
      await move(b.uid, 'cancelled')

      assert.deepEqual([handoffs, failed.items.map(({ uid }) => uid)], [{ completed: 1, failed: 1 }, [a.uid]])
      assert.deepEqual((await store.counts()).handoffs, { offered: 1, cancelled: 1 })
      for (const state of ['failed', 'completed', 'cancelled', 'offered'] as const) {
        const { items } = await store.handoffs({ state: [state], from: 'planner' }, { limit: 9 })
        assert.equal(items.length, state === 'cancelled' || state === 'offered' ? 1 : 0, state)
      }
      assert.deepEqual(await store.miscounted(), [])
    })
  })
}
