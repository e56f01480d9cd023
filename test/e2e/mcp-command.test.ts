import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Seats } from '../../src/workspace/seat.ts'
import { overStdio } from '../mcp/agents.ts'
import { folders, git } from '../support/documents/folders.ts'
import { ask, BATON, baton, cleanEnv, lines, refusal, type Where } from '../support/program/command.ts'

function newPlace(t: TestContext): Where {
  const made = folders(t)
  return { cwd: made.repository('project'), env: { BATON_HOME: made.folder('home') } }
}

const message = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const INITIALIZE = message(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
})

describe('baton mcp', () => {
  it('needs to know who the agent is, and leaves nothing behind when it is told wrong', async (t) => {
    const where = newPlace(t)

    const nameless = await refusal(where, 'mcp')
    const toolless = await refusal(where, 'mcp', '--agent', 'codex', '--tools', 'defalt')
    const twofold = await refusal(where, 'mcp', '--agent', 'codex', '--as', 'claude')

    assert.deepEqual([nameless.code, toolless.code, twofold.code], Array(3).fill('invalid_input'))
    assert.match(nameless.message, /baton mcp --agent codex/)
    assert.match(toolless.message, /did you mean default/)
    assert.equal(existsSync(join(where.cwd, '.baton')), false)
  })

  it('writes nothing but the protocol to standard output, lives through broken input, and ends with it', async (t) => {
    const where = newPlace(t)
    const untrusted = join(where.cwd, 'baton.yaml')
    mkdirSync(dirname(untrusted), { recursive: true })
    writeFileSync(untrusted, 'checks:\n  commands: ["true"]\n')
    const input = [
      INITIALIZE,
      '{"jsonrpc": broken',
      '[]',
      message(2, 'tools/call', { name: 'handoff_inbox', arguments: {} }),
      message(3, 'no/such/method'),
    ]

    const { code, stdout, stderr } = await conversation(where, input, 3)

    assert.equal(code, 0, stderr)
    const answers = lines(stdout).map((line) => JSON.parse(line))
    assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2, 3])
    assert.deepEqual(answers.find(({ id }) => id === 2).result.structuredContent.items, [])
    assert.equal(answers.find(({ id }) => id === 3).error.code, -32601)
    assert.match(stderr, /created workspace/)
    assert.match(stderr, /baton trust/)
  })

  it('does what the agent says as this agent, whatever the environment says', async (t) => {
    const made = newPlace(t)
    const where = { ...made, env: { ...made.env, BATON_AGENT: 'somebody-else' } }
    await ask(where, 'init')
    const agent = await overStdio(t, { ...where, env: { ...where.env, CLAUDECODE: '1' } }, [
      '--agent',
      '@Codex',
    ])

    const { handoff } = await agent.call<{ handoff: { from: string } }>('handoff_send', {
      to: 'claude',
      title: 'Who am I?',
    })

    assert.equal(handoff.from, 'codex')
  })

  it('[S3-59][S3-60] claims a task with a branch and a worktree where it is started in a repository', async (t) => {
    const where = newPlace(t)
    await ask(where, 'init')
    await ask(where, 'task', 'create', 'P0.1.1', '--title', 'Package setup', '--as', 'pm')
    const codex = await overStdio(t, where, ['--agent', 'codex'])
    const claude = await overStdio(t, where, ['--agent', 'claude'])

    const { branch, worktree, owner } = await codex.call('task_start', { id: 'P0.1.1' })
    const again = await codex.call('task_start', { id: 'P0.1.1' })
    const late = await claude.refused('task_start', { id: 'P0.1.1' })

    assert.deepEqual(
      { branch, worktree, owner },
      {
        branch: 'feature/p0-1-1-package-setup',
        worktree: '.worktrees/codex/p0-1-1-package-setup',
        owner: 'codex',
      },
    )
    assert.equal(existsSync(join(where.cwd, '.worktrees/codex/p0-1-1-package-setup/.git')), true)
    assert.equal(again.branch, branch)
    assert.equal(late.code, 'conflict')
    assert.match(late.text, /branch feature\/p0-1-1-package-setup already exists/)
  })

  it('[S3-84] offers a task with a worktree made by git to its agent alone, who takes it over', async (t) => {
    const where = newPlace(t)
    await ask(where, 'init')
    await ask(where, 'task', 'create', 'P0.1', '--title', 'Infrastructure', '--as', 'pm')
    await ask(where, 'task', 'create', 'P0.1.1', '--title', 'Package setup', '--as', 'pm')
    const [branch, worktree] = ['feature/p0-1-1-setup', '.worktrees/codex/p0-1-1-setup']
    git(where.cwd, 'worktree', 'add', '--quiet', '-b', branch, worktree)
    const codex = await overStdio(t, where, ['--agent', 'codex'])
    const claude = await overStdio(t, where, ['--agent', 'claude'])
    const offered = async (agent: typeof codex) =>
      (await agent.call<{ items: { id: string }[] }>('task_next_actions')).items.map(({ id }) => id)

    const [mine, others] = [await offered(codex), await offered(claude)]
    const started = await codex.call('task_start', { id: 'P0.1.1' })

    assert.deepEqual([mine, others], [['P0.1', 'P0.1.1'], ['P0.1']])
    assert.deepEqual([started.branch, started.worktree, started.owner], [branch, worktree, 'codex'])
  })

  it('claims nothing when the worktree cannot be made, and says why', async (t) => {
    const where = newPlace(t)
    await ask(where, 'init')
    await ask(where, 'task', 'create', 'P0.1.1', '--title', 'Package setup', '--as', 'pm')
    git(where.cwd, 'branch', 'feature/p0-1-1-package-setup')
    const codex = await overStdio(t, where, ['--agent', 'codex'])

    const { code, text } = await codex.refused('task_start', { id: 'P0.1.1' })

    assert.equal(code, 'conflict')
    assert.match(text, /already exists/)
    const { items } = await codex.call<{ items: { id: string }[] }>('task_next_actions')
    assert.deepEqual(
      items.map(({ id }) => id),
      ['P0.1.1'],
    )
  })

  it('leaves to people what is for people, also under the name of one', async (t) => {
    const where = newPlace(t)
    await ask(where, 'init')
    await ask(where, 'agent', 'add', 'maria', '--kind', 'human')
    await ask(where, 'send', '--to', 'maria', '--title', 'May we?', '--type', 'gate', '--as', 'pm')
    const maria = await overStdio(t, where, ['--agent', 'maria', '--tools', 'all'])

    const { code, text } = await maria.refused('gate_decide', { id: 'HO-2026-001', choice: 'approve' })

    assert.equal(code, 'not_allowed')
    assert.match(text, /for people only/)
  })

  it('goes on with what a process before it held, also for a client that first starts one to ask what it speaks', async (t) => {
    const where = newPlace(t)
    await ask(where, 'init')
    await ask(where, 'send', '--to', 'codex', '--title', 'Work', '--as', 'planner')
    const holders: unknown[] = []
    for (let round = 0; round < 3; round++) {
      const client = await negotiated(t, where)
      const name = round === 0 ? 'handoff_accept' : 'handoff_get'
      const { structuredContent } = await client.callTool({ name, arguments: { id: 'HO-2026-001' } })
      holders.push(Object(Object(structuredContent).handoff).instance)
      if (round > 0) {
        const asked = await client.callTool({
          name: 'handoff_ask',
          arguments: { id: 'HO-2026-001', question: 'Which?' },
        })
        assert.ok(!asked.isError, JSON.stringify(asked.content))
        await ask(where, 'answer', 'HO-2026-001', 'This one', '--as', 'planner')
      }
      await client.close()
    }

    assert.equal(new Set(holders).size, 1)
  })

  for (const mode of ['legacy', { pin: '2026-07-28' }] as const)
    it(`tells a client of ${typeof mode === 'string' ? '2025' : '2026'} of changes by other processes to what it subscribed to`, async (t) => {
      const where = newPlace(t)
      await ask(where, 'init')
      await ask(where, 'send', '--to', 'codex', '--title', 'First', '--as', 'planner')
      const client = await negotiated(t, where, mode)
      const wanted = ['baton://inbox', 'baton://handoff/HO-2026-001']
      const seen = new Set<string>()
      const { promise: told, resolve } = Promise.withResolvers<void>()
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        seen.add(params.uri)
        if (wanted.every((uri) => seen.has(uri))) resolve()
      })
      if (mode === 'legacy') for (const uri of wanted) await client.subscribeResource({ uri })
      else await client.listen({ resourceSubscriptions: wanted })

      await ask(where, 'accept', 'HO-2026-001', '--as', 'codex')
      // A change that fell between the subscription and its first look is followed by another.
      const again = setInterval(() => void baton(where, 'handoff', 'heartbeat', '@', '--as', 'codex'), 2_000)
      await told.finally(() => clearInterval(again))

      assert.deepEqual([...seen].sort(), [...wanted].sort())
    })

  it('offers the inbox, handoffs, briefs and records as resources, and the common jobs as prompts', async (t) => {
    const where = newPlace(t)
    await ask(where, 'init')
    await ask(where, 'task', 'create', 'P0.1.1', '--title', 'Package setup', '--as', 'pm')
    await ask(where, 'send', '--to', 'codex', '--title', 'Work', '--as', 'planner')
    const { client } = await overStdio(t, where, ['--agent', 'codex'], 'v1')
    const read = async (uri: string) => String(Object((await client.readResource({ uri })).contents[0]).text)

    assert.equal(JSON.parse(await read('baton://inbox')).items[0].id, 'HO-2026-001')
    assert.equal(JSON.parse(await read('baton://handoff/HO-2026-001')).handoff.title, 'Work')
    assert.match(await read('baton://brief/P0.1.1'), /P0\.1\.1/)
    assert.deepEqual(JSON.parse(await read('baton://record/P0.1.1')).items, [])
    await assert.rejects(read('baton://handoff/HO-2026-404'), /there is no handoff/)
    await assert.rejects(read('baton://nothing/at-all'))
    const { prompts } = await client.listPrompts()
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['send', 'receive', 'write_back', 'review'],
    )
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: { task: 'P0.1.1' } })
      assert.match(String(Object(messages[0]?.content).text), /handoff_|thought_record/)
    }
    await assert.rejects(client.getPrompt({ name: 'write_back' }), /needs the argument task/)
  })
})

describe('a seat', () => {
  it('is free again when it is left, is another while it is taken, and keeps its name', (t) => {
    const { home } = folders(t)
    const first = new Seats(home, 'store', 'codex').take()
    const second = new Seats(home, 'store', 'codex').take()
    const elsewhere = new Seats(home, 'other store', 'codex').take()
    first.leave()
    const third = new Seats(home, 'store', 'codex').take()

    assert.equal(third.instance, first.instance)
    assert.equal(new Set([first.instance, second.instance, elsewhere.instance]).size, 3)
    for (const { leave } of [second, elsewhere, third]) leave()
  })

  it('is taken without a place to remember it where the home cannot be written', () => {
    const [first, second] = [
      new Seats('/dev/null', 'store', 'codex').take(),
      new Seats('/dev/null', 'store', 'codex').take(),
    ]

    assert.notEqual(first.instance, second.instance)
  })
})

/** A client that asks the server what it speaks, as new ones do. */
async function negotiated(
  t: TestContext,
  where: Where,
  mode: 'auto' | 'legacy' | { pin: string } = 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const args = [BATON, 'mcp', '--agent', 'codex']
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: where.cwd, env: cleanEnv(where) }),
  )
  t.after(() => client.close())
  return client
}

/** Writes these lines, waits for so many answers and closes standard input. */
async function conversation(where: Where, input: readonly string[], answers: number) {
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, [BATON, 'mcp', '--agent', 'codex'], {
    cwd: where.cwd,
    env: cleanEnv(where),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    if (lines(stdout).length >= answers) child.stdin.end()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.write(`${input.join('\n')}\n`)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout, stderr }
}
