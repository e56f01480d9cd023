import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { by, person } from '../../../../test/support/program/workspace.ts'
import {
  get,
  type HttpWorkspace,
  openHttp,
  post,
  refusalOf,
} from '../../../../test/support/servers/http-workspace.ts'
import type { Event } from '../../../service/events.ts'

const SENT = 'handoff.send'

describe('GET /v1/events', () => {
  it('tells what happens after the cursor, each once and in order, and then what comes', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('watcher', ['report:read'])
    const ids = [await send(http, 'one'), await send(http, 'two')]
    const listener = await listen(t, http, token, '/v1/events?since=0&act=handoff.send')

    const first = [await listener.next(), await listener.next()]
    ids.push(await send(http, 'three'))
    const third = await listener.next()

    assert.deepEqual(
      [...first, third].map(({ id }) => id),
      ids,
    )
    assert.deepEqual(
      [third.act, third.by, third.from, third.to, third.state, third.title],
      [SENT, 'ana', 'ana', 'codex', 'offered', 'three'],
    )
  })

  it('goes on where a listener was, from another server over the same store', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('watcher')
    await send(http, 'one')
    const first = await listen(t, http, token, '/v1/events?since=0&act=handoff.send')
    const { cursor } = await first.next()
    await first.stop()
    const id = await send(http, 'two')

    const again = await listen(t, http, token, '/v1/events?since=0&act=handoff.send', {
      'last-event-id': cursor,
    })

    assert.equal((await again.next()).id, id)
  })

  it('begins with what comes when no cursor is given', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('watcher')
    await send(http, 'before')
    const listener = await listen(t, http, token, '/v1/events?act=handoff.send')
    const id = await send(http, 'after')

    assert.equal((await listener.next()).id, id)
  })

  for (const filter of ['', '?act=handoff.send', '?agent=codex&act=handoff.send'])
    it(`tells its place before anything happens, so that nothing is lost by coming back${filter && ` to ${filter}`}`, async (t) => {
      const http = await openHttp(t)
      const token = await http.token('watcher')
      await send(http, 'before')
      const reader = (await http.request(`/v1/events${filter}`, get(token))).body!.getReader()
      const begun = browser(new TextDecoder().decode((await reader.read()).value))
      await reader.cancel()
      const id = await send(http, 'while away')

      const again = await listen(t, http, token, `/v1/events${filter}`, { 'last-event-id': begun.last })

      assert.deepEqual(begun.heard, [])
      assert.equal((await again.next()).id, id)
    })

  it('tells many listeners the same, and a slow one loses nothing', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('watcher')
    const listeners = await Promise.all(
      Array.from({ length: 20 }, () => listen(t, http, token, '/v1/events?since=0&act=handoff.send')),
    )
    const ids: string[] = []
    for (let i = 0; i < 100; i++) ids.push(await send(http, `number ${i}`))

    for (const listener of listeners) {
      const told: (string | undefined)[] = []
      while (told.length < ids.length) told.push((await listener.next()).id)
      assert.deepEqual(told, ids)
    }
  })

  it('[T13] gives one token fifty streams at a time, and another token its own', async (t) => {
    const http = await openHttp(t)
    const [token, other] = [await http.token('watcher'), await http.token('neighbour')]
    const open = await Promise.all(Array.from({ length: 50 }, () => listen(t, http, token, '/v1/events')))

    const refused = await http.request('/v1/events', get(token))
    assert.equal(refused.status, 429)
    const refusal = await refusalOf(refused)
    await listen(t, http, other, '/v1/events')
    await open[0]!.stop()
    await listen(t, http, token, '/v1/events')

    assert.equal(refusal.code, 'limit_exceeded')
    assert.match(
      refusal.problem.detail,
      /^this token has 50 event streams open here, which is the most; close one/,
    )
  })

  it('filters by agent, handoff, task and kind', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('watcher')
    const id = await send(http, 'mine', 'bob')
    await send(http, 'other', 'codex')
    await http.service.tasks.create(by('ana'), { id: 'T-1', title: 'a task' })
    const one = async (query: string) =>
      (await (await listen(t, http, token, `/v1/events?since=0&${query}`)).next()).id

    assert.equal(await one('agent=bob&act=handoff'), id)
    assert.equal(await one(`handoff=${id}`), id)
    assert.equal(await one('task=T-1'), 'T-1')
    assert.equal(await one('kind=task'), 'T-1')
  })

  it('tells nobody a title that was taken away, however often it was told before', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('watcher')
    const live = await listen(t, http, token, '/v1/events?act=handoff.send')
    await send(http, 'before')
    const { cursor } = await live.next()
    const id = await send(http, 'the name of the client')
    assert.equal((await live.next()).title, 'the name of the client')
    const redactions = await listen(t, http, token, '/v1/events?act=audit.redact')
    const maria = await http.token('maria', ['*'], 'human')
    const answer = await http.request(
      '/v1/audit/redactions',
      post(maria, { id, field: 'title', reason: 'leaked-key' }),
    )
    assert.equal(answer.status, 200, await answer.text())
    assert.equal((await redactions.next()).act, 'audit.redact')

    const late = await listen(t, http, token, `/v1/events?since=${cursor}&act=handoff.send`)

    assert.equal((await late.next()).title, '[redacted]')
  })

  for (const end of ['revoked', 'expired', 'taken from a removed agent'] as const)
    it(`ends when the token that it was opened with is ${end}`, { timeout: 60_000 }, async (t) => {
      const http = await openHttp(t, {}, { heartbeatMs: 20 })
      const { secret, token } = await (await http.service.tokens()).create(person('maria'), {
        agent: 'watcher',
        scopes: ['report:read'],
        expires_at: new Date(http.clock.now().getTime() + 60_000).toISOString(),
      })
      const response = await http.request('/v1/events?act=nothing', get(secret))
      if (end === 'expired') http.clock.pass(61_000)
      else if (end === 'revoked')
        await (await (await http.beside()).tokens()).revoke(person('maria'), token.uid)
      else await (await http.beside()).agents.remove(person('maria'), 'watcher')

      assert.match(await response.text(), /^retry: 1000\nid: \d+\n\n/)
    })

  it('shows by a line that it lives while nothing happens', async (t) => {
    const http = await openHttp(t, {}, { heartbeatMs: 5 })
    const token = await http.token('watcher')
    const response = await http.request('/v1/events', get(token))
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    t.after(() => reader.cancel())

    let text = ''
    while (!text.includes('\n:\n')) text += (await reader.read()).value ?? ''

    assert.match(text, /^retry: 1000\nid: \d+\n\n/)
  })

  it('ends when the server stops', async (t) => {
    const stopping = new AbortController()
    const http = await openHttp(t, {}, { stopping: stopping.signal })
    const response = await http.request('/v1/events', get(await http.token('watcher')))
    stopping.abort()

    const { cursor } = await http.store.changes(undefined, 1)
    assert.equal(await response.text(), `retry: 1000\nid: ${cursor}\n\n`)
  })

  it('ends at once for a caller that left before the stream began', { timeout: 20_000 }, async (t) => {
    const http = await openHttp(t)
    const gone = AbortSignal.abort()

    const response = await http.request('/v1/events', { ...get(await http.token('watcher')), signal: gone })

    assert.match(await response.text(), /^retry: 1000\nid: \d+\n\n$/)
  })

  it('is refused without a token that may look, and with a cursor or filter that is none', async (t) => {
    const http = await openHttp(t)
    const [token, narrow] = [await http.token('watcher'), await http.token('narrow', ['handoff:write'])]

    assert.deepEqual(await refused(await http.request('/v1/events')), [401, 'unauthenticated'])
    assert.deepEqual(await refused(await http.request('/v1/events', get(narrow))), [404, 'not_found'])
    for (const query of ['since=abc', 'since=-1', 'colour=red', 'kind=bogus', 'since=999'])
      assert.deepEqual(await refused(await http.request(`/v1/events?${query}`, get(token))), [
        400,
        'invalid_input',
      ])
  })

  it('names what may be asked for when a kind or a cursor is none', { timeout: 20_000 }, async (t) => {
    const http = await openHttp(t)
    const token = await http.token('watcher')
    await send(http, 'one')
    const { cursor } = await http.store.changes(undefined, 1)
    const told = async (query: string, headers = {}) =>
      (await refusalOf(await http.request(`/v1/events${query}`, get(token, headers)))).problem.detail

    const beyond = `the cursor 99999999 is past the end of the log (${cursor}); leave it out, or use 0 for all events`
    assert.equal(await told('?since=99999999'), beyond)
    assert.equal(await told('', { 'last-event-id': '99999999' }), beyond)
    assert.equal(
      await told('?kind=bogus'),
      'kind: bogus is not one of handoff, task, agent, artifact, notice, workspace, record, gate, session, run',
    )
    for (const since of ['0', cursor]) {
      const response = await http.request(`/v1/events?since=${since}`, get(token))
      assert.equal(response.status, 200)
      await response.body?.cancel()
    }
  })
})

async function send(http: HttpWorkspace, title: string, to = 'codex'): Promise<string> {
  const { handoff } = await http.service.sending.send(by('ana'), {
    to,
    title,
    summary: 'All that is needed is here',
  })
  return handoff.id
}

/** What a browser makes of the text by the rules of EventSource: the id that it keeps, the messages that it tells. */
function browser(text: string): { last: string; heard: readonly string[] } {
  let [last, id, data] = ['', '', '']
  const heard: string[] = []
  for (const line of text.split('\n').slice(0, -1)) {
    if (line === '') {
      last = id
      if (data !== '') heard.push(data)
      data = ''
    } else if (line.startsWith('id: ')) id = line.slice(4)
    else if (line.startsWith('data: ')) data += `${line.slice(6)}\n`
  }
  return { last, heard }
}

/** Reads a stream event by event, and leaves it when the test ends. */
async function listen(
  t: TestContext,
  http: HttpWorkspace,
  token: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ next(): Promise<Event>; stop(): Promise<void> }> {
  const response = await http.request(path, get(token, headers))
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  t.after(() => reader.cancel().catch(() => undefined))
  let text = ''
  return {
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end === -1) {
          const { value, done } = await reader.read()
          assert.ok(!done, 'the stream ended')
          text += value
          continue
        }
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data === undefined) continue
        const told: Event = JSON.parse(data)
        assert.equal(/^id: (.*)$/m.exec(event)?.[1], told.cursor)
        return told
      }
    },
    stop: () => reader.cancel(),
  }
}

async function refused(response: Response): Promise<readonly [number, string]> {
  const { status, code } = await refusalOf(response)
  return [status, code]
}
