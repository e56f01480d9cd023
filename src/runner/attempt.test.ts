import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore } from '../compose/main.ts'
import { BatonError } from '../domain/errors.ts'
import type { Store } from '../service/service.ts'
import { Baton } from './baton.ts'
import type { BatonAgent } from './baton-agent.ts'
import { localLink } from './local-link.ts'
import type { Handler } from './work.ts'

let baton: Baton
let sender: BatonAgent

/** A store in which some methods do something else; they are given what the method does by itself. */
type Replaced = { [Name in keyof Store]?: (real: Store) => unknown }

const replace = (store: Store, by: Replaced): Store =>
  new Proxy(store, {
    get(target, key) {
      const other = by[key as keyof Store]?.(target)
      const value = other ?? Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

async function open(by: Replaced = {}): Promise<void> {
  const store = replace(await openStore({ engine: 'sqlite', path: ':memory:' }), by)
  baton = new Baton(localLink({ service: createService(store), base: '.', close: () => store.close() }))
  sender = baton.as('planner')
}

beforeEach(() => open())
afterEach(() => baton.close())

const send = (more: Partial<Parameters<BatonAgent['send']>[0]> = {}) =>
  sender.send({ to: 'worker', title: 'Build it', home: 'queue', ...more })
const stateOf = async (id: string) => (await sender.get(id)).handoff.state

async function until(holds: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, 'waited too long')
    await pause(5)
  }
}

describe('an attempt', () => {
  it('runs again on the edited work when its sender edited it meanwhile, and spends no retry', async () => {
    const began = Promise.withResolvers<void>()
    const edited = Promise.withResolvers<void>()
    const seen: unknown[] = []
    await baton.specialist('worker', {}, async ({ input }) => {
      seen.push(input)
      began.resolve()
      await edited.promise
      return { output: input }
    })
    const sent = await send({ input: { color: 'red' } })
    await began.promise
    await sender.call('handoff_amend', { id: sent.id, input: { color: 'blue' } })
    edited.resolve()
    await until(async () => (await stateOf(sent.id)) === 'completed')

    const { handoff, result } = await sender.get(sent.id)
    assert.deepEqual(seen, [{ color: 'red' }, { color: 'blue' }])
    assert.deepEqual([handoff.attempt, result?.output], [1, { color: 'blue' }])
  })

  it('[S1-69] is run once, also when it is handed in while the specialist looks for more', async () => {
    await baton.close()
    const looked = Promise.withResolvers<void>()
    const handedIn = Promise.withResolvers<void>()
    // As a database under load: what was read before the work was handed in arrives after it.
    const inbox =
      (real: Store): Store['inbox'] =>
      async (...asked) => {
        const page = await real.inbox(...asked)
        if (page.items.some(({ state }) => state === 'in_progress')) {
          looked.resolve()
          await handedIn.promise
        }
        return page
      }
    await open({ inbox })
    let runs = 0
    await baton.specialist('worker', { concurrency: 2 }, async () => {
      runs += 1
      await looked.promise
      return { output: true }
    })

    const sent = await send()
    await sent.wait()
    // The specialist hears of the end a few turns after the sender can see it.
    await pause(20)
    handedIn.resolve()
    await (await send({ title: 'Another' })).wait()

    assert.equal(runs, 2)
  })
})

describe('the end of an attempt', () => {
  const ONCE = { retry: { max: 0, delay_s: 1, multiplier: 1 } }
  const token = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6'].join('')
  const half = '👍'.slice(0, 1)
  const fails: readonly (readonly [string, Handler, code: string, message: string, details?: object[]])[] = [
    [
      'a key in an exception',
      () => {
        throw new Error(`unable to access 'https://x:${token}@example.com/o/r.git'`)
      },
      'PROCESSING_ERROR',
      "unable to access 'https://x:[a GitHub token]@example.com/o/r.git'",
    ],
    [
      'a key where a long exception is cut',
      () => {
        throw new Error(`${'long '.repeat(1_596)}${token}`)
      },
      'PROCESSING_ERROR',
      `${'long '.repeat(1_596)}[a GitHub token]`,
    ],
    [
      'half a character',
      () => {
        throw new Error(`cut ${half}`)
      },
      'PROCESSING_ERROR',
      'cut \ufffd',
    ],
    [
      'an object with a code and a message, thrown',
      () => {
        throw { code: 'TIMEOUT', message: 'the compiler is stuck' }
      },
      'TIMEOUT',
      'the compiler is stuck',
    ],
    [
      'an object without a message, thrown',
      () => {
        throw { status: 503, body: 'busy' }
      },
      'PROCESSING_ERROR',
      '{"status":503,"body":"busy"}',
    ],
    [
      'something that has no text at all, thrown',
      () => {
        throw Object.create(null, { self: { enumerable: true, value: 1n } })
      },
      'PROCESSING_ERROR',
      'the handler failed without saying why',
    ],
    [
      'nothing, thrown',
      () => {
        throw undefined
      },
      'PROCESSING_ERROR',
      'the handler failed without saying why',
    ],
    [
      'a text as the answer',
      (() => 'hello') as unknown as Handler,
      'VALIDATION_FAILED',
      'Output validation failed: the handler answered a text; return { output: … }, with what it made as output',
    ],
    [
      'a list as the answer',
      (() => [1, 2]) as unknown as Handler,
      'VALIDATION_FAILED',
      'Output validation failed: the handler answered a list; return { output: … }, with what it made as output',
    ],
    [
      'an artifact that none is, as the answer',
      (() => ({ artifact: 'report.json' })) as unknown as Handler,
      'VALIDATION_FAILED',
      'Output validation failed: artifact is not { id, path }; return the result of work.artifact',
    ],
    [
      'details that are no JSON',
      (work) => work.fail('VALIDATION_FAILED', 'not good', [{ count: 10n }]),
      'VALIDATION_FAILED',
      'not good',
    ],
    [
      'half a character and a key in details',
      (work) => work.fail('VALIDATION_FAILED', half, [{ [half]: half, at: ['x', `y ${token}`] }]),
      'VALIDATION_FAILED',
      '\ufffd',
      [{ '\ufffd': '\ufffd', at: ['x', 'y [a GitHub token]'] }],
    ],
  ]
  for (const [what, handler, code, message, details] of fails)
    it(`[S1-97] is written without what cannot be: ${what}`, async () => {
      await baton.specialist('worker', {}, (work) =>
        work.handoff.title === 'Next' ? { output: 1 } : handler(work),
      )

      const sent = await send(ONCE)
      await assert.rejects(sent.wait({ timeout_s: 5 }), { code: 'failed' })
      await (await send({ title: 'Next' })).wait({ timeout_s: 5 })

      const { error } = (await sender.get(sent.id)).handoff
      assert.deepEqual([error?.code, error?.message, error?.details], [code, message, details])
    })

  it('takes a result with half a character', async () => {
    await baton.specialist('worker', {}, () => ({ output: { text: half } }))

    const { output } = await (await send()).wait({ timeout_s: 5 })

    assert.deepEqual(output, { text: '\ufffd' })
  })

  /** Writes fail with these errors, one after the other. */
  async function openFailing(): Promise<unknown[]> {
    await baton.close()
    const errors: unknown[] = []
    const transact = (real: Store) =>
      ((unit) =>
        errors.length > 0 ? Promise.reject(errors.shift()) : real.transact(unit)) as Store['transact']
    await open({ transact })
    return errors
  }

  it('may be lost without the specialist: it goes on, and does not do the same again', async (t) => {
    const warnings: string[] = []
    const warned = ({ message }: Error) => void warnings.push(message)
    process.on('warning', warned)
    t.after(() => process.off('warning', warned))
    const errors = await openFailing()
    const worked: string[] = []
    await baton.specialist('worker', {}, ({ handoff }) => {
      worked.push(handoff.title)
      if (handoff.title === 'Lost') errors.push(...Array.from({ length: 3 }, () => new TypeError('a bug')))
      return { output: 1 }
    })

    const lost = await send({ title: 'Lost' })
    await until(() => worked.length === 1 && errors.length === 0)
    await (await send({ title: 'Next' })).wait({ timeout_s: 5 })
    await pause(1_100)

    assert.deepEqual(worked, ['Lost', 'Next'])
    assert.equal(await stateOf(lost.id), 'in_progress')
    assert.deepEqual(
      warnings.filter((text) => text.includes(lost.id)),
      [`the end of attempt 1 of ${lost.id} could not be written, and worker goes on without it: a bug`],
    )
  })

  it('tells of a store that cannot be used by done, and no process ends for it', async () => {
    const errors = await openFailing()
    const specialist = await baton.specialist('worker', {}, () => {
      errors.push(...Array.from({ length: 3 }, () => new BatonError('store_refused', 'it is damaged')))
      return { output: 1 }
    })
    await send()

    await until(() => errors.length > 0 && errors.length < 3)
    // Nobody looks at `done` for a while: an unhandled rejection would end this process.
    await pause(50)

    await assert.rejects(specialist.done, { code: 'store_refused' })
    errors.length = 0
  })

  it('is not the end of a specialist whose work is cancelled while it takes it', async () => {
    await baton.close()
    let cancel: (() => Promise<unknown>) | undefined
    const inbox =
      (real: Store): Store['inbox'] =>
      async (...asked) => {
        const page = await real.inbox(...asked)
        if (page.items.some(({ state }) => state === 'accepted')) {
          await cancel?.()
          cancel = undefined
        }
        return page
      }
    await open({ inbox })
    const specialist = await baton.specialist('worker', {}, () => ({ output: 1 }))
    const unclear = await send({
      home: 'package',
      type: 'sequential',
      summary: 'The page was designed and approved',
      constraints: ['Do it quickly'],
    })
    await until(async () => (await stateOf(unclear.id)) === 'needs_input')
    cancel = () => sender.cancel(unclear.id)
    await sender.answer(unclear.id, 'Within two days')

    await (await send()).wait({ timeout_s: 5 })

    assert.equal(await stateOf(unclear.id), 'cancelled')
    await specialist.close()
    await specialist.done
  })
})
