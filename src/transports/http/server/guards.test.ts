import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import { FOREIGN, OURS } from '../../../../test/support/documents/foreign-requests.ts'
import { get, openHttp, post, refusalOf } from '../../../../test/support/servers/http-workspace.ts'
import { allowedHosts } from './guards.ts'

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

  it('[T10] refuse each of them on every address, before any operation runs', async (t) => {
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

  it('show whoever followed a link of another site the way on, and nothing else', async (t) => {
    const { request } = await openHttp(t)
    const visit = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    const pageOf = async (url: string, headers: Record<string, string>) => {
      const answer = await request(url, { headers })
      assert.equal(answer.status, 403)
      const text = await answer.text()
      return answer.headers.get('content-type')?.startsWith('text/html') ? text : undefined
    }

    const page = await pageOf('/handoffs/HO-2026-001?tab=%22%3E%3Cscript%3E', visit)
    assert.match(page ?? '', /<a href="\/handoffs\/HO-2026-001\?tab=%22%3E%3Cscript%3E">/)
    assert.doesNotMatch(page ?? '', /<script/)
    assert.match((await pageOf('//evil.example/', visit)) ?? '', /<a href="\/evil.example\/">/)
    for (const [url, headers] of [
      ['/v1/inbox', visit],
      ['/', { ...visit, 'sec-fetch-dest': 'iframe' }],
      ['/', { ...visit, 'sec-fetch-mode': 'no-cors' }],
      ['/', { ...visit, origin: 'https://evil.example' }],
      ['/', { ...visit, host: 'evil.example' }],
    ] as const)
      assert.equal(await pageOf(url, headers), undefined)
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
      await request('/docs'),
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
    const page = answers.at(-1)!
    const style = /<style>([\s\S]*?)<\/style>/.exec(await page.text())?.[1] ?? ''
    const only = `style-src 'sha256-${hash('sha256', style, 'base64')}'`
    assert.ok(page.headers.get('content-security-policy')?.includes(only))
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
