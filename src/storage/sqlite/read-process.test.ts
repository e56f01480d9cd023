import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it, type TestContext } from 'node:test'
import { newSqlitePlace } from '../../../test/support/store/store-places.ts'
import { until } from '../../../test/support/store/store-units.ts'
import type { BatonError } from '../../domain/errors.ts'
import { ProcessReads, ROLE } from './read-process.ts'
import { openSqliteStore } from './sqlite-store.ts'

/** It counts for minutes. */
const ENDLESS =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT max(i) FROM n'

async function reads(t: TestContext, limits = {}): Promise<ProcessReads> {
  const { path, remove } = newSqlitePlace()
  t.after(remove)
  await (await openSqliteStore({ path })).close()
  const reads = new ProcessReads(path, limits)
  t.after(() => reads.close())
  return reads
}

/** Processes that read for this one. */
function readers(): readonly number[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const rows = stdout.split('\n').filter((line) => line.includes(ROLE))
  return rows
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([id, by]) => (by === process.pid ? id! : []))
}

describe('a slow read of SQLite', () => {
  it('ends when its caller hangs up, and the next one is answered at once', async (t) => {
    const slow = await reads(t)
    const caller = new AbortController()
    const read = slow.readAs({ agent: 'ana', signal: caller.signal }, () => slow.ask([ENDLESS]))
    const ended = assert.rejects(read, { message: 'hung up' })
    await until('it reads', () => slow.state.used === 1)

    caller.abort(new Error('hung up'))
    await ended

    assert.deepEqual(await slow.ask(['SELECT 7']), [[7]])
    assert.deepEqual(slow.state, { size: 1, used: 0, waiting: 0 })
    await until('the endless one has ended', () => readers().length === 1)
  })

  it('is stopped when its time is up, and the caller is told to ask for less', async (t) => {
    const slow = await reads(t, { slowReadMs: 300 })

    await assert.rejects(slow.ask([ENDLESS]), {
      code: 'timed_out',
      message: /longer than 0\.3 s and was stopped/,
    })

    assert.deepEqual(await slow.ask(['SELECT 7']), [[7]])
  })

  it('is read by another process when the one before was killed', async (t) => {
    const slow = await reads(t)
    await slow.ask(['SELECT 6'])

    const [killed] = readers()
    process.kill(killed!, 'SIGKILL')
    const answer = () => slow.ask(['SELECT 7']).catch((error: BatonError) => error.retry)
    await until('another one answers', async () => (await answer()) !== true)

    assert.deepEqual(await answer(), [[7]])
    const read = assert.rejects(slow.ask([ENDLESS]), { code: 'unavailable', message: /repeat the call/ })
    await until('it reads', () => slow.state.used === 1)
    process.kill(readers()[0]!, 'SIGKILL')
    await read
  })

  it('tells the error of SQLite, and goes on after it', async (t) => {
    const slow = await reads(t)

    await assert.rejects(slow.ask(['SELECT i FROM nowhere']), { message: /no such table: nowhere/ })

    assert.deepEqual(await slow.ask(['SELECT 7']), [[7]])
  })
})
