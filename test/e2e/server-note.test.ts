import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, quick, refusal } from '../support/program/command.ts'
import { startServer } from '../support/servers/servers.ts'

describe('the link that baton login prints', () => {
  it('leads to the server of the workspace while it runs, whatever its port', async (t) => {
    const cwd = folders(t).folder('shop')
    mkdirSync(join(cwd, '.baton'))
    const server = await startServer(t, { cwd }, '--as', 'maria')
    const first = await ask<{ url: string }>({ cwd }, 'login')
    const told = await quick({ cwd }, 'login')
    const given = await ask<{ url: string }>({ cwd }, 'login', '--url', 'https://baton.example.com')
    server.child.kill('SIGTERM')
    await once(server.child, 'exit')
    const later = await refusal({ cwd }, 'login')

    assert.equal(new URL(first.url).origin, server.url)
    assert.equal(new URL(given.url).origin, 'https://baton.example.com')
    assert.doesNotMatch(told.stderr, /no server/)
    assert.deepEqual([later.code, later.exit], ['unavailable', 13])
    assert.match(
      later.message,
      /^no server of this workspace runs on this machine; start one with: baton serve/,
    )
    assert.ok(!existsSync(join(cwd, '.baton/server.json')))
  })

  it('is not made in a repository without a workspace, which stays without one', async (t) => {
    const cwd = folders(t).repository('shop')

    const { code, message } = await refusal({ cwd }, 'login')

    assert.equal(code, 'not_found')
    assert.match(message, /^there is no workspace in .*; make one with: baton init$/)
    assert.ok(!existsSync(join(cwd, '.baton')))
  })

  it('is not made for the server of another workspace, and is with a warning for one that does not answer', async (t) => {
    const place = folders(t)
    const [cwd, other] = [place.repository('shop'), place.repository('other')]
    for (const each of [cwd, other]) await ask({ cwd: each }, 'init')
    const server = await startServer(t, { cwd: other }, '--as', 'maria')

    const foreign = await refusal({ cwd }, 'login', '--url', server.url)
    const own = await quick({ cwd: other }, 'login', '--url', server.url)
    const away = await quick({ cwd }, 'login', '--url', 'http://127.0.0.1:1')
    const { items } = await ask<{ items: { scopes: string[] }[] }>({ cwd }, 'token', 'list')

    assert.deepEqual([foreign.code, foreign.exit], ['conflict', 6])
    assert.match(foreign.message, /^the server at 127\.0\.0\.1:\d+ serves another workspace/)
    assert.doesNotMatch(own.stderr, /not tried/)
    assert.match(own.stdout, /#login=baton_/)
    assert.match(away.stderr, /the link was not tried: Baton at http:\/\/127\.0\.0\.1:1 .* --url/)
    assert.match(away.stdout, /#login=baton_/)
    assert.deepEqual(
      items.map(({ scopes }) => scopes),
      [['login']],
    )
  })

  it('goes to no host that a folder names, and to no server that is gone', async (t) => {
    const cwd = folders(t).folder('shop')
    mkdirSync(join(cwd, '.baton'))
    const store = join(cwd, '.baton/baton.db')
    const notes = [
      {
        url: 'https://evil.example.com',
        host: 'evil.example.com',
        port: 'evil.example.com:80',
        pid: process.pid,
      },
      { store, port: 4999, pid: 2 ** 31 - 1 },
      { store: '/another/store.db', port: 4999, pid: process.pid },
      { store, port: 0, pid: process.pid },
      [],
    ]
    for (const note of notes) {
      writeFileSync(join(cwd, '.baton/server.json'), JSON.stringify(note))

      assert.equal((await refusal({ cwd }, 'login')).code, 'unavailable')
    }
    writeFileSync(join(cwd, '.baton/server.json'), JSON.stringify({ store, port: 4999, pid: process.pid }))
    const { url } = await ask<{ url: string }>({ cwd }, 'login')

    assert.equal(new URL(url).origin, 'http://127.0.0.1:4999')
  })
})

it('baton serve makes the workspace outside git that baton send does not make by itself, and send works in it', async (t) => {
  const cwd = folders(t).folder('plain')
  const send = ['send', '--to', 'codex', '--title', 'Work']
  const refused = await refusal({ cwd }, ...send)

  await startServer(t, { cwd }, '--as', 'maria')

  assert.match(refused.message, /is not in a git repository; if the workspace belongs here, run: baton init$/)
  await ask({ cwd }, ...send)
})

describe('baton doctor', () => {
  const checksIn = async (cwd: string): Promise<Record<string, { ok: boolean; detail: string }>> =>
    Object.fromEntries(
      JSON.parse((await quick({ cwd }, 'doctor', '--json')).stdout).checks.map((check: { name: string }) => [
        check.name,
        check,
      ]),
    )

  it('explains a repository within a workspace, and a second workspace in it', async (t) => {
    const place = folders(t)
    const [outer, inner] = [place.repository('shop'), place.repository('shop/vendored')]
    await ask({ cwd: outer }, 'init')

    const { workspace: none } = await checksIn(inner)
    await ask({ cwd: inner }, 'init')
    const { workspace: second } = await checksIn(inner)
    const { workspace: first } = await checksIn(outer)

    assert.deepEqual([none?.ok, second?.ok], [false, true])
    assert.match(
      none!.detail,
      new RegExp(`lies within the workspace of ${outer}; use that one with BATON_WORKSPACE=`),
    )
    assert.match(second!.detail, new RegExp(`^${inner}; a second workspace lies around it in ${outer} `))
    assert.equal(first?.detail, outer)
  })

  it('names a server that was started here for another store', async (t) => {
    const cwd = folders(t).repository('shop')
    await ask({ cwd }, 'send', '--to', 'codex', '--title', 'x')
    const store = join(cwd, '.baton/baton.db')
    const noted = async (served: string) => {
      const note = { store: served, port: 4999, pid: process.pid }
      writeFileSync(join(cwd, '.baton/server.json'), JSON.stringify(note))
      return (await checksIn(cwd)).server
    }

    assert.deepEqual(await noted(store), { name: 'server', ok: true, detail: 'http://127.0.0.1:4999' })
    const { ok, detail } = (await noted('/another/store.db'))!
    assert.equal(ok, false)
    assert.match(detail, /serves \/another\/store\.db, not this store/)
  })
})
