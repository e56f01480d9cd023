import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anAgent } from '../../../test/support/store/builders.ts'
import { AT, entryOf, nextUid, offer, run, unit } from '../../../test/support/store/store-units.ts'
import { BatonError } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { dueOf } from '../../domain/handoffs/handoff.ts'
import type { NewRoom } from '../store.contract.ts'
import type { DueItem, Store, Unit } from '../store.ts'

const PAST = '2026-02-21T14:00:00.000Z'
const LATER = '2026-02-21T15:00:00.000Z'
const MUCH_LATER = '2026-02-21T16:00:00.000Z'

export function describeDue(newRoom: NewRoom): void {
  describe('what is due', () => {
    it('is reported with its kind and holder, for every kind', async (t) => {
      const store = await newRoom(t).open()
      const seen: DueItem[] = []
      store.onDue((due) => {
        seen.push(...due)
        return []
      })
      const held = { holder: 'codex', instance: 'i1', lease_until: PAST }
      const expiring = await offer(store, { ack_deadline: PAST })
      const lapsed = await offer(store, { state: 'in_progress', ...held })
      const waiting = await offer(store, { state: 'retry_wait', not_before: PAST })
      await offer(store, { state: 'completed', ...held, ack_deadline: PAST, not_before: PAST })
      await offer(store, { ack_deadline: LATER })
      seen.length = 0
      assert.deepEqual(
        [await store.overdue(AT), await store.overdue('2026-02-21T13:00:00.000Z')],
        [{ count: 3, since: PAST }, { count: 0 }],
      )

      assert.equal(await store.settle(AT), 3)

      assert.deepEqual(seen.sort(byUid), [
        { uid: expiring.uid, kind: 'expire' },
        { uid: lapsed.uid, kind: 'lease', holder: 'codex#i1' },
        { uid: waiting.uid, kind: 'retry' },
      ])
    })

    it('makes an open handoff one that is no longer pending, as its end does', async (t) => {
      const store = await newRoom(t).open()
      const handoffs = [
        await offer(store, { ack_deadline: PAST }),
        await offer(store, { ack_deadline: LATER }),
        await offer(store, { state: 'in_review' }),
        await offer(store, { state: 'completed' }),
      ]

      const uids = [...handoffs.map(({ uid }) => uid), nextUid()]
      const pending = await store.pending(uids, AT)

      assert.deepEqual(pending, new Set([uids[1]!, uids[2]!]))
    })

    it('is settled before another unit is judged, and stays so when that one is refused', async (t) => {
      const store = await newRoom(t).open()
      const { uid } = await offer(store, { ack_deadline: PAST })
      store.onDue(expireAll)

      const call = run(store, { handoffs: [uid] }, (view) => {
        throw new BatonError('wrong_state', `it is ${view.handoff(uid)?.state}`)
      })

      await assert.rejects(call, { message: 'it is expired' })
      assert.equal((await store.handoff(uid))?.state, 'expired')
      assert.equal((await store.timeline(uid, uid, 9)).length, 2)
    })

    it('is settled from its own instant on, not a millisecond before', async (t) => {
      const store = await newRoom(t).open()
      const { uid } = await offer(store, { ack_deadline: AT })
      store.onDue(expireAll)

      assert.equal(await store.settle('2026-02-21T14:29:59.999Z'), 0)
      assert.equal((await store.handoff(uid))?.state, 'offered')
      assert.equal(await store.settle(AT), 1)
      assert.equal((await store.handoff(uid))?.state, 'expired')
      assert.equal(await store.settle(AT), 0)
    })

    it('is seen by a connection that has looked before, whoever made it due', async (t) => {
      const room = newRoom(t)
      const [store, beside] = [await room.open(), await room.open()]
      store.onDue(expireAll)
      const stateOf = ({ uid }: Handoff) =>
        run(store, { handoffs: [uid] }, (view) => view.handoff(uid)?.state)
      const first = await offer(store, { ack_deadline: LATER })
      assert.equal(await stateOf(first), 'offered')

      const theirs = await offer(beside, { ack_deadline: PAST })
      const whenOneIsThere = await stateOf(theirs)
      const ours = await offer(store, { ack_deadline: PAST })

      assert.deepEqual(
        [whenOneIsThere, await stateOf(ours), await stateOf(first)],
        ['expired', 'expired', 'offered'],
      )
    })

    it('is seen after the earliest has moved to later', async (t) => {
      const store = await newRoom(t).open()
      store.onDue(expireAll)
      const moved = await offer(store, { ack_deadline: AT })
      const before = '2026-02-21T14:29:00.000Z'
      const stateAt = ({ uid }: Handoff, at: string) =>
        run(store, { handoffs: [uid] }, (view) => view.handoff(uid)?.state, at)
      await run(
        store,
        { handoffs: [moved.uid] },
        (view) => {
          view.putHandoff({ ...view.handoff(moved.uid)!, rev: 2, ack_deadline: LATER })
          view.append(entryOf(moved.uid, { rev: 2 }))
        },
        before,
      )
      assert.equal(await stateAt(moved, AT), 'offered')
      assert.equal(await stateAt(moved, AT), 'offered')

      assert.equal(await stateAt(moved, LATER), 'expired')
    })

    it('is settled before a change that says it is due later, also by whoever has just changed it', async (t) => {
      const store = await newRoom(t).open()
      store.onDue(expireAll)
      await run(store, { agents: ['planner', 'codex'] }, (view) => {
        for (const name of ['planner', 'codex']) view.putAgent(anAgent(name))
      })
      const { uid } = await offer(store, { from: 'planner', to: 'codex', ack_deadline: LATER })
      const postpone = (at: string) =>
        run(
          store,
          { handoffs: [uid] },
          (view) => {
            const handoff = view.handoff(uid)!
            const rev = handoff.rev + 1
            if (handoff.state === 'offered')
              view.putHandoff({ ...handoff, rev, ack_deadline: at < LATER ? LATER : MUCH_LATER })
            view.append(entryOf(uid, { rev }))
            return handoff.state
          },
          at,
        )

      assert.deepEqual([await postpone(AT), await postpone(LATER)], ['offered', 'expired'])
    })

    it('is settled once when many connections and calls meet it at the same moment', async (t) => {
      const room = newRoom(t)
      const stores = await Promise.all(Array.from({ length: 6 }, () => room.open()))
      const handoffs: Handoff[] = []
      for (let i = 0; i < 5; i++) handoffs.push(await offer(stores[0]!, { ack_deadline: PAST }))
      for (const store of stores) store.onDue(expireAll)

      await Promise.all(
        stores.flatMap((store) => [
          store.settle(AT),
          run(store, { handoffs: [handoffs[0]!.uid] }, (view) => view.handoff(handoffs[0]!.uid)?.state),
          store.settle(AT),
        ]),
      )

      for (const { uid } of handoffs) {
        assert.equal((await stores[0]!.handoff(uid))?.state, 'expired')
        assert.equal((await stores[0]!.timeline(uid, uid, 99)).length, 2)
      }
    })

    it('is settled all of it, however much there is', async (t) => {
      const store = await newRoom(t).open()
      await Promise.all(Array.from({ length: 250 }, () => offer(store, { ack_deadline: PAST })))
      store.onDue(expireAll)

      assert.equal(await store.settle(AT), 250)

      assert.deepEqual((await store.counts()).handoffs, { expired: 250 })
    })

    it('does not hold up the rest, or the caller, where it cannot be settled', async (t) => {
      const store = await newRoom(t).open()
      const stuck = await Promise.all(
        Array.from({ length: 130 }, () => offer(store, { ack_deadline: PAST, title: 'stuck' })),
      )
      const good = await offer(store, { ack_deadline: '2026-02-21T14:20:00.000Z' })
      store.onDue((due, at) =>
        expireAll(due, at).map((each) => ({
          ...each,
          decide: (view) => {
            const uid = each.reads.handoffs?.[0] ?? ''
            if (view.handoff(uid)?.title === 'stuck') throw new Error('a fault in the settling')
            return each.decide(view)
          },
        })),
      )

      const answer = await run(store, {}, () => 'answered')

      assert.equal(answer, 'answered')
      assert.equal((await store.handoff(good.uid))?.state, 'expired')
      assert.equal((await store.handoff(stuck[0]!.uid))?.state, 'offered')
    })

    it('is left alone where it is the caller’s own lapsed lease', async (t) => {
      const store = await newRoom(t).open()
      const lapsed: Partial<Handoff> = { state: 'in_progress', holder: 'codex', lease_until: PAST }
      const [own, other] = [await offer(store, lapsed), await offer(store, lapsed)]
      store.onDue(expireAll)

      const state = await store.transact({
        ...unit({ handoffs: [own.uid] }, (view) => view.handoff(own.uid)?.state),
        holder: 'codex',
      })

      assert.equal(state, 'in_progress')
      assert.equal((await store.handoff(other.uid))?.state, 'expired')
    })

    it('is settled where the caller is another instance, or does not name the handoff', async (t) => {
      const store = await newRoom(t).open()
      const lapsed: Partial<Handoff> = {
        state: 'in_progress',
        holder: 'codex',
        instance: 'i1',
        lease_until: PAST,
      }
      const handoff = await offer(store, lapsed)
      store.onDue(expireAll)

      const state = await store.transact({
        ...unit({ handoffs: [handoff.uid] }, (view) => view.handoff(handoff.uid)?.state),
        holder: 'codex#i2',
      })
      assert.equal(state, 'expired')
      const next = await offer(store, { ...lapsed, uid: nextUid() })
      await store.transact({ ...unit({}, () => undefined), holder: 'codex#i1' })
      assert.equal((await store.handoff(next.uid))?.state, 'expired')
    })

    it('does not spare an offer that expired, whoever calls', async (t) => {
      const store = await newRoom(t).open()
      const { uid } = await offer(store, { ack_deadline: PAST, holder: 'codex' })
      store.onDue(expireAll)

      const state = await store.transact({
        ...unit({ handoffs: [uid] }, (view) => view.handoff(uid)?.state),
        holder: 'codex',
      })

      assert.equal(state, 'expired')
    })

    it('is not touched by a store that was opened for reading only', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      const { uid } = await offer(store, { ack_deadline: PAST })
      const reader = await room.open({ readOnly: true })
      reader.onDue(expireAll)

      assert.equal(await reader.settle(AT), 0)
      await assert.rejects(
        run(reader, {}, () => undefined),
        { code: 'unavailable' },
      )
      assert.equal((await reader.handoff(uid))?.state, 'offered')
    })

    it('does nothing where nobody says how to settle', async (t) => {
      const store: Store = await newRoom(t).open()
      const { uid } = await offer(store, { ack_deadline: PAST })

      assert.equal(await run(store, { handoffs: [uid] }, (view) => view.handoff(uid)?.state), 'offered')
    })
  })
}

/** As the service does: each unit looks again before it acts. */
const expireAll = (due: readonly DueItem[], at: string): readonly Unit<unknown>[] =>
  due.map(({ uid }) =>
    unit(
      { handoffs: [uid] },
      (view) => {
        const handoff = view.handoff(uid)
        const now = handoff && dueOf(handoff)
        if (!now || now.at > at) return
        view.putHandoff({ ...handoff, rev: handoff.rev + 1, state: 'expired' })
        view.append(entryOf(uid, { stream: handoff.root, rev: handoff.rev + 1 }))
      },
      at,
    ),
  )

const byUid = (a: DueItem, b: DueItem): number => (a.uid < b.uid ? -1 : 1)
