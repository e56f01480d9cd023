import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { by } from '../../test/support/program/workspace.ts'
import { createService, openStore } from '../compose/main.ts'
import { BatonError, HandoffFailedException } from '../domain/errors.ts'
import type { Service, Store } from '../service/service.ts'
import { Attempt } from './attempt.ts'
import { Baton } from './baton.ts'
import type { BatonAgent } from './baton-agent.ts'
import { localAgent, localLink } from './local-link.ts'
import type { Work } from './work.ts'

const START = Date.parse('2026-01-13T10:00:00.000Z')

let service: Service
let baton: Baton
let sender: BatonAgent
/** Added to the real time; a test moves it to let deadlines pass. */
let aheadMs: number

async function open(wrap: (store: Store) => Store = (store) => store): Promise<void> {
  const store = wrap(await openStore({ engine: 'sqlite', path: ':memory:' }))
  const begun = Date.now()
  service = createService(store, { now: () => new Date(START + (Date.now() - begun) + aheadMs) })
  baton = new Baton(localLink({ service, base: '.', close: () => store.close() }))
  sender = baton.as('frontend-specialist')
}

beforeEach(async () => {
  aheadMs = 0
  await open()
})
afterEach(() => baton.close())

const send = (more: Partial<Parameters<BatonAgent['send']>[0]> = {}) =>
  sender.send({ to: 'react-specialist', title: 'Build UserProfile', home: 'queue', input: {}, ...more })
const stateOf = async (id: string) => (await sender.get(id)).handoff.state

/** Looks again and again, so that a test waits for what it needs and not for time to pass. */
async function until(holds: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, 'waited too long')
    await pause(5)
  }
}

describe('a specialist', () => {
  it('[S4-40] acknowledges a package before it begins, and asks where something in it is unclear', async () => {
    const worked: string[] = []
    await baton.specialist('react-specialist', {}, async ({ handoff }) => {
      worked.push(handoff.id)
      return { output: {} }
    })
    const travels = {
      home: 'package' as const,
      type: 'sequential' as const,
      summary: 'The profile page was designed and approved',
    }

    const clear = await send(travels)
    await clear.wait()
    const unclear = await send({ ...travels, constraints: ['Do it quickly'] })
    await until(async () => (await stateOf(unclear.id)) === 'needs_input')

    assert.deepEqual(worked, [clear.id])
    await sender.answer(unclear.id, 'Within two days')
    await unclear.wait()
    assert.deepEqual(worked, [clear.id, unclear.id])
    const { acknowledgment } = await sender.get(clear.id)
    assert.deepEqual(acknowledgment?.understanding, ['Build UserProfile'])
  })

  it('gets its input as the schema passed it, and hands in what the handler answers', async () => {
    await baton.specialist(
      'react-specialist',
      {
        input: z.object({ name: z.string(), tests: z.boolean().default(true) }),
        output: z.object({ files: z.array(z.string()), reviewed: z.boolean().default(false) }),
      },
      async ({ input }) => ({
        output: { files: [`${input.name}.tsx`, ...(input.tests ? [`${input.name}.test.tsx`] : [])] },
        next_steps: ['Wire it up'],
      }),
    )

    const { handoff, output, next_steps, schema_compliance } = await (
      await send({ input: { name: 'UserProfile' } })
    ).wait()

    assert.equal(handoff.state, 'completed')
    assert.deepEqual(output, { files: ['UserProfile.tsx', 'UserProfile.test.tsx'], reviewed: false })
    assert.deepEqual(next_steps, ['Wire it up'])
    assert.equal(schema_compliance, 'valid')
  })

  it('fails native work for which its handler answers nothing, and says what to answer', async () => {
    await baton.specialist('react-specialist', {}, async ({ input }) => (input === 1 ? {} : undefined))

    for (const input of [1, 2]) {
      const sent = await send({ home: 'native', input })
      await until(async () => (await stateOf(sent.id)) === 'failed')
      const { error } = (await sender.get(sent.id)).handoff
      assert.deepEqual(
        [error?.code, error?.message],
        [
          'VALIDATION_FAILED',
          `${sent.id} cannot be submitted yet: nothing was handed in; say what was done in a note, or give an output or an artifact`,
        ],
      )
    }
  })

  it('takes work that was there before it, by priority and then age, one at a time', async () => {
    for (const [title, priority] of [
      ['old', 'normal'],
      ['young', 'normal'],
      ['last', 'low'],
      ['first', 'critical'],
    ] as const)
      await send({ title, priority })
    const seen: string[] = []
    let atOnce = 0
    await baton.specialist('@React-Specialist', {}, async ({ handoff }) => {
      assert.equal(++atOnce, 1)
      seen.push(handoff.title)
      await setImmediate()
      atOnce -= 1
      return { output: true }
    })

    await until(() => seen.length === 4)

    assert.deepEqual(seen, ['first', 'old', 'young', 'last'])
  })

  it('works on as many handoffs at once as it was told, and no more', async () => {
    const sent = await Promise.all(Array.from({ length: 7 }, () => send()))
    let atOnce = 0
    let most = 0
    await baton.specialist('react-specialist', { concurrency: 3 }, async () => {
      most = Math.max(most, ++atOnce)
      await until(() => most >= 3)
      atOnce -= 1
      return { output: true }
    })

    await Promise.all(sent.map((each) => each.wait()))

    assert.equal(most, 3)
  })

  it('[S1-84] stores an artifact, names it as document 001 asks and holds it against the output schema', async () => {
    await baton.specialist(
      'react-specialist',
      { output: z.object({ files: z.array(z.string()) }) },
      async (work) => ({
        artifact: await work.artifact('react-components', { files: ['A.tsx'] }),
        validation: { tests_passing: true, coverage_percentage: 87 },
      }),
    )
    const sent = await send()

    const { output, artifacts, validation } = await sent.wait()

    const { artifact_id, ...named } = output as Record<string, string>
    const path = `artifacts/${sent.id}/react-components.json`
    assert.deepEqual(named, { artifact_path: path, artifact_type: 'react-components' })
    assert.deepEqual(validation, { status: 'passed', tests_passing: true, coverage_percentage: 87 })
    const { artifact, content } = await sender.call('artifact_get', { uid: artifact_id ?? '' })
    assert.deepEqual(artifacts, [{ path, role: 'output', type: 'react-components', sha256: artifact.sha256 }])
    assert.deepEqual(JSON.parse(Buffer.from(content ?? '', 'base64').toString()), { files: ['A.tsx'] })
  })

  it('tells progress, and waits for the verifier where the home asks for one', async () => {
    await baton.specialist('codex', {}, async (work) => {
      await work.progress(40)
      return { evidence: [{ deliverable: 'Middleware', evidence: 'src/limit.ts' }] }
    })
    const sent = await sender.send({ to: 'codex', title: 'Limits', deliverables: ['Middleware'] })

    await until(async () => (await stateOf(sent.id)) === 'in_review')
    assert.equal((await sender.get(sent.id)).handoff.progress, 40)
    await sender.verify(sent.id, { pass: true })

    assert.equal((await sent.wait()).handoff.verified_by, 'frontend-specialist')
  })

  it('does again what the verifier gave back, and is told why', async () => {
    const refusals: (string | undefined)[] = []
    await baton.specialist('codex', {}, async ({ refusal }) => {
      refusals.push(refusal)
      return { note: `try ${refusals.length}` }
    })
    const sent = await sender.send({ to: 'codex', title: 'Limits' })
    await until(async () => (await stateOf(sent.id)) === 'in_review')

    await sender.verify(sent.id, { pass: false, note: 'bursts are not covered' })
    await until(async () => refusals.length === 2 && (await stateOf(sent.id)) === 'in_review')
    await sender.verify(sent.id, { pass: true })

    assert.deepEqual(refusals, [undefined, 'bursts are not covered'])
    assert.equal((await sent.wait()).note, 'try 2')
  })

  it('may delegate: the return is closed without a call of its handler', async () => {
    const seen: string[] = []
    await baton.specialist('icon-specialist', {}, async () => ({ output: 'icons' }))
    await baton.specialist('react-specialist', {}, async ({ handoff }) => {
      seen.push(handoff.title)
      const icons = await baton.as('react-specialist').send({
        to: 'icon-specialist',
        title: 'Draw',
        type: 'delegation',
        home: 'queue',
        parent: handoff.uid,
      })
      return { output: (await icons.wait()).output }
    })

    const { output } = await (await send()).wait()
    const isReturn = { type: 'return', to: 'react-specialist' } as const
    await until(async () => {
      const { items } = await sender.call('handoff_list', isReturn)
      return items[0]?.state === 'completed'
    })

    assert.equal(output, 'icons')
    assert.deepEqual(seen, ['Build UserProfile'])
  })

  it('refuses a schema or a number that cannot be used before it takes any work', async () => {
    const sent = await send()
    const handler = async () => ({ output: 1 })

    await assert.rejects(baton.specialist('react-specialist', { input: { type: 'text' } }, handler), {
      code: 'invalid_input',
    })
    await assert.rejects(baton.specialist('react-specialist', { output: 'none.json' }, handler), {
      code: 'not_found',
    })
    await assert.rejects(baton.specialist('react-specialist', { concurrency: 0 }, handler), {
      code: 'invalid_input',
    })
    assert.throws(() => baton.as('no name'), { code: 'invalid_input' })
    assert.equal(await stateOf(sent.id), 'offered')
  })
})

describe('the hold of a specialist on its work', () => {
  it('outlasts a lease much shorter than the work, by signs of life', async () => {
    const signsOf = async (id: string) =>
      (await sender.get(id)).timeline.filter(({ act }) => act === 'handoff.heartbeat').length
    await baton.specialist('react-specialist', {}, async ({ handoff }) => {
      await until(async () => (await signsOf(handoff.id)) >= 4)
      return { output: true }
    })
    const sent = await send({ timeout_s: 2 })

    const { handoff } = await sent.wait({ timeout_s: 30 })

    assert.equal(handoff.attempt, 1)
    const heldMs = Date.parse(handoff.ended_at ?? '') - Date.parse(handoff.started_at ?? '')
    assert.ok(heldMs > 2_000, `held for ${heldMs} ms`)
    const acts = (await sender.get(sent.id)).timeline.map(({ act }) => act)
    assert.ok(!acts.includes('handoff.revive'), acts.join(', '))
  })

  it('ends at once when the sender cancels, and nothing is written afterwards', async () => {
    const begun = Promise.withResolvers<Work>()
    await baton.specialist('react-specialist', {}, async (work) => {
      begun.resolve(work)
      await new Promise((resolve) => work.signal.addEventListener('abort', resolve))
      return { output: 'too late' }
    })
    const sent = await send()
    const { signal } = await begun.promise

    const asked = performance.now()
    await sender.cancel(sent.id)
    await until(() => signal.aborted)

    assert.ok(performance.now() - asked < 900, 'a signal should arrive before the next look')
    assert.match(String(signal.reason), /was cancelled/)
    const after = await sender.get(sent.id)
    assert.equal(after.result, undefined)
    assert.equal(after.timeline.at(-1)?.act, 'handoff.cancel')
  })

  it('is taken back when the engine has counted it silent and nobody else has it', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    const ready = Promise.withResolvers<void>()
    await baton.specialist('react-specialist', {}, async (work) => {
      begun.resolve(work.signal)
      await ready.promise
      return { output: 'late' }
    })
    const sent = await send()
    const signal = await begun.promise

    aheadMs += 332_000
    await service.settle()
    await until(async () => (await sender.get(sent.id)).timeline.at(-1)?.act === 'handoff.heartbeat')
    ready.resolve()

    assert.equal((await sent.wait()).output, 'late')
    assert.equal(signal.aborted, false)
  })

  it('[S1-98] [S1-110] is lost to whoever took the next attempt, and the old holder writes nothing', async (t) => {
    const begun = Promise.withResolvers<AbortSignal>()
    const stalled = stall(service)
    const away = new Baton(localLink({ service: stalled.service, base: '.', close: async () => undefined }))
    const specialist = await away.specialist('react-specialist', {}, async (work) => {
      begun.resolve(work.signal)
      await new Promise((resolve) => work.signal.addEventListener('abort', resolve))
      return { output: 'first' }
    })
    t.after(() => specialist.close({ timeout_s: 0 }))
    const sent = await send()
    const signal = await begun.promise

    stalled.stop()
    aheadMs += 301_000
    await service.settle()
    const silent = (await sender.get(sent.id)).handoff
    aheadMs += 31_000
    const other = baton.as('react-specialist', { instance: 'other' })
    await other.claim()
    stalled.goOn()
    await until(() => signal.aborted)
    await specialist.close()
    await other.submit(sent.id, { output: 'second' })

    assert.deepEqual([silent.state, silent.error?.code], ['retry_wait', 'TIMEOUT'])
    assert.match(String(signal.reason), /no longer held here/)
    const { output, handoff } = await sent.wait()
    assert.equal(output, 'second')
    assert.deepEqual(
      handoff.attempts.map(({ attempt, instance, outcome }) => [attempt, instance, outcome]),
      [
        [1, specialist.instance, 'retry_wait'],
        [2, 'other', 'completed'],
      ],
    )
  })

  it('counts for one attempt only, also when the same specialist has the next one', async () => {
    const call = by('react-specialist', { instance: 'one' })
    const sent = await send()
    const first = await service.receiving.claim(call)
    for (const seconds of [301, 31]) {
      aheadMs += seconds * 1_000
      await service.settle()
    }
    const second = await service.receiving.claim(call)

    const handler = async () => ({ output: 'first' })
    const checkInput = async (value: unknown) => ({ ok: true as const, value })
    const stopped = new AbortController().signal
    await new Attempt(
      { link: localAgent(service, call), checkInput, handler, stopped, hasFreeSlot: () => true },
      { handoff: first! },
    ).run()

    assert.deepEqual([first?.attempt, second?.attempt], [1, 2])
    const { handoff, result } = await sender.get(sent.id)
    assert.deepEqual([handoff.state, handoff.rev, result], ['in_progress', second?.rev, undefined])
  })

  it('[S1-69] is told apart by instance: of two specialists of one name each handoff gets one', async () => {
    const taken: string[] = []
    for (const instance of ['a', 'b'])
      await baton.specialist('react-specialist', { concurrency: 4 }, async ({ handoff }) => {
        taken.push(handoff.uid)
        return { output: instance }
      })
    const sent = await Promise.all(Array.from({ length: 30 }, () => send()))

    await Promise.all(sent.map((each) => each.wait({ timeout_s: 60 })))

    assert.deepEqual(taken.toSorted(), sent.map(({ uid }) => uid).toSorted())
  })
})

/** The same service in a process that can be stopped for a while: its calls wait until it goes on. */
function stall(real: Service): { service: Service; stop: () => void; goOn: () => void } {
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const waits: readonly PropertyKey[] = ['transact', 'handoff', 'inbox', 'settle']
  const store = new Proxy(real.deps.store, {
    get(target, key) {
      const value = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      if (!waits.includes(key)) return value.bind(target)
      return async (...args: unknown[]) => {
        await gate.promise
        return value.apply(target, args)
      }
    },
  })
  return {
    service: createService(store, { now: real.deps.now }),
    stop: () => {
      gate = Promise.withResolvers()
    },
    goOn: () => gate.resolve(),
  }
}

describe('closing', () => {
  it('waits for the handler, takes nothing new and lets the result be written', async () => {
    const begun = Promise.withResolvers<void>()
    const ready = Promise.withResolvers<void>()
    const specialist = await baton.specialist('react-specialist', { concurrency: 2 }, async () => {
      begun.resolve()
      await ready.promise
      return { output: 'finished' }
    })
    const first = await send()
    await begun.promise

    const closing = specialist.close()
    const second = await send()
    ready.resolve()
    await closing

    assert.equal(await stateOf(first.id), 'completed')
    assert.equal(await stateOf(second.id), 'offered')
    await specialist.close()
  })

  it('releases what is not finished in time, and no attempt is spent', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    const specialist = await baton.specialist('react-specialist', { concurrency: 2 }, (work) => {
      begun.resolve(work.signal)
      return new Promise<void>(() => undefined)
    })
    const sent = await send()
    const signal = await begun.promise

    await specialist.close({ timeout_s: 0.05 })

    assert.equal(signal.aborted, true)
    const { handoff } = await sender.get(sent.id)
    assert.deepEqual([handoff.state, handoff.attempt, handoff.error], ['offered', 1, undefined])
    assert.equal(handoff.lease_s, 30)
  })

  it('follows the signal that the specialist was given', async () => {
    const stop = new AbortController()
    const specialist = await baton.specialist('react-specialist', { signal: stop.signal }, async () => ({}))

    stop.abort()
    await specialist.done
    const sent = await send()

    assert.equal(await stateOf(sent.id), 'offered')
    await assert.rejects(baton.specialist('x', { signal: stop.signal }, async () => ({})))
  })

  it('closes the specialists of a Baton, twice if need be, and refuses what comes later', async () => {
    const specialist = await baton.specialist('react-specialist', {}, async () => ({}))

    await Promise.all([baton.close(), baton.close()])

    await specialist.done
    assert.throws(() => baton.as('codex'), { code: 'unavailable' })
    await assert.rejects(
      baton.specialist('codex', {}, async () => ({})),
      { code: 'unavailable' },
    )
  })
})

describe('a specialist whose store fails', () => {
  /** A store whose `transact` fails with these errors, one for each call that comes after `when` was set. */
  const faults: { errors: BatonError[]; armed: boolean } = { errors: [], armed: false }
  const faulty = (store: Store): Store =>
    new Proxy(store, {
      get(target, key) {
        const value = Reflect.get(target, key, target)
        if (typeof value !== 'function') return value
        if (key !== 'transact') return value.bind(target)
        return (unit: never) => {
          const error = faults.armed ? faults.errors.shift() : undefined
          return error ? Promise.reject(error) : target.transact(unit)
        }
      },
    })

  beforeEach(async () => {
    await baton.close()
    await open(faulty)
  })

  it('asks again until the result is written, once', async () => {
    await baton.specialist('react-specialist', {}, async () => {
      faults.errors = [new BatonError('unavailable', 'the database is restarting')]
      faults.armed = true
      return { output: 'kept' }
    })

    const { output, handoff } = await (await send()).wait()

    faults.armed = false
    assert.equal(output, 'kept')
    assert.equal(handoff.attempts.length, 1)
  })

  it('stops, and says why, when the store cannot be used any more', async () => {
    const refused = () => new BatonError('store_refused', 'the database is damaged')
    const specialist = await baton.specialist('react-specialist', {}, async () => {
      faults.errors = [refused(), refused()]
      faults.armed = true
      return { output: 'lost' }
    })
    await send()

    await assert.rejects(specialist.done, { code: 'store_refused' })
    faults.armed = false
  })
})

describe('a retry', () => {
  it('is begun at its instant, not at the next look', async () => {
    const late: number[] = []
    const at = () => service.deps.now().getTime()
    await baton.specialist('react-specialist', { concurrency: 9 }, async ({ attempt, handoff }) => {
      if (attempt === 1) throw new Error('not yet')
      late.push(at() - Date.parse(handoff.attempts[0]!.ended_at!) - 300)
      return { output: {} }
    })
    for (let i = 0; i < 5; i++) {
      await send({ retry: { max: 1, delay_s: 0.3, multiplier: 1 } })
      await pause(170)
    }
    await until(() => late.length === 5)

    assert.ok(Math.max(...late) < 400, `${late} ms late`)
  })
})

describe('waiting for a sent handoff', () => {
  it('throws the failure with its message', async () => {
    await baton.specialist('react-specialist', {}, async () => {
      throw new TypeError('no such component')
    })
    const sent = await send({ retry: { max: 0, delay_s: 0, multiplier: 1 } })

    await assert.rejects(sent.wait(), (error: unknown) => {
      assert.ok(error instanceof HandoffFailedException)
      assert.equal(error.message, 'no such component')
      return true
    })
  })

  it('stops when its signal is aborted, and leaves the handoff alone', async () => {
    const sent = await send()
    const stop = new AbortController()
    const waiting = sent.wait({ signal: stop.signal })

    stop.abort(new Error('enough'))

    await assert.rejects(waiting, { message: 'enough' })
    assert.equal(await stateOf(sent.id), 'offered')
  })

  it('refuses what only a person may do', async () => {
    await assert.rejects(
      baton.as('maria', { kind: 'human' }).call('gate_decide', { id: 'HO-1', choice: 'approve' }),
      { code: 'not_allowed', message: /is for people/ },
    )
  })
})
