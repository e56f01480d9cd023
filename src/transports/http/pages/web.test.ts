import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { folders } from '../../../../test/support/documents/folders.ts'
import { get, type HttpWorkspace, openHttp } from '../../../../test/support/servers/http-workspace.ts'
import { greeting } from '../server/greeting.ts'

const SCRIPT = 'export const many = [1, 2, 3]\n'.repeat(99)
const PAGE = '<!doctype html><title>Baton</title>'

/** The app over a dashboard of three files, beside a file that is none of it. */
async function withWeb(t: TestContext): Promise<HttpWorkspace> {
  const { path } = folders(t)
  mkdirSync(path('web', 'assets'), { recursive: true })
  writeFileSync(path('web', 'index.html'), PAGE)
  writeFileSync(path('web', 'icon.svg'), '<svg/>')
  writeFileSync(path('web', 'assets', 'index-1a2b.js'), SCRIPT)
  writeFileSync(path('secret.js'), 'no')
  return openHttp(t, {}, { web: join(path('web')) })
}

describe('the dashboard over HTTP', () => {
  it('is one page at the address of each of its pages, asked for anew each time', async (t) => {
    const { request } = await withWeb(t)

    for (const path of [
      '/',
      '/inbox',
      '/handoffs/HO-2026-001',
      '/tasks',
      '/agents',
      '/workflows/run-1',
      '/audit',
    ]) {
      const answer = await request(path)
      assert.equal(await answer.text(), PAGE, path)
      assert.equal(answer.headers.get('cache-control'), 'no-cache')
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /^default-src 'none'; script-src 'self';/,
      )
    }
  })

  it('gives a page to browsers and numbers to programs at the address that both know', async (t) => {
    const { request, token } = await withWeb(t)
    const bearer = get(await token('prometheus', ['report:read']), { accept: 'text/plain;version=0.0.4' })

    const page = await request('/metrics', { headers: { accept: 'text/html,application/xhtml+xml' } })
    const numbers = await request('/metrics', bearer)

    assert.equal(await page.text(), PAGE)
    assert.match(await numbers.text(), /^# HELP /)
    assert.equal((await request('/metrics')).status, 401)
  })

  it('says with a page to browsers, and with a problem to programs, that there is nothing at an address', async (t) => {
    const { request } = await withWeb(t)
    const browser = { headers: { accept: 'text/html,application/xhtml+xml' } }

    for (const path of ['/nope', '/handoffs/a/b', '/nope.html', '/%E0%A4%A']) {
      const page = await request(path, browser)
      assert.deepEqual([page.status, await page.text()], [404, PAGE], path)
      assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/)
    }
    for (const [path, init] of [
      ['/nope', {}],
      ['/v1/nope', browser],
      ['/nope', { ...browser, method: 'POST' }],
    ] as const) {
      const problem = await request(path, init)
      assert.equal(problem.status, 404, path)
      assert.equal(problem.headers.get('content-type'), 'application/problem+json', path)
    }
  })

  it('keeps files whose name tells their content for good, and gives nothing from outside its folder', async (t) => {
    const { request } = await withWeb(t)

    const file = await request('/assets/index-1a2b.js')
    const outside = [
      '/assets/..%2f..%2fsecret.js',
      '/assets/%2e%2e%2f%2e%2e%2fsecret.js',
      '/assets/..%5c..%5csecret.js',
    ]

    assert.equal(file.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.equal(await file.text(), SCRIPT)
    assert.match(file.headers.get('cache-control') ?? '', /immutable/)
    for (const path of [...outside, '/assets/index.html', '/assets/none.js', '/assets/index-1a2b.js.map'])
      assert.equal((await request(path)).status, 404, path)
  })

  it('gives of the documentation its own texts, and no file that an absolute or climbing path names', async (t) => {
    const { request } = await withWeb(t)
    const readme = resolve('README.md')

    assert.equal((await request('/docs/how-to/run')).headers.get('content-type'), 'text/html; charset=utf-8')
    for (const path of [`/docs/${readme}`, '/docs/..%2fREADME.md', `/docs/%2e%2e%2f..${readme}`])
      assert.equal((await request(path)).status, 404, path)
  })

  it('sends code packed to whoever can unpack it, the same the second time', async (t) => {
    const { request } = await withWeb(t)
    const packed = { headers: { 'accept-encoding': 'gzip, deflate, br' } }

    const answers = [
      await request('/assets/index-1a2b.js', packed),
      await request('/assets/index-1a2b.js', packed),
    ]

    for (const answer of answers) {
      assert.equal(answer.headers.get('content-encoding'), 'gzip')
      assert.equal(answer.headers.get('vary'), 'accept-encoding')
      assert.equal(gunzipSync(await answer.arrayBuffer()).toString(), SCRIPT)
    }
  })

  it('is not there where it is not built', async (t) => {
    const { request } = await openHttp(t)

    for (const path of ['/', '/inbox']) assert.equal((await request(path)).status, 404, path)
  })
})

describe('the greeting', () => {
  const store = {
    workspace: 'default',
    location: '/home/maria/shop/.baton/baton.db',
    engine: 'sqlite',
  } as never
  const place = { url: 'http://127.0.0.1:4180', local: true, named: false, tokens: 0 }

  it('lets whoever started the server into the dashboard, and else says how to get in', () => {
    assert.match(
      greeting(store, { ...place, code: 'baton_x' }),
      /http:\/\/127\.0\.0\.1:4180\/#login=baton_x\n/,
    )
    assert.match(
      greeting(store, place),
      /open http:\/\/127\.0\.0\.1:4180 in a browser; a link that lets you in: baton login/,
    )
  })
})
