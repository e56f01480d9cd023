import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aContent, anAgent } from '../../../test/support/store/builders.ts'
import {
  AT,
  comparable,
  dumpOf,
  entryOf,
  freshHandoff,
  freshNotice,
  freshRecord,
  freshTask,
  nextUid,
  offer,
  put,
  run,
} from '../../../test/support/store/store-units.ts'
import { verifyChain } from '../../audit/chain.ts'
import type { NewRoom } from '../store.contract.ts'
import type { DumpRow, Store, Token } from '../store.ts'
import { leafHash } from '../working-set.ts'

const OLD = '2026-01-01T00:00:00.000Z'

export function describeKeeping(newRoom: NewRoom): void {
  describe('trusted settings', () => {
    it('are kept for every process that opens the store, in place of those before', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      assert.equal(store.info.settings, undefined)
      for (const text of ['{"a":1}', '{"b":"ü\\n"}']) {
        await store.keepSettings(text)
        assert.deepEqual([store.info.settings, (await room.open()).info.settings], [text, text])
      }
      await assert.rejects((await room.open({ readOnly: true })).keepSettings('x'), { code: 'unavailable' })
    })
  })

  describe('a store whose work went elsewhere', () => {
    it('refuses writes in every process that has it open, is read on, and can be taken up again', async (t) => {
      const room = newRoom(t)
      const [store, other] = [await room.open(), await room.open()]
      const kept = await offer(store)
      const touch = (one: Store) =>
        run(one, { handoffs: [kept.uid] }, (view) => view.putHandoff({ ...view.handoff(kept.uid)! }))
      await touch(other)
      const before = await dumpOf(store)
      const refused = {
        code: 'store_refused',
        message: /was copied to elsewhere:5432\/db and takes no more writes/,
      }

      await store.retire('elsewhere:5432/db')

      const later = await room.open()
      assert.deepEqual(
        [store.info.moved, other.info.moved, later.info.moved],
        ['elsewhere:5432/db', undefined, 'elsewhere:5432/db'],
      )
      for (const one of [store, other, later]) {
        await assert.rejects(offer(one), refused)
        await assert.rejects(touch(one), refused)
        assert.deepEqual(await one.handoff(kept.uid), kept)
        assert.equal((await one.counts()).entries, 1)
      }
      assert.deepEqual(await dumpOf(store), before)
      assert.deepEqual([await other.retire('a third place'), await other.retire()], [false, false])
      assert.equal((await room.open()).info.moved, 'elsewhere:5432/db')
      await assert.rejects((await room.open({ readOnly: true })).retire('x'), { code: 'unavailable' })

      assert.equal(await later.retire('its last place'), true)
      assert.equal(await store.retire(), false)
      await assert.rejects(offer(store), { code: 'store_refused', message: /was copied to its last place/ })
      assert.equal(await later.retire(), true)
      await offer(store)
      assert.equal((await room.open()).info.moved, undefined)
    })

    it('misses nothing that others write while it ends', async (t) => {
      const room = newRoom(t)
      const [store, other] = [await room.open(), await room.open()]
      let acknowledged = 0
      const writing = Array.from({ length: 8 }, async () => {
        for (;;) {
          await offer(other)
          acknowledged += 1
        }
      }).map((work) => work.catch((error: unknown) => error as { code: string }))
      while (acknowledged < 20) await new Promise((done) => setTimeout(done, 1))

      await store.retire('elsewhere')
      const { entries } = await store.counts()
      const ends = await Promise.all(writing)

      assert.deepEqual(new Set(ends.map(({ code }) => code)), new Set(['store_refused']))
      assert.deepEqual([entries, (await store.counts()).entries], [acknowledged, acknowledged])
    })
  })

  describe('clearing away', () => {
    it('counts old idempotency rows, seen notices and messages that went out, and removes them only when told to', async (t) => {
      const store = await newRoom(t).open()
      const [seen, fresh, unseen] = [freshNotice(), freshNotice(), freshNotice({ created_at: OLD })]
      const idem = { actor: 'a', op: 'o', input_hash: '', subject: '', rev: 1 }
      const message = {
        kind: 'mail',
        attempts: 1,
        channel: 'c',
        event: 'gate',
        about: 'h',
        to: 'human',
      } as const
      await run(store, {}, (view) => {
        for (const notice of [seen, fresh, unseen]) view.addNotice(notice)
        for (const key of ['old', 'older', 'oldest']) view.addIdem({ ...idem, key, at: OLD })
        view.addIdem({ ...idem, key: 'new', at: AT })
        view.putDelivery({ ...message, uid: 'sent', created_at: OLD })
        view.putDelivery({ ...message, uid: 'sent-now', created_at: AT })
        view.putDelivery({ ...message, uid: 'waits', created_at: OLD, due_at: AT })
        const token = { agent: 'a', scopes: [], created_at: OLD, revoked_at: OLD }
        for (const [hash, given] of Object.entries({
          ended: { ...token, expires_at: AT },
          'ended now': { ...token, expires_at: AT, revoked_at: AT },
          expired: { ...token, expires_at: OLD, revoked_at: undefined },
          'without end': token,
        }))
          view.putToken({ uid: nextUid(), hash, ...given } as Token)
      })
      await run(store, {}, (view) => {
        view.seeNotice(seen.uid, OLD)
        view.seeNotice(fresh.uid, AT)
      })
      await offer(store, { state: 'completed', updated_at: OLD })

      const each = { idem: 1, notices: 1, deliveries: 1, tokens: 1 }
      const none = { idem: 0, notices: 0, deliveries: 0, tokens: 0 }
      assert.deepEqual(await store.gc(AT, false), { ...each, idem: 3 })
      assert.deepEqual(await store.gc(AT, true, 1), each)
      assert.deepEqual(await store.gc(AT, true, 1), { ...none, idem: 1 })
      assert.deepEqual(await store.gc(AT, true), { ...none, idem: 1 })
      assert.deepEqual(await store.gc(AT, false), none)

      const left = await dumpOf(store)
      const keys = left.filter(({ table }) => table === 'idem').map(({ row }) => row.key)
      assert.deepEqual(keys, ['new'])
      const tokens = left.filter(({ table }) => table === 'token').map(({ row }) => row.hash)
      assert.deepEqual([...tokens].sort(), ['ended now', 'expired', 'without end'])
      const messages = left.filter(({ table }) => table === 'delivery').map(({ row }) => row.uid)
      assert.deepEqual([...messages].sort(), ['sent-now', 'waits'])
      assert.deepEqual(
        left.filter(({ table }) => table === 'notice').map(({ row }) => row.uid),
        [fresh.uid, unseen.uid],
      )
      assert.equal(left.filter(({ table }) => table === 'handoff').length, 1)
    })
  })

  describe('dump and restore', () => {
    it('give back every row, field by field', async (t) => {
      const store = await newRoom(t).open()
      await fill(store)
      const rows = await dumpOf(store)
      const copy = await newRoom(t).open()

      const count = await copy.restore(from(rows))

      assert.equal(count, rows.length)
      assert.deepEqual(comparable(await dumpOf(copy)), comparable(rows))
      assert.deepEqual(await copy.counts(), await store.counts())
      assert.deepEqual(await copy.handoffs({}, { limit: 9 }), await store.handoffs({}, { limit: 9 }))
    })

    it('leave a store that goes on where the other stopped: numbers, chains, name of the log', async (t) => {
      const store = await newRoom(t).open()
      const { uid, root } = await fill(store)
      const copy = await newRoom(t).open()
      await copy.restore(from(await dumpOf(store)))

      const number = await run(copy, { numbers: 1 }, (view) => view.number())
      await run(copy, { streams: [root] }, (view) => view.append(entryOf(uid, { rev: 2 })))
      await run(copy, {}, (view) => view.addRecord(freshRecord({ summary: 'after' })))

      assert.equal(copy.info.origin, store.info.origin)
      assert.ok(number > 3, `${number} was given out before`)
      const entries = await copy.entries(root, 0, 99)
      const verdict = verifyChain(
        entries.map(({ body }) => ({ entry: body })),
        leafHash,
      )
      assert.ok(verdict.ok && verdict.count === 2, JSON.stringify(verdict))
      assert.equal((await copy.records('T1', 1))[0]?.summary, 'after')
      const changes = await copy.changes('0', 99)
      assert.equal(changes.entries.at(-1)?.stream, root)
    })

    it('are of one moment, while others go on writing', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      const beside = await room.open()
      for (let i = 0; i < 5; i++) await fill(store)
      const rows: DumpRow[] = []

      let written = 0
      for await (const row of store.dump()) {
        rows.push(row)
        if (rows.length % 7 === 0) {
          await offer(written % 2 === 0 ? beside : store)
          written += 1
        }
      }

      assert.ok(written > 3)
      const uids = (table: string) =>
        rows.filter((row) => row.table === table).map(({ row }) => String(row.uid))
      assert.deepEqual(uids('handoff').sort(), uids('content').sort())
      assert.equal(uids('handoff').length, 5)
      assert.equal(rows.filter(({ table }) => table === 'entry').length, 5)
    })

    it('refuse to restore into a store that was used, and leave it as it was', async (t) => {
      const store = await newRoom(t).open()
      await fill(store)
      const rows = await dumpOf(store)
      const used = await newRoom(t).open()
      await offer(used)
      const before = comparable(await dumpOf(used))

      await assert.rejects(used.restore(from(rows)), { code: 'conflict' })

      assert.deepEqual(comparable(await dumpOf(used)), before)
    })

    it('take nothing of a dump that breaks off or holds what nobody knows', async (t) => {
      const source = await newRoom(t).open()
      await fill(source)
      const rows = await dumpOf(source)
      const store = await newRoom(t).open()
      const kept = async () =>
        // A number that was passed over is a gap, and gaps are allowed.
        comparable((await dumpOf(store)).filter(({ table }) => table !== 'counter'))
      const before = await kept()
      const broken = async function* () {
        yield* rows.slice(0, -2)
        throw new Error('the disk was pulled out')
      }

      await assert.rejects(store.restore(broken()))
      await assert.rejects(store.restore(from([...rows, { table: 'nonsense', row: { a: 1 } }])), {
        code: 'invalid_input',
      })

      assert.deepEqual(await kept(), before)
      assert.equal(await store.restore(from(rows)), rows.length)
    })
  })

  describe('opening and closing', () => {
    it('gives everybody who opens at once the same workspace', async (t) => {
      const room = newRoom(t)

      const stores = await Promise.all(Array.from({ length: 8 }, () => room.open()))
      await Promise.all(stores.map((store) => offer(store)))

      const origins = new Set(stores.map(({ info }) => info.origin))
      assert.equal(origins.size, 1)
      assert.match(stores[0]!.info.origin, /^baton\.local\/[0-9a-f-]{36}$/)
      for (const store of stores) assert.equal((await store.counts()).handoffs.offered, 8)
    })

    it('keeps what was answered for whoever opens it next', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      const handoff = await offer(store)
      const { origin } = store.info
      await store.close()

      const again = await room.open()

      assert.deepEqual(await again.handoff(handoff.uid), handoff)
      assert.equal(again.info.origin, origin)
    })

    it('finishes what was asked for before it closes', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      const handoffs = Array.from({ length: 5 }, () => freshHandoff())

      const calls = handoffs.map((handoff) =>
        run(store, { streams: [handoff.root] }, (view) => put(view, handoff)),
      )
      await store.close()
      await Promise.all(calls)

      const again = await room.open()
      assert.equal((await again.handoffs({}, { limit: 9 })).items.length, 5)
    })

    it('closes twice, also at once, without an error', async (t) => {
      const store = await newRoom(t).open()

      await Promise.all([store.close(), store.close()])
      await store.close()
    })

    it('answers a ping while it is open, also for reading only', async (t) => {
      const room = newRoom(t)
      await (await room.open()).ping()
      await (await room.open({ readOnly: true })).ping()
    })

    it('answers calls after the end with a typed refusal', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      await store.close()
      const late = [
        () => run(store, {}, () => undefined),
        () => store.handoff('HO-2026-001'),
        () => store.counts(),
        () => store.ping(),
        () => store.changes(undefined, 5),
        () => store.settle(AT),
        () => store.gc(AT, true),
        () => dumpOf(store),
        () => store.restore(from([])),
      ]

      for (const call of late) await assert.rejects(call, { name: 'BatonError', code: 'unavailable' })
    })

    it('calls nobody back after the end', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      const beside = await room.open()
      let calls = 0
      const leave = store.subscribe(() => {
        calls += 1
      })
      await offer(store)
      assert.ok(calls > 0)

      await store.close()
      calls = 0
      const late = store.subscribe(() => {
        calls += 1
      })
      await offer(beside)
      await offer(beside)
      leave()
      late()

      assert.equal(calls, 0)
    })

    it('reads without writing when it was opened so', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      const handoff = await offer(store)
      const reader = await room.open({ readOnly: true })

      assert.equal(reader.info.readOnly, true)
      assert.deepEqual(await reader.handoff(handoff.uid), handoff)
      const later = await offer(store)
      assert.deepEqual(await reader.handoff(later.uid), later)
      for (const call of [
        () => run(reader, {}, () => undefined),
        () => reader.gc(AT, true),
        () => reader.restore(from([])),
      ])
        await assert.rejects(call, { code: 'unavailable' })
    })

    it('is not made by somebody who only wants to read', async (t) => {
      await assert.rejects(newRoom(t).open({ readOnly: true }), { code: 'not_found' })
    })
  })
}

/** At least one row in every table. */
async function fill(store: Store) {
  const handoff = freshHandoff({ task: 'T1' })
  const key = { actor: 'planner', op: 'handoff_send', key: handoff.uid }
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
  const one = freshTask(`T-${handoff.uid}`)
  await run(store, { numbers: 3, streams: [handoff.root], idem: key, agents: ['planner'] }, (view) => {
    view.number()
    view.number()
    view.number()
    put(view, handoff, aContent({ package: { summary: 'snow ☃ "quotes"' } }))
    view.putAgent(anAgent('planner'))
    view.putTask(one, { depends_on: [], open_deps: 0 })
    view.putTask(freshTask(`U-${handoff.uid}`), { depends_on: [one.uid], open_deps: 1 })
    view.addNotice(freshNotice())
    view.addRecord(freshRecord())
    view.putToken({ uid: nextUid(), hash: nextUid(), agent: 'planner', scopes: [], created_at: AT })
    view.addIdem({ ...key, input_hash: 'h', subject: handoff.uid, rev: 1, at: AT })
    const sha256 = handoff.uid
    const artifact = { uid: nextUid(), path: 'a', handoff: handoff.uid, sha256, stored: true }
    view.addArtifact({ ...artifact, by: 'planner', created_at: AT }, bytes)
    const uid = nextUid()
    view.putSession({ uid, id: `AS-${uid}`, rev: 1, by: 'planner', state: 'open', started_at: AT })
  })
  const { size, newest } = await store.tree()
  await store.growTree(size, { size: size + 1, last: newest, edge: ['edge'] }, [
    { level: 0, n: size, first: newest, bytes },
    { level: 1, n: size, bytes: bytes.subarray(0, 32) },
  ])
  await store.addCheckpoint({ size: size + 1, at: AT, note: 'note\n' })
  return handoff
}

async function* from(rows: readonly DumpRow[]): AsyncGenerator<DumpRow> {
  yield* rows
}
