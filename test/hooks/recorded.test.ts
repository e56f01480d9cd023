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

interface Recorded {
  readonly hooks: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  readonly hello: readonly Readonly<Record<string, unknown>>[]
}

const TARGETS: Readonly<Record<string, string>> = { claude: 'claude-code' }
const recorded = readdirSync(FIXTURES).map((file) => {
  const program = file.replace('.json', '')
  const text = readFileSync(join(FIXTURES, file), 'utf8')
  return { program, target: TARGETS[program] ?? program, ...(JSON.parse(text) as Recorded) }
})

const here = (t: TestContext): Where => ({ cwd: folders(t).repository('shop') })
const sendTo = (where: Where, agent: string) =>
  ask(where, 'send', '--to', agent, '--title', 'Add limits', '--summary', 'API needs limits before launch')

for (const { program, target, hooks, hello } of recorded)
  describe(`what ${program} said to Baton`, () => {
    const called = (where: Where, event: string, input: Readonly<Record<string, unknown>>) =>
      quick(
        { ...where, input: JSON.stringify(input).replaceAll('<repo>', where.cwd) },
        ...['hook', event, '--agent', program, '--for', target],
      )

    for (const [event, inputs] of Object.entries(hooks))
      it(`is answered at ${event}`, async (t) => {
        const where = here(t)
        await sendTo(where, program)
        if (event !== 'session-start') await ask(where, 'accept', '@', '--as', program)

        const answers = []
        for (const input of inputs) answers.push(await called(where, event, input))

        for (const { code, stderr } of answers) assert.deepEqual([code, stderr], [0, ''])
        const told = answers.map(({ stdout }) => stdout)
        if (event === 'session-start') for (const text of told) assert.match(text, /Add limits/)
        // The first stop is refused with the work; the one that follows from it is not.
        else if (/stop|after-agent/.test(event))
          for (const [at, text] of told.entries()) {
            const isContinued = inputs[at]!.stop_hook_active === true
            assert.match(text, isContinued ? /^$/ : /"decision":"(?:block|deny)".*handoff_submit/)
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
})
