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

  it('says to whom and why on a terminal, without names of the log', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const send = ['send', '--to', 'codex', '--title', 'Rate limits', '--as', 'ana', '--timeout', '1s']
    await ask(where, ...send)
    await ask(where, 'accept', '1', '--as', 'codex')
    await ask(where, 'audit', 'checkpoint')
    await pause(1_500)
    await ask(where, 'inbox', '--as', 'codex')
    await ask(where, 'submit', '1', '--as', 'codex', '--note', 'done')
    const told: string[] = []
    const stop = new AbortController()

    await main(['watch', '--since', '0', '--no-color'], {
      stdout: {
        isTTY: true,
        write: (text) => {
          told.push(text)
          if (text.includes('handed in')) stop.abort()
        },
      },
      stderr: { write: () => undefined },
      stdin: Readable.from([]),
      isTerminal: true,
      columns: 120,
      env: readEnvironment(cleanEnv(where)),
      cwd: where.cwd,
      lasting: () => stop.signal,
      isInterrupted: false,
    })

    const shown = told.join('')
    assert.match(shown, /ana +sent it +HO-\d{4}-001 {2}to codex {2}Rate limits\n/)
    assert.match(shown, /codex +accepted it +HO-\d{4}-001 {2}Rate limits\n/)
    assert.match(shown, /baton +got no heartbeat; it is tried again +HO-/)
    assert.match(shown, /codex +came back to it +HO-/)
    assert.match(shown, /named the key that signs the log\n/)
    assert.doesNotMatch(shown, /log\.key|revive|put it off/)
  })
})
