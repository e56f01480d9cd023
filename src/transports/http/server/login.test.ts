import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ENGINES, person } from '../../../../test/support/program/workspace.ts'
import {
  get,
  type HttpWorkspace,
  openHttp,
  post,
  refusalOf,
} from '../../../../test/support/servers/http-workspace.ts'

describe('a session in a browser', () => {
  it('begins with a code, once, and is a cookie that no script and no other site can use', async (t) => {
    const http = await openHttp(t)
    const code = await codeFor(http, 'maria')

    const begun = await begin(http, code)
    const cookie = begun.headers.get('set-cookie') ?? ''

    assert.deepEqual([begun.status, ((await begun.json()) as { agent: string }).agent], [200, 'maria'])
    assert.match(cookie, /^baton_session=baton_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Expires=/)
    assert.equal((await http.request('/v1/inbox', { headers: { cookie: nameOf(cookie) } })).status, 200)
    assert.deepEqual((await refusalOf(await begin(http, code))).status, 401)
    assert.equal(http.lines.join('').includes(code), false)
  })

  it('is given to one of many that come with the same code', async (t) => {
    const http = await openHttp(t)
    const code = await codeFor(http, 'maria')

    const answers = await Promise.all(Array.from({ length: 8 }, () => begin(http, code)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  it('is not begun with a code that is old, unknown or none, and a code is no token', async (t) => {
    const http = await openHttp(t)
    const code = await codeFor(http, 'maria')
    assert.equal((await refusalOf(await http.request('/v1/inbox', get(code)))).status, 401)
    http.clock.pass(11 * 60 * 1_000)

    for (const body of [{ code }, { code: `baton_${'x'.repeat(43)}` }, { code: 7 }, {}])
      assert.equal((await refusalOf(await http.request('/v1/session', post('', body)))).status, 401)
  })

  it('has the rights of the token that a person typed in, and ends no later', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('maria', ['handoff:read'], 'human')
    const cookie = nameOf((await begin(http, token)).headers.get('set-cookie') ?? '')

    assert.equal((await http.request('/v1/inbox', { headers: { cookie } })).status, 200)
    const { status } = await refusalOf(
      await http.request('/v1/handoffs', {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: '{}',
      }),
    )
    assert.equal(status, 403)
  })

  for (const engine of ENGINES)
    it(`ends with the token that a person typed in, as a cookie and as a bearer, on ${engine}`, async (t) => {
      const http = await openHttp(t, { engine })
      await http.service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
      const made = await (await http.service.tokens()).create(person('maria'), {
        agent: 'maria',
        scopes: ['*'],
      })
      const cookie = nameOf((await begin(http, made.secret)).headers.get('set-cookie') ?? '')
      const secret = cookie.split('=')[1]!
      const again = nameOf((await begin(http, secret)).headers.get('set-cookie') ?? '')
      const statuses = async () => {
        const calls = [{ headers: { cookie } }, get(secret), { headers: { cookie: again } }]
        return Promise.all(calls.map(async (call) => (await http.request('/v1/whoami', call)).status))
      }
      assert.deepEqual(await statuses(), [200, 200, 200])

      await (await (await http.beside()).tokens()).revoke(person('maria'), made.token.uid)

      assert.deepEqual(await statuses(), [401, 401, 401])
      assert.equal((await refusalOf(await begin(http, secret))).status, 401)
    })

  it('ends when the person says so', async (t) => {
    const http = await openHttp(t)
    const cookie = nameOf((await begin(http, await codeFor(http, 'maria'))).headers.get('set-cookie') ?? '')
    const ended = await http.request('/v1/session/end', { method: 'POST', headers: { cookie } })

    assert.match(ended.headers.get('set-cookie') ?? '', /^baton_session=; Path=\/; Max-Age=0/)
    assert.equal((await refusalOf(await http.request('/v1/inbox', { headers: { cookie } }))).status, 401)
  })

  it('is no use to a page of another site', async (t) => {
    const http = await openHttp(t)
    const cookie = nameOf((await begin(http, await codeFor(http, 'maria'))).headers.get('set-cookie') ?? '')
    const foreign: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign)
      assert.equal(
        (await refusalOf(await http.request('/v1/inbox', { headers: { cookie, ...headers } }))).status,
        403,
      )
  })
})

const codeFor = async (http: HttpWorkspace, name: string): Promise<string> =>
  (await http.service.tokens()).loginCode(person(name), name)

const begin = (http: HttpWorkspace, code: string): Promise<Response> =>
  http.request('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })

const nameOf = (cookie: string): string => cookie.split(';')[0] ?? ''
