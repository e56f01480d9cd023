import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog } from './log.ts'

const now = () => new Date('2026-02-21T14:30:00.000Z')

function linesOf(isTTY: boolean, fields: Record<string, unknown>): string {
  let text = ''
  createLog({ isTTY, write: (line) => (text += line) }, now)('warn', 'request', fields)
  return text
}

describe('the log', () => {
  it('is a JSON object on each line for programs', () => {
    assert.equal(
      linesOf(false, { status: 200, text: 'two\nlines' }),
      '{"time":"2026-02-21T14:30:00.000Z","level":"warn","event":"request","status":200,"text":"two\\nlines"}\n',
    )
  })

  it('is plain words on a terminal, which nobody can steer through it', () => {
    assert.equal(
      linesOf(true, { status: 200, actor: 'codex\u001b[2J\u202e\r', none: undefined }),
      '14:30:00 warn request status=200 actor=codex [2J \n',
    )
  })

  it('never holds a token or the password of a store', () => {
    for (const isTTY of [true, false]) {
      const line = linesOf(isTTY, {
        error: 'no baton_abcDEF123-_456789 at postgres://baton:hunter2@db/x',
        nested: { header: ['Bearer baton_abcDEF123-_456789'] },
      })
      assert.doesNotMatch(line, /abcDEF123|hunter2/)
      assert.match(line, /baton_… at postgres:\/\/…@db\/x/)
    }
  })
})
