import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anAgent } from '../../../test/support/store/builders.ts'
import {
  AT,
  entryOf,
  freshHandoff,
  freshNotice,
  freshRecord,
  freshTask,
  nextUid,
  offer,
  put,
  run,
  take,
} from '../../../test/support/store/store-units.ts'
import { verifyChain } from '../../audit/chain.ts'
import { BatonError } from '../../domain/errors.ts'
import type { NewRoom } from '../store.contract.ts'
import { needs, type Store, type View } from '../store.ts'
import { leafHash } from '../working-set.ts'

/** Calls made in one turn of the event loop share a transaction. */
export function describeBatches(newRoom: NewRoom): void {
  describe('a refused unit', () => {
    it('changes nothing and does not disturb the others of its batch', async (t) => {
      const store = await newRoom(t).open()
      const refusal = new BatonError('wrong_state', 'no')
      const handoffs = Array.from({ length: 9 }, () => freshHandoff())
      const calls = handoffs.map((handoff, i) =>
        run(store, { streams: [handoff.root], agents: ['codex'] }, (view) => {
          putEverything(view, handoff.uid)
          put(view, handoff)
          if (i % 3 === 1) throw refusal
          return i
        }),
      )

      const outcomes = await Promise.allSettled(calls)

      assert.deepEqual(
        outcomes.map((o) => (o.status === 'fulfilled' ? o.value : o.reason)),
        [0, refusal, 2, 3, refusal, 5, 6, refusal, 8],
      )
      for (const [i, { uid }] of handoffs.entries()) {
        const kept = i % 3 !== 1
        assert.equal((await store.handoff(uid)) !== undefined, kept)
        assert.equal((await store.content(uid)) !== undefined, kept)
        assert.equal((await store.artifacts(uid)).length, kept ? 1 : 0)
        assert.equal((await store.entries(uid, 0, 9)).length, kept ? 1 : 0)
        assert.equal((await store.notices(`of-${uid}`, { limit: 9 })).items.length, kept ? 1 : 0)
        assert.equal((await store.records(`T-${uid}`, 9)).length, kept ? 1 : 0)
        assert.equal((await store.token(uid)) !== undefined, kept)
        assert.equal((await store.task(`T-${uid}`)) !== undefined, kept)
      }
    })

    it('is told the very error that its decision threw', async (t) => {
      const store = await newRoom(t).open()
      const fault = new RangeError('a fault in the decision')

      const call = run(store, {}, () => {
        throw fault
      })

      await assert.rejects(call, (error) => error === fault)
    })

    it('loses alone when the store itself refuses its row', async (t) => {
      const store = await newRoom(t).open()
      const taken = await offer(store, { id: 'HO-2026-001' })
      const good = [freshHandoff(), freshHandoff()]
      const bad = freshHandoff({ id: 'HO-2026-001' })

      const outcomes = await Promise.allSettled(
        [good[0]!, bad, good[1]!].map((handoff) =>
          run(store, { streams: [handoff.root] }, (view) => put(view, handoff)),
        ),
      )

      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal(outcomes[1]?.status === 'rejected' && outcomes[1].reason.code, 'conflict')
      assert.deepEqual(await store.handoff('HO-2026-001'), taken)
      assert.equal(await store.handoff(bad.uid), undefined)
      assert.deepEqual(await store.entries(bad.root, 0, 9), [])
      for (const handoff of good) assert.deepEqual(await store.handoff(handoff.uid), handoff)
    })

    it('leaves no trace when it took more numbers than it asked for', async (t) => {
      const store = await newRoom(t).open()
      const handoff = freshHandoff()

      const call = run(store, { numbers: 1, streams: [handoff.root] }, (view) => {
        put(view, handoff)
        return [view.number(), view.number()]
      })

      await assert.rejects(call, /more numbers than it asked for/)
      assert.equal(await store.handoff(handoff.uid), undefined)
    })
  })

  describe('a unit that needs more reads', () => {
    it('runs again with all of them, and nothing of its earlier runs stays', async (t) => {
      const store = await newRoom(t).open()
      const [handoff, other] = [await offer(store), await offer(store)]
      const seen: unknown[] = []

      const answers = await Promise.all([
        run(store, { handoffs: [handoff.uid] }, (view) => {
          putEverything(view, nextUid())
          view.append(entryOf(handoff.root, { rev: 2 }))
          const [content, agents] = [{ contents: [handoff.uid] }, { agents: ['nobody'] }]
          seen.push([view.handoff(handoff.uid)?.rev, view.content(handoff.uid) !== undefined])
          if (!view.hasRead(content)) return needs(content)
          return view.hasRead({ handoffs: [handoff.uid], ...agents }) ? 'decided' : needs(agents)
        }),
        run(store, { handoffs: [other.uid] }, (view) => take(view, other.uid, 'codex')?.uid),
      ])

      assert.deepEqual(answers, ['decided', other.uid])
      assert.deepEqual(seen, [
        [1, false],
        [1, true],
        [1, true],
      ])
      assert.equal((await store.entries(handoff.root, 0, 9)).length, 2)
      assert.equal((await store.counts()).tasks.todo, 1)
    })

    it('fails when it asks again for what it has read', async (t) => {
      const store = await newRoom(t).open()
      let runs = 0

      const call = run(store, { agents: ['codex'] }, (view) => {
        runs += 1
        view.putAgent(anAgent('codex'))
        return needs({ agents: ['codex'], streams: runs === 1 ? [nextUid()] : [] })
      })

      await assert.rejects(call, /asked again for what it has read/)
      assert.equal(runs, 2)
      assert.equal(await store.agent('codex'), undefined)
    })

    it('fails when it never stops asking, and the others of its batch do not wait for it', async (t) => {
      const store = await newRoom(t).open()
      let runs = 0

      const [endless, other] = await Promise.allSettled([
        run(store, {}, () => {
          runs += 1
          return needs({ agents: [`agent-${runs}`] })
        }),
        run(store, {}, () => runs),
      ])

      assert.match(String(endless.status === 'rejected' && endless.reason), /more than 5 times/)
      assert.deepEqual(other, { status: 'fulfilled', value: 1 })
      assert.equal(runs, 6)
    })

    it('settles a due handoff with the rows that it asked for', async (t) => {
      const store = await newRoom(t).open()
      const handoff = await offer(store, { state: 'offered', ack_deadline: AT })
      store.onDue((due, at) =>
        due.map(({ uid }) => ({
          reads: { handoffs: [uid] },
          at,
          decide: (view) => {
            if (!view.hasRead({ contents: [uid] })) return needs({ contents: [uid] })
            assert.ok(view.content(uid))
            view.putHandoff({ ...handoff, rev: 2, state: 'expired' })
            view.append(entryOf(handoff.root, { rev: 2 }))
            return undefined
          },
        })),
      )

      assert.equal(await store.settle('2027-01-01T00:00:00.000Z'), 1)
      assert.equal((await store.handoff(handoff.uid))?.state, 'expired')
    })
  })

  describe('units of a batch see what earlier ones left', () => {
    it('counts: a limit of three lets three of twenty through', async (t) => {
      const store = await newRoom(t).open()
      await run(store, { agents: ['planner'] }, (view) => view.putAgent(anAgent('planner')))

      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => offerWithin(store, 3)))

      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3)
      assert.equal((await store.counts()).agents.planner?.outgoing, 3)
    })

    it('counts: one that ends makes room for one that comes', async (t) => {
      const store = await newRoom(t).open()
      await run(store, { agents: ['planner'] }, (view) => view.putAgent(anAgent('planner')))
      const old = await offer(store)

      const [, made, refused] = await Promise.allSettled([
        run(store, { handoffs: [old.uid] }, (view) => {
          view.putHandoff({ ...old, rev: 2, state: 'cancelled' })
          view.append(entryOf(old.uid, { rev: 2 }))
        }),
        offerWithin(store, 1),
        offerWithin(store, 1),
      ])

      assert.deepEqual([made.status, refused.status], ['fulfilled', 'rejected'])
    })

    it('claims: each gets another handoff, in order, and the last ones get none', async (t) => {
      const store = await newRoom(t).open()
      const low = await offer(store, { priority: 'low' })
      const old = await offer(store)
      const young = await offer(store)
      const high = await offer(store, { priority: 'high' })

      const claimed = await Promise.all(Array.from({ length: 6 }, (_, i) => claim(store, `worker-${i}`)))

      assert.deepEqual(claimed, [high.uid, old.uid, young.uid, low.uid, undefined, undefined])
    })

    it('claims: what was accepted by name is passed over, and the next one is found', async (t) => {
      const store = await newRoom(t).open()
      const [first, second] = [await offer(store), await offer(store)]

      const [, claimed] = await Promise.all([
        run(store, { handoffs: [first.uid] }, (view) => take(view, first.uid, 'codex')),
        claim(store, 'worker'),
      ])

      assert.equal(claimed, second.uid)
    })

    it('numbers: each is given once', async (t) => {
      const store = await newRoom(t).open()

      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          run(store, { numbers: 1 + (i % 3) }, (view) => {
            const mine = [view.number()]
            if (i === 4) throw new BatonError('wrong_state', 'a gap is allowed')
            for (let more = 0; more < i % 3; more++) mine.push(view.number())
            return mine
          }).catch(() => []),
        ),
      )

      const all = taken.flat()
      assert.equal(new Set(all).size, all.length)
      assert.ok(all.every((number) => Number.isSafeInteger(number) && number > 0))
    })

    it('streams: entries follow each other without a gap', async (t) => {
      const store = await newRoom(t).open()
      const stream = nextUid()

      const positions = await Promise.all(
        Array.from({ length: 20 }, () =>
          run(store, { streams: [stream] }, (view) => view.append(entryOf(stream))),
        ),
      )

      assert.deepEqual(
        positions,
        Array.from({ length: 20 }, (_, i) => i),
      )
      const entries = await store.entries(stream, 0, 99)
      assert.ok(
        verifyChain(
          entries.map(({ body }) => ({ entry: body })),
          leafHash,
        ).ok,
      )
      assert.equal(entries.length, 20)
    })

    it('idempotency: the first of a key acts, the others are shown what it did', async (t) => {
      const store = await newRoom(t).open()

      const seen = await Promise.all(Array.from({ length: 5 }, () => once(store, 'k1')))

      assert.equal(seen.filter((idem) => idem === undefined).length, 1)
      assert.equal((await store.counts()).handoffs.offered, 1)
    })

    it('rows: handoff, task, agent and notice as they stand', async (t) => {
      const store = await newRoom(t).open()
      const handoff = await offer(store)
      const notice = freshNotice()
      await run(store, {}, (view) => view.addNotice(notice))
      const reads = { handoffs: [handoff.uid], agents: ['codex'], tasks: ['T1'], notices: [notice.uid] }

      const [, seen] = await Promise.all([
        run(store, reads, (view) => {
          view.putHandoff({ ...handoff, rev: 2 })
          view.putAgent(anAgent('codex', { rev: 4 }))
          view.putTask(freshTask('T1', { rev: 5 }), { depends_on: [], open_deps: 0 })
          view.seeNotice(notice.uid, AT)
        }),
        run(store, reads, (view) => [
          view.handoff(handoff.uid)?.rev,
          view.agent('codex')?.rev,
          view.task('T1')?.task.rev,
          view.notice(notice.uid)?.seen_at,
        ]),
      ])

      assert.deepEqual(seen, [2, 4, 5, AT])
    })
  })

  describe('an idempotency row', () => {
    it('is shown to the same actor, operation and key, and to no other', async (t) => {
      const store = await newRoom(t).open()
      const key = { actor: 'codex', op: 'handoff_send', key: 'snow ☃ "k"\n' }
      const idem = { ...key, input_hash: 'abc', subject: nextUid(), rev: 3, at: AT }
      await run(store, { idem: key }, (view) => view.addIdem(idem))
      const look = (other: Partial<typeof key>) =>
        run(store, { idem: { ...key, ...other } }, (view) => view.idem())

      assert.deepEqual({ ...(await look({})) }, idem)
      assert.equal(await look({ actor: 'claude' }), undefined)
      assert.equal(await look({ op: 'handoff_create' }), undefined)
      assert.equal(await look({ key: 'k' }), undefined)
    })
  })
}

/** One of everything that a unit can leave beside a handoff. */
function putEverything(view: View, uid: string): void {
  const sha256 = uid.padEnd(64, '0')
  view.addArtifact(
    { uid: nextUid(), path: 'a', handoff: uid, sha256, stored: true, by: 'codex', created_at: AT },
    new Uint8Array([1]),
  )
  view.addNotice(freshNotice({ to: `of-${uid}` }))
  view.addRecord(freshRecord({ task_id: `T-${uid}` }))
  view.putToken({ uid: nextUid(), hash: uid, agent: 'codex', scopes: [], created_at: AT })
  view.putTask(freshTask(`T-${uid}`), { depends_on: [], open_deps: 0 })
  view.addIdem({ actor: 'codex', op: 'x', key: uid, input_hash: '', subject: uid, rev: 1, at: AT })
}

/** Offers a handoff of planner, unless it has this many open already. */
export function offerWithin(store: Store, limit: number, to = 'codex'): Promise<void> {
  const handoff = freshHandoff({ from: 'planner', to, waiting_for: to })
  return run(store, { counted: ['planner'], streams: [handoff.root] }, (view) => {
    const open = view.openOutgoing('planner')
    if (open === undefined || open >= limit) throw new BatonError('limit_exceeded', `has ${open}`)
    put(view, handoff)
  })
}

export const claim = (store: Store, holder: string, agent = 'codex'): Promise<string | undefined> =>
  run(store, { claim: agent }, (view) => {
    const next = view.claimed(agent)
    return next && take(view, next.uid, holder)?.uid
  })

/** Makes a handoff once for this key; answers what was there before. */
export function once(store: Store, key: string) {
  const handoff = freshHandoff()
  const idem = { actor: 'planner', op: 'handoff_send', key }
  return run(store, { idem, streams: [handoff.root] }, (view) => {
    const before = view.idem()
    if (before) return before
    put(view, handoff)
    view.addIdem({ ...idem, input_hash: 'h', subject: handoff.uid, rev: 1, at: AT })
    return undefined
  })
}
