import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { by } from '../../../../test/support/program/workspace.ts'
import { get, openHttp, post, refusalOf } from '../../../../test/support/servers/http-workspace.ts'
import { loadOperations } from '../../../operations/index.ts'

describe('GET /v1/openapi.json', () => {
  it('describes every operation, its fields, its answer and its refusals', async (t) => {
    const http = await openHttp(t)
    const document = (await (await http.request('/v1/openapi.json')).json()) as {
      openapi: string
      paths: Record<string, Record<string, { operationId: string; responses: object; parameters: object[] }>>
    }

    assert.equal(document.openapi, '3.1.0')
    const described = Object.values(document.paths).flatMap((path) => Object.values(path))
    const names = (await loadOperations()).map(({ name }) => name)
    assert.deepEqual(
      described.map(({ operationId }) => operationId).sort(),
      [...names, 'events', 'healthz', 'metrics', 'readyz', 'whoami'].sort(),
    )
    for (const { operationId, responses } of described) assert.ok('200' in responses, operationId)
    const submit = document.paths['/v1/handoffs/{id}/submit']!.post as unknown as {
      parameters: readonly { name: string; in: string }[]
      requestBody: { content: { 'application/json': { schema: { properties: object } } } }
    }
    assert.deepEqual(
      submit.parameters.map(({ name, in: place }) => `${place} ${name}`),
      ['path id', 'header Idempotency-Key', 'header If-Match', 'header Baton-Instance'],
    )
    const body = submit.requestBody.content['application/json'].schema.properties
    assert.ok('evidence' in body && !('id' in body))
  })
})

describe('how long a wait is held', () => {
  it('is said where the operation is described, with what to do then', async (t) => {
    const http = await openHttp(t)
    const document = (await (await http.request('/v1/openapi.json')).json()) as {
      paths: Record<string, Record<string, { description: string }>>
    }

    const { description } = document.paths['/v1/handoffs/{id}/wait']!.get!
    const held =
      /A request is held for 60 s at most. `done: false` means that the handoff is still open. Ask again for the `left_s` seconds/
    assert.match(description, held)
  })
})

describe('GET /docs', () => {
  it('is a page with every operation on it that asks nobody else for anything', async (t) => {
    const http = await openHttp(t)
    const response = await http.request('/docs')
    const page = await response.text()

    for (const { name, http: route } of await loadOperations())
      assert.ok(page.includes(`id="${name}"`) && page.includes(route.path.replaceAll('&', '&amp;')), name)
    assert.doesNotMatch(page, /<script|src=|https?:/)
    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /default-src 'none'; style-src 'sha256-/,
    )
  })
})

describe('GET /metrics', () => {
  it('counts handoffs, tasks and answers in the format of Prometheus', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('scraper', ['report:read', 'handoff:read'])
    await http.service.sending.send(by('ana'), {
      to: 'codex',
      title: 'x',
      summary: 'What is needed stands here',
    })
    await http.request('/v1/inbox', get(token))
    const response = await http.request('/metrics', get(token))
    const text = await response.text()

    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    assert.match(text, /^baton_handoffs\{state="offered"\} 1$/m)
    assert.match(text, /^baton_agent_open_handoffs\{agent="codex",direction="incoming"\} 1$/m)
    assert.match(text, /^baton_http_requests_total\{operation="handoff_inbox",status="200"\} 1$/m)
    assert.match(text, /^baton_http_request_seconds_bucket\{operation="handoff_inbox",le="\+Inf"\} 1$/m)
    assert.match(text, /^baton_log_unsigned_entries [1-9]\d*$/m)
    assert.match(text, /^baton_delivery_lag_seconds 0$/m)
    assert.match(text, /^baton_event_loop_lag_seconds\{quantile="0.99"\} /m)
    assert.match(text, /^baton_pool_size\{pool="slow_reads"\} 1$/m)
    assert.match(text, /^baton_open\{what="event_streams"\} 0$/m)
    for (const line of text.trimEnd().split('\n'))
      assert.match(
        line,
        /^(# (HELP|TYPE) baton_\w+ .+|baton_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+)$/,
      )
  })

  it('is for tokens that may look', async (t) => {
    const http = await openHttp(t)
    const narrow = await http.token('narrow', ['handoff:write'])

    assert.deepEqual(await refused(await http.request('/metrics')), [401, 'unauthenticated'])
    assert.deepEqual(await refused(await http.request('/metrics', get(narrow))), [404, 'not_found'])
  })
})

describe('reading and changing what one has seen', () => {
  it('a read that is still the same is told in a few bytes', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('ana')
    const first = await http.request('/v1/inbox', get(token))
    const etag = first.headers.get('etag') ?? ''

    const again = await http.request('/v1/inbox', get(token, { 'if-none-match': etag }))
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag])

    await http.service.sending.send(by('bob'), {
      to: 'ana',
      title: 'new',
      summary: 'What is needed stands here',
    })
    const changed = await http.request('/v1/inbox', get(token, { 'if-none-match': etag }))
    assert.equal(changed.status, 200)
  })

  it('a change to another revision than the one seen is a conflict', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('codex')
    const { handoff } = await http.service.sending.send(by('ana'), {
      to: 'codex',
      title: 'x',
      summary: 'What is needed stands here',
    })
    const accept = (rev: string) =>
      http.request(`/v1/handoffs/${handoff.id}/accept`, post(token, {}, { 'if-match': rev }))

    assert.deepEqual(await refused(await accept('"9"')), [409, 'conflict'])
    assert.deepEqual(await refused(await accept('nine')), [400, 'invalid_input'])
    const read = await http.request(`/v1/handoffs/${handoff.id}`, get(token))
    const { status, problem } = await refusalOf(await accept(read.headers.get('etag') ?? ''))
    assert.deepEqual(
      [status, problem.detail],
      [
        400,
        'If-Match takes the rev of the handoff or task that you have seen, in quotes: "7". The ETag of a response is for If-None-Match',
      ],
    )
    assert.equal((await accept(`"${handoff.rev}"`)).status, 200)
  })
})

describe('a token that asks too often', () => {
  it('is told to wait, and others are not', async (t) => {
    const http = await openHttp(t, {}, { rate: { burst: 3, perSecond: 0.001 } })
    const [loud, quiet] = [await http.token('loud'), await http.token('quiet')]
    for (let i = 0; i < 3; i++) assert.equal((await http.request('/v1/inbox', get(loud))).status, 200)

    const answer = await http.request('/v1/inbox', get(loud))

    assert.equal(answer.headers.get('retry-after'), '1000')
    assert.deepEqual(await refused(answer), [429, 'limit_exceeded'])
    assert.equal((await http.request('/v1/inbox', get(quiet))).status, 200)
  })
})

async function refused(response: Response): Promise<readonly [number, string]> {
  const { status, code } = await refusalOf(response)
  return [status, code]
}
