import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { serve } from '../../src/transports/http/server/serve.ts'
import { by, openWorkspace } from '../support/program/workspace.ts'
import { get, newToken, openHttp, post as posted, refusalOf } from '../support/servers/http-workspace.ts'
import { overHttp, type Protocol } from './agents.ts'

const PROTOCOLS: readonly Protocol[] = ['v1', 'v2', 'v2 of 2026']

/** A server in this process over a workspace of its own. */
async function started(t: TestContext) {
  const { service, beside } = await openWorkspace(t)
  // The server closes the store that it was given.
  const running = await serve({ service: await beside(), port: 0, signals: false, log: () => undefined })
  t.after(() => running.close())
  return {
    service,
    url: `${running.url}/mcp`,
    close: running.close,
    token: (agent: string, ...scopes: string[]) =>
      newToken(service, agent, scopes.length === 0 ? ['*'] : scopes),
  }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

function post(url: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
}

describe('MCP over HTTP', () => {
  it('knows the caller by the token alone, and nobody without one', async (t) => {
    const { url, token, service } = await started(t)
    for (const protocol of PROTOCOLS) {
      const name = `agent-${PROTOCOLS.indexOf(protocol)}`
      const agent = await overHttp(t, url, await token(name), protocol)
      await agent.call('handoff_send', { to: 'codex', title: 'From whom?' })
      assert.equal((await service.looking.list({ from: name }, { limit: 5 })).items.length, 1)
      const claimed = await agent.refused('handoff_send', { to: 'codex', title: 'x', from: 'maria' })
      assert.equal(claimed.code, 'invalid_input')
    }

    assert.equal((await post(url, initialize, {})).status, 401)
    assert.equal((await post(url, initialize, { authorization: 'Bearer baton_none' })).status, 401)
  })

  it('answers a session only to the agent that began it', async (t) => {
    const { url, token } = await started(t)
    const [mine, other] = [await token('codex'), await token('claude')]
    const begun = await post(url, initialize, { authorization: `Bearer ${mine}` })
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }

    const statuses = [
      (await post(url, list, { authorization: `Bearer ${mine}`, ...session })).status,
      (await post(url, list, { authorization: `Bearer ${other}`, ...session })).status,
      (await post(url, list, { authorization: `Bearer ${mine}`, 'mcp-session-id': 'made-up' })).status,
    ]

    assert.deepEqual(statuses, [200, 404, 404])
  })

  it('answers 401 in an open session once its agent was removed or its token revoked', async (t) => {
    const { url, token, service } = await started(t)
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }
    const ends: Readonly<Record<string, () => Promise<unknown>>> = {
      codex: () => service.agents.remove(by('maria', { kind: 'human' }), 'codex'),
      claude: async () => {
        const { uid } = (await (await service.tokens()).list()).find(({ agent }) => agent === 'claude')!
        return (await service.tokens()).revoke(by('maria', { kind: 'human' }), uid)
      },
    }
    for (const [agent, end] of Object.entries(ends)) {
      const authorization = `Bearer ${await token(agent)}`
      const begun = await post(url, initialize, { authorization })
      const session = { authorization, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
      const before = (await post(url, list, session)).status

      await end()

      assert.deepEqual([before, (await post(url, list, session)).status], [200, 401], agent)
    }
  })

  it('refuses names that are not its own and pages of other sites, before anyone is looked up', async (t) => {
    const { url, token } = await started(t)
    const authorization = `Bearer ${await token('codex')}`

    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      assert.equal((await post(url, initialize, { authorization, ...headers })).status, 403)
  })

  it('gives a token only what its scopes say: not_allowed inside, not_found where it may not look', async (t) => {
    const { url, token, service } = await started(t)
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Look' })
    const reader = await overHttp(t, url, await token('codex', 'handoff:read'))
    const stranger = await overHttp(t, url, await token('codex', 'task:read'))

    assert.equal(
      (await reader.call<{ handoff: Handoff }>('handoff_get', { id: handoff.id })).handoff.id,
      handoff.id,
    )
    assert.equal((await reader.refused('handoff_accept', { id: handoff.id })).code, 'not_allowed')
    assert.equal((await stranger.refused('handoff_get', { id: handoff.id })).code, 'not_found')
    assert.equal((await stranger.refused('handoff_accept', { id: handoff.id })).code, 'not_found')
    await assert.rejects(stranger.client.readResource({ uri: 'baton://inbox' }), /nothing here/)
  })

  it('shows the tools that its address asks for, and refuses an address that asks for none', async (t) => {
    const { url, token } = await started(t)
    const secret = await token('codex')

    const proof = await overHttp(t, `${url}?tools=proof`, secret, 'v2 of 2026')
    const refused = await post(`${url}?tools=prof`, initialize, { authorization: `Bearer ${secret}` })

    assert.equal((await proof.client.listTools()).tools.length, 4)
    assert.equal(refused.status, 400)
    assert.match(((await refused.json()) as { detail: string }).detail, /did you mean proof/)
  })

  it('ends its streams and sessions when the server stops', async (t) => {
    const { url, token, close } = await started(t)
    const agents = await Promise.all(
      PROTOCOLS.map(async (each) => overHttp(t, url, await token(`a-${each[1]}`), each)),
    )
    for (const agent of agents) await agent.call('handoff_inbox')

    await close()

    await assert.rejects(fetch(url))
  })
})

describe('the limits of a token', () => {
  const accept = { accept: 'application/json, text/event-stream' }
  const tool = (name: string, input: object, id = 1) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: input },
  })

  it('[T13] hold for calls and streams over MCP and for all others together', async (t) => {
    const stopping = new AbortController()
    const http = await openHttp(t, {}, { stopping: stopping.signal })
    t.after(() => stopping.abort())
    const token = await http.token('ana')
    const { handoff } = await http.service.sending.send(by('ana'), { to: 'codex', title: 'Waited for' })
    const ask = async (body: unknown, more: object = {}, signal?: AbortSignal) =>
      http.request('/mcp', { ...posted(token, body, { ...accept, ...more }), ...(signal && { signal }) })
    const session = async () => ({
      'mcp-session-id': (await ask(initialize)).headers.get('mcp-session-id') ?? '',
    })
    const mine = await session()
    const inbox = async () => (await ask(tool('handoff_inbox', {}), mine)).text()
    const batch = (first: number) =>
      Array.from({ length: 100 }, (_, i) => tool('handoff_wait', { id: handoff.id }, first + i))
    const waits = Array.from({ length: 10 }, (_, i) => ask(batch(100 * (i + 1)), mine))
    const bodies = await Promise.all(waits)

    const call = await refusalOf(await http.request(`/v1/handoffs/${handoff.id}`, get(token)))
    assert.deepEqual([call.status, call.code], [429, 'limit_exceeded'])
    assert.match(await inbox(), /this token has 1000 calls open here, which is the most/)
    await http.service.sending.cancel(by('ana'), handoff.uid)
    await Promise.all(bodies.map((body) => body.text()))
    assert.doesNotMatch(await inbox(), /limit_exceeded/)

    const listen = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { resourceSubscriptions: ['baton://inbox'] },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
    const stream = async () => http.request('/mcp', get(token, { ...accept, ...(await session()) }))
    const open = [
      await stream(),
      ...(await Promise.all(Array.from({ length: 49 }, () => ask(listen, modern)))),
    ]
    for (const { status, headers } of open)
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream'])
    for (const refused of [
      await stream(),
      await ask(listen, modern),
      await http.request('/v1/events', get(token)),
    ]) {
      assert.equal(refused.status, 429)
      assert.match((await refusalOf(refused)).problem.detail, /^this token has 50 event streams open here/)
    }
    for (const { body } of open.slice(0, 2)) await body?.cancel()
    const again = [await stream(), await ask(listen, modern)]
    assert.deepEqual(
      again.map(({ status }) => status),
      [200, 200],
    )
  })
})

describe('subscriptions over HTTP', () => {
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const)
    it(`tell a client of ${typeof mode === 'string' ? '2025' : '2026'} that its inbox and a handoff changed`, async (t) => {
      const { url, token, service } = await started(t)
      const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'First' })
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
      const headers = { authorization: `Bearer ${await token('codex')}` }
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
      t.after(() => client.close())
      const wanted = ['baton://inbox', `baton://handoff/${handoff.id}`]
      const { promise: told, resolve } = Promise.withResolvers<void>()
      const seen = new Set<string>()
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        seen.add(params.uri)
        if (wanted.every((uri) => seen.has(uri))) resolve()
      })
      if (mode === 'legacy') for (const uri of wanted) await client.subscribeResource({ uri })
      else await client.listen({ resourceSubscriptions: wanted })

      await service.receiving.accept(by('codex'), handoff.id)
      // A change that fell between the subscription and its first look is followed by another.
      const again = setInterval(() => {
        service.receiving.heartbeat(by('codex'), handoff.id, {}).catch(() => undefined)
      }, 500)
      await told.finally(() => clearInterval(again))

      assert.deepEqual([...seen].sort(), [...wanted].sort())
      const { contents } = await client.readResource({ uri: wanted[1]! })
      assert.equal(JSON.parse(Object(contents[0]).text).handoff.state, 'in_progress')
    })
})
