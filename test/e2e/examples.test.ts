import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { openStore } from '../../src/compose/main.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, cleanEnv } from '../support/program/command.ts'
import { openWorkspace } from '../support/program/workspace.ts'
import { newToken } from '../support/servers/http-workspace.ts'
import { servers } from '../support/servers/listeners.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../examples')
/** An example that does not end by itself is ended, and has no exit code. */
const PATIENCE_MS = 180_000
const PLAY = resolve(import.meta.dirname, '../support/program/play.ts')

/** The examples that take an address, and the part of each that five processes play. The last three do not end. */
// biome-ignore format: read as a table
const PARTS: Readonly<Record<string, readonly [string, string, string, string, string]>> = {
  'user-card':       ['all',          'all',   '',       '',       ''],
  'near-and-far':    ['planner',      '',      'worker', 'worker', 'worker'],
  'first-handoff':   ['planner',      'codex', '',       '',       ''],
  failures:          ['planner',      '',      'worker', 'worker', 'worker'],
  specialist:        ['orchestrator', '',      'worker', 'worker', 'worker'],
  delegation:        ['planner',      '',      'page',   'icons',  'icons'],
  tasks:             ['all',          'all',   '',       '',       ''],
  'durable-planner': ['planner',      '',      'worker', 'worker', 'worker'],
}
/** The examples without an address: functions of texts, a workspace for tests, and code for pages and workers. */
const OTHERS = ['blocks', 'client', 'documents', 'testing']
// biome-ignore format: a list of names
const AGENTS = [
  'planner', 'react-specialist', 'list-specialist', 'codex', 'builder', 'theme-specialist', 'orchestrator', 'form-specialist',
  'style-specialist', 'page-specialist', 'icon-specialist', 'font-specialist', 'plan', 'api', 'page',
]

interface Place {
  readonly address: string
  readonly token?: string
}

/** New workspaces. Processes cannot share one in memory: it belongs to the one that opened it. */
const PLACES: Readonly<Record<string, (t: TestContext) => Promise<Place>>> = {
  memory: async () => ({ address: ':memory:' }),
  file: async (t) => ({ address: join(folders(t).home, 'baton.db') }),
  postgres: async () => ({ address: await newDatabase() }),
  server: async (t) => {
    const { url, service } = await servers(t, openWorkspace)
    const tokens = await Promise.all(AGENTS.map((name) => newToken(service, name)))
    return { address: url, token: tokens.join(',') }
  },
}

describe('the examples of the TypeScript API, with only the address changed', () => {
  const names = Object.keys(PARTS)

  it('are all in the table', () => {
    const files = readdirSync(join(EXAMPLES, 'typescript')).map((file) => file.replace(/\.ts$/, ''))
    assert.deepEqual(files.sort(), [...names, ...OTHERS].sort())
  })

  for (const [place, open] of Object.entries(PLACES))
    it(`print what they say, in one process: ${place}`, async (t) => {
      const { said, code } = await play(t, await open(t), names).ended

      assert.deepEqual([said, code], [names.map((name) => printedBy(name)).join(''), 0])
    })

  for (const [place, open] of Object.entries(PLACES).filter(([name]) => name !== 'memory'))
    it(`print what they say, in five processes: ${place}`, async (t) => {
      const at = await open(t)
      const processes = [0, 1, 2, 3, 4].map((nth) =>
        play(
          t,
          at,
          Object.entries(PARTS).flatMap(([name, parts]) => (parts[nth] ? `${name}:${parts[nth]}` : [])),
        ),
      )

      const ended = await Promise.all(processes.slice(0, 2).map((each) => each.ended))

      const expected = [...names, 'user-card', 'tasks'].map((name) => printedBy(name)).join('')
      assert.deepEqual(
        ended.map(({ code }) => code),
        [0, 0],
      )
      assert.deepEqual(sorted(ended.map(({ said }) => said).join('')), sorted(expected))
    })

  it('take a folder where they use the queue format', async (t) => {
    const cwd = folders(t).repository('shop')
    await ask({ cwd }, 'init', '--dialect', 'queue')
    const { said } = await play(t, { address: cwd }, ['../typescript-queue/queue']).ended
    assert.equal(said, printedBy('../typescript-queue/queue'))
  })
})

/** A process that plays these parts, one after the other. */
function play(t: TestContext, { address, token }: Place, parts: readonly string[]) {
  const cwd = folders(t).folder('project')
  const child = spawn(process.execPath, [PLAY, address, ...parts.map((part) => `typescript/${part}`)], {
    cwd,
    env: cleanEnv({ cwd, ...(token && { env: { BATON_TOKEN: token } }) }),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = Promise.all([text(child.stdout), once(child, 'exit')])
  return { ended: ended.then(([said, [code]]) => ({ said, code })) }
}

const sorted = (printed: string): string[] => printed.split('\n').sort()

/** The lines after `Prints:` at the end of an example. */
function printedBy(name: string): string {
  const [, printed = ''] = readFileSync(join(EXAMPLES, `typescript/${name}.ts`), 'utf8').split('// Prints:\n')
  return printed.replaceAll(/^\/\/ ?/gm, '')
}

let databases = 0
/** A database of the server that all tests share: an address alone names no workspace in it. */
async function newDatabase(): Promise<string> {
  const url = new URL(process.env.TEST_POSTGRES_URL!)
  databases += 1
  const name = `examples_${process.pid}_${databases}`
  const client = new pg.Client(url.href)
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  url.pathname = `/${name}`
  const store = await openStore({ engine: 'postgres', url: url.href, workspace: 'default' })
  await store.close()
  return url.href
}
