import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import * as z from 'zod'
import { defineWork, openBaton } from '../index.ts'
import type { Baton } from './baton.ts'
import type { BatonAgent } from './baton-agent.ts'
import type { Work } from './work.ts'

let baton: Baton
let planner: BatonAgent

beforeEach(async () => {
  baton = await openBaton({ store: ':memory:' })
  planner = baton.as('planner')
})
afterEach(() => baton.close({ timeout_s: 0 }))

const send = (more: object = {}) => planner.send({ to: 'page', title: 'A page', home: 'queue', ...more })
const until = async (id: string, state: string) => {
  for (let tries = 0; (await planner.get(id)).handoff.state !== state; tries += 1) {
    assert.ok(tries < 2_000, `${id} is not ${state}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
const never = () => new Promise<never>(() => undefined)

describe('a handler that delegates', () => {
  it('gets the result, and a part of a first run is not done twice', async () => {
    let icons = 0
    await baton.specialist('icons', {}, () => {
      icons += 1
      return { output: `icon ${icons}` }
    })
    const handedOver = Promise.withResolvers<void>()
    let runs = 0
    const start = () =>
      baton.specialist('page', {}, async (work) => {
        runs += 1
        const { output } = await work.delegate({ to: 'icons', title: 'Draw it' })
        handedOver.resolve()
        return runs === 1 ? never() : { output }
      })
    const first = await start()
    const sent = await send()
    await handedOver.promise
    await first.close({ timeout_s: 0 })
    await start()

    const { output, handoff } = await sent.wait()

    assert.deepEqual([output, icons, runs], ['icon 1', 1, 2])
    assert.equal(handoff.attempt, 1)
    const { items } = await planner.call('handoff_list', { type: 'delegation' })
    assert.deepEqual(
      items.map(({ parent, state }) => [parent, state]),
      [[sent.uid, 'completed']],
    )
  })

  it('is told at once when its sender cancels, and so is the handler of the part', async () => {
    const drawing = Promise.withResolvers<Work>()
    const ended = Promise.withResolvers<unknown>()
    await baton.specialist('icons', {}, (work) => {
      drawing.resolve(work)
      return never()
    })
    await baton.specialist('page', {}, async (work) => {
      const part = work.delegate({ to: 'icons', title: 'Draw it' })
      part.catch(ended.resolve)
      return { output: (await part).output }
    })
    const sent = await send()
    const { handoff, signal } = await drawing.promise
    assert.equal(signal.aborted, false)

    const asked = performance.now()
    await planner.cancel(sent.id)
    const stopped = new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))

    assert.match(String(signal.aborted ? signal.reason : await stopped), /was cancelled/)
    assert.match(String(await ended.promise), /cancelled/)
    assert.ok(performance.now() - asked < 900, 'the news should arrive before the next look')
    await until(handoff.id, 'cancelled')
    for (const { id } of [sent, handoff]) {
      const { result, timeline } = await planner.get(id)
      assert.deepEqual([result, timeline.at(-1)?.act], [undefined, 'handoff.cancel'])
    }
  })

  it('delegates anew where the part of the first run failed', async () => {
    let tries = 0
    await baton.specialist('icons', {}, (work) => {
      tries += 1
      return tries === 1 ? work.fail('VALIDATION_FAILED', 'no pen') : { output: 'icon' }
    })
    await baton.specialist('page', {}, async (work) => ({
      output: (await work.delegate({ to: 'icons', title: 'Draw it' })).output,
    }))
    const sent = await send({ retry: { max: 1, delay_s: 0, multiplier: 1 } })

    const { output, handoff } = await sent.wait()

    assert.deepEqual([output, handoff.attempt, tries], ['icon', 2, 2])
  })

  it('delegates defined work with its types, and both ends are checked', async () => {
    const names = z.object({ names: z.array(z.string()) })
    const draw = defineWork({ to: 'icons', input: names, output: z.object({ files: z.array(z.string()) }) })
    await baton.work(draw, ({ input }) => ({ files: input.names.map((name) => `${name}.svg`) }))
    await baton.specialist('page', {}, async (work) => {
      // @ts-expect-error the names are missing
      await assert.rejects(work.delegate(draw, {}), { code: 'invalid_input' })
      const { output, handoff } = await work.delegate(
        draw,
        { names: ['user'] },
        { title: 'Draw', wait_s: 20 },
      )
      return { output: [output.files[0]?.toUpperCase(), handoff.title, handoff.verified_by] }
    })

    const { output } = await (await send()).wait()

    assert.deepEqual(output, ['USER.SVG', 'Draw', 'page'])
  })
})

describe('a handler that waits for its own worker', () => {
  const same = defineWork({ to: 'page', input: z.string(), output: z.string() })
  const ways: Readonly<Record<string, (work: Work) => Promise<unknown>>> = {
    'by a delegation': (work) => work.delegate({ to: 'page', title: 'The same' }),
    'by a request in the name of another': () => planner.request(same, 'the same'),
    'by a handoff that it sends': async () => (await planner.send({ to: 'page', title: 'The same' })).wait(),
  }
  for (const [way, wait] of Object.entries(ways))
    it(`is told at once when no slot is free: ${way}`, async () => {
      const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
      await baton.specialist('page', {}, async (work) => void (await wait(work)))
      const sent = await send()

      const { message } = await warned

      assert.equal(
        message,
        `the handler of ${sent.id} waits for ${sent.id.replace(/1$/, '2')}, which is for page too: page has no free slot; raise its concurrency`,
      )
      await planner.cancel(sent.id)
    })

  it('is not told while a slot is free, nor is anyone else that waits for a busy worker', async () => {
    const warnings: Error[] = []
    const hear = (warning: Error) => void warnings.push(warning)
    process.on('warning', hear)
    await baton.specialist('page', { concurrency: 2 }, async (work) => {
      const { output } = work.input === 'whole' ? await work.delegate({ to: 'page', title: 'Part' }) : {}
      return { output: output ?? 'part' }
    })

    const whole = await (await send({ input: 'whole' })).wait()
    const all = [whole, ...['part', 'part', 'part'].map(async () => (await send()).wait())]

    assert.deepEqual(
      (await Promise.all(all)).map(({ output }) => output),
      ['part', 'part', 'part', 'part'],
    )
    process.off('warning', hear)
    assert.deepEqual(warnings, [])
  })
})

describe('a handler that asks', () => {
  it('gets the answer of the sender where it stands', async () => {
    await baton.specialist('page', {}, async (work) => ({ output: await work.ask('Which colour?') }))
    // Shorter than the answer takes: work that waits for an answer is not lost.
    const sent = await send({ timeout_s: 0.2 })
    await until(sent.id, 'needs_input')
    await new Promise((resolve) => setTimeout(resolve, 300))

    await planner.answer(sent.id, 'Blue')

    const { output, handoff } = await sent.wait()
    assert.deepEqual([output, handoff.attempt], ['Blue', 1])
  })

  it('does not ask again after a close, answered before or later', async () => {
    const start = () =>
      baton.specialist('page', {}, async (work) => ({ output: await work.ask('Which colour?') }))
    const first = await start()
    const sent = await send()
    await until(sent.id, 'needs_input')
    await first.close({ timeout_s: 0 })
    await planner.answer(sent.id, 'Blue')
    await start()

    const { output, handoff } = await sent.wait()

    assert.deepEqual([output, handoff.attempt], ['Blue', 1])
    const { thread } = await planner.get(sent.id)
    assert.deepEqual(
      thread.map(({ kind }) => kind),
      ['question', 'answer'],
    )
  })
})

describe('a worker', () => {
  it('is not a person', async () => {
    await planner.send({ to: 'maria', title: 'Look', type: 'sequential' })
    await baton.as('maria', { kind: 'human' }).call('agent_add', { name: 'maria', kind: 'human' })
    for (const name of ['human', 'maria'])
      await assert.rejects(
        baton.specialist(name, {}, () => undefined),
        { code: 'not_allowed', message: `${name} is a person; give the worker the name of a program` },
      )
  })
})
