// Agents and programs search as people do on the command line, whatever holds the store.
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { serve } from '../../src/transports/http/server/serve.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, quick, type Where } from '../support/program/command.ts'
import { by, describeOnEngines, person, type Workspace } from '../support/program/workspace.ts'
import { get, newToken, post } from '../support/servers/http-workspace.ts'
import { startServer } from '../support/servers/servers.ts'
import { overHttp } from './agents.ts'

interface Found {
  readonly found: readonly { readonly kind: string; readonly title: string; readonly place?: string }[]
}
type Warned = { readonly warnings: readonly { readonly code: string; readonly message: string }[] }

/** The same call over HTTP and over MCP; the answers must not differ. */
async function surfaces(t: TestContext, { service, beside }: Workspace) {
  const running = await serve({ service: await beside(), port: 0, signals: false, log: () => undefined })
  t.after(() => running.close())
  const token = await newToken(service, 'lead')
  const agent = await overHttp(t, `${running.url}/mcp?tools=all`, token)
  const search = async (input: Record<string, string>) => {
    const answer = await fetch(`${running.url}/v1/handoffs?${new URLSearchParams(input)}`, get(token))
    const { found } = (await answer.json()) as Found
    const shown = ({ kind, title, place }: Found['found'][number]) => `${kind} ${title}: ${place}`
    assert.deepEqual((await agent.call<Found>('handoff_list', input)).found.map(shown), found.map(shown))
    return found.map(shown)
  }
  const send = async (input: object): Promise<Warned> =>
    (await (await fetch(`${running.url}/v1/handoffs`, post(token, input))).json()) as Warned
  return { search, send, agent }
}

it('a search with a token of few scopes says on the command line which kinds it did not read', async (t) => {
  const place = folders(t)
  const where: Where = { cwd: place.repository('shop') }
  await ask(where, 'send', '--to', 'codex', '--title', 'Add limits')
  const { url } = await startServer(t, where)
  const { secret } = await ask<{ secret: string }>(
    where,
    ...['token', 'create', '--agent', 'codex', '--scope', 'handoff:write'],
  )
  const env = { BATON_URL: url, BATON_TOKEN: secret }

  const { code, stdout, stderr } = await quick({ cwd: place.folder('desk'), env }, 'list', 'limits')

  assert.equal(code, 0, stderr)
  assert.match(stdout, /Add limits/)
  assert.match(stderr, /^! this token has no scope task:read, so more may match$/m)
  assert.doesNotMatch(stderr, /nothing here/)
})

describeOnEngines('over HTTP and MCP', (open) => {
  it('a search by words, agent, time and kind at once finds what is all of it', async (t) => {
    const w = await open(t)
    const { sending, tasks } = w.service
    const sent = async (to: string, title: string) =>
      sending.send(by('planner'), { to, title, summary: 'A token bucket for each client' })
    await sent('codex', 'Too early')
    w.clock.pass(3_600_000)
    await sent('codex', 'Add limits')
    await sent('gemini', 'Of another')
    await tasks.create(person('maria'), { id: 'P1', title: 'The token bucket' })
    const { search } = await surfaces(t, w)

    const all = { text: 'token bucket', with: 'codex', since: '30m', kind: 'handoff' }
    assert.deepEqual(await search(all), ['handoff Add limits: package.summary'])
    const { with: _, ...anyone } = all
    assert.equal((await search(anyone)).length, 2)
    const { since: __, ...anytime } = all
    assert.equal((await search(anytime)).length, 2)
    assert.deepEqual(await search({ text: 'token bucket', since: '30m', kind: 'task' }), [
      'task The token bucket: title',
    ])
    assert.deepEqual(await search({ ...all, text: 'leaky bucket' }), [])
    assert.deepEqual(await search({ ...all, kind: 'task' }), [])
  })

  it('a receiver that is new and looks like a known one is pointed out', async (t) => {
    const w = await open(t)
    await w.service.sending.send(by('planner'), { to: 'codex', title: 'First' })
    const { send, agent } = await surfaces(t, w)

    const [first, second] = [
      await send({ to: 'codx', title: 'Over HTTP' }),
      await agent.call<Warned>('handoff_send', { to: 'codexx', title: 'Over MCP' }),
    ]

    const warning = (message: string) => [{ code: 'new_name', message }]
    assert.deepEqual(first.warnings, warning('codx is new here; did you mean codex?'))
    assert.deepEqual(second.warnings, warning('codexx is new here; did you mean codex?'))
  })
})
