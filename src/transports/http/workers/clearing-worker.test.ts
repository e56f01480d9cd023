import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { by, describeOnEngines, openWorkspace, person } from '../../../../test/support/program/workspace.ts'
import { get, newToken, post } from '../../../../test/support/servers/http-workspace.ts'
import { newDatabase, query } from '../../../../test/support/store/store-places.ts'
import { dumpOf, until } from '../../../../test/support/store/store-units.ts'
import type { Store } from '../../../storage/store.ts'
import { createLog } from '../server/log.ts'
import { serve } from '../server/serve.ts'
import { startClearingWorker } from './clearing-worker.ts'
import { lastRuns } from './repeat.ts'

const HOUR_MS = 3_600_000
const rowsOf = async (store: Store, name: string) =>
  (await dumpOf(store)).filter(({ table }) => table === name).map(({ row }) => row)

describeOnEngines('a running server', (open) => {
  it('clears old idempotency keys, used login links and ended sessions, and nothing younger', async (t) => {
    const w = await open(t)
    const lines: string[] = []
    const log = createLog({ write: (line) => lines.push(line) })
    const server = await serve({
      service: await w.beside(),
      port: 0,
      signals: false,
      log,
      times: { clearMs: 10 },
    })
    t.after(() => server.close())
    const tokens = await w.service.tokens()
    const secret = await newToken(w.service, 'codex')
    const short = await tokens.create(person('maria'), {
      agent: 'codex',
      scopes: ['*'],
      expires_at: new Date(w.clock.now().getTime() + 48 * HOUR_MS).toISOString(),
    })
    await tokens.beginSession(await tokens.loginCode(person('maria'), 'maria'))
    const send = (key: string) =>
      fetch(
        `${server.url}/v1/handoffs`,
        post(
          secret,
          { to: 'codex', title: 'x', summary: 'The plan stands here' },
          { 'idempotency-key': key },
        ),
      )
    await send('old')
    const keys = async () =>
      (await rowsOf(w.store, 'idem')).map(({ key }) => String(key).split(' ')[0]).sort()
    assert.deepEqual(await keys(), ['old', 'spend'])

    w.clock.pass(6 * 24 * HOUR_MS)
    await until('the session has ended', async () => (await keys()).includes('end'))
    const runs = new Set<number | undefined>()
    await until('it has looked again', () => runs.add(lastRuns.get('clearing leftovers')).size > 3)
    assert.deepEqual(await keys(), ['end', 'old', 'spend'])
    w.clock.pass(7 * 24 * HOUR_MS + 1)
    await send('new')

    await until('they are gone', async () => (await rowsOf(w.store, 'token')).length === 2)
    await until('old keys are gone', async () => (await keys()).join() === 'new')
    const left = (await rowsOf(w.store, 'token')).map(({ hash }) => hash)
    assert.ok(left.includes(short.token.hash), 'a token that somebody made is kept')
    assert.equal((await fetch(`${server.url}/v1/inbox`, get(secret))).status, 200)
    assert.match(lines.join(''), /"leftovers cleared","rows":\d+,"sessions_ended":1/)
  })
})

it('a server clears nothing while calls wait for the store', async (t) => {
  const url = await newDatabase()
  const w = await openWorkspace(t, { engine: 'postgres', target: { url, limits: { slowReaders: 1 } } })
  await w.service.sending.send(
    { ...by('ana'), key: 'old' },
    { to: 'codex', title: 'x', summary: 'It stands here' },
  )
  w.clock.pass(8 * 24 * HOUR_MS)
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  t.after(() => blocker.end())
  await blocker.query('BEGIN; LOCK TABLE baton.task IN ACCESS EXCLUSIVE MODE')
  const search = (agent: string) => w.store.readAs({ agent }, () => w.store.tasks({ ref: 'x' }, { limit: 1 }))
  const searches = [search('ana'), search('bob')]
  await until('one waits', () => (w.store.pools().slow_reads?.waiting ?? 0) > 0)
  // More than are cleared at once.
  await query(
    url,
    `INSERT INTO baton.idem SELECT ws, actor, op, 'n' || n, input_hash, subject, rev, at FROM baton.idem, generate_series(1, 5000) AS n`,
  )
  const lines: string[] = []
  const stop = startClearingWorker(w.service, createLog({ write: (line) => lines.push(line) }), 5)
  const runs = new Set<number | undefined>()

  await until('it has looked five times', () => runs.add(lastRuns.get('clearing leftovers')).size > 5)

  // Not through a dump, which would wait for the locked table.
  const keys = () => query(url, 'SELECT key FROM baton.idem')
  assert.equal((await keys()).length, 5_001)
  await blocker.query('ROLLBACK')
  await Promise.all(searches)
  await until('the keys are gone', async () => (await keys()).length === 0)
  await stop()
  const rows = lines.map((line) => Number(JSON.parse(line).rows))
  assert.ok(rows.length < 5, `one run goes on while nobody waits: ${rows.join(', ')}`)
})

it('a server counts a long flow of handoffs before anybody asks for it, once for each step', async (t) => {
  const w = await openWorkspace(t)
  const { mock } = t.mock.method(w.service.deps.store, 'flow')
  const asked = () => mock.calls.map(({ arguments: [window] }) => window)
  const stop = startClearingWorker(w.service, createLog({ write: () => {} }), 10)
  t.after(stop)

  await until('it has counted', () => asked().length >= 3)
  const runs = new Set<number | undefined>()
  await until('it has looked again', () => runs.add(lastRuns.get('clearing leftovers')).size > 3)
  assert.deepEqual(asked(), ['7d', '30d', '90d'])
  w.clock.pass(6 * HOUR_MS)

  await until('it has counted the next step', () => asked().length === 6)
})
