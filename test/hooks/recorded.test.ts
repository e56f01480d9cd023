import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, BATON, cleanEnv, quick, type Where } from '../support/program/command.ts'

/** Words of real programs to Baton; `npm run check:agents -- --record` writes these files. */
const FIXTURES = resolve(import.meta.dirname, '../programs/fixtures')

type Input = Readonly<Record<string, unknown>>
interface Recorded {
  readonly hooks: Readonly<Record<string, readonly Input[]>>
  readonly hello: readonly Input[]
}

const REFUSED = /("decision":"(?:block|deny)"|"hookEventName":"(?:Subagent)?Stop").*handoff_submit/

const TARGETS: Readonly<Record<string, string>> = { claude: 'claude-code' }
const recorded = readdirSync(FIXTURES).map((file) => {
  const program = file.replace('.json', '')
  const text = readFileSync(join(FIXTURES, file), 'utf8')
  return { program, target: TARGETS[program] ?? program, ...(JSON.parse(text) as Recorded) }
})

const here = (t: TestContext): Where => ({ cwd: folders(t).repository('shop') })
const ABOUT = ['--title', 'Add limits', '--summary', 'API needs limits before launch', '--as', 'planner']
const sendTo = (where: Where, agent: string) => ask(where, 'send', '--to', agent, ...ABOUT)

for (const { program, target, hooks, hello } of recorded)
  describe(`what ${program} said to Baton`, () => {
    const called = (where: Where, event: string, input: Input) =>
      quick(
        { ...where, input: JSON.stringify(input).replaceAll('<repo>', where.cwd) },
        ...['hook', event, '--agent', program, '--for', target],
      )

    /** Work for the agent, which it has accepted unless its session only begins. */
    const withWork = async (t: TestContext, event: string, agent = program): Promise<Where> => {
      const where = here(t)
      await sendTo(where, agent)
      if (event !== 'session-start') await ask(where, 'accept', '@', '--as', agent)
      return where
    }

    for (const [event, inputs] of Object.entries(hooks))
      it(`is answered at ${event}`, async (t) => {
        const told: string[] = []
        const hear = async (where: Where, input: Input) => {
          const { code, stdout, stderr } = await called(where, event, input)
          assert.deepEqual([code, stderr], [0, ''])
          told.push(stdout)
        }
        if (event === 'subagent-stop') {
          for (const input of inputs)
            await hear(await withWork(t, event, String(input.agent_type || program)), input)
          // One without a type is the program's own.
          for (const [at, text] of told.entries())
            assert.match(text, inputs[at]!.agent_type === '' ? /^$/ : REFUSED)
          return
        }
        const where = await withWork(t, event)
        if (event === 'news') {
          await called(where, 'session-start', hooks['session-start']![0]!)
          for (const input of inputs) {
            await ask(where, 'comment', '@', 'Mind the bursts', '--as', 'planner')
            await hear(where, input)
          }
          for (const text of told) assert.match(text, /additionalContext.*planner commented/)
          return
        }
        for (const input of inputs) await hear(where, input)
        for (const input of inputs.filter(({ parentAgentId }) => parentAgentId !== undefined)) {
          const { stdout } = await called(await withWork(t, event, String(input.agentType)), event, input)
          assert.match(stdout, REFUSED)
        }
        if (event === 'session-start') for (const text of told) assert.match(text, /Add limits/)
        // The first stop is refused with the work; one that follows from it, or waits for a job, is not.
        else if (/stop|after-agent/.test(event))
          for (const [at, text] of told.entries()) {
            const { stop_hook_active, background_tasks = [], parentAgentId } = inputs[at]!
            const isOthers = Object(background_tasks).length > 0 || parentAgentId !== undefined
            const mayStop = stop_hook_active === true || isOthers
            assert.match(text, mayStop ? /^$/ : REFUSED)
          }
        else {
          const { timeline } = await ask<{ timeline: { act: string }[] }>(
            where,
            'show',
            '@',
            '--as',
            'planner',
          )
          assert.ok(timeline.some(({ act }) => act === 'handoff.heartbeat'))
        }
      })

    it('is understood by the server as the first words of a client', async (t) => {
      const where = here(t)
      await sendTo(where, program)
      const child = spawn(process.execPath, [BATON, 'mcp', '--agent', program], {
        cwd: where.cwd,
        env: cleanEnv(where),
        stdio: ['pipe', 'pipe', 'inherit'],
        timeout: 60_000,
      })
      t.after(() => child.kill())
      const asked = hello.filter(({ id }) => id !== undefined)
      for (const message of hello) child.stdin.write(`${JSON.stringify(message)}\n`)

      const answered = new Map<unknown, unknown>()
      for await (const line of createInterface(child.stdout)) {
        const { id, result } = JSON.parse(line)
        if (id !== undefined) answered.set(id, result)
        if (answered.size === asked.length) break
      }

      assert.ok(asked.length > 0)
      for (const { id, method } of asked) assert.ok(answered.get(id), `${method}`)
    })
  })

it('what programs said is there for all six', () => {
  assert.deepEqual(
    recorded.map(({ program }) => program),
    ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'qwen'],
  )
  for (const { program, hooks } of recorded)
    assert.equal(Object.hasOwn(hooks, 'news'), program !== 'opencode', program)
})
