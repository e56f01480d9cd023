import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { openWorkspace } from '../../../../test/support/program/workspace.ts'
import { bearer, newToken, post } from '../../../../test/support/servers/http-workspace.ts'
import { PROTECTING } from './guards.ts'
import { serve } from './serve.ts'

/** Asks a server over a real connection, as codex. */
async function asking(t: TestContext) {
  const { service, beside } = await openWorkspace(t)
  const server = await serve({
    service: await beside(),
    port: 0,
    signals: false,
    log: () => undefined,
  })
  t.after(() => server.close())
  const token = await newToken(service, 'codex')
  return {
    token,
    ask: (path: string, init: RequestInit = {}) =>
      fetch(server.url + path, { ...init, headers: { ...bearer(token), ...init.headers } }),
  }
}

const PACKAGE = {
  to: 'claude',
  title: 'Straße – 渡す 🏃',
  summary: 'Ünïcode is longer in bytes than in letters.',
  deliverables: ['Middleware in src/'],
}

describe('the answer of an operation on its connection', () => {
  it('is complete: bytes, length, type and the protecting headers', async (t) => {
    const { token, ask } = await asking(t)
    const sent = await ask('/v1/handoffs', post(token, PACKAGE))
    const { handoff } = (await sent.clone().json()) as { handoff: { uid: string; title: string } }
    const read = await ask(`/v1/handoffs/${handoff.uid}`)

    assert.equal(handoff.title, PACKAGE.title)
    for (const answer of [sent, read]) {
      const bytes = Buffer.from(await answer.arrayBuffer())
      assert.equal(answer.headers.get('content-type'), 'application/json')
      assert.equal(answer.headers.get('content-length'), String(bytes.length))
      for (const [name, value] of Object.entries(PROTECTING)) assert.equal(answer.headers.get(name), value)
      assert.match(bytes.toString(), /渡す 🏃/)
    }
    assert.equal(sent.headers.get('etag'), null)
  })

  it('has no body for whoever asks for the head or has it already', async (t) => {
    const { ask } = await asking(t)
    const whole = await ask('/v1/inbox')
    const etag = whole.headers.get('etag') ?? ''
    const length = String((await whole.text()).length)

    const headOnly = await ask('/v1/inbox', { method: 'HEAD' })
    const known = await ask('/v1/inbox', { headers: { 'if-none-match': `"other", W/${etag}` } })

    assert.deepEqual(
      [headOnly.status, headOnly.headers.get('etag'), headOnly.headers.get('content-length')],
      [200, etag, length],
    )
    assert.deepEqual([known.status, known.headers.get('etag')], [304, etag])
    for (const answer of [headOnly, known]) {
      assert.equal(await answer.text(), '')
      for (const [name, value] of Object.entries(PROTECTING)) assert.equal(answer.headers.get(name), value)
    }
  })

  it('states the length of a refusal to HEAD, as it does to GET', async (t) => {
    const { ask } = await asking(t)
    const whole = await ask('/v1/handoffs/HO-1')
    const headOnly = await ask('/v1/handoffs/HO-1', { method: 'HEAD' })

    assert.deepEqual(
      [headOnly.status, headOnly.headers.get('content-type'), await headOnly.text()],
      [404, 'application/problem+json', ''],
    )
    assert.equal(headOnly.headers.get('content-length'), String((await whole.text()).length))
  })
})

describe('an address with a field in it', () => {
  it('gives the field as it was meant, escaped or not, and is none without it', async (t) => {
    const { ask } = await asking(t)
    const detail = async (path: string) => {
      const { code, details } = (await (await ask(path)).json()) as { code: string; details: object }
      return [code, details]
    }

    for (const [given, meant] of [
      ['HO-1', 'HO-1'],
      ['HO%2D1', 'HO-1'],
      ['a%20b', 'a b'],
      ['a%2Fb', 'a/b'],
      ['%7B%7D', '{}'],
      ['100%', '100%'],
      ['%E0%A4', '%E0%A4'],
    ] as const)
      assert.deepEqual(await detail(`/v1/handoffs/${given}`), ['not_found', { id: meant }])
    for (const path of [
      '/v1/handoffs/',
      '/v1/handoffs/x/',
      '/v1/handoffs//wait',
      '/v1//handoffs',
      '/v1/audit/proofs/',
    ])
      assert.deepEqual(await detail(path), ['not_found', {}])
  })
})
