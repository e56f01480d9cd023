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
