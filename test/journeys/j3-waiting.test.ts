import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { HandoffFailedException, HandoffTimeoutException } from '../../src/domain/errors.ts'
import { Baton } from '../../src/runner/baton.ts'
import { localLink } from '../../src/runner/local-link.ts'
import type { Store } from '../../src/storage/store.ts'
import { describeOnEngines, type Workspace, type WorkspaceOptions } from '../support/program/workspace.ts'

type Open = (t: TestContext, options?: WorkspaceOptions) => Promise<Workspace>

async function setUp(t: TestContext, open: Open, options: WorkspaceOptions = {}) {
  const workspace = await open(t, options)
  const baton = new Baton(localLink({ service: workspace.service, base: '.', close: async () => undefined }))
  const specialist = baton.as('react-specialist')
  const orchestrator = baton.as('frontend-specialist')
  const send = (more: { timeout_s?: number } = {}) =>
    orchestrator.send({ to: 'react-specialist', title: 'Build', home: 'queue', input: {}, ...more })
  return { ...workspace, specialist, orchestrator, send }
}

/** Counts how often a waiter has looked. With `deaf`, the signals of the store get lost. */
function observed(deaf: boolean) {
  let looks = 0
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, key) {
        if (key === 'subscribe' && deaf) return () => () => undefined
        const value = Reflect.get(target, key, target)
        if (typeof value !== 'function') return value
        if (key !== 'handoff' && key !== 'pending') return value.bind(target)
        return async (...given: unknown[]) => {
          const found = await value.apply(target, given)
          looks += 1
          return found
        }
      },
    })
  /** Waits until so many more looks have ended. */
  const looked = async (more: number) => {
    const wanted = looks + more
    const deadline = Date.now() + 20_000
    while (looks < wanted) {
      assert.ok(Date.now() < deadline, 'nobody looked')
      await pause(2)
    }
  }
  return { wrap, looked }
}

/** The clock that waiting goes by, to be moved ahead by hand. */
function moveWaitingClock(t: TestContext): (ms: number) => void {
  const real = performance.now.bind(performance)
  let ahead = 0
  t.mock.method(performance, 'now', () => real() + ahead)
  return (ms) => {
    ahead += ms
  }
}

const timedOut = (message: string) => (error: unknown) => {
  assert.ok(error instanceof HandoffTimeoutException)
  assert.equal(error.message, message)
  return true
}

describeOnEngines('waiting for a handoff', (open) => {
  it('[S1-86] [S1-91] gives up after 300 seconds where nobody named a time', async (t) => {
    const { wrap, looked } = observed(false)
    const { send } = await setUp(t, open, { wrap })
    const passTime = moveWaitingClock(t)
    const sent = await send()
    let ended = false
    const waiting = sent.wait().finally(() => {
      ended = true
    })
    const caught = assert.rejects(waiting, timedOut(`Handoff ${sent.id} timed out after 300s`))
    // One look when the waiting begins.
    await looked(1)

    passTime(295_000)
    // Longer than the clock is left unseen.
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    assert.equal(ended, false)
    passTime(5_000)

    await caught
  })

  it("[S1-94] takes the handoff's own time when none is given", async (t) => {
    const sent = await (await setUp(t, open)).send({ timeout_s: 0.2 })

    await assert.rejects(sent.wait(), timedOut(`Handoff ${sent.id} timed out after 0.2s`))
  })

  it('[S1-93] keeps to times below five seconds', async (t) => {
    const sent = await (await setUp(t, open)).send()
    const begun = performance.now()

    await assert.rejects(sent.wait({ timeout_s: 0.3 }), timedOut(`Handoff ${sent.id} timed out after 0.3s`))

    const tookMs = performance.now() - begun
    assert.ok(tookMs >= 299 && tookMs < 2_500, `took ${tookMs} ms`)
  })

  it('[S1-93] looks once and answers at once when it may not wait', async (t) => {
    const { send, specialist } = await setUp(t, open)
    const sent = await send()

    await assert.rejects(sent.wait({ timeout_s: 0 }), timedOut(`Handoff ${sent.id} timed out after 0s`))
    await specialist.accept(sent.id)
    await specialist.submit(sent.id, { output: 'done' })

    assert.equal((await sent.wait({ timeout_s: 0 })).output, 'done')
  })

  it('[S1-87] answers a handoff that is completed already with all that was handed in', async (t) => {
    const { send, specialist, orchestrator } = await setUp(t, open)
    const sent = await send()
    await specialist.accept(sent.id)
    await specialist.submit(sent.id, { output: { files: 2 }, next_steps: ['Use it'] })

    const { handoff, output, next_steps } = await orchestrator.wait(sent.id)

    assert.deepEqual([handoff.state, output, next_steps], ['completed', { files: 2 }, ['Use it']])
  })

  it('[S1-88] [S1-89] throws the message of a failure, and never for a handoff that is completed', async (t) => {
    const { send, specialist, orchestrator } = await setUp(t, open)
    const sent = await send()
    await specialist.accept(sent.id)
    await specialist.fail(sent.id, { code: 'VALIDATION_FAILED', message: 'two tests fail' })

    await assert.rejects(sent.wait(), (error) => {
      assert.ok(error instanceof HandoffFailedException)
      assert.equal(error.message, 'two tests fail')
      return true
    })
    await orchestrator.retry(sent.id)
    await specialist.accept(sent.id)
    await specialist.submit(sent.id, { output: 'mended' })

    assert.equal((await sent.wait()).output, 'mended')
  })

  it('[S1-90] wakes at a completion in another process, long before a poll of five seconds', async (t) => {
    const { send, beside } = await setUp(t, open)
    const sent = await send()
    const other = new Baton(localLink({ service: await beside(), base: '.', close: async () => undefined }))
    const waiting = sent.wait()

    const specialist = other.as('react-specialist')
    await specialist.accept(sent.id)
    await specialist.submit(sent.id, { output: 'done' })
    const begun = performance.now()
    await waiting

    assert.ok(performance.now() - begun < 2_500)
  })

  it('[S1-92] finds a completion that came after the last look and before the deadline', async (t) => {
    const { wrap, looked } = observed(true)
    const { send, specialist } = await setUp(t, open, { wrap })
    const sent = await send()
    await specialist.accept(sent.id)
    const waiting = sent.wait({ timeout_s: 0.9 })

    // One look when the waiting begins; without a signal the next would come after a second.
    await looked(1)
    await specialist.submit(sent.id, { output: 'just in time' })

    assert.equal((await waiting).output, 'just in time')
  })

  it('[S1-95] fails at once for an id that nobody knows', async (t) => {
    const { orchestrator } = await setUp(t, open)
    const begun = performance.now()

    await assert.rejects(orchestrator.wait('hoff-000-0', { timeout_s: 60 }), {
      code: 'not_found',
      message: /hoff-000-0/,
    })
    assert.ok(performance.now() - begun < 5_000)
  })

  it('throws for every other end too, with what is known of it', async (t) => {
    const { send, specialist, orchestrator } = await setUp(t, open)
    const rejected = await send()
    const cancelled = await send()
    await specialist.reject(rejected.id, { reason: 'not my trade' })
    await orchestrator.cancel(cancelled.id)

    await assert.rejects(rejected.wait(), { code: 'failed', message: 'not my trade' })
    await assert.rejects(cancelled.wait(), {
      code: 'failed',
      message: `Handoff ${cancelled.id} is cancelled`,
    })
  })
})
