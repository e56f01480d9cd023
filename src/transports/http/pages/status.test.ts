import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { by } from '../../../../test/support/program/workspace.ts'
import { get, type HttpWorkspace, openHttp } from '../../../../test/support/servers/http-workspace.ts'
import { allowedHosts } from '../server/guards.ts'
import { statusPage } from './status-page.ts'

const SECRET_TEXT = 'Merger <b>with</b> Acme'

/** A workspace whose handoff, task and agent have texts that no stranger may read. */
async function fill({ service }: HttpWorkspace): Promise<void> {
  await service.sending.send(by('planner'), {
    to: 'codex',
    title: SECRET_TEXT,
    summary: 'top secret',
    task: 'T-1',
  })
}

async function pageOf(answer: Response): Promise<string> {
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
  return answer.text()
}

describe('the status page', () => {
  it('shows address, workspace, store, numbers and commands to whoever sits at the machine', async (t) => {
    const workspace = await openHttp(t)
    await fill(workspace)

    const page = await pageOf(await workspace.request('/'))

    for (const part of [
      'http://localhost:4180',
      workspace.store.info.location,
      '<b>1</b>offered',
      '<span>baton</span> <span>send</span>',
    ])
      assert.ok(page.includes(part), part)
  })

  it('holds no text of a handoff and no name of an agent', async (t) => {
    const workspace = await openHttp(t)
    await workspace.token('secret-agent')
    await fill(workspace)

    const page = await pageOf(await workspace.request('/'))

    assert.doesNotMatch(page, /Merger|Acme|top secret|T-1|planner|secret-agent|HO-2026/)
  })

  it('has no script, asks for nothing outside, and its style is the only one its policy lets through', async (t) => {
    const { request } = await openHttp(t)

    const answer = await request('/')
    const page = await pageOf(answer)

    assert.doesNotMatch(page, /<script|javascript:|\son\w+=|<form|<iframe|@import|url\(/i)
    assert.deepEqual(
      [...page.matchAll(/(?:src|href)="([a-z]+):/g)].map((match) => match[1]),
      ['data'],
    )
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
    const policy = answer.headers.get('content-security-policy')
    assert.ok(policy?.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`))
  })

  it('tells a stranger nothing but that it is there', async (t) => {
    const forwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']
    const hosts = allowedHosts('127.0.0.1', 4180, ['baton.example.com'])
    const behindProxy = await openHttp(t, {}, { hosts })
    const open = await openHttp(t, {}, { local: false })
    const named = { headers: { host: 'baton.example.com' } }

    const pages = [
      await pageOf(await open.request('/')),
      await pageOf(await behindProxy.request('http://baton.example.com/', named)),
    ]
    for (const header of forwarded)
      pages.push(await pageOf(await behindProxy.request('/', { headers: { [header]: 'somebody' } })))

    assert.equal(new Set(pages).size, 1)
    assert.doesNotMatch(pages[0] ?? '', /SQLite|Open handoffs|baton\.db|localhost/)
  })

  it('shows the numbers elsewhere to a token that may read them, and refuses a wrong one', async (t) => {
    const { request, token } = await openHttp(t, {}, { local: false })

    assert.match(
      await pageOf(await request('/', get(await token('codex', ['report:read'])))),
      /Open handoffs/,
    )
    assert.doesNotMatch(
      await pageOf(await request('/', get(await token('codex', ['handoff:read'])))),
      /Open handoffs/,
    )
    assert.equal((await request('/', get('baton_unknown'))).status, 401)
  })

  it('writes what a store is called as text', () => {
    const page = statusPage({
      address: 'http://localhost:4180',
      workspace: '<img src=x>"&',
      store: { engine: 'postgres', location: '<script>' },
      handoffs: {},
      tasks: {},
      agents: 0,
      entries: 0,
      hasTokens: false,
    })

    assert.match(page, /&lt;img src=x&gt;&quot;&amp;/)
    assert.doesNotMatch(page, /<img|<script/)
  })
})
