import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { it, type TestContext } from 'node:test'
import { by, describeOnEngines, type Workspace } from '../../test/support/program/workspace.ts'
import { BatonError, HandoffFailedException, HandoffTimeoutException } from '../domain/errors.ts'
import { HOUR_MS } from '../domain/handoffs/deadlines.ts'
import type { Store } from '../storage/store.ts'
import { waitFor, waitForEnd, waitForResult, within } from './wait.ts'

const planner = by('planner')
const codex = by('codex')

const request = async ({ service }: Workspace, more = {}) =>
  (await service.sending.send(planner, { to: 'codex', title: 'Work', home: 'queue', ...more })).handoff
async function complete({ service }: Workspace, uid: string): Promise<void> {
  await service.receiving.accept(codex, uid)
  await service.receiving.submit(codex, uid, { output: { path: 'a.json' } })
}

/** The stopwatch of the wait, moved by hand. Its timers stay real: they run for a second at most. */
function stopwatch(t: TestContext): { readonly pass: (ms: number) => void } {
  const begin = performance.now()
  let passed = 0
  t.mock.method(performance, 'now', () => begin + passed)
  return {
    pass: (ms) => {
      passed += ms
    },
  }
}

/** A store whose signals are all lost, and which counts how often somebody looks. */
function deaf(store: Store): { readonly store: Store; readonly looks: () => number } {
  let looks = 0
  const silent = Object.create(store, {
    subscribe: { value: () => () => undefined },
    settle: {
      value: (at: string) => {
        looks += 1
        return store.settle(at)
      },
    },
  })
  return { store: silent, looks: () => looks }
}

/** A store that is away for as long as the test says, or fails in some other way. */
function failing(): {
  error: Error | undefined
  asked: number
  looked: number
  failed: number
  readonly wrap: (store: Store) => Store
} {
  const state = {
    error: undefined as Error | undefined,
    asked: 0,
    looked: 0,
    failed: 0,
    wrap: (store: Store): Store =>
      new Proxy(store, {
        get(target, name) {
          const value = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          if (name === 'subscribe') return value.bind(target)
          return (...given: unknown[]) => {
            state.asked += 1
            if (name === 'handoff') state.looked += 1
            if (!state.error) return value.apply(target, given)
            state.failed += 1
            return Promise.reject(state.error)
          }
        },
      }),
  }
  return state
}
const AWAY = new BatonError('unavailable', 'the store cannot be reached')

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 10_000
  while (!condition()) {
    assert.ok(Date.now() < end, `waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describeOnEngines('waiting for a handoff', (open) => {
  it('[S1-87] answers what was completed, at once where it already is', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    await complete(w, uid)

    const done = await w.service.wait(uid)

    assert.deepEqual(done, await w.store.handoff(uid))
    assert.equal(done.state, 'completed')
  })

  it('[S1-87] answers when it is completed meanwhile by another process', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    const beside = await w.beside()

    const waiting = w.service.wait(uid, { timeout_s: 20 })
    await complete({ ...w, service: beside }, uid)

    assert.equal((await waiting).state, 'completed')
  })

  it('[S1-87] reads nothing when another process changes what it does not wait for', async (t) => {
    const store = failing()
    const w = await open(t, { wrap: store.wrap })
    const sent = await Promise.all(Array.from({ length: 30 }, () => request(w)))
    const given = new AbortController()
    const options = { timeout_s: 60, signal: given.signal }
    const waiting = sent.map(({ uid }) => w.service.wait(uid, options).catch(() => undefined))
    const beside = await w.beside()
    // Later than the first look at the log, which comes by itself.
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    const { asked } = store

    const { uid } = await request({ ...w, service: beside })
    await beside.sending.cancel(planner, uid, 'not needed')
    await complete({ ...w, service: beside }, sent[0]!.uid)

    assert.equal((await waiting[0])?.state, 'completed')
    const looks = store.asked - asked
    assert.ok(looks < sent.length, `${looks} reads for one of ${sent.length} handoffs`)
    given.abort(new Error('enough'))
    await Promise.all(waiting)
  })

  it('[S1-87] reads no handoff that its sender has, while it is open', async (t) => {
    const store = failing()
    const w = await open(t, { wrap: store.wrap })
    const handoff = await request(w)
    await w.service.receiving.accept(codex, handoff.uid)
    const { asked, looked } = store

    const waiting = waitForResult(w.service.deps, handoff, { timeout_s: 30 })
    await until(() => store.asked > asked + 1, 'it has looked')
    assert.equal(store.looked, looked)
    const beats = 20
    for (let n = 0; n < beats; n += 1) await w.service.receiving.heartbeat(codex, handoff.uid, {})

    // The look at the log after a second hears of this process too.
    assert.ok(store.looked - looked < beats / 2, `${store.looked - looked} reads for ${beats} heartbeats`)
    await w.service.receiving.submit(codex, handoff.uid, { output: { path: 'a.json' } })
    assert.deepEqual((await waiting).output, { path: 'a.json' })
  })

  it('[S1-87] answers each of many that its sender has and that ended before anybody waited', async (t) => {
    const w = await open(t)
    const handoffs = await Promise.all(Array.from({ length: 200 }, () => request(w)))
    await Promise.all(handoffs.map(({ uid }) => complete(w, uid)))
    let found = 0

    for (const handoff of handoffs)
      void waitForResult(w.service.deps, handoff, { timeout_s: 30 }).then(({ output }) => {
        if ((output as { path?: string }).path === 'a.json') found += 1
      })

    // Nobody waits for the look after a second.
    await new Promise((resolve) => setTimeout(resolve, 900))
    assert.equal(found, handoffs.length)
  })

  it('[S1-88] fails with the message of the failure', async (t) => {
    const w = await open(t)
    const { uid, id } = await request(w)
    await w.service.receiving.accept(codex, uid)
    await w.service.receiving.fail(codex, uid, { code: 'VALIDATION_FAILED', message: 'two tests are red' })

    await assert.rejects(w.service.wait(uid), (error) => {
      assert.ok(error instanceof HandoffFailedException)
      assert.equal(error.message, 'two tests are red')
      assert.deepEqual([error.details.id, error.details.state], [id, 'failed'])
      return true
    })
  })

  it('fails with the reason where it was rejected, expired or cancelled', async (t) => {
    const w = await open(t)
    const rejected = await request(w)
    await w.service.receiving.reject(codex, rejected.uid, { type: 'other', message: 'not mine' })
    const cancelled = await request(w)
    await w.service.sending.cancel(planner, cancelled.uid, 'no longer needed')
    const late = await request(w, { home: 'native' })
    await w.service.sending.reassign(planner, late.uid, 'gemini', 'codex is away')
    w.clock.pass(24 * HOUR_MS)

    await assert.rejects(w.service.wait(rejected.uid), {
      name: 'HandoffFailedException',
      message: 'not mine',
    })
    await assert.rejects(w.service.wait(cancelled.uid), { message: 'no longer needed' })
    await assert.rejects(w.service.wait(late.uid), { message: 'Handoff HO-2026-003 is expired' })
  })

  it('[S1-89] answers what was completed also where it had failed before', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    await w.service.receiving.accept(codex, uid)
    await w.service.receiving.fail(codex, uid, { code: 'VALIDATION_FAILED', message: 'red' })
    await w.service.receiving.retry(planner, uid)
    await complete(w, uid)

    assert.equal((await w.service.wait(uid)).state, 'completed')
  })

  it('[S1-108] does not see a failure that is being tried again', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    await w.service.receiving.accept(codex, uid)
    await w.service.receiving.fail(codex, uid, { message: 'the compiler crashed' })

    await assert.rejects(w.service.wait(uid, { timeout_s: 0.05 }), { name: 'HandoffTimeoutException' })
  })

  it('[S1-90] looks again within five seconds though no signal comes', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    const lost = deaf(w.store)
    const begin = performance.now()

    const waiting = waitForEnd({ ...w.service.deps, store: lost.store }, uid, { timeout_s: 60 })
    await until(() => lost.looks() > 0, 'it looked once')
    await complete(w, uid)

    assert.equal((await waiting).state, 'completed')
    assert.ok(performance.now() - begin < 5_000)
  })

  it('[S1-91] says in the words of document 001 that time is up', async (t) => {
    const w = await open(t)
    const { uid, id } = await request(w)

    await assert.rejects(w.service.wait(uid, { timeout_s: 0.02 }), (error) => {
      assert.ok(error instanceof HandoffTimeoutException)
      assert.equal(error.message, `Handoff ${id} timed out after 0.02s`)
      assert.equal(error.retry, true)
      return true
    })
  })

  it('says of work that was handed in for whose word it waits', async (t) => {
    const w = await open(t)
    const { uid, id } = await request(w, { home: 'native' })
    await w.service.receiving.accept(codex, uid)
    await w.service.receiving.submit(codex, uid, { note: 'done' })

    await assert.rejects(w.service.wait(uid, { timeout_s: 0.02 }), {
      name: 'HandoffTimeoutException',
      message: `Handoff ${id} timed out after 0.02s; it is in review, and waits for planner to verify it`,
      details: { id, timeout_s: 0.02, state: 'in_review', waiting_for: 'planner' },
    })
  })

  it('[S1-86] waits 300 seconds where nobody says how long, and not a moment less', async (t) => {
    const w = await open(t)
    const { uid, id } = await request(w)
    const lost = deaf(w.store)
    const { pass } = stopwatch(t)
    let ended = false

    const waiting = waitForEnd({ ...w.service.deps, store: lost.store }, uid).finally(() => {
      ended = true
    })
    const refused = assert.rejects(waiting, { message: `Handoff ${id} timed out after 300s` })
    await until(() => lost.looks() === 1, 'it looked once')
    pass(299_999)
    await until(() => lost.looks() > 1, 'it looked again')
    assert.equal(ended, false)
    pass(1)

    await refused
  })

  it('[S1-92] takes a last look at the deadline and finds what was completed since the one before', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    const lost = deaf(w.store)
    const { pass } = stopwatch(t)

    const waiting = waitForEnd({ ...w.service.deps, store: lost.store }, uid, { timeout_s: 10 })
    await until(() => lost.looks() === 1, 'it looked once')
    await complete(w, uid)
    pass(10_000)

    assert.equal((await waiting).state, 'completed')
  })

  it('[S1-92] looks once more where the deadline passed during a look', async (t) => {
    const w = await open(t)
    const { pass } = stopwatch(t)
    let looks = 0
    const look = async () => {
      looks += 1
      pass(6_000)
      return looks === 3 ? 'found' : undefined
    }

    const answers = [
      waitFor(w.service.deps, look, within(10_000)),
      waitFor(w.service.deps, async () => undefined, within(0)),
    ]

    assert.deepEqual(await Promise.all(answers), ['found', undefined])
  })

  it('[S1-93] ends in time also where the time is shorter than a look, down to none', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)

    for (const timeout_s of [0, 0.001, 0.1]) {
      const begin = performance.now()
      await assert.rejects(w.service.wait(uid, { timeout_s }), { name: 'HandoffTimeoutException' })
      assert.ok(performance.now() - begin < 5_000)
    }
  })

  it('[S1-94] waits as long as the request says where the caller does not', async (t) => {
    const w = await open(t)
    const { uid, id } = await request(w, { timeout_s: 0.05 })

    await assert.rejects(w.service.wait(uid), { message: `Handoff ${id} timed out after 0.05s` })
  })

  it('[S1-95] fails fast for a handoff that nobody knows', async (t) => {
    const w = await open(t)

    await assert.rejects(w.service.wait('hoff-000-1', { timeout_s: 60 }), { code: 'not_found' })
  })

  it('[S1-91] changes nothing: the work goes on after its waiter has gone', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    const before = await w.store.handoff(uid)

    await assert.rejects(w.service.wait(uid, { timeout_s: 0.02 }))

    assert.deepEqual(await w.store.handoff(uid), before)
    await complete(w, uid)
    assert.equal((await w.service.wait(uid)).state, 'completed')
  })

  it('[S1-87] outlives a store that is away for a while, also where it was away at the beginning', async (t) => {
    const store = failing()
    const w = await open(t, { wrap: store.wrap })
    const { uid } = await request(w)
    store.error = AWAY

    const waiting = w.service.wait(uid, { timeout_s: 30 })
    await until(() => store.failed > 0, 'it looked in vain')
    store.error = undefined
    const beside = await w.beside()
    await beside.receiving.accept(codex, uid)
    store.error = AWAY
    const { failed } = store
    await until(() => store.failed > failed, 'it looked in vain again')
    await beside.receiving.submit(codex, uid, { output: { path: 'a.json' } })
    store.error = undefined

    assert.equal((await waiting).state, 'completed')
  })

  it('[S1-91] ends at its deadline, in the same words, where the store has not come back', async (t) => {
    const store = failing()
    const w = await open(t, { wrap: store.wrap })
    const { uid, id } = await request(w)

    const { looked } = store
    const waiting = w.service.wait(uid, { timeout_s: 0.3 })
    await until(() => store.looked > looked, 'it has found the handoff')
    store.error = AWAY
    await assert.rejects(waiting, {
      name: 'HandoffTimeoutException',
      message: `Handoff ${id} timed out after 0.3s`,
    })
    await assert.rejects(w.service.wait(uid, { timeout_s: 0.01 }), {
      message: `Handoff ${uid} timed out after 0.01s`,
    })
    store.error = undefined
  })

  it('throws at once what will not pass', async (t) => {
    for (const error of [new BatonError('store_refused', 'damaged'), new Error('a fault of ours')]) {
      const store = failing()
      const w = await open(t, { wrap: store.wrap })
      const { uid } = await request(w)

      const waiting = w.service.wait(uid, { timeout_s: 60 })
      store.error = error
      await assert.rejects(waiting, error)
      await assert.rejects(w.service.wait(uid, { timeout_s: 60 }), error)
      store.error = undefined
    }
  })

  it('can be given up by its caller', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    const given = new AbortController()

    const waiting = w.service.wait(uid, { timeout_s: 60, signal: given.signal })
    given.abort(new Error('enough'))

    await assert.rejects(waiting, { message: 'enough' })
  })

  // Node keeps a signal that was made of others for as long as it has a listener: a server makes one for each wait.
  it('leaves no listener at the signal of its caller, and has one there for many waits', async (t) => {
    const w = await open(t)
    const { uid } = await request(w)
    const { signal } = new AbortController()
    const listeners = () => getEventListeners(signal, 'abort').length

    for (const round of [1, 2]) {
      const waiting = Array.from({ length: 20 }, () => w.service.wait(uid, { timeout_s: 0.2, signal }))
      await until(() => listeners() > 0, `it listens in round ${round}`)
      assert.equal(listeners(), 1)
      await Promise.allSettled(waiting)
      assert.equal(listeners(), 0)
    }
  })
})
