import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { folders } from '../../../../../test/support/documents/folders.ts'
import { ask, cleanEnv } from '../../../../../test/support/program/command.ts'
import { readEnvironment } from '../../../../config/config.ts'
import { main } from '../../main.ts'

describe('baton watch', () => {
  it('tells the next when its reader has taken the last', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    for (const title of ['one', 'two', 'three'])
      await ask(where, 'send', '--to', 'codex', '--title', title, '--as', 'ana')
    const told: string[] = []
    const readers: (() => void)[] = []
    const ended = main(['watch', '--since', '0', '--json', '--count', '3'], {
      stdout: { write: (text) => told.push(text) },
      stderr: { write: () => undefined },
      stdin: Readable.from([]),
      isTerminal: false,
      columns: 80,
      env: readEnvironment(cleanEnv(where)),
      cwd: where.cwd,
      lasting: () => new AbortController().signal,
      isInterrupted: false,
      drained: () => new Promise((resolve) => readers.push(resolve)),
    })

    for (const count of [1, 2, 3]) {
      for (let tries = 0; readers.length === 0 && tries < 1_000; tries++) await pause(5)
      await pause(50)
      assert.equal(told.length, count)
      readers.shift()?.()
    }
    assert.equal(await ended, 0)
  })
})
