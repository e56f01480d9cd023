import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { createService, openStore } from '../../src/compose/main.ts'
import { by } from '../support/program/workspace.ts'
import { newDatabase } from '../support/store/store-places.ts'

const SETTINGS = ['search_path', 'enable_seqscan', 'statement_timeout', 'plan_cache_mode']

/** Debian's pgbouncer in front of the server of the tests; answers the address through it. */
async function startBouncer(t: TestContext, mode: string): Promise<string> {
  const database = new URL(await newDatabase())
  const folder = mkdtempSync(join(tmpdir(), 'baton-bouncer-'))
  const port = await freePort()
  const ini = join(folder, 'pgbouncer.ini')
  writeFileSync(
    ini,
    `[databases]
${database.pathname.slice(1)} = host=${database.hostname} port=${database.port} user=${database.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 10
`,
  )
  chmodSync(folder, 0o755)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('/usr/sbin/pgbouncer', ['-q', ...user, ini], { stdio: 'ignore' })
  child.on('error', () => assert.fail('pgbouncer is missing; install it with: sh scripts/long-tools.sh'))
  t.after(async () => {
    // It would wait for its clients to leave.
    if (child.kill('SIGKILL')) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = new URL(database)
  url.host = `127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(url.href)
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.end()
      return url.href
    } catch (error) {
      if (tries > 50) throw error
      await pause(100)
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function settingsOf(client: pg.Client): Promise<readonly string[]> {
  const text = `SELECT ${SETTINGS.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`
  return Object.values((await client.query(text)).rows[0] as Record<string, string>)
}

describe('Baton behind pgbouncer', () => {
  for (const mode of ['transaction', 'statement'])
    it(`is refused in ${mode} mode with advice, and neighbours keep their settings`, async (t) => {
      const url = await startBouncer(t, mode)
      const neighbour = new pg.Client(url)
      await neighbour.connect()
      const before = await settingsOf(neighbour)

      await assert.rejects(
        openStore({ engine: 'postgres', url, workspace: 'default' }),
        /is behind a pooler in transaction or statement mode; set pool_mode = session/,
      )

      for (let again = 0; again < 20; again++) assert.deepEqual(await settingsOf(neighbour), before)
      await neighbour.end()
    })

  it('works in session mode', async (t) => {
    const store = await openStore({
      engine: 'postgres',
      url: await startBouncer(t, 'session'),
      workspace: 'default',
    })
    const { sending, receiving } = createService(store)

    const { handoff } = await sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })
    await receiving.accept(by('codex'), handoff.uid)

    assert.equal((await store.handoff(handoff.uid))?.state, 'in_progress')
    await store.close()
  })
})
