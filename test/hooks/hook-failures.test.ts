import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { serve } from '../../src/transports/http/server/serve.ts'
import { folders, git } from '../support/documents/folders.ts'
import { ask, BATON, baton, cleanEnv, quick, type Where } from '../support/program/command.ts'
import { openWorkspace } from '../support/program/workspace.ts'
import { newToken } from '../support/servers/http-workspace.ts'

const STOP = JSON.stringify({ session_id: 's1', hook_event_name: 'Stop', stop_hook_active: false })
const here = (t: TestContext): Where => ({ cwd: folders(t).repository('shop'), input: STOP })

async function holding(where: Where): Promise<void> {
  await ask(
    where,
    'send',
    '--to',
    'claude',
    '--title',
    'Add limits',
    '--summary',
    'API needs limits before launch',
  )
  await ask(where, 'accept', '@', '--as', 'claude')
}

describe('a hook that fails', () => {
  const cases: readonly (readonly [string, Partial<Where>, readonly string[], RegExp])[] = [
    ['input that is not JSON', { input: 'nonsense' }, ['stop', '--agent', 'claude'], /not a JSON object/],
    [
      'input that is cut off',
      { input: '{"session_id": "s' },
      ['stop', '--agent', 'claude'],
      /not a JSON object/,
    ],
    ['a list as input', { input: '[]' }, ['stop', '--agent', 'claude'], /not a JSON object/],
    ['an option that is not there', {}, ['stop', '--agnt', 'claude'], /did you mean --agent/],
    [
      'an event that is not there',
      {},
      ['stopp', '--agent', 'claude'],
      /there is no event stopp: session-start/,
    ],
    ['no event at all', {}, [], /hook needs <event>/],
    ['a name that is none', {}, ['stop', '--agent', 'a b'], /an agent name is/],
    [
      'another program',
      {},
      ['stop', '--agent', 'claude', '--for', 'notepad'],
      /claude-code, codex, gemini, copilot, qwen, cursor/,
    ],
    ['a number that is none', {}, ['stop', '--agent', 'claude', '--refusals', 'many'], /from 0 to 99/],
    ['a coding agent without a name', { env: { CLAUDECODE: '1' } }, ['stop'], /CLAUDECODE/],
    [
      'a server that is not there',
      { env: { BATON_URL: 'http://127.0.0.1:9', BATON_TOKEN: 'x' } },
      ['stop'],
      /./,
    ],
  ]
  for (const [title, more, args, message] of cases)
    it(`lets the agent go on and says why: ${title}`, async (t) => {
      const where = here(t)
      await holding(where)

      const { code, stdout, stderr } = await quick({ ...where, ...more }, 'hook', ...args)

      assert.deepEqual([code, stdout], [0, ''])
      assert.match(stderr, message)
    })

  it('lets the agent go on when the store is broken', async (t) => {
    const where = here(t)
    await holding(where)
    for (const name of readdirSync(join(where.cwd, '.baton')).filter((file) => /\.db/.test(file)))
      writeFileSync(
        join(where.cwd, '.baton', name),
        'this is no database, and it is long enough to be read as one',
      )

    for (const event of ['session-start', 'stop', 'subagent-stop', 'pre-compact', 'task-completed']) {
      const said = { session_id: 's1', agent_type: 'reviewer', task_id: '1', task_subject: 'HO-2026-001' }
      const input = JSON.stringify(said)
      const { code, stdout, stderr } = await quick({ ...where, input }, 'hook', event, '--agent', 'claude')
      assert.deepEqual([event, code, stdout], [event, 0, ''])
      assert.notEqual(stderr, '', event)
    }
  })

  it('lets the agent go on when a server takes the question and never answers', async (t) => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    t.after(() => {
      silent.closeAllConnections()
      silent.close()
    })
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const env = { BATON_URL: `http://127.0.0.1:${port}`, BATON_TOKEN: 'x' }

    const { code, stdout, stderr } = await baton({ ...here(t), env }, 'hook', 'stop', '--agent', 'claude')

    assert.deepEqual([code, stdout], [0, ''])
    assert.match(stderr, /no answer within 5 seconds/)
  })

  it('says nothing at all where there is no workspace, and makes none', async (t) => {
    const where = here(t)

    const { code, stdout, stderr } = await quick(where, 'hook', 'session-start', '--agent', 'claude')

    assert.deepEqual([code, stdout, stderr], [0, '', ''])
    assert.equal(existsSync(join(where.cwd, '.baton')), false)
  })
})

describe('a hook', () => {
  it('answers as a process of its own, before the pipe to it is closed', async (t) => {
    const where = here(t)
    await holding(where)
    const child = spawn(process.execPath, [BATON, 'hook', 'stop', '--agent', 'claude'], {
      cwd: where.cwd,
      env: cleanEnv(where),
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: 60_000,
    })
    t.after(() => child.kill())
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stdin.on('error', () => undefined)
    const said = Buffer.from(
      JSON.stringify({ ...JSON.parse(STOP), last_assistant_message: 'Für heute fertig' }),
    )
    // In two pieces, and a letter in both of them.
    const inside = said.indexOf(0xc3) + 1
    child.stdin.write(said.subarray(0, inside))
    await once(child, 'spawn')
    setTimeout(() => child.stdin.write(said.subarray(inside)), 50)

    const code = await new Promise((done) => child.on('close', done))

    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).hookSpecificOutput.hookEventName, 'Stop')
  })

  it('looks at the workspace of the folder that the agent is in, also in a linked worktree', async (t) => {
    const place = folders(t)
    const where = { cwd: place.repository('shop'), input: STOP }
    await holding(where)
    const worktree = place.worktree(where.cwd, 'other')
    const input = JSON.stringify({ ...JSON.parse(STOP), cwd: worktree })

    const { stdout } = await quick(
      { cwd: place.home, env: { HOME: place.home }, input },
      ...['hook', 'stop', '--agent', 'claude'],
    )

    assert.equal(JSON.parse(stdout).hookSpecificOutput.hookEventName, 'Stop')
    assert.deepEqual(git(worktree, 'status', '--short'), '')
  })

  it('asks a server where one keeps the workspace, and counts with the user’s own files', async (t) => {
    const place = folders(t)
    const { service } = await openWorkspace(t)
    const server = await serve({ service, port: 0, signals: false, log: () => undefined })
    t.after(() => server.close())
    const token = await newToken(service, 'claude')
    const env = { BATON_URL: server.url, BATON_TOKEN: token, CLAUDECODE: '1' }
    const where = { cwd: place.repository('shop'), env, input: STOP }
    await ask(
      where,
      'send',
      '--to',
      'claude',
      '--title',
      'Add limits',
      '--summary',
      'API needs limits before launch',
    )
    await ask(where, 'accept', '@')

    const heard = []
    for (let i = 0; i < 4; i++) heard.push(await quick(where, 'hook', 'stop', '--agent', 'claude'))

    assert.deepEqual(
      heard.map(({ code, stdout }) => [code, stdout !== '']),
      [
        [0, true],
        [0, true],
        [0, false],
        [0, false],
      ],
    )
    assert.equal(existsSync(join(where.cwd, '.baton')), false)
    assert.equal(readdirSync(join(place.home, '.baton', 'hooks')).length, 2)
  })

  it('clears away after a week what sessions have left', async (t) => {
    const where = here(t)
    await holding(where)
    await quick(where, 'hook', 'stop', '--agent', 'claude')
    const folder = join(where.cwd, '.baton', 'hooks')
    const [old] = readdirSync(folder)
    const longAgo = new Date(Date.now() - 8 * 86_400_000)
    utimesSync(join(folder, old!), longAgo, longAgo)

    await quick({ ...where, input: '{"session_id":"s2"}' }, 'hook', 'session-start', '--agent', 'claude')

    assert.deepEqual(readdirSync(folder), [])
  })

  it('hands pre-commit to git’s check, whose refusal is a refusal', async (t) => {
    const where = here(t)
    const clean = await baton(where, 'hook', 'pre-commit')
    const wrong = 'research/x/processed/handoff-grok-claude-BPRD-2026-0042-20261115.md'
    mkdirSync(join(where.cwd, 'research/x/processed'), { recursive: true })
    writeFileSync(
      join(where.cwd, wrong),
      '---\nhandoff_id: handoff-grok-claude-BPRD-2026-0042-20261115\n---\n',
    )
    git(where.cwd, 'add', '--all')

    const refused = await baton(where, 'hook', 'pre-commit')

    assert.deepEqual([clean.code, clean.stderr], [0, ''])
    assert.equal(refused.code, 1)
    assert.ok(refused.stderr.includes(wrong), refused.stderr)
  })
})
