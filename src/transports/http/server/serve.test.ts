import assert from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import {
  by,
  openWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from '../../../../test/support/program/workspace.ts'
import { bearer, get, newToken, post, refusalOf } from '../../../../test/support/servers/http-workspace.ts'
import type { Service } from '../../../service/service.ts'
import { createLog } from './log.ts'
import { type Running, type ServeOptions, serve } from './serve.ts'

interface Served extends Workspace {
  readonly server: Running
  /** The service that the server answers with, on the store that is its to close. */
  readonly served: Service
  readonly lines: string[]
}

/** A server on a free port, over a connection of its own that it may close. */
async function serveIn(
  t: TestContext,
  options: Partial<ServeOptions> = {},
  about: WorkspaceOptions = {},
): Promise<Served> {
  const workspace = await openWorkspace(t, about)
  const lines: string[] = []
  const served = await workspace.beside()
  const server = await serve({
    service: served,
    port: 0,
    signals: false,
    log: createLog({ write: (line) => lines.push(line) }),
    ...options,
  })
  t.after(() => server.close())
  return { ...workspace, server, served, lines }
}

/** What the server says to these bytes until it ends the connection; `rest` is sent when the test is ready. */
function raw(port: number, first: string): { readonly answer: Promise<string>; send(text: string): void } {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  // A server may hang up on whoever is still sending.
  socket.on('error', () => undefined)
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  socket.write(first)
  return { answer, send: (more) => socket.write(more) }
}

async function until(what: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 5_000
  while (!(await what())) {
    if (performance.now() > deadline) throw new Error('it did not happen within 5 seconds')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const head = (server: Running, line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, `Host: localhost:${server.port}`, ...headers, '', ''].join('\r\n')

describe('a server', () => {
  it('listens where it says and greets with address, workspace and what to do next', async (t) => {
    const seen: string[] = []
    const { server, store } = await serveIn(t, { onReady: ({ text }) => seen.push(text) })

    assert.equal(server.url, `http://127.0.0.1:${server.port}`)
    const healthy = await fetch(`${server.url}/healthz`)
    assert.deepEqual(await healthy.json(), { status: 'ok' })
    // Longer than the 60 s of a balancer.
    assert.equal(healthy.headers.get('keep-alive'), 'timeout=75')
    assert.deepEqual(seen, [server.text])
    for (const part of [
      server.url,
      store.info.workspace,
      store.info.location,
      'baton send',
      'baton token create',
    ])
      assert.ok(server.text.includes(part), part)
  })

  it('points to the demo while nothing was ever handed over, and not after that', async (t) => {
    const { server, service, beside } = await serveIn(t)
    await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })
    const later = await serve({ service: await beside(), port: 0, signals: false, log: () => undefined })
    t.after(() => later.close())

    assert.match(server.text, /baton demo .*npm run demo/)
    assert.doesNotMatch(later.text, /demo/)
  })

  it('warns when other machines can reach it, and still answers nobody without a token', async (t) => {
    const { server, lines, service } = await serveIn(t, {
      host: '0.0.0.0',
      allowedHosts: ['baton.example.com'],
    })
    const secret = await newToken(service, 'codex')
    const ask = (path: string, headers: Record<string, string>) =>
      raw(
        server.port,
        [
          `GET ${path} HTTP/1.1`,
          ...Object.entries({ connection: 'close', ...headers }).map((h) => h.join(': ')),
          '',
          '',
        ].join('\r\n'),
      ).answer

    assert.match(server.text, /TLS/)
    assert.match(lines.join(''), /"level":"warn","event":"open to the network"/)
    assert.match(await ask('/v1/inbox', { host: 'baton.example.com' }), /^HTTP\/1.1 401/)
    assert.match(await ask('/v1/inbox', { host: 'baton.example.com', ...bearer(secret) }), /^HTTP\/1.1 200/)
    assert.match(
      await ask('/v1/inbox', { host: `0.0.0.0:${server.port}`, ...bearer(secret) }),
      /^HTTP\/1.1 403/,
    )
  })

  it('says what to do when the port is in use', async (t) => {
    const { server, beside } = await serveIn(t)
    const other = await beside()

    await assert.rejects(serve({ service: other, port: server.port, signals: false }), {
      code: 'conflict',
      message: `port ${server.port} of 127.0.0.1 is in use, maybe by another baton serve; stop it, or take another: baton serve --port ${server.port + 1}`,
    })
    assert.equal((await (await other.tokens()).list()).length, 0)
  })

  it('says so when the address is not one of this machine', async (t) => {
    const { beside } = await serveIn(t)

    await assert.rejects(serve({ service: await beside(), host: '192.0.2.1', port: 0, signals: false }), {
      code: 'invalid_input',
    })
  })

  it('is alive and not ready when the store is gone', async (t) => {
    const { server, store } = await serveIn(t)

    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    renameSync(store.info.location, `${store.info.location}.away`)
    const alive = await fetch(`${server.url}/healthz`)
    const { status, problem } = await refusalOf(await fetch(`${server.url}/readyz`))
    renameSync(`${store.info.location}.away`, store.info.location)

    assert.equal(alive.status, 200)
    assert.deepEqual([status, problem.code, problem.retry], [503, 'unavailable', true])
  })
})

describe('a request', () => {
  it('with a huge body is refused before the body is sent', async (t) => {
    const { server, service } = await serveIn(t)
    const secret = await newToken(service, 'codex')
    const headers = [
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      'Content-Length: 2000000000',
    ]

    const answer = await raw(server.port, head(server, 'POST /v1/handoffs', ...headers)).answer

    assert.match(answer, /^HTTP\/1.1 413 /)
    assert.match(answer, /application\/problem\+json/)
    assert.match(answer, /"code":"too_large"/)
  })

  it('that does not announce its size is read up to the limit and no further', async (t) => {
    const { server, service } = await serveIn(t)
    const secret = await newToken(service, 'codex')
    const headers = [
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]
    const { answer, send } = raw(server.port, head(server, 'POST /v1/handoffs', ...headers))

    for (let n = 0; n < 17; n++) send(`10000\r\n${' '.repeat(0x10000)}\r\n`)

    assert.match(await answer, /^HTTP\/1.1 413 /)
  })

  it('with a huge body and no token is refused for the token', async (t) => {
    const { server } = await serveIn(t)
    const headers = ['Content-Type: application/json', 'Content-Length: 2000000000']

    assert.match(
      await raw(server.port, head(server, 'POST /v1/handoffs', ...headers)).answer,
      /^HTTP\/1.1 401 /,
    )
  })

  it('with broken JSON is refused, and the connection serves the next one', async (t) => {
    const { server, service } = await serveIn(t)
    const secret = await newToken(service, 'codex')

    const broken = await refusalOf(await fetch(`${server.url}/v1/claims`, post(secret, '{"a":')))
    const good = await fetch(`${server.url}/v1/claims`, post(secret, {}))

    assert.deepEqual([broken.status, broken.code], [400, 'invalid_input'])
    assert.deepEqual([good.status, await good.json()], [200, { untrusted: [] }])
  })

  it('needs no body and no type where there is nothing to say', async (t) => {
    const { server, service } = await serveIn(t)
    const headers = [`Authorization: Bearer ${await newToken(service, 'codex')}`, 'Connection: close']

    assert.match(
      await raw(server.port, head(server, 'POST /v1/claims', ...headers)).answer,
      /^HTTP\/1.1 200 /,
    )
  })

  it('whose body breaks off leaves nothing behind', async (t) => {
    const { server, service, lines } = await serveIn(t)
    const secret = await newToken(service, 'codex')
    const socket = connect(server.port, '127.0.0.1')
    const headers = [
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      'Content-Length: 40',
    ]

    socket.write(`${head(server, 'POST /v1/handoffs', ...headers)}{"to":"gemini",`)
    await once(socket, 'connect')
    // Its answer comes after the other request has arrived.
    await fetch(`${server.url}/healthz`)
    socket.destroy()

    await until(() => lines.some((line) => line.includes('handoff_send')))
    assert.doesNotMatch(lines.join(''), /"level":"error"/)
    assert.deepEqual(await service.looking.list({}, { limit: 1 }), { items: [] })
  })

  it('that names two hosts, another host in its first line or none is refused', async (t) => {
    const { server } = await serveIn(t)
    const own = `localhost:${server.port}`
    const requests = [
      `GET /healthz HTTP/1.1\r\nHost: ${own}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: evil.example\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
      `GET http://evil.example/healthz HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: evil.example/@${own}\r\nConnection: close\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: ${own}\\\r\nConnection: close\r\n\r\n`,
      'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /healthz HTTP/1.0\r\n\r\n',
    ]

    for (const text of requests) assert.match(await raw(server.port, text).answer, /^HTTP\/1.1 40[03] /, text)
  })

  it('[T13] that sends its headers or its body too slowly is cut off', async (t) => {
    const { server, service } = await serveIn(t, { times: { headersMs: 100, requestMs: 200, checkMs: 20 } })
    const secret = await newToken(service, 'codex')
    const headers = [
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      'Content-Length: 10',
    ]

    const slow = [
      raw(server.port, `GET /healthz HTTP/1.1\r\nHost: localhost:${server.port}\r\nX-A: `),
      raw(server.port, `${head(server, 'POST /v1/claims', ...headers)}{`),
      raw(server.port, ''),
    ]

    for (const { answer } of slow) assert.match(await answer, /^(?:HTTP\/1.1 408 |$)/)
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  })
})

describe('settling', () => {
  it('goes on without any call, and says what it did', async (t) => {
    const { service, store, clock, lines } = await serveIn(t, { times: { settleMs: 10 } })
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })

    clock.pass(25 * 60 * 60_000)

    await until(async () => (await store.handoff(handoff.uid))?.state === 'expired')
    await until(() => lines.some((line) => line.includes('"event":"settled","handoffs":1')))
  })

  it('survives a store that fails, tells of it once and never runs twice at a time', async (t) => {
    const { beside } = await serveIn(t)
    const service = await beside()
    let running = 0
    let most = 0
    let runs = 0
    const { store } = service.deps
    const broken = Object.create(store, {
      settle: {
        value: async () => {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setTimeout(resolve, 15))
          running--
          runs++
          throw new Error('the store is away')
        },
      },
    })
    const lines: string[] = []
    const server = await serve({
      service: Object.create(service, { settle: { value: broken.settle } }),
      port: 0,
      signals: false,
      log: createLog({ write: (line) => lines.push(line) }),
      times: { settleMs: 2 },
    })

    await until(() => runs >= 4)
    await server.close()

    assert.equal(most, 1)
    assert.equal(running, 0)
    assert.equal(lines.filter((line) => line.includes('settling failed')).length, 1)
  })
})

describe('stopping', () => {
  it('lets a call in flight finish, answers who waits, refuses new ones and closes the store', async (t) => {
    const { server, served, service, lines } = await serveIn(t, {
      times: { graceMs: 10_000, idleMs: 10_000 },
    })
    const secret = await newToken(service, 'codex')
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })
    const body = JSON.stringify({ to: 'gemini', title: 'in flight' })
    const headers = [
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    const before = lines.length
    const flying = raw(server.port, head(server, 'POST /v1/handoffs', ...headers) + body.slice(0, 5))
    const waiting = fetch(`${server.url}/v1/handoffs/${handoff.id}/wait`, get(secret))
    // Its answer comes after those two have arrived.
    await fetch(`${server.url}/v1/inbox`, get(secret))
    await until(() => lines.length > before)

    const started = performance.now()
    const closing = server.close()
    assert.equal((await refusalOf(await waiting)).code, 'unavailable')
    await assert.rejects(fetch(`${server.url}/healthz`))
    flying.send(body.slice(5))

    assert.match(await flying.answer, /^HTTP\/1.1 200 .*"title":"in flight"/s)
    await closing
    await server.closed
    assert.ok(performance.now() - started < 8_000, 'a connection that was kept open must not be waited for')
    assert.equal(server.close(), closing)
    await assert.rejects((await served.tokens()).list())
    const { items } = await service.looking.list({}, { limit: 5 })
    assert.equal(items.filter(({ title }) => title === 'in flight').length, 1)
    assert.match(lines.at(-1) ?? '', /"event":"stopped"/)
  })

  it('does not wait longer than the grace for a client that never finishes', async (t) => {
    const { server, service } = await serveIn(t, { times: { graceMs: 50 } })
    const secret = await newToken(service, 'codex')
    const headers = [
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      'Content-Length: 10',
    ]
    const stuck = raw(server.port, `${head(server, 'POST /v1/claims', ...headers)}{`)
    await fetch(`${server.url}/healthz`)

    const started = performance.now()
    await server.close()

    assert.equal(await stuck.answer, '')
    assert.ok(performance.now() - started < 3_000)
  })
})
