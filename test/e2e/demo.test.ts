import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { BATON, baton, cleanEnv, quick, type Where } from '../support/program/command.ts'
import { until } from '../support/store/store-units.ts'

const PLAYERS = ['grok', 'claude', 'react-specialist', 'test-runner', 'release-manager']

/** A folder to type it in, and a place for temporary files that nobody else uses. */
function aPlace(t: TestContext) {
  const place = folders(t)
  const cwd = place.folder('anywhere')
  const temporary = place.folder('tmp')
  mkdirSync(temporary, { recursive: true })
  // What was compiled before lies among the temporary files of the machine.
  const env = { TMPDIR: temporary, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
  return { cwd, temporary, where: { cwd, env } }
}

describe('baton demo', () => {
  it('plays all five dialects with a failure, a retry, a refusal and a gate, and leaves nothing behind', async (t) => {
    const { where, cwd, temporary } = aPlace(t)

    const { code, stdout, stderr } = await baton(where, 'demo', '--auto', '--pace', '0')

    assert.equal(code, 0, stderr)
    for (const name of PLAYERS) assert.match(stderr, new RegExp(`  ${name} `), `${name} said nothing`)
    const told = [
      /grok +markdown +writes _handoffs\/active\/handoff-grok-claude-/,
      /claude +writeback +edits the file: status: Acknowledged/,
      /grok +markdown +verifies it: the file moves to archived\//,
      /claude +writeback +leaves a record of RL-1/,
      /react-specialist +queue +fails: the package registry did not answer/,
      /react-specialist +queue +hands in HO-\d+-\d+, attempt 2/,
      /react-specialist +queue +declines HO-/,
      /test-runner +block +ends reports\/load\.md with a block/,
      /release-manager +package +hands in \S+\.notes/,
      /approves \S+\.notes\.gate, because of --auto/,
      /release-manager +package +closes /,
    ]
    for (const line of told) assert.match(stderr, line)
    assert.match(stdout, /http:\/\/127\.0\.0\.1:\d+\/#login=/)
    assert.match(
      stdout,
      /11 handoffs in five dialects: 10 completed, 1 declined, 1 tried again; 9 tasks done/,
    )
    assert.deepEqual([readdirSync(cwd), leftIn(temporary)], [[], []])
  })

  it('waits at the gate for a person, who may ask and refuse first, and serves on until it is stopped', async (t) => {
    const { where, temporary } = aPlace(t)
    const { child, said, link } = start(t, where)
    const person = await logIn(await link)
    await said(/it is your turn: .*waits at http/)
    const folder = join(temporary, leftIn(temporary)[0] ?? 'none')
    assert.ok(existsSync(join(folder, 'docs/release-notes.md')), 'what the gate is about is there')

    await person.decide('question', 'Which tests were run?')
    await said(/release-manager +package +answers the question about/)
    await said(/it is your turn/, 2)
    await person.decide('reject', 'Too long')
    await said(/release-manager +package +hands in \S+: Written anew/)
    await said(/it is your turn/, 3)
    await person.decide('approve')
    await said(/you said yes/)
    await said(/release-manager +package +closes/)
    assert.deepEqual(await person.inbox(), [])
    const agents = childrenOf(child.pid!)
    child.kill('SIGTERM')

    assert.deepEqual(await once(child, 'exit'), [0, null])
    await until('the agents have ended', () => !agents.some(isAlive))
    assert.deepEqual(leftIn(temporary), [])
  })

  it('leaves no agent behind when it is killed without a chance to say so', async (t) => {
    const { where } = aPlace(t)
    const { child, said } = start(t, where)
    await said(/grok +markdown +writes/)
    const agents = childrenOf(child.pid!)
    assert.equal(agents.length, 5)

    child.kill('SIGKILL')

    await until('the agents have ended', () => !agents.some(isAlive))
  })

  it('refuses a pace that is none and an agent that it does not have', async (t) => {
    const { where } = aPlace(t)

    const [pace, agent] = [await quick(where, 'demo', '--pace', 'fast'), await quick(where, 'demo', 'nobody')]

    assert.deepEqual([pace.code, agent.code], [2, 2])
    assert.match(pace.stderr, /--pace fast is not a number from 0 to 20/)
    assert.match(agent.stderr, /the demo has no nobody; start it with: baton demo/)
  })
})

function start(t: TestContext, where: Where) {
  const child = spawn(process.execPath, [BATON, 'demo', '--pace', '0'], {
    cwd: where.cwd,
    env: cleanEnv(where),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  const said = (line: RegExp, times = 1) =>
    until(`it says ${line}, not only ${lines.join('; ')}`, () => {
      assert.equal(child.exitCode, null, lines.join('\n'))
      return lines.filter((each) => line.test(each)).length >= times
    })
  const link = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const [found] = /http:\S+#login=\S+/.exec(line) ?? []
      if (found) return new URL(found)
    }
    return assert.fail('it printed no link')
  })()
  return { child, said, link }
}

/** The person who opened the link, as the dashboard acts for them. */
async function logIn({ origin, hash }: URL) {
  const post = (path: string, body: object, more = {}) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...more },
      body: JSON.stringify(body),
    })
  const session = await post('/v1/session', { code: hash.replace('#login=', '') })
  const cookie = session.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const inbox = async (): Promise<readonly { id: string; type: string }[]> => {
    const response = await fetch(`${origin}/v1/inbox`, { headers: { cookie } })
    return ((await response.json()) as { items: { id: string; type: string }[] }).items
  }
  return {
    inbox,
    async decide(choice: string, comment?: string) {
      const gate = (await inbox()).find(({ type }) => type === 'gate')
      const answer = await post(
        `/v1/gates/${gate?.id}/decide`,
        { choice, ...(comment && { comment }) },
        { cookie, 'idempotency-key': choice },
      )
      assert.equal(answer.status, 200, await answer.text())
    },
  }
}

const leftIn = (temporary: string): string[] =>
  readdirSync(temporary).filter((name) => name.startsWith('baton-demo-'))

/** The agents of a demo: the processes that it started. */
function childrenOf(parent: number): readonly number[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return rows.flatMap(([id, above]) => (id !== undefined && above === parent ? [id] : []))
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}
