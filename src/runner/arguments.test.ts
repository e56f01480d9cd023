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
    const specialist = await baton.specialist('worker', {}, () => ended.promise)

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
      refusal(/^the options of the specialist worker are no object; give \{\} where there are none/),
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
