import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import type { Io } from './io.ts'
import { askFor } from './prompt.ts'
import { Interrupted } from './shell.ts'

describe('a question', () => {
  it('leaves Ctrl-C to the system for whatever comes after it', async () => {
    const stdin = new PassThrough()
    let lasts = false
    const io = {
      stdin,
      stderr: new PassThrough(),
      lasting: () => {
        lasts = true
        return new AbortController().signal
      },
    } as unknown as Io

    const answer = askFor(io, 'Sure? ')
    stdin.write('yes\n')

    assert.equal(await answer, 'yes')
    assert.equal(lasts, false)
  })

  it('that is ended with Ctrl-C has no answer', async () => {
    const stdin = new PassThrough()
    const answer = askFor({ stdin, stderr: new PassThrough() } as unknown as Io, 'Sure? ')
    stdin.write('\u0003')

    await assert.rejects(answer, Interrupted)
  })
})
