import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get, openHttp, post, refusalOf } from '../../../test/http-workspace.ts'
import { allowedHosts } from './guards.ts'

const OURS = 'localhost:4180'

/** What a page of another site, a rebound name or a careless proxy would send. */
// biome-ignore format: read as a table
const FOREIGN: readonly (readonly [name: string, headers: Record<string, string>, url?: string])[] = [
  ['a name that was rebound to this machine', { host: 'evil.example:4180' }],
  ['a rebound name without a port',           { host: 'evil.example' }],
  ['a name that ends like ours',              { host: 'notlocalhost:4180' }],
  ['a name that begins like ours',            { host: 'localhost.evil.example:4180' }],
  ['an address that begins like ours',        { host: '127.0.0.1.evil.example:4180' }],
  ['a name that leads to every address',      { host: '127.0.0.1.nip.io:4180' }],
  ['the root form of our name',               { host: 'localhost.:4180' }],
  ['another port',                            { host: 'localhost:4181' }],
  ['no port',                                 { host: 'localhost' }],
  ['an empty port',                           { host: 'localhost:' }],
  ['a port with a zero in front',             { host: 'localhost:04180' }],
  ['the address of all interfaces',           { host: '0.0.0.0:4180' }],
  ['another address of the loopback',         { host: '127.0.0.2:4180' }],
  ['a short form of the loopback',            { host: '127.1:4180' }],
  ['the loopback as one number',              { host: '2130706433:4180' }],
  ['the loopback in hexadecimal',             { host: '0x7f.0.0.1:4180' }],
  ['the loopback in octal',                   { host: '0177.0.0.1:4180' }],
  ['the IPv6 address of all interfaces',      { host: '[::]:4180' }],
  ['a mapped IPv4 address',                   { host: '[::ffff:127.0.0.1]:4180' }],
  ['IPv6 without brackets',                   { host: '::1:4180' }],
  ['an address of the local network',         { host: '192.168.1.5:4180' }],
  ['a user before our name',                  { host: 'evil.example@localhost:4180' }],
  ['our name before a user',                  { host: 'localhost:4180@evil.example' }],
  ['two hosts, ours first',                   { host: 'localhost:4180, evil.example' }],
  ['two hosts, ours last',                    { host: 'evil.example, localhost:4180' }],
  ['an empty host',                           { host: '' }],
  ['a name of the local network',             { host: 'baton.local:4180' }],
  ['a request line that names another host',  { host: OURS }, 'http://evil.example/v1/handoffs'],
  ['a page of another site',                  { origin: 'http://evil.example' }],
  ['a page of another site on our port',      { origin: 'http://evil.example:4180' }],
  ['a sandboxed page or a file',              { origin: 'null' }],
  ['an empty origin',                         { origin: '' }],
  ['a page on another port',                  { origin: 'http://localhost:3000' }],
  ['a page on our name without a port',       { origin: 'http://localhost' }],
  ['a page of another name of this machine',  { origin: 'http://127.0.0.1:4180' }],
  ['an origin that begins like ours',         { origin: 'http://localhost:4180.evil.example' }],
  ['an origin with a user',                   { origin: 'http://localhost:4180@evil.example' }],
  ['an origin of another scheme',             { origin: 'ftp://localhost:4180' }],
  ['a browser extension',                     { origin: 'chrome-extension://abcdefghijklmnop' }],
  ['an origin with a path',                   { origin: 'http://localhost:4180/' }],
  ['two origins',                             { origin: 'http://localhost:4180 http://evil.example' }],
  ['another site without an origin',          { 'sec-fetch-site': 'cross-site' }],
  ['another port of this machine',            { 'sec-fetch-site': 'same-site' }],
  ['an unknown word for the site',            { 'sec-fetch-site': 'trust-me' }],
  ['our origin from another site',            { origin: `http://${OURS}`, 'sec-fetch-site': 'cross-site' }],
  ['a picture of another site',               { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
]

// biome-ignore format: read as a table
const OWN: readonly (readonly [name: string, headers: Record<string, string>])[] = [
  ['a program',                           {}],
  ['this machine by address',             { host: '127.0.0.1:4180' }],
  ['this machine by IPv6 address',        { host: '[::1]:4180' }],
  ['our name in capitals',                { host: 'LocalHost:4180' }],
  ['our own page',                        { origin: `http://${OURS}`, 'sec-fetch-site': 'same-origin' }],
  ['our own page behind TLS',             { origin: `https://${OURS}` }],
  ['an address that a person typed',      { 'sec-fetch-site': 'none' }],
]

describe('guards', () => {
  it('have at least forty foreign requests to refuse', () => {
    assert.ok(FOREIGN.length >= 40)
  })

  it('refuse each of them on every address, before any operation runs', async (t) => {
    const { request, token, lines, service } = await openHttp(t)
    const secret = await token('codex')

    for (const [name, headers, url] of FOREIGN) {
      const answers = [
        await request(
          url ?? '/v1/handoffs',
          post(secret, { to: 'gemini', title: 'from elsewhere' }, headers),
        ),
        await request(url ?? '/v1/inbox', get(secret, headers)),
        await request(url ?? '/', { headers }),
        await request(url ?? '/healthz', { headers }),
        await request(url ?? '/readyz', { headers }),
        await request(url ?? '/nowhere', { headers }),
        await request(url ?? '/v1/handoffs', { method: 'OPTIONS', headers }),
      ]
      for (const answer of answers) {
        const { status, code } = await refusalOf(answer)
        assert.deepEqual([name, status, code], [name, 403, 'not_allowed'])
        assert.equal(answer.headers.get('access-control-allow-origin'), null)
      }
    }

    assert.deepEqual(await service.looking.list({}, { limit: 1 }), { items: [] })
    assert.equal(lines.length, FOREIGN.length * 7)
    assert.ok(lines.every((line) => !line.includes('operation')))
  })

  it('let programs, this machine and our own page through', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')

    for (const [name, headers] of OWN) {
      const host = (headers.host ?? OURS).toLowerCase()
      const answer = await request(`http://${host}/v1/inbox`, get(secret, headers))
      assert.deepEqual([name, answer.status], [name, 200])
    }
  })

  it('put the protecting headers on every answer, refusals and unknown addresses too', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')

    const answers = [
      await request('/v1/inbox', get(secret)),
      await request('/v1/inbox'),
      await request('/healthz', { headers: { host: 'evil.example' } }),
      await request('/nowhere'),
      await request('/healthz'),
      await request('/'),
    ]

    for (const { headers } of answers) {
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /^default-src 'none';/)
      assert.match(policy, /frame-ancestors 'none'/)
      assert.doesNotMatch(policy, /unsafe|script-src|connect-src|\*/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('set-cookie'), null)
    }
  })

  it('know a server by its loopback names, its own address and the names it was given', () => {
    const local = ['localhost:4180', '127.0.0.1:4180', '[::1]:4180']
    // biome-ignore format: read as a table
    const cases: readonly (readonly [host: string, port: number, names: readonly string[], allowed: readonly string[]])[] = [
      ['127.0.0.1',   4180, [],                          local],
      ['0.0.0.0',     4180, [],                          local],
      ['192.168.1.5', 4180, [],                          [...local, '192.168.1.5:4180']],
      ['fe80::1',     4180, [],                          [...local, '[fe80::1]:4180']],
      ['0.0.0.0',     4180, ['Baton.example.com'],       [...local, 'baton.example.com', 'baton.example.com:4180']],
      ['0.0.0.0',     4180, ['baton.example.com:8443'],  [...local, 'baton.example.com:8443']],
      ['127.0.0.1',   80,   [],                          ['localhost:80', 'localhost', '127.0.0.1:80', '127.0.0.1', '[::1]:80', '[::1]']],
    ]
    for (const [host, port, names, allowed] of cases)
      assert.deepEqual([...allowedHosts(host, port, names)], allowed)
  })
})
