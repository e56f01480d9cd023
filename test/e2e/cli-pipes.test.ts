import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { ask, BATON, baton, cleanEnv } from '../command.ts'
import { folders } from '../folders.ts'

/** Three of them are more than a pipe holds. */
const LONG = 'x'.repeat(60_000)

/** Runs a command with a pipe that lets nobody wait for it, and reads slowly. */
const SLOW = `
import os, subprocess, sys, time
reading, writing = os.pipe()
os.set_blocking(writing, False)
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=writing)
os.close(writing)
pieces = []
while True:
    piece = os.read(reading, 16384)
    if not piece: break
    pieces.append(piece)
    time.sleep(0.01)
sys.stdout.buffer.write(b''.join(pieces))
sys.exit(child.wait())
`

/** Standard error is a pipe whose reader has gone. */
const DEAF = `
import os, subprocess, sys
reading, writing = os.pipe()
os.close(reading)
child = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stderr=writing)
sys.exit(child.returncode)
`

/** Reads nothing, and presses Ctrl-C. */
const STUCK = `
import os, signal, subprocess, sys, time
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
for i in range(100):
    time.sleep(0.1)
    if i > 20: child.send_signal(signal.SIGINT)
    if child.poll() is not None: sys.exit(0)
child.kill()
sys.exit(1)
`

/** Reads a few bytes and goes away. */
const HASTY = `
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
child.stdout.read(10)
child.stdout.close()
sys.stderr.buffer.write(child.stderr.read())
sys.exit(child.wait())
`

describe('the output of a command', () => {
  it('arrives whole where the reader is slow and the pipe lets nobody wait', async (t) => {
    const { cwd, show } = await longHandoff(t)
    const { stdout: expected } = await baton({ cwd }, ...show)
    const { status, stdout } = through(SLOW, cwd, show)

    assert.equal(status, 0)
    assert.ok(expected.length > 3 * LONG.length)
    assert.equal(stdout, expected)
  })

  it('may be left unread: a reader that goes away is no failure', async (t) => {
    const { cwd, show } = await longHandoff(t)
    const { status, stderr } = through(HASTY, cwd, show)

    assert.deepEqual([status, stderr], [0, ''])
  })
})

describe('a command whose notes nobody reads', () => {
  it('does its work and says in its number whether it could', async (t) => {
    const cwd = folders(t).repository('shop')
    const send = through(DEAF, cwd, [
      'send',
      '--as',
      'codex',
      '--to',
      'gemini',
      '--title',
      'Parser',
      '--json',
    ])
    const missing = through(DEAF, cwd, ['show', 'HO-2026-999', '--as', 'codex'])
    const { items } = await ask<{ items: unknown[] }>({ cwd }, 'inbox', '--as', 'gemini')

    assert.equal(send.status, 0)
    assert.equal(items.length, 1)
    assert.equal(missing.status, 3)
  })

  it('ends with Ctrl-C while it waits for a reader', async (t) => {
    const { cwd, show } = await longHandoff(t)

    assert.equal(through(STUCK, cwd, show).status, 0)
  })
})

async function longHandoff(t: Parameters<typeof folders>[0]): Promise<{ cwd: string; show: string[] }> {
  const cwd = folders(t).repository('shop')
  const texts = ['--summary', LONG, '--purpose', LONG, '--context', LONG]
  await ask({ cwd }, 'send', '--as', 'codex', '--to', 'gemini', '--title', 'Long', ...texts)
  return { cwd, show: ['show', '@', '--as', 'gemini', '--json'] }
}

function through(program: string, cwd: string, args: readonly string[]) {
  return spawnSync('python3', ['-c', program, process.execPath, BATON, ...args], {
    cwd,
    env: cleanEnv({ cwd }),
    encoding: 'utf8',
  })
}
