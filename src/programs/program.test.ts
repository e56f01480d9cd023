import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { orElse } from '../domain/once.ts'
import { Guard, type ProgramOptions, runProgram } from './program.ts'

const GUARD = [process.execPath, resolve(import.meta.dirname, '../../bin/baton.js'), '__guard']

function guardOf(t: TestContext, command: readonly string[]): Guard {
  const guard = new Guard(command)
  t.after(() => guard.end())
  return guard
}

const ran = (guard: Guard, script: string, more: Partial<ProgramOptions> = {}) =>
  runProgram({
    ...{ guard, command: ['/bin/sh', '-c', script], cwd: '/', input: '' },
    ...{
      env: { PATH: process.env.PATH ?? '', MARK: `test ${process.pid}` },
      mark: `MARK=test ${process.pid}`,
    },
    ...{ timeoutMs: 60_000, outputBytes: 1_000 },
    ...{ onStart: () => undefined, onOutput: () => undefined, signal: new AbortController().signal },
    ...more,
  })

it('a guard that could not be started is started for the next program', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'guard')
  const guard = guardOf(t, [file])
  await assert.rejects(ran(guard, 'echo done'), { code: 'ENOENT' })

  writeFileSync(file, `#!/bin/sh\nexec ${GUARD.map((word) => `'${word}'`).join(' ')}\n`)
  chmodSync(file, 0o755)

  assert.deepEqual(await ran(guard, 'echo done'), { end: { code: 0 }, output: 'done\n' })
})

it('a program that ended in time is not late when another process keeps its output open', async (t) => {
  const guard = guardOf(t, GUARD)

  const escaped = 'setsid env -i sleep 3 & sleep 0.2; echo done'

  assert.deepEqual(await ran(guard, escaped, { timeoutMs: 1_500 }), { end: { code: 0 }, output: 'done\n' })
})

it('a process that got away writes on: its output is not read, and the next program is not ended', async (t) => {
  const guard = guardOf(t, GUARD)
  const heard: string[] = []
  const escaped = "setsid env -i /bin/sh -c 'sleep 2.5; exec yes' & sleep 0.3; echo done"

  await ran(guard, escaped, { onOutput: (chunk) => heard.push(chunk.toString()) })

  assert.deepEqual(await ran(guard, 'sleep 8; echo done'), { end: { code: 0 }, output: 'done\n' })
  assert.equal(heard.join(''), 'done\n')
})

it('output that is cut keeps no part of a line, which may be half a secret', async (t) => {
  const script = "head -c 990 /dev/zero | tr '\\0' x; echo; echo a-value-of-the-person; sleep 5"

  const { ended, output } = await ran(guardOf(t, GUARD), script)

  assert.deepEqual([ended, output], ['too much output', `${'x'.repeat(990)}\n`])
})

it('a process that left the group of its program is ended with it, by its environment', async (t) => {
  const { output } = await ran(guardOf(t, GUARD), 'setsid sleep 300 > /dev/null 2>&1 & echo $!; sleep 0.5')
  const pid = Number(output)
  t.after(() => orElse(() => process.kill(pid, 'SIGKILL'), false))
  const isThere = () => orElse(() => process.kill(pid, 0), false)

  for (let i = 0; i < 100 && isThere(); i++) await sleep(20)

  assert.deepEqual([pid > 0, isThere()], [true, false])
})
