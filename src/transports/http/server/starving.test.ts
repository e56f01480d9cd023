import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { by } from '../../../../test/support/program/workspace.ts'
import {
  get,
  type HttpWorkspace,
  openHttp,
  post,
  refusalOf,
} from '../../../../test/support/servers/http-workspace.ts'
import { newDatabase, query } from '../../../../test/support/store/store-places.ts'
import { until } from '../../../../test/support/store/store-units.ts'
import type { StoreLimits } from '../../../storage/pools.ts'

const SEARCHES = 12
const SEARCH = '/v1/tasks?ref=nowhere'
/** Far below what a search takes here, far above what a call takes on a busy machine. */
const SOON_MS = 3_000

/** A server whose searches over tasks stand still while the table is locked; nothing else needs that table. */
async function openLocked(t: TestContext, limits: Partial<StoreLimits> = {}) {
  const url = await newDatabase()
  const http = await openHttp(t, { engine: 'postgres', target: { url, limits } })
  const [searcher, ana] = [await http.token('searcher'), await http.token('ana')]
  await http.token('codex')
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  blocker.on('error', () => undefined)
  t.after(() => blocker.end())
  // A test that fails must not stand still.
  await blocker.query(`SET idle_in_transaction_session_timeout = '60s'`)
  await blocker.query('BEGIN; LOCK TABLE baton.task IN ACCESS EXCLUSIVE MODE')
  return {
    ...{ http, searcher, ana },
    unlock: () => blocker.query('ROLLBACK'),
    /** Sessions that wait for the table. */
    stuck: async () =>
      (
        await query(
          url,
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).length,
  }
}

const searchAll = (http: HttpWorkspace, token: string, init: RequestInit = {}) =>
  Array.from({ length: SEARCHES }, () => http.request(SEARCH, { ...get(token), ...init }))

const soon = <T>(name: string, answer: Promise<T>): Promise<T> =>
  Promise.race([
    answer,
    pause(SOON_MS, undefined, { ref: false }).then(() =>
      assert.fail(`${name} took longer than ${SOON_MS} ms`),
    ),
  ])

describe('12 slow searches of one agent, on PostgreSQL', () => {
  it('hold up no write, no quick read, no search of another agent and no /readyz', async (t) => {
    const { http, searcher, ana, unlock, stuck } = await openLocked(t)
    const searches = searchAll(http, searcher)
    await until('a search waits', async () => (await stuck()) > 0)

    const sent = { to: 'codex', title: 'x', summary: 'The plan stands here' }
    const calls = {
      '/readyz': http.request('/readyz'),
      send: http.request('/v1/handoffs', post(ana, sent)),
      inbox: http.request('/v1/inbox', get(ana)),
      'inbox of the searcher': http.request('/v1/inbox', get(searcher)),
      search: http.request('/v1/handoffs?text=plan', get(ana)),
    }
    await until('every other search waits', () => http.store.pools().slow_reads!.waiting >= SEARCHES - 1)
    const { size, used } = http.store.pools().slow_reads!
    assert.deepEqual([size, used >= 1 && used <= 2], [2, true])
    for (const [name, answer] of Object.entries(calls))
      assert.equal((await soon(name, answer)).status, 200, name)

    await unlock()
    for (const search of searches) assert.equal((await search).status, 200)
  })

  it('are stopped in the database when their callers hang up', async (t) => {
    const { http, searcher, unlock, stuck } = await openLocked(t)
    const leaving = new AbortController()
    const searches = searchAll(http, searcher, { signal: leaving.signal })
    await until('a search waits', async () => (await stuck()) > 0)

    leaving.abort()

    await soon('the end of every search', Promise.all(searches))
    assert.equal(await stuck(), 0)
    await unlock()
    assert.equal((await http.request(SEARCH, get(searcher))).status, 200)
  })

  it('leave a pause between them for the calls of others', async (t) => {
    const { http, searcher, ana, unlock } = await openLocked(t, { slowBudgetMs: 3_000 })
    const first = http.request(SEARCH, get(searcher))
    await pause(150)
    const ended: string[] = []
    const call = async (name: string, token: string, path = SEARCH) => {
      assert.equal((await http.request(path, get(token))).status, 200)
      ended.push(name)
    }
    const waiting = () => http.store.pools().slow_reads!.waiting
    const report = call('report', searcher, '/v1/reports/flow?window=90d')
    await until('the report waits', () => waiting() >= 1)
    const second = call('searcher', searcher)
    await until('the next search waits', () => waiting() >= 2)
    await unlock()
    assert.equal((await first).status, 200)

    await Promise.all([report, second, call('ana', ana)])

    // A report reads more than once, and no pause comes between.
    assert.deepEqual(ended, ['ana', 'report', 'searcher'])
  })

  it('are refused when too many wait, and when one takes too long', async (t) => {
    // Without a pause after each: the lock does not last for ever.
    const { http, searcher, unlock } = await openLocked(t, { slowReadMs: 50, slowBudgetMs: 600_000 })
    const answers = await Promise.all([...searchAll(http, searcher), ...searchAll(http, searcher)])

    const codes = await Promise.all(answers.map(async (answer) => (await refusalOf(answer)).code))
    assert.deepEqual([...new Set(codes)].sort(), ['limit_exceeded', 'timed_out'])
    await unlock()
  })
})

describe('searches that wait until the index has taken in what is new, on PostgreSQL', () => {
  it('hold up no other slow read', async (t) => {
    const url = await newDatabase()
    const http = await openHttp(t, { engine: 'postgres', target: { url } })
    const [searcher, ana, codex] = [
      await http.token('searcher'),
      await http.token('ana'),
      await http.token('codex'),
    ]
    await http.request(
      '/v1/handoffs',
      post(ana, { to: 'codex', title: 'x', summary: 'The plan stands here' }),
    )
    const blocker = new pg.Client({ connectionString: url })
    await blocker.connect()
    t.after(() => blocker.end())
    await blocker.query('BEGIN; LOCK TABLE baton.word IN SHARE MODE')
    const searches = [searcher, ana].map((token) => http.request('/v1/handoffs?text=plan', get(token)))
    const stuck = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'baton.word'::regclass`
    await until('a search waits', async () => (await query(url, stuck)).length > 0)

    const report = http.request('/v1/reports/flow?window=1d', get(codex))

    assert.equal((await soon('the report', report)).status, 200)
    await blocker.query('ROLLBACK')
    for (const search of searches) assert.equal((await search).status, 200)
  })
})

describe('a query that takes longer than any may, on PostgreSQL', () => {
  it('is ended by the database, and the caller may ask again', async (t) => {
    const { http, searcher, unlock, stuck } = await openLocked(t, { queryMs: 60 })

    const { status, code, problem } = await refusalOf(await http.request(SEARCH, get(searcher)))

    assert.deepEqual([status, code, problem.retry, await stuck()], [408, 'timed_out', true, 0])
    assert.match(problem.detail, /the statement took too long and was stopped/)
    await unlock()
  })
})

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the searches of one agent, on ${engine}`, () => {
    it('are refused with 429 when they have used up their time, and those of others are not', async (t) => {
      const http = await openHttp(t, { engine, target: { limits: { slowBudgetMs: 0.001 } } })
      const [searcher, ana] = [await http.token('searcher'), await http.token('ana')]
      assert.equal((await http.request(SEARCH, get(searcher))).status, 200)

      const refused = await http.request(SEARCH, get(searcher))

      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      const { status, code, problem } = await refusalOf(refused)
      assert.deepEqual([status, code], [429, 'limit_exceeded'])
      assert.match(problem.detail, /^the searches of searcher took more than .* s of the last minute; wait/)
      assert.equal((await http.request('/v1/inbox', get(searcher))).status, 200)
      assert.equal((await http.request(SEARCH, get(ana))).status, 200)
    })
  })

describe('a slow search, on SQLite', () => {
  it('leaves the process free for other calls', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('searcher')
    await http.service.tasks.create(by('ana'), { id: 'T-1', title: 'x' })
    const db = new DatabaseSync(http.store.info.location)
    db.exec('UPDATE task SET id = hex(zeroblob(15000000))')
    const started = performance.now()
    let turns = 0
    const turning = setInterval(() => turns++, 5)

    const answer = await http.request(SEARCH, get(token))

    clearInterval(turning)
    db.exec(`UPDATE task SET id = 'T-1'`)
    db.close()
    assert.equal(answer.status, 200)
    assert.ok(turns > 5, `${turns} turns in ${performance.now() - started} ms`)
  })
})

it('reads for event streams go before those of calls that wait', async (t) => {
  const { service } = await openHttp(t, {
    engine: 'postgres',
    target: { url: await newDatabase(), limits: { readers: 1 } },
  })
  const { store } = service.deps
  let done = 0
  const calls = Array.from({ length: 100 }, async () => {
    await store.changes('0', 1)
    done += 1
  })

  await store.readAs({ agent: '', isFirst: true }, () => store.changes('0', 1))

  assert.ok(done < 20, `${done} calls were read for before`)
  await Promise.all(calls)
})

it('a new listener begins before calls that wait, and its first event comes before them', async (t) => {
  const { service } = await openHttp(t, {
    engine: 'postgres',
    target: { url: await newDatabase(), limits: { readers: 1 } },
  })
  const { store } = service.deps
  const ended = new AbortController()
  t.after(() => ended.abort())
  const send = () => service.sending.send(by('ana'), { to: 'codex', title: 'Work', summary: 'Do it.' })
  await send()
  const events = await service.events()
  let done = 0
  const calls = Array.from({ length: 200 }, async () => {
    while (!ended.signal.aborted) {
      await store.changes('0', 1)
      done += 1
    }
  })

  const ready = Promise.withResolvers<number>()
  const since = await events.startOf(undefined)
  const followed = events.follow({ since, signal: ended.signal, onReady: () => ready.resolve(done) })
  const first = followed.next()
  const before = await ready.promise
  await send()
  const sentAt = done
  const { value } = await first

  assert.ok(value)
  assert.ok(before < 40, `${before} calls were read for before it began`)
  assert.ok(done - sentAt < 100, `${done - sentAt} calls were read for before its first event`)
  ended.abort()
  await Promise.all(calls)
})

it('a listener that comes back a little behind is told before calls that wait', async (t) => {
  const { service } = await openHttp(t, {
    engine: 'postgres',
    target: { url: await newDatabase(), limits: { readers: 1 } },
  })
  const { store } = service.deps
  await service.sending.send(by('ana'), { to: 'codex', title: 'Work', summary: 'Do it.' })
  const ended = new AbortController()
  t.after(() => ended.abort())
  const events = await service.events()
  const listen = () => events.follow({ since: '0', signal: ended.signal }).next()
  await listen()
  let done = 0
  const calls = Array.from({ length: 100 }, async () => {
    await store.changes('0', 1)
    done += 1
  })

  const { value } = await listen()

  assert.ok(value)
  assert.ok(done < 20, `${done} calls were read for before`)
  await Promise.all(calls)
})
