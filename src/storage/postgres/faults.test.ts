import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { Wire } from '../../../test/faults/wire.ts'
import { newDatabase, query } from '../../../test/support/store/store-places.ts'
import { AT, entryOf, freshHandoff, offer, put, run, until } from '../../../test/support/store/store-units.ts'
import { BatonError } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Store } from '../store.ts'
import { openPostgresStore } from './postgres-store.ts'

describe('connections that the server ends', () => {
  it('cost no answer that was given and leave nothing by halves, and the store goes on by itself', async (t) => {
    const url = await newDatabase()
    const store = await open(t, url)
    const kept: Handoff[] = []
    const refused: Handoff[] = []

    for (let round = 0; round < 10; round++) {
      const calls = Array.from({ length: 12 }, async () => {
        const handoff = freshHandoff()
        await run(store, { streams: [handoff.root] }, (view) => put(view, handoff)).then(
          () => kept.push(handoff),
          (error: unknown) => {
            assertRetryable(error)
            refused.push(handoff)
          },
        )
      })
      await terminateAll(url)
      await Promise.all(calls)
      kept.push(await offer(store))
    }

    for (const handoff of kept) await assertWhole(store, handoff)
    for (const handoff of refused) if (await store.handoff(handoff.uid)) await assertWhole(store, handoff)
    assert.ok(kept.length >= 10)
  })

  it('do not disturb whoever reads', async (t) => {
    const url = await newDatabase()
    const store = await open(t, url)
    const handoff = await offer(store)

    for (let round = 0; round < 10; round++) {
      const reads = Promise.allSettled(Array.from({ length: 5 }, () => store.handoff(handoff.uid)))
      await terminateAll(url)
      for (const read of await reads)
        if (read.status === 'rejected') assertRetryable(read.reason)
        else assert.deepEqual(read.value, handoff)
      assert.deepEqual(await store.handoff(handoff.uid), handoff)
    }
  })

  it('do not make a subscriber deaf', async (t) => {
    const url = await newDatabase()
    const [store, beside] = [await open(t, url), await open(t, url)]
    let calls = 0
    t.after(
      store.subscribe(() => {
        calls += 1
      }),
    )
    const heard = () =>
      until('the subscriber hears of another connection', async () => {
        await offer(beside).catch(assertRetryable)
        return calls > 0
      })

    await heard()
    await terminateAll(url)
    await until('the connections are gone', async () => (await store.counts()) !== undefined)
    calls = 0
    await heard()
  })
})

describe('a subscriber whose connection takes long', () => {
  it('is told of what was committed before it could listen', async (t) => {
    const database = await newDatabase()
    const { wire, url } = await Wire.before(database)
    t.after(() => wire.close())
    const [store, beside] = [await open(t, url), await open(t, database)]
    const release = wire.holdNew()
    let calls = 0
    t.after(
      store.subscribe(() => {
        calls += 1
      }),
    )

    await offer(beside)
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(calls, 0)
    release()

    await until('the subscriber is called', () => calls > 0)
  })

  it('keeps that connection for those who come later', async (t) => {
    const url = await newDatabase()
    const store = await open(t, url)
    const listening = () =>
      query(
        url,
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
      )
    const pids: unknown[] = []
    for (let wait = 0; wait < 4; wait++) {
      const leave = [store.subscribe(() => undefined), store.subscribe(() => undefined)]
      await until('it listens', async () => (await listening()).length > 0)
      pids.push(...(await listening()).map(({ pid }) => pid))
      for (const each of leave) each()
    }

    assert.deepEqual([pids.length, new Set(pids).size], [4, 1])
  })
})

describe('a connection that breaks at any message of a call', () => {
  for (const when of ['before', 'after'] as const)
    it(`leaves all of the call or nothing, and with its key it has one effect: ${when} the message`, async (t) => {
      const { wire, url } = await Wire.before(await newDatabase())
      t.after(() => wire.close())
      const store = await open(t, url, 1)
      const beyond = await cutEverywhere(store, wire, when)

      // Two round trips, of a message there and a message back each, belong to every call.
      assert.ok(beyond > 4, `the call was over after ${beyond - 1} messages`)
    })
})

/** Repeats a call with a cut at its first message, its second, and so on until none is hit; answers that number. */
async function cutEverywhere(store: Store, wire: Wire, when: 'before' | 'after'): Promise<number> {
  for (let at = 1; ; at++) {
    // Both connections that a call uses are there and idle, so that only its own messages are counted.
    await offer(store)
    await until('nothing is under way any more', () => wire.isQuietFor(30))
    const handoff = freshHandoff()
    wire.arm({ at, when })

    const outcome = await once(store, handoff).then(
      (said) => assert.equal(said, 'made', `cut at ${at}: it was run again after it had taken effect`),
      (error: unknown) => {
        assertRetryable(error)
        return 'refused'
      },
    )
    const isOver = !wire.isDone
    wire.disarm()

    const found = await store.handoff(handoff.uid)
    if (outcome !== 'refused') assert.deepEqual(found, handoff, `cut at ${at}`)
    if (found) await assertWhole(store, handoff)
    assert.equal(await once(store, handoff), found === undefined ? 'made' : 'made before', `cut at ${at}`)
    await assertWhole(store, handoff)
    if (isOver) return at
  }
}

describe('a process that waits while another one takes in what is new', () => {
  it('can be closed, and its search is refused', async (t) => {
    const url = await newDatabase()
    const [store, beside] = [await open(t, url), await open(t, url)]
    await Promise.all(Array.from({ length: 40 }, () => offer(store)))
    const blocker = new pg.Client(url)
    await blocker.connect()
    t.after(() => blocker.end())
    await blocker.query('BEGIN; LOCK TABLE baton.word IN SHARE MODE')
    const search = (each: Store) => each.search({ words: ['rate'], facets: {} }, { limit: 5 })
    let isOver = false
    const first = search(store).finally(() => {
      isOver = true
    })
    const asked = async (most: number) =>
      (await query(url, `SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_try_adv%'`)).length >= most
    await until('the first one has its turn', () => asked(1))
    const second = assert.rejects(search(beside), { code: 'unavailable' })
    await until('the second one asked for its turn', () => asked(2))

    await beside.close()

    assert.equal(isOver, false)
    await second
    await blocker.query('COMMIT')
    await first
  })
})

function once(store: Store, handoff: Handoff): Promise<'made' | 'made before'> {
  const idem = { actor: 'planner', op: 'handoff_send', key: handoff.uid }
  return run(store, { idem, streams: [handoff.root] }, (view) => {
    if (view.idem()) return 'made before'
    put(view, handoff)
    view.append(entryOf(handoff.uid, { rev: 2 }))
    view.addIdem({ ...idem, input_hash: '', subject: handoff.uid, rev: 1, at: AT })
    return 'made'
  })
}

function assertRetryable(error: unknown): void {
  assert.ok(error instanceof BatonError, String(error))
  assert.ok(error.retry, `${error.code}: ${error.message}`)
  assert.match(error.message, /repeat the call/)
}

/** Row, content, entries and head of the stream: all of them, or it is a half. */
async function assertWhole(store: Store, handoff: Handoff): Promise<void> {
  assert.deepEqual(await store.handoff(handoff.uid), handoff)
  assert.ok(await store.content(handoff.uid))
  const entries = await store.entries(handoff.root, 0, 9)
  const stream = await run(store, { streams: [handoff.root] }, (view) => view.stream(handoff.root))
  assert.deepEqual([stream?.seq, stream?.head], [entries.length - 1, entries.at(-1)?.hash])
}

/** Ends all connections of the store, as an administrator or a restart does. */
const terminateAll = (url: string) =>
  query(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )

async function open(t: TestContext, url: string, lanes?: number): Promise<Store> {
  const store = await openPostgresStore({ url, workspace: 'a', ...(lanes && { limits: { writers: lanes } }) })
  t.after(() => store.close())
  return store
}
