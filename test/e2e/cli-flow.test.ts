import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, lines, onTerminal, quick } from '../support/program/command.ts'

describe('baton report flow', () => {
  it('tells people and programs who handed what to whom and how it ended', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await ask(where, 'send', '--as', 'planner', '--to', 'codex', '--title', 'Add rate limiting')
    await ask(where, 'reject', '@', '--as', 'codex', '--reason', 'No access to the API')
    await ask(where, 'send', '--as', 'planner', '--to', 'codex', '--title', 'Count the endpoints')

    const [told, table, shown] = [
      await ask<{ made: number; edges: unknown[] }>(where, 'report', 'flow', '--window', '1h'),
      await quick(where, 'report', 'flow', '--window', '1h'),
      onTerminal(where, ['report', 'flow', '--window', '1h'], { columns: 100 }),
    ]

    assert.deepEqual(told.edges, [
      { from: 'planner', to: 'codex', made: 2, completed: 0, failed: 0, rejected: 1 },
    ])
    assert.deepEqual(lines(table.stdout), [
      '2 made, 0 completed, 0 failed, 1 rejected in the last 1h',
      'codex\t1\t0\t0\t2\t0\t0\t1\t\t0\t',
      'planner\t0\t1\t2\t0\t0\t0\t0\t\t0\t',
      'planner → codex\t2\t0\t0\t1',
    ])
    assert.match(
      shown.shown,
      /AGENT +HOLDS +WAITS FOR +SENT +RECEIVED +COMPLETED +FAILED +REJECTED +RATE +RETRIES +MEDIAN/,
    )
  })

  it('says what to do where nothing was handed over, and refuses a window that there is not', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await ask(where, 'task', 'create', 'P0.1', '--title', 'Begin')

    const [empty, wrong] = [
      await quick(where, 'report', 'flow'),
      await quick(where, 'report', 'flow', '--window', '2y'),
    ]

    assert.deepEqual([empty.code, empty.stdout, wrong.code], [0, '', 2])
    assert.match(empty.stderr, /Nothing was handed over in the last 7d; a wider look: --window 90d/)
    assert.match(wrong.stderr, /1h.*90d/s)
  })
})
