import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { person } from '../../../../test/support/program/workspace.ts'
import { get, type HttpWorkspace, openHttp, post } from '../../../../test/support/servers/http-workspace.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { createNotifying } from '../../../notify/index.ts'

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const OTHER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'
const LATER = `${TRACE.replace(/^00/, 'cc')}-later`
const STATE = 'congo=t61rcWkgMzE,rojo@vendor=00f067aa0ba902b7'
const SUMMARY = 'The API needs limits before the launch'

describe('the trace context of the call that sends', () => {
  it('is kept on the handoff, answered with it, and told in its events', async (t) => {
    const http = await openHttp(t)
    const ana = await http.token('ana')

    const { handoff } = await send(http, ana, { to: 'codex' }, { traceparent: TRACE, tracestate: STATE })

    assert.deepEqual((await handoffOf(http, ana, handoff.id)).trace, {
      traceparent: TRACE,
      tracestate: STATE,
    })
    const stream = await http.request('/v1/events?since=0&act=handoff.send', get(ana))
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    t.after(() => reader.cancel())
    let text = ''
    while (!/^data: .*\n\n/m.test(text)) text += (await reader.read()).value ?? ''
    assert.equal(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '').trace.traceparent, TRACE)
  })

  it('goes on to the work that follows and to what comes back, unless that has its own', async (t) => {
    const http = await openHttp(t)
    const [ana, codex] = [await http.token('ana'), await http.token('codex')]
    const { handoff } = await send(
      http,
      ana,
      { to: 'codex', type: 'delegation', deliverables: ['a plan'] },
      { traceparent: TRACE },
    )
    const follow = (headers: Record<string, string>) =>
      send(http, codex, { to: 'gemini', parent: handoff.id }, headers)

    assert.equal((await follow({})).handoff.trace?.traceparent, TRACE)
    assert.equal((await follow({ traceparent: OTHER })).handoff.trace?.traceparent, OTHER)
    for (const [verb, body] of [
      ['accept', {}],
      ['submit', { evidence: [{ deliverable: 'a plan', evidence: 'plan.md' }] }],
    ] as const) {
      const answer = await http.request(`/v1/handoffs/${handoff.id}/${verb}`, post(codex, body))
      assert.equal(answer.status, 200, await answer.text())
    }
    const verified = await http.request(`/v1/handoffs/${handoff.id}/verify`, post(ana, { pass: true }))
    assert.equal(verified.status, 200, await verified.text())
    assert.equal((await handoffOf(http, ana, `${handoff.id}-R`)).trace?.traceparent, TRACE)
  })

  it('is the one of the call that sends a draft, not of the one that wrote it', async (t) => {
    const http = await openHttp(t)
    const ana = await http.token('ana')
    const body = { to: 'codex', title: 'Limits', summary: SUMMARY }
    const drafted = await http.request('/v1/handoffs/drafts', post(ana, body, { traceparent: OTHER }))
    const { handoff } = (await drafted.json()) as { handoff: Handoff }

    const sent = await http.request('/v1/handoffs', post(ana, { id: handoff.id }, { traceparent: TRACE }))

    assert.equal(sent.status, 200)
    assert.equal((await handoffOf(http, ana, handoff.id)).trace?.traceparent, TRACE)
  })

  it('reaches a webhook in the headers it came in', async (t) => {
    const { port, got } = await listening(t)
    const notify = createNotifying(
      [{ name: 'ops', webhook: `http://127.0.0.1:${port}/`, secret_env: 'HOOK', allow_private: true }],
      () => 'secret',
    )
    const http = await openHttp(t, { notify })
    await http.service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
    const ana = await http.token('ana')
    await send(http, ana, { to: 'maria', type: 'gate' }, { traceparent: TRACE, tracestate: STATE })

    await http.service.deliver()

    assert.deepEqual(
      got.map(({ headers }) => [headers.traceparent, headers.tracestate]),
      [[TRACE, STATE]],
    )
  })

  it('is ignored where it is malformed, and only the part that is', async (t) => {
    const http = await openHttp(t)
    const ana = await http.token('ana')
    // biome-ignore format: read as a table
    const cases: readonly (readonly [traceparent: string, tracestate: string | undefined, kept: object | undefined])[] = [
      ['',                                                               STATE,              undefined],
      ['garbage',                                                        STATE,              undefined],
      [TRACE.toUpperCase(),                                              STATE,              undefined],
      [`${TRACE}-more`,                                                  STATE,              undefined],
      [TRACE.replace(/^00/, 'ff'),                                       STATE,              undefined],
      [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,                       STATE,              undefined],
      [`00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,       STATE,              undefined],
      [TRACE.slice(0, -1),                                               STATE,              undefined],
      [`${TRACE}, ${TRACE}`,                                             STATE,              undefined],
      [`01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-${'x'.repeat(300)}`, STATE,  undefined],
      [TRACE,                                                            'no value',         { traceparent: TRACE }],
      [TRACE,                                                            'a=1,a=2',          { traceparent: TRACE }],
      [TRACE,                                                            'x'.repeat(600),    { traceparent: TRACE }],
      [TRACE,                                                            Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(), { traceparent: TRACE }],
      [TRACE,                                                            ' a=1 , , b=2 ',    { traceparent: TRACE, tracestate: 'a=1,b=2' }],
      [TRACE.replace(/^00/, '01'),                                       undefined,          { traceparent: TRACE.replace(/^00/, '01') }],
      [LATER,                                                            undefined,          { traceparent: LATER }],
    ]
    for (const [traceparent, tracestate, kept] of cases) {
      const headers = { traceparent, ...(tracestate !== undefined && { tracestate }) }
      const { handoff } = await send(http, ana, { to: 'codex' }, headers)
      assert.deepEqual([traceparent, tracestate, handoff.trace], [traceparent, tracestate, kept])
    }
  })
})

async function send(
  http: HttpWorkspace,
  token: string,
  body: object,
  headers: Record<string, string>,
): Promise<{ handoff: Handoff }> {
  const answer = await http.request(
    '/v1/handoffs',
    post(token, { title: 'Limits', summary: SUMMARY, ...body }, headers),
  )
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as { handoff: Handoff }
}

async function handoffOf(http: HttpWorkspace, token: string, id: string): Promise<Handoff> {
  const answer = await http.request(`/v1/handoffs/${id}`, get(token))
  return ((await answer.json()) as { handoff: Handoff }).handoff
}

async function listening(t: TestContext): Promise<{ port: number; got: IncomingMessage[] }> {
  const got: IncomingMessage[] = []
  const server = createServer((request, response) => {
    got.push(request)
    response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, got }
}
