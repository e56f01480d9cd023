import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import * as z from 'zod'
import { type Baton, defineWork, openBaton } from '../../src/index.ts'
import { openWorkspace } from '../support/program/workspace.ts'
import { newToken } from '../support/servers/http-workspace.ts'
import { logged, type Servers, servers } from '../support/servers/listeners.ts'

const AGENTS = ['planner', 'react-specialist'] as const

async function server(t: TestContext): Promise<Servers & { readonly token: readonly string[] }> {
  const started = await servers(t, openWorkspace)
  const token = await Promise.all(AGENTS.map((name) => newToken(started.service, name)))
  return { ...started, token }
}

const PLACES: Readonly<Record<string, (t: TestContext) => Promise<Baton>>> = {
  memory: () => openBaton(':memory:'),
  file: (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'baton-j17-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    return openBaton(join(folder, 'baton.db'))
  },
  postgres: () => openBaton(process.env.TEST_POSTGRES_URL!, { workspace: `j17-${process.pid}` }),
  server: async (t) => {
    const { url, token } = await server(t)
    return openBaton(url, { token })
  },
}

describe('J17: one interface, near and far', () => {
  for (const [place, open] of Object.entries(PLACES))
    it(`sends, works, waits and listens by the same program: ${place}`, async (t) => {
      const heard: string[] = []
      let listening: Promise<void>
      let waiting: Promise<void>
      const signal = AbortSignal.timeout(20_000)
      {
        await using baton = await open(t)
        listening = (async () => {
          for await (const { act, to, state } of baton.events({ since: '0', kind: 'handoff', signal }))
            heard.push(`${act} ${to} ${state}`)
        })()
        await using worker = await baton.specialist('react-specialist', { concurrency: 2 }, async (work) => {
          const file = await work.artifact('card', { of: work.input })
          await work.progress(50)
          return { output: { built: work.input, file: file.path } }
        })
        const planner = baton.as('planner')

        const sent = await planner.send({
          to: worker.name,
          title: 'Card',
          home: 'queue',
          input: { name: 'A' },
        })
        const { output, handoff } = await sent.wait({ timeout_s: 20 })

        assert.deepEqual(output, { built: { name: 'A' }, file: `artifacts/${sent.id}/card.json` })
        assert.equal(handoff.state, 'completed')
        assert.deepEqual((await planner.inbox()).items, [])
        await assert.rejects(planner.wait('HO-2020-999'), { code: 'not_found' })
        while (!heard.some((each) => each.endsWith(' completed'))) await setTimeout(10)
        const never = await planner.send({ to: 'nobody', title: 'Card' })
        // Bounded, as is the listener: where closing ends neither, the test fails within seconds.
        waiting = assert.rejects(never.wait({ timeout_s: 10 }), {
          code: 'unavailable',
          message: /was closed/,
        })
      }
      // Closing ended the listener and the wait too.
      const ended = Promise.all([listening, waiting])
      assert.notEqual(await Promise.race([ended, setTimeout(15_000, 'open', { ref: false })]), 'open')
      assert.equal(heard[0], 'handoff.send react-specialist offered')
    })
})

describe('J17: defined work', () => {
  const userCard = defineWork({
    to: '@React-Specialist',
    input: z.object({ name: z.string(), at: z.iso.datetime().transform((text) => new Date(text)) }),
    output: z.object({ files: z.array(z.string()), size: z.string().transform(Number) }),
  })
  const at = '2026-11-17T20:00:00Z'

  for (const [place, open] of Object.entries(PLACES))
    it(`is typed and checked at both ends: ${place}`, async (t) => {
      await using baton = await open(t)
      await baton.work(userCard, { concurrency: 2 }, async ({ input }) => ({
        files: [`${input.name}.tsx`],
        size: `${input.at.getUTCFullYear()}`,
      }))
      const planner = baton.as('planner')

      const { files, size } = await planner.request(userCard, { name: 'UserCard', at }, { wait_s: 20 })
      const sent = await planner.send(userCard, { name: 'List', at }, { title: 'A list', key: 'list' })

      assert.deepEqual([files, size], [['UserCard.tsx'], 2026])
      assert.equal((await sent.wait({ timeout_s: 20 })).output.size, 2026)
      assert.equal(sent.handoff.title, 'A list')
      await assert.rejects(planner.request(userCard, { name: 'UserCard', at: 'today' }), {
        code: 'invalid_input',
        message: /^Input validation failed: at/,
      })
    })

  it('refuses an output on the side that made it, and on the side that waits for it', async (t) => {
    await using baton = await PLACES.memory!(t)
    const wrong = defineWork({ ...userCard, to: 'wrong' })
    const careless = defineWork({ ...userCard, to: 'careless' })
    const answer: never = { files: 'none' } as never
    await baton.specialist(wrong, async () => answer)
    await baton.work('careless', {}, async () => ({ output: answer }))
    const planner = baton.as('planner')

    await assert.rejects(planner.request(wrong, { name: 'A', at }), {
      name: 'HandoffFailedException',
      message: /^Output validation failed: files/,
    })
    await assert.rejects(planner.request(careless, { name: 'A', at }), {
      name: 'HandoffFailedException',
      message: /check failed: output matches its JSON Schema/,
    })
    await assert.rejects(planner.request(careless, { name: 'A', at }, { home: 'queue' }), {
      code: 'unmet',
      message: /^Output validation failed: files/,
    })
    assert.throws(() => defineWork({ to: 'x', input: {} as never, output: {} as never }), /defineWork needs/)
    await assert.rejects(baton.work(userCard, undefined as never), /has no handler/)
  })

  it('is a compile error where a field is missing or of another type', () => {
    const written = async (baton: Baton): Promise<unknown> => {
      const planner = baton.as('planner')
      return [
        // @ts-expect-error the input lacks a field
        planner.request(userCard, { name: 'A' }),
        // @ts-expect-error the input has a field of another type
        planner.send(userCard, { name: 1, at }),
        // @ts-expect-error the output has no such field
        (await planner.request(userCard, { name: 'A', at })).pages,
        // @ts-expect-error the output has another type
        (await planner.request(userCard, { name: 'A', at })).size.trim(),
        // @ts-expect-error the handler leaves out a field
        baton.work(userCard, async () => ({ files: [] })),
        // @ts-expect-error the handler leaves out a field, by the other name
        baton.specialist(userCard, async () => ({ files: [] })),
        // @ts-expect-error the handler reads a field that the input does not have
        baton.work(userCard, async ({ input }) => ({ files: [input.title], size: '1' })),
        // @ts-expect-error the handler of a name leaves out a field of the output
        baton.work('x', { output: userCard.output }, async () => ({ output: { files: [] } })),
      ]
    }
    assert.equal(typeof written, 'function')
  })
})

describe('a Baton at a server', () => {
  it('is each agent that it has a token for, and says how to become another', async (t) => {
    const { url, token } = await server(t)
    await using both = await openBaton(url, { token: token.join(', ') })
    await using one = await openBaton({ store: url, token: token[0]! })

    assert.equal(both.as('@Planner').name, 'planner')
    assert.equal(both.as('react-specialist').name, 'react-specialist')
    assert.throws(() => one.as('codex'), {
      code: 'not_allowed',
      message:
        /^no token here is for codex, only for planner; give openBaton one more: baton token create --agent codex$/,
    })
    await assert.rejects(openBaton(url), { code: 'unauthenticated' })
    await assert.rejects(openBaton(url, { token: `baton_${'x'.repeat(43)}` }), { code: 'unauthenticated' })
    await assert.rejects(openBaton('http://baton.example.com', { token: token[0]! }), {
      code: 'invalid_input',
    })
    await assert.rejects(openBaton(url, { token: token[0]!, policy: {} }), { code: 'invalid_input' })
  })

  it('aborts a handler at once when its work is cancelled', async (t) => {
    const { url, token } = await server(t)
    await using baton = await openBaton(url, { token })
    const { promise: aborted, resolve } = Promise.withResolvers<unknown>()
    await baton.specialist('react-specialist', {}, async (work) => {
      work.signal.addEventListener('abort', () => resolve(work.signal.reason))
      await planner.cancel(work.handoff.id)
      await aborted
    })
    const planner = baton.as('planner')
    const { uid } = await planner.send({ to: 'react-specialist', title: 'Card', home: 'queue' })
    for await (const { state } of baton.events({ handoff: uid, since: '0' })) if (state === 'cancelled') break

    // Two calls after the event. A worker that had not heard it would look again after ten seconds.
    const reason = await Promise.race([aborted, setTimeout(2_000, 'not aborted')])
    assert.match(String(reason), /was cancelled$/)
  })

  it('goes on when the server is replaced while a handler works', async (t) => {
    const { url, token, restart } = await server(t)
    await using baton = await openBaton(url, { token })
    await baton.specialist('react-specialist', {}, async ({ attempt, input }) => {
      if (input === 1) await restart()
      return { output: attempt }
    })
    const send = (input: number) =>
      baton.as('planner').send({ to: 'react-specialist', title: 'Card', home: 'queue', input })

    assert.equal((await (await send(1)).wait({ timeout_s: 20 })).output, 1)
    assert.equal((await (await send(2)).wait({ timeout_s: 20 })).output, 1)
  })

  it('works with a token that may not hear of events', async (t) => {
    const { url, service, lines, token } = await server(t)
    const narrow = await newToken(service, 'narrow', ['handoff:read', 'handoff:write'])
    await using baton = await openBaton(url, { token: [token[0]!, narrow] })
    await baton.specialist('narrow', {}, async () => ({ output: 'done' }))
    await logged(lines, '"events"', 1)

    const sent = await baton.as('planner').send({ to: 'narrow', title: 'Card', home: 'queue' })

    assert.equal((await sent.wait({ timeout_s: 20 })).output, 'done')
  })
})
