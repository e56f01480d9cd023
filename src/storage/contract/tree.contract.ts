import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AT, entryOf, nextUid, offer, run, until } from '../../../test/support/store/store-units.ts'
import type { AuditSession } from '../../domain/audit-session.ts'
import type { NewRoom } from '../store.contract.ts'
import type { Store, Tile } from '../store.ts'

const tileOf = (level: number, n: number, hashes: number, first?: number): Tile => ({
  level,
  n,
  ...(first !== undefined && { first }),
  bytes: new Uint8Array(hashes * 32).fill(level * 16 + n + 1),
})

const headOf = (size: number, last: number) => ({ size, last, edge: [`edge-${size}`] })

const aSession = (given: Partial<AuditSession> = {}): AuditSession => {
  const uid = nextUid()
  return { uid, id: `AS-${uid.slice(-12)}`, rev: 1, by: 'codex', state: 'open', started_at: AT, ...given }
}

async function put(store: Store, session: AuditSession): Promise<AuditSession> {
  await run(store, { sessions: [session.uid] }, (view) => {
    view.putSession(session)
    view.append(entryOf(session.uid))
  })
  return session
}

export function describeTree(newRoom: NewRoom): void {
  describe('the tree of the log', () => {
    it('is empty at first, and tells the newest entry that is not in it', async (t) => {
      const store = await newRoom(t).open()

      assert.deepEqual(await store.tree(), { size: 0, last: 0, edge: [], newest: 0 })
      await offer(store)
      const { newest, ...tree } = await store.tree()

      assert.deepEqual(tree, { size: 0, last: 0, edge: [] })
      assert.equal(newest, (await store.changes('0', 9)).entries[0]?.id)
      assert.deepEqual(await store.tiles(0, 0, 9), [])
      assert.equal(await store.tileOfEntry(newest), undefined)
      assert.deepEqual(await store.checkpoints({ limit: 9 }), [])
    })

    it('grows from the size that was seen, and not from another', async (t) => {
      const store = await newRoom(t).open()

      assert.equal(await store.growTree(7, headOf(8, 8), [tileOf(0, 0, 8, 1)]), false)
      assert.equal(await store.growTree(0, headOf(3, 30), [tileOf(0, 0, 3, 10)]), true)
      assert.equal(await store.growTree(0, headOf(9, 90), [tileOf(0, 0, 9, 10)]), false)
      assert.equal(await store.growTree(2, headOf(9, 90), [tileOf(0, 0, 9, 10)]), false)

      const { newest: _, ...tree } = await store.tree()
      assert.deepEqual(tree, headOf(3, 30))
      assert.deepEqual(await store.tiles(0, 0, 9), [tileOf(0, 0, 3, 10)])
    })

    it('replaces the unfinished tile and keeps the full ones, in order', async (t) => {
      const store = await newRoom(t).open()
      await store.growTree(0, headOf(250, 500), [tileOf(0, 0, 250, 1)])
      await store.growTree(250, headOf(600, 1_200), [
        tileOf(0, 0, 256, 1),
        tileOf(0, 1, 256, 513),
        tileOf(0, 2, 88, 1_025),
        tileOf(1, 0, 2),
      ])

      const level0 = [tileOf(0, 0, 256, 1), tileOf(0, 1, 256, 513), tileOf(0, 2, 88, 1_025)]
      assert.deepEqual(await store.tiles(0, 0, 9), level0)
      assert.deepEqual(await store.tiles(0, 1, 1), level0.slice(1, 2))
      assert.deepEqual(await store.tiles(1, 0, 9), [tileOf(1, 0, 2)])
      const places = [1, 512, 513, 1_024, 1_025, 1_200, 1_201].map((id) => store.tileOfEntry(id))
      assert.deepEqual(
        (await Promise.all(places)).map((tile) => tile?.n),
        [0, 0, 1, 1, 2, 2, undefined],
      )
    })

    it('lets exactly one of twenty that grow it at once win', async (t) => {
      const room = newRoom(t)
      const stores = await Promise.all([room.open(), room.open(), room.open(), room.open()])

      const grown = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          stores[i % stores.length]!.growTree(0, headOf(i + 1, i + 1), [tileOf(0, 0, i + 1, 1)]),
        ),
      )

      const winner = grown.indexOf(true)
      assert.equal(grown.filter(Boolean).length, 1)
      assert.equal((await stores[0]!.tree()).size, winner + 1)
      assert.equal((await stores[0]!.tiles(0, 0, 1))[0]?.bytes.length, (winner + 1) * 32)
    })

    it('keeps checkpoints, the largest first and of one size the first', async (t) => {
      const store = await newRoom(t).open()
      for (const size of [3, 1, 2]) await store.addCheckpoint({ size, at: AT, note: `note ${size}\n` })
      await store.addCheckpoint({ size: 2, at: AT, note: 'another\n' })

      const notes = async (page: { before?: number; limit: number }) =>
        (await store.checkpoints(page)).map(({ note }) => note)
      assert.deepEqual(await notes({ limit: 2 }), ['note 3\n', 'note 2\n'])
      assert.deepEqual(await notes({ before: 3, limit: 9 }), ['note 2\n', 'note 1\n'])
    })

    it('is not changed through a store that was opened for reading', async (t) => {
      const room = newRoom(t)
      await (await room.open()).growTree(0, headOf(1, 1), [tileOf(0, 0, 1, 1)])
      const reader = await room.open({ readOnly: true })

      await assert.rejects(async () => reader.growTree(1, headOf(2, 2), []), { code: 'unavailable' })
      await assert.rejects(async () => reader.addCheckpoint({ size: 1, at: AT, note: '' }), {
        code: 'unavailable',
      })
      assert.equal((await reader.tree()).size, 1)
    })
  })

  describe('audit sessions', () => {
    it('are found by uid and by id, and listed newest first by actor and state', async (t) => {
      const store = await newRoom(t).open()
      const [first, second] = [await put(store, aSession()), await put(store, aSession({ by: 'gemini' }))]
      const third = await put(store, aSession({ state: 'sealing', lease: { id: 'a', until: AT } }))

      assert.deepEqual(await store.session(first.uid), first)
      assert.deepEqual(await store.session(second.id), second)
      assert.equal(await store.session('AS-nothing'), undefined)
      const listed = async (filter: object) =>
        (await store.sessions(filter, { limit: 9 })).items.map(({ uid }) => uid)
      assert.deepEqual(await listed({}), [third.uid, second.uid, first.uid])
      assert.deepEqual(await listed({ by: 'codex' }), [third.uid, first.uid])
      assert.deepEqual(await listed({ by: 'codex', state: ['open'] }), [first.uid])
      const page = await store.sessions({}, { limit: 2 })
      assert.equal(page.next, second.uid)
      assert.deepEqual((await store.sessions({}, { limit: 2, cursor: page.next! })).items, [first])
    })

    it('are changed one writer at a time', async (t) => {
      const room = newRoom(t)
      const stores = await Promise.all([room.open(), room.open()])
      const { uid } = await put(stores[0]!, aSession())

      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          run(stores[i % 2]!, { sessions: [uid] }, (view) => {
            const session = view.session(uid)!
            view.putSession({ ...session, rev: session.rev + 1 })
          }),
        ),
      )

      assert.equal((await stores[0]!.session(uid))?.rev, 21)
    })

    it('take nothing more into their stream once they are sealed', async (t) => {
      const store = await newRoom(t).open()
      const session = await put(store, aSession())
      await run(store, { sessions: [session.uid] }, (view) => {
        view.append(entryOf(session.uid, { rev: 2 }))
        view.putSession({ ...session, state: 'sealed' })
      })

      await assert.rejects(
        run(store, { sessions: [session.uid] }, (view) => view.append(entryOf(session.uid, { rev: 3 }))),
        { code: 'wrong_state' },
      )

      assert.equal((await store.entries(session.uid, 0, 9)).length, 2)
    })

    it('wake those who wait when they change', async (t) => {
      const room = newRoom(t)
      const [store, beside] = await Promise.all([room.open(), room.open()])
      let woken = 0
      const leave = beside.subscribe(() => {
        woken += 1
      })
      t.after(leave)

      // The subscription itself may take a moment to stand: a hint may be lost, so there is more than one.
      await until('the other process was told', async () => {
        await put(store, aSession())
        return woken > 0
      })
    })
  })
}
