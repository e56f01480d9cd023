import assert from 'node:assert/strict'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openBaton } from '../../src/index.ts'
import { overStdio } from '../mcp/agents.ts'
import { folders, git } from '../support/documents/folders.ts'
import { ask, type Where } from '../support/program/command.ts'
import { get, post, refusalOf } from '../support/servers/http-workspace.ts'
import { startServer } from '../support/servers/servers.ts'

const GONE =
  /^the store (at .*baton\.db )?was deleted or replaced while this process had it open\. Nothing was written; restart the process/
const OFFER = { to: 'codex', title: 'Add rate limiting' }

interface Listed {
  readonly items: readonly { readonly title: string }[]
}

async function newPlace(t: TestContext): Promise<Where & { readonly baton: string; readonly store: string }> {
  const made = folders(t)
  const cwd = made.repository('shop')
  const where = { cwd, env: { BATON_HOME: made.folder('home') } }
  await ask(where, 'init')
  const baton = join(cwd, '.baton')
  return { ...where, baton, store: join(baton, 'baton.db') }
}

async function newToken(where: Where): Promise<string> {
  await ask(where, 'agent', 'add', 'maria', '--kind', 'human')
  await ask(where, 'agent', 'add', 'codex', '--as', 'maria')
  const given = ['--agent', 'codex', '--scope', '*', '--as', 'maria']
  return (await ask<{ secret: string }>(where, 'token', 'create', ...given)).secret
}

async function serving(t: TestContext) {
  const place = await newPlace(t)
  const token = await newToken(place)
  const server = await startServer(t, place, '--as', 'maria')
  const send = (title: string) => fetch(`${server.url}/v1/handoffs`, post(token, { to: 'claude', title }))
  const refused = async () => {
    const { status, problem } = await refusalOf(await send('Written to nowhere'))
    assert.deepEqual([status, problem.code], [503, 'unavailable'])
    assert.match(problem.detail, GONE)
    assert.doesNotMatch(JSON.stringify(problem), /baton\.db/)
    assert.equal((await fetch(`${server.url}/readyz`)).status, 503)
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  }
  const listed = async () => {
    const answer = await fetch(`${server.url}/v1/handoffs`, get(token))
    return ((await answer.json()) as Listed).items.map(({ title }) => title)
  }
  return { place, server, send, refused, listed }
}

describe('baton serve whose store is deleted or replaced', () => {
  const DELETED: Readonly<Record<string, (place: Awaited<ReturnType<typeof newPlace>>) => unknown>> = {
    'git clean -fdx': ({ cwd }) => git(cwd, 'clean', '-f', '-d', '-x', '--quiet'),
    'rm -rf .baton': ({ baton }) => rmSync(baton, { recursive: true }),
    'mv .baton': ({ baton }) => renameSync(baton, `${baton}-old`),
  }
  for (const [command, run] of Object.entries(DELETED))
    it(`refuses writes after ${command}, and goes on answering reads`, async (t) => {
      const { place, send, refused, listed } = await serving(t)
      assert.equal((await send('Before')).status, 200)

      run(place)

      assert.equal(existsSync(place.store), false)
      await refused()
      await refused()
      assert.deepEqual(await listed(), ['Before'])
      assert.equal(existsSync(place.store), false)
    })

  it('refuses writes beside a command that made a new store there, and loses nothing of that', async (t) => {
    const { place, refused } = await serving(t)
    rmSync(place.baton, { recursive: true })
    await ask(place, 'send', '--to', 'codex', '--title', 'In the new store', '--as', 'maria')

    await refused()

    const { items } = await ask<Listed>(place, 'handoff', 'list')
    assert.deepEqual(
      items.map(({ title }) => title),
      ['In the new store'],
    )
  })

  it('[T25] refuses writes when an older copy was renamed over the store', async (t) => {
    const { place, send, refused } = await serving(t)
    await ask(place, 'store', 'backup', 'old.ndjson')
    await ask(place, 'store', 'restore', 'old.ndjson', '--store', 'old.db')
    assert.equal((await send('After the copy')).status, 200)
    renameSync(join(place.cwd, 'old.db'), place.store)

    await refused()
  })

  it('takes writes after a restart', async (t) => {
    const { place, server, refused } = await serving(t)
    rmSync(place.baton, { recursive: true })
    await refused()
    server.child.kill('SIGTERM')
    await ask(place, 'init')
    const token = await newToken(place)

    const next = await startServer(t, place, '--as', 'maria')
    const answer = await fetch(`${next.url}/v1/handoffs`, post(token, OFFER))

    assert.equal(answer.status, 200)
  })
})

describe('an agent whose store is deleted', () => {
  it('is told so by baton mcp, and nothing is written', async (t) => {
    const place = await newPlace(t)
    const agent = await overStdio(t, place, ['--agent', 'claude'])
    await agent.call('handoff_send', OFFER)
    rmSync(place.baton, { recursive: true })

    const { code, text } = await agent.refused('handoff_send', OFFER)

    assert.equal(code, 'unavailable')
    assert.match(text, GONE)
    assert.equal(existsSync(place.store), false)
  })

  it('is told so by openBaton, and nothing is written', async (t) => {
    const place = await newPlace(t)
    const opened = await openBaton({ store: place.store })
    t.after(() => opened.close())
    const claude = opened.as('claude')
    await claude.send(OFFER)
    rmSync(place.baton, { recursive: true })

    await assert.rejects(claude.send(OFFER), { name: 'BatonError', code: 'unavailable', message: GONE })

    assert.equal(existsSync(place.store), false)
  })
})
