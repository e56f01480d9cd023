import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, BATON, baton, cleanEnv } from '../support/program/command.ts'

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

/** Has a pipe of one page, reads nothing, and presses Ctrl-C once when it is full. */
const STUCK = `
import array, fcntl, os, signal, subprocess, sys, termios, time
reading, writing = os.pipe()
fcntl.fcntl(writing, 1031, 4096) # F_SETPIPE_SZ
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=writing)
held = array.array('i', [0])
for _ in range(600):
    fcntl.ioctl(reading, termios.FIONREAD, held)
    if held[0] >= 4096: break
    time.sleep(0.05)
time.sleep(0.3)
child.send_signal(signal.SIGINT)
try:
    sys.exit(abs(child.wait(8)))
except subprocess.TimeoutExpired:
    child.kill()
    sys.exit(99)
`

/** Presses Ctrl-C as soon as it reads a line. */
const PROMPT = `
import signal, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
child.stdout.readline()
child.send_signal(signal.SIGINT)
child.stdout.read()
sys.exit(abs(child.wait()))
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

  it('a disk that is full under the answer: the handoff is sent, and the refusal says not to send it again', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const sent = (...stdio: readonly ('ignore' | 'pipe' | number)[]) =>
      spawnSync(process.execPath, [BATON, 'send', '--to', 'codex', '--title', 'full', '--json'], {
        cwd: where.cwd,
        env: cleanEnv(where),
        stdio: [...stdio],
        encoding: 'utf8',
      })
    const full = openSync('/dev/full', 'w')
    t.after(() => closeSync(full))

    const { status, stderr } = sent('ignore', full, 'pipe')
    const unheard = sent('ignore', 'pipe', full)

    const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!)
    assert.deepEqual([status, error.code, error.retry], [2, 'invalid_input', false])
    assert.match(error.message, /ENOSPC.*but the command ran\. Before you repeat it, look at: baton list/)
    assert.equal(unheard.status, 0)
    const { items } = await ask<{ items: unknown[] }>(where, 'handoff', 'list')
    assert.equal(items.length, 2)
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

    assert.equal(through(STUCK, cwd, show).status, constants.signals.SIGINT)
  })

  it('ends in order with one Ctrl-C while it follows and nobody reads', async (t) => {
    const { cwd } = await longHandoff(t)
    for (let i = 0; i < 40; i++)
      await ask(
        { cwd },
        'task',
        'create',
        `P0.1.${i}`,
        '--as',
        'codex',
        '--title',
        `${i} ${'long '.repeat(30)}`,
      )
    const watching = ['watch', '--since', '0', '--as', 'gemini', '--json']
    const { stdout } = await baton({ cwd }, ...watching, '--count', '40')
    assert.ok(stdout.length > 2 * 4096)

    assert.equal(through(STUCK, cwd, watching).status, 0)
  })

  it('ends in order with a Ctrl-C that comes with its first line', async (t) => {
    const { cwd } = await longHandoff(t)
    const watching = ['watch', '--since', '0', '--as', 'gemini']

    for (let i = 0; i < 5; i++) assert.equal(through(PROMPT, cwd, watching).status, 0)
  })
})

describe('a command that has done its work', () => {
  it('ends with one Ctrl-C while its answer waits for a reader', (t) => {
    const { cwd } = manyFiles(t)

    assert.equal(through(STUCK, cwd, ['import', 'in', '--json']).status, constants.signals.SIGINT)
  })

  it('tells in its number that the answer did not fit where it was to go', (t) => {
    const { cwd } = manyFiles(t)
    const full = openSync('/dev/full', 'w')
    t.after(() => closeSync(full))
    const { status, stderr } = spawnSync(process.execPath, [BATON, 'import', 'in', '--json'], {
      cwd,
      env: cleanEnv({ cwd }),
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })

    assert.equal(status, 2)
    assert.equal(JSON.parse(stderr.trim().split('\n').at(-1)!).error.code, 'invalid_input')
  })
})

/** What says that it lasts, and whose answer is longer than the pipe. */
function manyFiles(t: Parameters<typeof folders>[0]): { cwd: string } {
  const files = folders(t)
  const cwd = files.repository('shop')
  for (let i = 0; i < 60; i++)
    files.file(`shop/in/${i}.md`, `---\nhandoff_id: x${i}\nfrom_agent: a\nto_agent: b\n---\n`)
  return { cwd }
}

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
