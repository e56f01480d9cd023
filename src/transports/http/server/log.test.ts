import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get, openHttp } from '../../../../test/support/servers/http-workspace.ts'
import { createLog } from './log.ts'

const now = () => new Date('2026-02-21T14:30:00.000Z')

function linesOf(isTTY: boolean, fields: Record<string, unknown>): string {
  let text = ''
  createLog({ isTTY, write: (line) => (text += line) }, now)('warn', 'request', fields)
  return text
}

describe('the log', () => {
  it('is a JSON object on each line for programs', () => {
    assert.equal(
      linesOf(false, { status: 200, text: 'two\nlines' }),
      '{"time":"2026-02-21T14:30:00.000Z","level":"warn","event":"request","status":200,"text":"two\\nlines"}\n',
    )
  })

  it('is plain words on a terminal, which nobody can steer through it', () => {
    assert.equal(
      linesOf(true, { status: 200, actor: 'codex\u001b[2J\u202e\r', none: undefined }),
      '14:30:00 warn request status=200 actor=codex [2J \n',
    )
  })

  it('never holds a token or the password of a store', () => {
    for (const isTTY of [true, false]) {
      const line = linesOf(isTTY, {
        error: 'no baton_abcDEF123-_456789 at postgres://baton:hunter2@db/x',
        nested: { header: ['Bearer baton_abcDEF123-_456789'] },
      })
      assert.doesNotMatch(line, /abcDEF123|hunter2/)
      assert.match(line, /baton_… at postgres:\/\/…@db\/x/)
    }
  })
})

describe('the request log', () => {
  it('names a call that took more than a second, also where it is switched off', async (t) => {
    const http = await openHttp(
      t,
      {
        wrap: (store) =>
          new Proxy(store, {
            get(target, name) {
              const value = Reflect.get(target, name)
              if (name !== 'counts') return typeof value === 'function' ? value.bind(target) : value
              // As a disk that stops for a moment does: the whole process stands still.
              return async () => {
                Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_050)
                return target.counts()
              }
            },
          }),
      },
      { requestLog: 'off' },
    )
    const token = await http.token('codex')
    await http.request('/v1/inbox', get(token))
    assert.deepEqual(http.lines, [])
    await http.request('/metrics', get(token))
    assert.match(http.lines.join(''), /^\{"time":"[^"]+","level":"warn","event":"request",.*"ms":1\d{3}\}\n$/)
  })

  it('has the refusal of / where no dashboard was built, and the API answers there all the same', async (t) => {
    const http = await openHttp(t)
    const page = await http.request('/', { headers: { accept: 'text/html' } })
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'application/problem+json'])
    assert.equal((await http.request('/healthz')).status, 200)
    assert.equal((await http.request('/docs')).status, 200)
  })
})
