import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { SlowWriter } from '../../../test/faults/slow-writer.ts'
import { entryOf, nextUid, offer, run, until } from '../../../test/support/store/store-units.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { NewRoom } from '../store.contract.ts'
import type { Changed, LogEntry, Store } from '../store.ts'

const AT = '2999-01-01T00:00:00.000Z'

export function describeChanges(newRoom: NewRoom): void {
  describe('changes', () => {
    it('begin at the end when no cursor is given, and then hold all that follows', async (t) => {
      const store = await newRoom(t).open()
      await offer(store)
      const { entries, cursor } = await settledEnd(store)
      assert.deepEqual(entries, [])

      const first = await offer(store)
      const second = await offer(store)

      const after = await follow(store, cursor, 2, 1)
      assert.deepEqual(
        after.map(({ subject }) => subject),
        [first.uid, second.uid],
      )
      assert.deepEqual(after[1], (await store.entries(second.root, 0, 1))[0])
    })

    it('come in portions, and the cursor of an empty one goes on working', async (t) => {
      const store = await newRoom(t).open()
      const start = await settledEnd(store)
      const made: string[] = []
      for (let i = 0; i < 5; i++) made.push((await offer(store)).uid)

      const read = await follow(store, start.cursor, 5, 2)

      assert.deepEqual(
        read.map(({ subject }) => subject),
        made,
      )
      const { cursor: end } = await store.changes(start.cursor, 99)
      const empty = await store.changes(end, 5)
      assert.deepEqual(empty.entries, [])
      const last = await offer(store)
      assert.deepEqual((await follow(store, empty.cursor, 1, 5))[0]?.subject, last.uid)
    })

    it('refuse a cursor that was not given out', async (t) => {
      const store = await newRoom(t).open()

      for (const cursor of ['nonsense', '', '-1', '1e9', "0'; DROP TABLE entry; --"])
        await assert.rejects(store.changes(cursor, 5), { code: 'invalid_input' })
    })

    for (const limit of [7, 1_000])
      it(`show a reader every entry once, in portions of ${limit}, while ten others write`, async (t) => {
        const room = newRoom(t)
        const writers = await Promise.all(Array.from({ length: 10 }, () => room.open()))
        const reader = await room.open()
        const { cursor } = await settledEnd(reader)
        const streams = Array.from({ length: 4 }, nextUid)
        const total = writers.length * 12

        const writing = Promise.all(
          writers.map(async (store, w) => {
            for (let i = 0; i < 12; i++) {
              const [first, second] = [streams[(w + i) % 4]!, streams[i % 4]!]
              await run(store, { streams: [first, second] }, (view) => view.append(entryOf(first)))
            }
          }),
        )
        const portions = await followInPortions(reader, cursor, total, limit)
        await writing

        const ids = portions.flat().map(({ id }) => id)
        assert.equal(ids.length, total)
        assert.equal(new Set(ids).size, total)
        assertStreamsInOrder(portions.flat())
      })

    it('do not skip what a slow transaction commits late', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      const { cursor } = await settledEnd(store)
      const slow = await startSlowWriter(t, { target: room.target, stream: nextUid() })

      const quick = offer(store)
      // Where writers take turns the quick one is not done before the slow one; where they do not, it is.
      await Promise.race([quick, new Promise((resolve) => setTimeout(resolve, 300))])
      const early = await store.changes(cursor, 99)
      slow.release()
      await slow.ended
      const { uid } = await quick
      const late = await follow(store, early.cursor, 2 - early.entries.length, 99)

      const subjects = [...early.entries, ...late].map(({ subject }) => subject)
      assert.deepEqual(subjects.sort(), [slow.stream, uid].sort())
    })
  })

  describe('a subscriber', () => {
    it('is called after a commit of its own process, when the change can be read', async (t) => {
      const store = await newRoom(t).open()
      const seen: Promise<unknown>[] = []
      const look = () => seen.push(store.counts().then(({ entries }) => entries))
      t.after(store.subscribe((changed) => changed && look()))

      await offer(store)

      assert.ok(seen.length > 0)
      assert.equal(await seen[0], 1)
    })

    it('is called after a commit through another connection, and can hear what it changed', async (t) => {
      const room = newRoom(t)
      const [store, beside] = [await room.open(), await room.open()]
      const heard: (Changed | undefined)[] = []
      const { cursor } = await store.heard(undefined)
      t.after(store.subscribe((changed) => heard.push(changed)))

      // At once: it may take longer than a commit until the subscription stands.
      const early = await offer(beside)
      await until('the subscriber was called', () => heard.length > 0)
      const first = await store.heard(cursor)
      assert.deepEqual(first.changed?.names, new Set([early.uid, 'codex']))
      heard.length = 0
      const later = await offer(beside, { to: 'gemini', state: 'retry_wait', not_before: AT })
      const isOf = (changed: Changed | undefined) => changed?.names.has(later.uid)
      await until('the subscriber was told of it', () => heard.some((changed) => !changed || isOf(changed)))

      const told = heard.find(isOf) ?? (await store.heard(first.cursor)).changed!
      assert.ok(told.names.has(later.uid) && !told.names.has(early.uid))
      assert.deepEqual([told.retries, told.handoffs], [new Set([AT]), undefined])
    })

    it('is told what its own process has written', async (t) => {
      const store = await newRoom(t).open()
      const heard: (Changed | undefined)[] = []
      t.after(store.subscribe((changed) => heard.push(changed)))

      const handoff = await offer(store)

      const own = heard.find((changed) => changed?.handoffs)
      assert.deepEqual(own?.names, new Set([handoff.uid, 'codex']))
      assert.deepEqual(own?.handoffs?.get(handoff.uid), handoff)
      assert.deepEqual(own?.contents?.get(handoff.uid), await store.content(handoff.uid))
    })

    it('hears of more than fits into a message, and of commits right before the end of another process', async (t) => {
      const room = newRoom(t)
      const [store, beside] = [await room.open(), await room.open()]
      const heard: (Changed | undefined)[] = []
      t.after(store.subscribe((changed) => heard.push(changed)))
      await offer(beside)
      await until('the subscriber was called', () => heard.length > 0)
      heard.length = 0

      const isTold = ({ uid }: Handoff) =>
        heard.some((changed) => changed === undefined || changed.names.has(uid))
      const many = await Promise.all(Array.from({ length: 300 }, () => offer(beside)))
      await until('the subscriber was told of all', () => many.every(isTold))
      heard.length = 0
      const last = await Promise.all(Array.from({ length: 30 }, () => offer(beside)))
      await beside.close()
      await until('the subscriber was told of the last ones', () => last.every(isTold))
    })

    it('is not called for a unit that changed nothing or was refused', async (t) => {
      const store = await newRoom(t).open()
      let calls = 0
      t.after(
        // When it begins to hear of others, it is told once that anything may have changed.
        store.subscribe((changed) => {
          if (changed) calls += 1
        }),
      )

      await run(store, { handoffs: [nextUid()] }, () => undefined)
      await assert.rejects(
        run(store, {}, () => {
          throw new Error('refused')
        }),
      )

      assert.equal(calls, 0)
    })

    it('is not called any more when it has left, and others still are', async (t) => {
      const store = await newRoom(t).open()
      const calls = [0, 0]
      const listener = (i: number) => () => {
        calls[i]! += 1
      }
      const leave = store.subscribe(listener(0))
      t.after(store.subscribe(listener(1)))

      leave()
      leave()
      await offer(store)

      assert.equal(calls[0], 0)
      assert.ok(calls[1]! > 0)
    })

    it('may subscribe the same function twice and leave once', async (t) => {
      const store = await newRoom(t).open()
      let calls = 0
      const listener = () => {
        calls += 1
      }
      const leave = store.subscribe(listener)
      t.after(store.subscribe(listener))

      leave()
      await offer(store)

      assert.ok(calls > 0)
    })

    it('does not spoil the commit that it is told of when it throws', async (t) => {
      const store = await newRoom(t).open()
      t.after(
        store.subscribe(() => {
          throw new Error('a fault in a listener')
        }),
      )

      const handoff = await offer(store)

      assert.deepEqual(await store.handoff(handoff.uid), handoff)
      assert.equal((await store.entries(handoff.root, 0, 9)).length, 1)
    })
  })
}

/** The end of the log once everything before it can be read: another test's transaction may hold it back. */
async function settledEnd(store: Store): Promise<{ entries: readonly LogEntry[]; cursor: string }> {
  const { entries } = await store.counts()
  let read: readonly LogEntry[] = []
  let cursor = '0'
  await until('the log can be read to its end', async () => {
    const next = await store.changes(cursor, 1_000)
    read = [...read, ...next.entries]
    cursor = next.cursor
    return read.length === entries
  })
  return { ...(await store.changes(undefined, 5)), cursor }
}

/** Reads on from the cursor until this many entries have come. */
async function followInPortions(
  store: Store,
  from: string,
  wanted: number,
  limit: number,
): Promise<readonly (readonly LogEntry[])[]> {
  const portions: (readonly LogEntry[])[] = []
  let cursor = from
  await until(`${wanted} entries were read`, async () => {
    const next = await store.changes(cursor, limit)
    assert.ok(next.entries.length <= limit)
    portions.push(next.entries)
    cursor = next.cursor
    return portions.flat().length >= wanted
  })
  return portions
}

const follow = async (...args: Parameters<typeof followInPortions>): Promise<readonly LogEntry[]> =>
  (await followInPortions(...args)).flat()

/** What happened later in a stream comes later. */
function assertStreamsInOrder(entries: readonly LogEntry[]): void {
  const last = new Map<string, number>()
  for (const { stream, seq } of entries) {
    assert.ok(seq > (last.get(stream) ?? -1), `entry ${seq} comes after ${last.get(stream)}`)
    last.set(stream, seq)
  }
}

async function startSlowWriter(t: TestContext, options: Omit<SlowWriter, 'gate'>) {
  const gate = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL('../../../test/faults/slow-writer.ts', import.meta.url), {
    workerData: { ...options, gate } satisfies SlowWriter,
  })
  t.after(() => worker.terminate())
  const ended = once(worker, 'message')
  await until('the slow writer is inside its transaction', () => Atomics.load(gate, 0) === 1)
  const release = () => {
    Atomics.store(gate, 1, 1)
    Atomics.notify(gate, 1)
  }
  return { stream: options.stream, release, ended }
}
