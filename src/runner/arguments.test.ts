import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { BatonError, openBaton } from '../index.ts'
import type { Baton } from './baton.ts'
import type { BatonAgent } from './baton-agent.ts'

/** What a program without types may say: the checker must not help here. */
const any = (value: unknown) => value as never

let baton: Baton
let planner: BatonAgent

beforeEach(async () => {
  baton = await openBaton({ store: ':memory:' })
  planner = baton.as('planner')
})
afterEach(() => baton.close())

const send = () => planner.send({ to: 'worker', title: 'Build it', home: 'queue' })

/** Refused as invalid input, in a sentence that holds these words. */
const refusal = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof BatonError, String(error))
  assert.equal(error.code, 'invalid_input')
  assert.match(error.message, words)
  return true
}

describe('a number of seconds to wait', () => {
  for (const wrong of [-1, '1', {}, Number.POSITIVE_INFINITY, Number.NaN])
    it(`is refused where it is none: ${typeof wrong} ${String(wrong)}`, async () => {
      const sent = await send()
      const specialist = await baton.specialist('other', {}, () => undefined)
      const options = { timeout_s: any(wrong) }
      const told = refusal(/^timeout_s is .+; it is a number of seconds from 0 up/)

      await assert.rejects(sent.wait(options), told)
      await assert.rejects(planner.wait(sent.id, options), told)
      await assert.rejects(specialist.close(options), told)
      await assert.rejects(baton.close(options), told)
    })

  it('may be none at all, and longer than a timer lasts', async () => {
    const sent = await send()
    const ended = Promise.withResolvers<{ output: boolean }>()
    const begun = Promise.withResolvers<void>()
    const specialist = await baton.specialist('worker', {}, () => {
      begun.resolve()
      return ended.promise
    })
    await begun.promise

    await assert.rejects(sent.wait({ timeout_s: 0 }), { code: 'timed_out' })
    const closing = specialist.close({ timeout_s: 10_000_000 })
    setTimeout(() => ended.resolve({ output: true }), 50)
    await closing

    assert.equal((await sent.wait()).output, true)
  })

  it('is given to all specialists when the workspace is closed', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    await baton.specialist('worker', {}, (work) => {
      begun.resolve(work.signal)
      return new Promise<void>(() => undefined)
    })
    await send()
    const signal = await begun.promise

    await baton.close({ timeout_s: 0.05 })

    assert.equal(signal.aborted, true)
  })
})

describe('a specialist', () => {
  it('has a handler, or is refused before it takes any work', async () => {
    const sent = await send()

    const told = refusal(/^the specialist worker has no handler; give it as the third argument/)
    await assert.rejects(baton.specialist('worker', {}, any(undefined)), told)
    await assert.rejects(
      baton.specialist(
        'worker',
        any(() => ({ output: 1 })),
        any(undefined),
      ),
      told,
    )
    await assert.rejects(
      baton.specialist('worker', any(null), () => undefined),
      refusal(/^the options of the specialist worker are not an object; use \{\} for none/),
    )

    assert.equal((await planner.get(sent.id)).handoff.state, 'offered')
  })
})

describe('the rules of openBaton', () => {
  const wrong: readonly (readonly [object | string, RegExp])[] = [
    [{ banana: 1 }, /^policy: Unrecognized key: "banana"; the rules are agents, defaultLimits, verifiers,/],
    [{ defaultLimits: 'x' }, /^policy\.defaultLimits: .*expected object/],
    [{ agents: { codex: { kind: 'robot' } } }, /^policy\.agents\.codex\.kind: /],
    [{ deadlines: { native: { offeredMs: '4h' } } }, /^policy\.deadlines\.native\.offeredMs: /],
    [{ depthLimit: 0 }, /^policy\.depthLimit: /],
    ['strict', /^policy: .*expected object/],
  ]
  for (const [policy, words] of wrong)
    it(`are checked as those of baton.yaml are: ${JSON.stringify(policy)}`, async () => {
      await assert.rejects(openBaton({ store: ':memory:', policy: any(policy) }), refusal(words))
      await assert.rejects(openBaton({ policy: any(policy) }), refusal(words))
    })

  it('are taken in full', async () => {
    const full = await openBaton({
      store: ':memory:',
      policy: {
        agents: { planner: { roles: ['pm'] }, codex: { limits: { incoming: 1 } } },
        defaultLimits: { outgoing: 5 },
        verifiers: ['planner'],
        chief: 'planner',
        deadlines: { native: { offeredMs: 1_000, draftMs: 'none' } },
        depthLimit: 3,
        routes: [{ from: '*', to: ['codex'] }],
        people: { remind_s: 60, silence: { policy: 'expire', after_s: 600 } },
      },
    })
    await full.close()
  })
})

describe('the key of a call', () => {
  for (const wrong of ['', 5, 'two words', 'x'.repeat(201), 'ä', null])
    it(`is refused as over HTTP where it is none: ${JSON.stringify(wrong).slice(0, 20)}`, async () => {
      const options = { key: any(wrong) }
      const told = refusal(/^key is 1 to 200 visible characters without spaces$/)

      await assert.rejects(planner.send({ to: 'worker', title: 'Build it' }, options), told)
      await assert.rejects(planner.call('task_create', { id: 'P1', title: 'Work' }, options), told)
      assert.equal((await baton.as('worker').inbox()).items.length, 0)
    })

  it('is taken by every method that writes, and makes its repetition harmless', async () => {
    const worker = baton.as('worker')
    const twice = async (ask: (options: { key: string }) => Promise<unknown>, key: string) => {
      await ask({ key })
      await ask({ key })
    }
    const { id } = await planner.send({ to: 'worker', title: 'Build it' })

    await twice((options) => worker.accept(id, {}, options), 'k-1')
    await twice((options) => worker.ask(id, 'Which?', options), 'k-2')
    await twice((options) => planner.answer(id, 'This', options), 'k-3')
    await twice((options) => worker.submit(id, { note: 'done' }, options), 'k-4')
    await twice((options) => planner.verify(id, { pass: true }, options), 'k-5')
    const other = await planner.send({ to: 'worker', title: 'Another', home: 'queue' })
    await twice((options) => worker.claim(options), 'k-6')
    await twice((options) => worker.fail(other.id, { message: 'no' }, options), 'k-7')
    await twice((options) => planner.retry(other.id, options), 'k-8')
    await twice((options) => planner.cancel(other.id, {}, options), 'k-9')
    const third = await planner.send({ to: 'worker', title: 'A third' })
    await twice((options) => worker.reject(third.id, { reason: 'no access' }, options), 'k-10')

    const states = [id, other.id, third.id].map(async (each) => (await planner.get(each)).handoff.state)
    assert.deepEqual(await Promise.all(states), ['completed', 'cancelled', 'rejected'])
  })
})

describe('what a call is given', () => {
  const circle: Record<string, unknown> = {}
  circle.back = [circle]
  let deep: unknown = 1
  for (let levels = 0; levels < 200_000; levels += 1) deep = [deep]
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['a bigint', 1n, /^input is a bigint, which JSON cannot represent; use a number or a string$/],
    ['a circle', circle, /^input\.back\[0\] holds itself; JSON has no circles/],
    ['a function', { run: () => 1 }, /^input\.run is a function, which JSON cannot represent; leave it out$/],
    ['a Map', { a: new Map([['x', 1]]) }, /^input\.a is a Map, which JSON would write as \{\}; give a plain/],
    ['NaN', { list: [1, Number.NaN] }, /^input\.list\[1\] is NaN, which JSON cannot represent/],
    ['a hole', { list: [undefined] }, /^input\.list\[0\] is undefined within a list/],
    ['bytes', { file: Buffer.from('x') }, /^input\.file is bytes, which JSON cannot represent/],
    ['far too deep', deep, /^input\[0\].* is nested deeper than 100 levels/],
  ]
  for (const [what, input, words] of wrong)
    it(`is JSON, or is refused by its field: ${what}`, async () => {
      await assert.rejects(planner.send({ to: 'worker', title: 'Build it', input }), refusal(words))
      await assert.rejects(planner.send({ to: 'worker', title: 'x', input }, { key: 'k' }), refusal(words))
    })

  it('may hold what says itself how it looks in JSON, and fields without a value', async () => {
    class Requirement {
      readonly name = 'UserCard'
    }
    const at = new Date('2026-01-13T10:00:00.000Z')
    const { id } = await planner.send({
      to: 'worker',
      title: 'Build it',
      input: { at, none: undefined, wanted: new Requirement(), same: [at, at] },
    })

    const { input } = (await planner.get(id)).package
    const text = at.toISOString()
    assert.deepEqual(input, { at: text, wanted: { name: 'UserCard' }, same: [text, text] })
  })

  it('is refused in words, whatever is left out', async () => {
    const nothing = any(undefined)
    for (const ask of [
      () => planner.send(nothing),
      () => planner.get(nothing),
      () => planner.accept(nothing, any(null), any(null)),
      () => planner.submit('HO-1', any('text')),
      () => planner.call('task_create', any([1])),
    ])
      await assert.rejects(ask, { name: 'BatonError' })
  })

  it('is a text where a store is named, and an object of options', async () => {
    await assert.rejects(
      openBaton({ store: any(5) }),
      refusal(/^store is not a string; give a file, :memory:, postgres/),
    )
    await assert.rejects(
      openBaton({ store: '' }),
      refusal(/^store is empty; give a file, :memory:, postgres/),
    )
    await assert.rejects(openBaton({ store: ':memory:', cwd: any(5) }), refusal(/^cwd is not a string/))
    await assert.rejects(
      openBaton({ store: ':memory:', workspace: any({}) }),
      refusal(/^workspace is not a string/),
    )
    await assert.rejects(
      openBaton(any(null)),
      refusal(/^openBaton takes an address and an object of options/),
    )
  })

  it('is looked at in the answer of a handler too', async () => {
    await baton.specialist('worker', {}, () => ({
      output: { counts: new Map([['x', 1]]), ratio: Number.NaN },
    }))

    await assert.rejects((await send()).wait({ timeout_s: 5 }), {
      code: 'failed',
      message: /^Output validation failed: output\.counts is a Map, which JSON would write as/,
    })
  })
})
