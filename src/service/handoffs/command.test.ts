import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

/** Runs two commands that would last for minutes, and says nothing to any signal. */
const PROGRAM = `
  import { runCommand } from ${JSON.stringify(new URL('./command.ts', import.meta.url).href)}
  const run = (name) => runCommand(['sh', '-c', \`echo $$ > \${name}; exec sleep 300\`], { cwd: '.', timeLimitMs: 600_000 })
  await Promise.all([run('one'), run('two')])
`

describe('a command that is run', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`ends with whoever runs it and is ended by ${signal}`, async (t) => {
      const cwd = mkdtempSync(join(tmpdir(), 'baton-command-'))
      t.after(() => rmSync(cwd, { recursive: true, force: true }))
      const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd, stdio: 'ignore' })
      t.after(() => child.kill('SIGKILL'))
      const pids = [await pidIn(join(cwd, 'one')), await pidIn(join(cwd, 'two'))]

      child.kill(signal)
      const [code] = await once(child, 'exit')

      assert.equal(code, 128 + constants.signals[signal])
      for (const pid of pids) await ended(pid)
    })
})

async function pidIn(file: string): Promise<number> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
    assert.ok(Date.now() < deadline, 'the command was not started')
    await pause(20)
  }
}

async function ended(pid: number): Promise<void> {
  const deadline = Date.now() + 5_000
  while (isThere(pid)) {
    assert.ok(Date.now() < deadline, `${pid} runs on`)
    await pause(20)
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // Ended, and not yet taken note of by its parent.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
