import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FOREIGN } from '../../../../test/support/documents/foreign-requests.ts'
import { person, removeAsFirstVersion } from '../../../../test/support/program/workspace.ts'
import {
  bearer,
  type HttpWorkspace,
  openHttp,
  refusalOf,
} from '../../../../test/support/servers/http-workspace.ts'
import { loadOperations } from '../../../operations/index.ts'
import { SCOPES } from '../../cli/commands/agent/token.ts'

/** A way into the server, with a request that is refused for its input at the latest. */
interface Door {
  readonly name: string
  readonly path: string
  readonly init: RequestInit
  /** What a token must hold; nothing where any token is enough. */
  readonly scope?: string
  /** Another one that is enough. */
  readonly or?: string
}

type Headers = Readonly<Record<string, string>>

const operations = await loadOperations()
const json = { 'content-type': 'application/json' }
const CLIENT = { capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
const INITIALIZE = {
  method: 'POST',
  headers: { ...json, accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', ...CLIENT },
  }),
}

const DOORS: readonly Door[] = [
  ...operations.map((op): Door => {
    const path = op.http.path.replaceAll(/\{\w+\}/g, 'x')
    return op.http.method === 'GET'
      ? { name: op.name, path: `${path}?zzz=1`, init: {}, scope: op.scope }
      : { name: op.name, path, init: { method: 'POST', headers: json, body: '{"zzz":1}' }, scope: op.scope }
  }),
  { name: 'events', path: '/v1/events?zzz=1', init: {}, scope: 'report:read' },
  {
    name: 'events of handoffs',
    path: '/v1/events?kind=handoff&zzz=1',
    init: {},
    scope: 'handoff:read',
    or: 'report:read',
  },
  { name: 'metrics', path: '/metrics', init: {}, scope: 'report:read' },
  { name: 'whoami', path: '/v1/whoami', init: {} },
  { name: 'mcp', path: '/mcp', init: INITIALIZE },
]

/** What needs no token is guarded all the same. */
const OPEN_DOORS: readonly Door[] = [
  { name: 'session', path: '/v1/session', init: { method: 'POST', headers: json, body: '{"code":"x"}' } },
  { name: 'session end', path: '/v1/session/end', init: { method: 'POST' } },
  { name: 'openapi', path: '/v1/openapi.json', init: {} },
  { name: 'docs', path: '/docs', init: {} },
  { name: 'health', path: '/healthz', init: {} },
  { name: 'ready', path: '/readyz', init: {} },
]

/** The two ways in which a secret comes along. */
const CARRIERS: Readonly<Record<string, (secret: string) => Headers>> = {
  token: bearer,
  cookie: (secret) => ({ cookie: `other=1; baton_session=${secret}` }),
}

describe('every door', () => {
  it('is shut to pages of other sites and to rebound names, whatever credential comes along', async (t) => {
    const http = await openHttp(t)
    const secret = await http.token('maria', ['*'], 'human')
    const credentials = [{}, ...Object.values(CARRIERS).map((carry) => carry(secret))]
    const before = await http.service.looking.counts()
    http.lines.length = 0

    for (const door of [...DOORS, ...OPEN_DOORS])
      for (const [name, headers, url] of FOREIGN)
        for (const credential of credentials) {
          const address = url === undefined ? door.path : new URL(door.path, url).href
          const answer = await knock(http, { ...door, path: address }, { ...credential, ...headers })
          const { status, code } = await refusalOf(answer)
          assert.deepEqual([door.name, name, status, code], [door.name, name, 403, 'not_allowed'])
          assert.equal(answer.headers.get('set-cookie'), null)
        }

    assert.deepEqual(await http.service.looking.counts(), before)
    assert.ok(http.lines.every((line) => !line.includes('operation')))
  })

  it('[T11] is shut to every caller without a credential, with a bad one, or with one of a removed agent', async (t) => {
    const http = await openHttp(t)
    const tokens = await http.service.tokens()
    const make = async (expires_at?: string) =>
      tokens.create(person('maria'), { agent: 'codex', scopes: ['*'], expires_at })
    const expired = await make(http.clock.text)
    const revoked = await make()
    await (await (await http.beside()).tokens()).revoke(person('maria'), revoked.token.uid)
    const session = (await tokens.beginSession((await make()).secret))!
    const parent = (await tokens.list()).find(({ hash }) => hash === session.token.parent)!
    await tokens.revoke(person('maria'), parent.uid)
    const removed = await http.token('gemini')
    const ended = (await tokens.beginSession(removed))!
    await (await http.beside()).agents.remove(person('maria'), 'gemini')
    const removedEarlier = await http.token('grok')
    const putBack = await removeAsFirstVersion(http.store, 'grok')
    const foreign = await (await openHttp(t)).token('codex')
    const code = await tokens.loginCode(person('maria'), 'maria')
    const bad = [
      ...[expired.secret, revoked.secret, session.secret, removed, ended.secret, removedEarlier],
      ...[foreign, code, 'baton_', `baton_${'x'.repeat(43)}`, 'x'],
    ]

    for (const door of DOORS) {
      assert.deepEqual([door.name, ...(await refused(http, door, {}))], [door.name, 401, 'unauthenticated'])
      for (const secret of bad)
        for (const carry of Object.values(CARRIERS))
          assert.deepEqual(
            [door.name, secret, ...(await refused(http, door, carry(secret)))],
            [door.name, secret, 401, 'unauthenticated'],
          )
    }
    await putBack()
  })

  it('opens to a bad token by no cookie beside it', async (t) => {
    const http = await openHttp(t)
    const good = await http.token('codex')

    for (const door of DOORS)
      assert.deepEqual(
        await refused(http, door, { ...bearer('baton_bad'), ...CARRIERS.cookie!(good) }),
        [401, 'unauthenticated'],
        door.name,
      )
  })

  for (const [carrier, carry] of Object.entries(CARRIERS))
    it(`[T12] opens to the scope it needs and no other, by ${carrier}`, async (t) => {
      const http = await openHttp(t)
      for (const scope of [...SCOPES, 'gate:read', 'report:write', 'nothing:write', 'login']) {
        const secret = await http.token('maria', [scope], 'human')
        for (const door of DOORS) {
          const { status } = await knock(http, door, carry(secret))
          assert.deepEqual([scope, door.name, status], [scope, door.name, expected(door, scope)])
        }
      }
    })

  it('opens to a session exactly as far as to the token that began it', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('maria', ['task:read', 'report:read'], 'human')
    const begun = await http.request('/v1/session', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ code: token }),
    })
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''

    for (const door of DOORS) {
      const [bySession, byToken] = [
        await knock(http, door, { cookie }),
        await knock(http, door, bearer(token)),
      ]
      assert.deepEqual([door.name, bySession.status], [door.name, byToken.status])
    }
  })
})

describe('a login', () => {
  it('reads no more of a body than a code needs, and nothing that is no JSON object', async (t) => {
    const http = await openHttp(t)
    const bodies: readonly (readonly [string, number, Headers?])[] = [
      [`{"code":"${'x'.repeat(2_000)}"}`, 413],
      ['null', 400],
      ['[]', 400],
      ['"code"', 400],
      ['{"code":', 400],
      ['code=x', 400, { 'content-type': 'text/plain' }],
      ['code=x', 400, { 'content-type': 'application/x-www-form-urlencoded' }],
      ['', 401],
    ]
    for (const [body, status, headers = json] of bodies)
      assert.deepEqual(
        [body.slice(0, 20), (await http.request('/v1/session', { method: 'POST', headers, body })).status],
        [body.slice(0, 20), status],
      )
  })
})

/** What the rule says in other words: default deny, writing includes reading, and others do not learn what is there. */
function expected(door: Door, scope: string): number {
  if (scope === 'login') return 401
  const isOpen =
    door.scope === undefined ||
    scope === '*' ||
    [door.scope, door.or].some(
      (needed) => needed && [needed, needed.replace(/:read$/, ':write')].includes(scope),
    )
  if (isOpen) return door.name === 'metrics' || door.scope === undefined ? 200 : 400
  const noun = door.scope?.split(':')[0] ?? ''
  const reads = noun === 'gate' || noun === 'notice' ? 'handoff' : noun
  const isOperation = operations.some(({ name }) => name === door.name)
  return isOperation && [`${reads}:read`, `${reads}:write`].includes(scope) ? 403 : 404
}

const knock = (http: HttpWorkspace, { path, init }: Door, headers: Headers): Promise<Response> =>
  http.request(path, { ...init, headers: { ...(init.headers as Headers), ...headers } })

async function refused(http: HttpWorkspace, door: Door, headers: Headers): Promise<[number, string]> {
  const { status, code } = await refusalOf(await knock(http, door, headers))
  return [status, code]
}
