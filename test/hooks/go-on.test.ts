import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { EVENTS, PROGRAMS } from '../../src/transports/hooks/hook-input.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, baton, quick, type Where } from '../support/program/command.ts'

/** Enough for every event to look at the work. */
const INPUT = JSON.stringify({
  ...{ session_id: 's1', agent_type: 'reviewer', agent_id: 'a1' },
  ...{ task_id: '1', task_subject: 'HO-2026-001', source: 'startup', trigger: 'manual' },
})
const CALLS = PROGRAMS.flatMap((program) => EVENTS.map((event) => ({ program, event })))

async function withWork(t: TestContext): Promise<Where> {
  const where = { cwd: folders(t).repository('shop'), input: INPUT }
  const about = ['--title', 'Add limits', '--summary', 'API needs limits before launch']
  for (const agent of ['claude', 'reviewer']) {
    const { handoff } = await ask<{ handoff: { id: string } }>(where, 'send', '--to', agent, ...about)
    await ask(where, 'accept', handoff.id, '--as', agent)
  }
  return where
}

async function silentServer(t: TestContext): Promise<Readonly<Record<string, string>>> {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  t.after(() => {
    silent.closeAllConnections()
    silent.close()
  })
  await once(silent, 'listening')
  return { BATON_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`, BATON_TOKEN: 'x' }
}

/** Every event of every program at once; each must let its agent go on. */
async function allGoOn(where: Where): Promise<readonly string[]> {
  const heard = await Promise.all(
    CALLS.map(async ({ program, event }) => {
      const words = ['hook', event, '--agent', 'claude', '--for', program]
      return { program, event, ...(await quick(where, ...words)) }
    }),
  )
  assert.deepEqual(
    heard.map(({ program, event, code, stdout }) => [program, event, code, stdout]),
    CALLS.map(({ program, event }) => [program, event, 0, '']),
  )
  return heard.filter(({ event }) => event !== 'news').map(({ stderr }) => stderr)
}

describe('an agent goes on', () => {
  it('at every hook of every program where the store is broken', async (t) => {
    const where = await withWork(t)
    const folder = join(where.cwd, '.baton')
    for (const name of readdirSync(folder).filter((file) => file.includes('.db')))
      writeFileSync(join(folder, name), 'this is no database, and it is long enough to be read as one')

    for (const said of await allGoOn(where)) assert.notEqual(said, '')
  })

  it('at every hook of every program where a server never answers', async (t) => {
    const where = { ...(await withWork(t)), env: await silentServer(t) }

    for (const said of await allGoOn(where)) assert.match(said, /no answer within 5 seconds/)
  })

  it('without the tools where a server never answers', async (t) => {
    const where = { cwd: folders(t).repository('shop'), env: await silentServer(t) }

    const { code, stderr } = await baton(where, 'mcp', '--agent', 'claude')

    assert.match(stderr, /did not answer in time/)
    assert.notEqual(code, 0)
  })
})
