import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { anAgent } from '../../../test/support/store/builders.ts'
import { newDatabase, query, sharedPostgres } from '../../../test/support/store/store-places.ts'
import {
  AT,
  dumpOf,
  entryOf,
  freshHandoff,
  freshNotice,
  freshRecord,
  freshTask,
  offer,
  put,
  run,
  until,
} from '../../../test/support/store/store-units.ts'
import type { Store } from '../store.ts'
import { grants } from './grants.ts'
import { openPostgresStore, type PostgresStoreOptions } from './postgres-store.ts'

const OPENERS = 20

describe('opening a shared store', () => {
  it('works for twenty who find an empty database at the same moment', async (t) => {
    const url = await newDatabase()

    const stores = await Promise.all(
      Array.from({ length: OPENERS }, (_, i) => open(t, { url, workspace: `team-${i % 2}` })),
    )
    await Promise.all(stores.map((store) => offer(store)))

    assert.equal(new Set(stores.map(({ info }) => info.origin)).size, 2)
    for (const store of stores) assert.equal((await store.counts()).handoffs.offered, OPENERS / 2)
    assert.deepEqual(await query(url, 'SELECT number, name FROM baton.migration'), [
      { number: 1, name: 'start' },
      { number: 2, name: 'runs' },
      { number: 3, name: 'history' },
      { number: 4, name: 'parties' },
      { number: 5, name: 'agents' },
      { number: 6, name: 'lists' },
      { number: 7, name: 'search' },
      { number: 8, name: 'outcomes' },
      { number: 9, name: 'programs' },
      { number: 10, name: 'flow' },
      { number: 11, name: 'late' },
    ])
  })

  it('brings a database of the first schema up to date, with what is in it', async (t) => {
    const url = await newDatabase()
    const before = await open(t, { url, workspace: 'a' })
    const kept = await offer(before)
    await before.close()
    await query(url, 'DROP TABLE baton.run, baton.block, baton.delivery')
    await query(url, 'DROP TABLE baton.party, baton.facet, baton.ended, baton.word, baton.live')
    const functions = [
      'keep_parties',
      'count_agents',
      'keep_lists',
      'count_done',
      'facets',
      'instant',
      'forget_words',
      'used',
      'keep_usage',
      'correct_flow',
      'flow_changed',
      'flow_made',
    ]
    for (const each of functions) await query(url, `DROP FUNCTION baton.${each} CASCADE`)
    await query(url, 'ALTER TABLE baton.workspace DROP COLUMN agents')
    await query(url, 'CREATE INDEX handoff_open_from ON baton.handoff (ws, from_agent, uid) WHERE open = 1')
    await query(url, 'CREATE INDEX handoff_open_to ON baton.handoff (ws, to_agent, uid) WHERE open = 1')
    await query(url, 'ALTER TABLE baton.handoff DROP COLUMN run')
    await query(url, 'DELETE FROM baton.migration WHERE number > 1')

    const after = await open(t, { url, workspace: 'a' })

    assert.deepEqual(await after.handoff(kept.uid), kept)
    const { uid } = await offer(after, { run: 'a-run' })
    assert.deepEqual(
      (await after.handoffs({ run: 'a-run' }, { limit: 9 })).items.map((h) => h.uid),
      [uid],
    )
    const { agents } = await after.counts()
    assert.deepEqual(agents, { planner: { outgoing: 2, incoming: 0 }, codex: { outgoing: 0, incoming: 2 } })
  })

  it('brings a database up to date while an older program writes', async (t) => {
    const url = await newDatabase()
    const before = await open(t, { url, workspace: 'a' })
    await offer(before)
    await before.close()
    await query(url, 'DROP FUNCTION baton.correct_flow, baton.flow_changed, baton.flow_made CASCADE')
    await query(url, 'DELETE FROM baton.migration WHERE number > 9')
    const writer = new pg.Client(url)
    await writer.connect()
    t.after(() => writer.end())
    await writer.query('BEGIN; UPDATE baton.handoff SET doc = doc')

    const opening = open(t, { url, workspace: 'a' })
    const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND relation IS NOT NULL'
    await until('it waits for the writer', async () => (await query(url, waiting)).length > 0)
    await writer.query(`INSERT INTO baton.facet VALUES (1, 'sender  delegation completed', 'a'); COMMIT`)

    await opening
  })

  it('changes nothing the second time', async (t) => {
    const url = await newDatabase()
    await (await open(t, { url, workspace: 'a' })).close()
    const before = await schemaOf(url)

    await (await open(t, { url, workspace: 'a' })).close()
    await (await open(t, { url, workspace: 'a', upgrade: true })).close()

    assert.deepEqual(await schemaOf(url), before)
  })

  it('says where the store is, and nothing that is secret', async (t) => {
    const url = new URL(await newDatabase())
    url.password = 'sesame'

    const { info } = await open(t, { url: url.href, workspace: 'a' })

    assert.equal(info.location, `${url.hostname}:${url.port}${url.pathname}`)
    assert.deepEqual([info.engine, info.workspace, info.readOnly], ['postgres', 'a', false])
  })

  it('passes over a host that cannot be reached where the address names several', async (t) => {
    const { host } = new URL(sharedPostgres())
    const url = (await newDatabase()).replace(host, `127.0.0.1:1,${host}`)

    const store = await open(t, { url: `${url}?target_session_attrs=read-write`, workspace: 'a' })
    await offer(store)

    assert.match(store.info.location, new RegExp(`^127\\.0\\.0\\.1:1,${host}/`))
    await assert.rejects(
      open(t, { url: url.replace(host, '127.0.0.1:2'), workspace: 'a' }),
      /PostgreSQL at 127\.0\.0\.1:1,127\.0\.0\.1:2\/\w+ cannot be reached/,
    )
  })

  it('is refused with the fix where a newer program made the schema', async (t) => {
    const url = await newDatabase()
    await (await open(t, { url, workspace: 'a' })).close()
    await query(url, `INSERT INTO baton.migration (number, name) VALUES (99, 'future')`)
    await query(url, `UPDATE baton.meta SET value = '99' WHERE ws = 0`)

    for (const readOnly of [false, true])
      await assert.rejects(openPostgresStore({ url, workspace: 'a', readOnly }), {
        name: 'BatonError',
        code: 'store_refused',
        message: /made by a newer Baton \(schema 99, .*install that version/,
      })
  })

  it('works beside a newer program that allows it', async (t) => {
    const url = await newDatabase()
    await (await open(t, { url, workspace: 'a' })).close()
    await query(url, `INSERT INTO baton.migration (number, name) VALUES (99, 'future')`)

    const store = await open(t, { url, workspace: 'a' })
    await offer(store)

    assert.equal(store.info.schema, 99)
  })

  it('reads, and only reads, where a newer program allows no more', async (t) => {
    const url = await newDatabase()
    await (await open(t, { url, workspace: 'a' })).close()
    await query(url, `INSERT INTO baton.migration (number, name) VALUES (99, 'future')`)
    await query(url, `UPDATE baton.meta SET value = '99' WHERE ws = 0 AND key = 'least_writer'`)

    await assert.rejects(openPostgresStore({ url, workspace: 'a' }), { code: 'store_refused' })
    const store = await open(t, { url, workspace: 'a', readOnly: true })
    assert.deepEqual((await store.counts()).handoffs, {})
  })

  it('makes nothing for somebody who only wants to read', async () => {
    const url = await newDatabase()

    await assert.rejects(openPostgresStore({ url, workspace: 'a', readOnly: true }), { code: 'not_found' })
    assert.deepEqual(await query(url, `SELECT to_regnamespace('baton') AS found`), [{ found: null }])
  })

  for (const [what, change, code, message] of [
    ['a database that is not there', { pathname: '/nowhere' }, 'store_refused', /createdb/],
    ['a user that is not there', { username: 'nobody-knows' }, 'store_refused', /user or the password/],
    [
      'a port at which nobody listens',
      { port: '1' },
      'unavailable',
      /check that it runs, check the address, then try again/,
    ],
  ] as const)
    it(`is refused with the fix and without the password: ${what}`, async () => {
      const url = new URL(sharedPostgres())
      Object.assign(url, { password: 'sesame', ...change })

      const error = await openPostgresStore({ url: url.href, workspace: 'a' }).then(
        () => undefined,
        (failure: unknown) => failure as Error & { code: string; details: unknown },
      )

      assert.equal(error?.code, code)
      assert.match(error?.message ?? '', message)
      assert.doesNotMatch(`${error?.message} ${JSON.stringify(error?.details)}`, /sesame/)
    })

  for (const url of ['postgres://user:sesame@host:not-a-port/db', 'postgres://user:sesame@[::bad/db'])
    it(`is refused without the password where the address is none: ${url.slice(23)}`, async () => {
      const error = await openPostgresStore({ url, workspace: 'a' }).then(
        () => undefined,
        (failure: unknown) => failure as Error & { code: string },
      )

      assert.equal(error?.code, 'store_refused')
      assert.match(error?.message ?? '', /it looks like postgres:\/\/user@host:5432\/database/)
      assert.doesNotMatch(String(error?.message), /sesame/)
    })

  it('is refused with the fix where the user may not make the schema, and works when an owner has', async (t) => {
    const url = await newDatabase()
    const guest = new URL(url)
    guest.username = `guest_${process.pid}`
    await query(url, `CREATE ROLE ${guest.username} LOGIN`)
    t.after(() => query(url, `DROP OWNED BY ${guest.username}; DROP ROLE ${guest.username}`))

    await assert.rejects(openPostgresStore({ url: guest.href, workspace: 'a' }), {
      code: 'store_refused',
      message:
        /let the owner open the store once, then give this user its rights with: baton store grants <role>/,
    })
    await (await open(t, { url, workspace: 'a' })).close()
    await query(url, grants(guest.username))
    const store = await open(t, { url: guest.href, workspace: 'a' })
    assert.equal(store.info.changesLog, false)
    await offer(store)
    await run(store, { numbers: 1 }, (view) => view.number())
    await run(store, { agents: ['planner'] }, (view) => view.putAgent(anAgent('planner')))
    assert.match((await store.scrub()).join(), /^old bytes in the tables and the write-ahead log/)
    await store.close()
    for (const sql of [
      'DELETE FROM baton.entry',
      "UPDATE baton.entry SET body = '{}'",
      'TRUNCATE baton.entry',
      'DELETE FROM baton.migration',
      'ALTER TABLE baton.entry DISABLE TRIGGER ALL',
    ])
      await assert.rejects(query(guest.href, sql), /permission denied|must be owner/, sql)
    // A redaction needs this, and the log commits to what it takes away.
    await query(guest.href, 'UPDATE baton.entry SET disclosures = disclosures')
    await query(url, `ALTER ROLE ${guest.username} SET default_transaction_read_only = on`)
    await assert.rejects(
      open(t, { url: guest.href, workspace: 'a' }).then((store) => offer(store)),
      /only reads; .* set default_transaction_read_only = off for the role/,
    )
  })

  it('is copied, and restored into, by the owner of the tables alone, and says so', async (t) => {
    const url = await newDatabase()
    const guest = new URL(url)
    guest.username = `copier_${process.pid}`
    await query(url, `CREATE ROLE ${guest.username} LOGIN`)
    t.after(() => query(url, `DROP OWNED BY ${guest.username}; DROP ROLE ${guest.username}`))
    for (const workspace of ['a', 'b']) await (await open(t, { url, workspace })).close()
    await query(url, grants(guest.username))
    const [store, empty] = [
      await open(t, { url: guest.href, workspace: 'a' }),
      await open(t, { url: guest.href, workspace: 'b' }),
    ]
    await offer(store)
    const refused = {
      code: 'store_refused',
      message:
        /: only the owner of the tables can copy or archive this store or restore into it\. Repeat the command with the owner in this address$/,
    }

    await assert.rejects(store.retire('elsewhere'), refused)
    await assert.rejects(empty.restore(store.dump()), refused)

    await offer(store)
    assert.deepEqual([store.info.moved, (await empty.counts()).entries], [undefined, 0])
    const owner = await open(t, { url, workspace: 'b' })
    await owner.restore(store.dump())
    assert.equal((await owner.counts()).entries, 2)
  })
})

describe('what a newer program adds to the schema', () => {
  it('works on when whoever opened it first has no rights any more', async (t) => {
    const url = await newDatabase()
    await (await open(t, { url, workspace: 'a' })).close()
    const [team, alice] = [`team_${process.pid}`, `alice_${process.pid}`]
    await query(url, `CREATE ROLE ${team}; CREATE ROLE ${alice} LOGIN IN ROLE ${team}`)
    t.after(async () => {
      await query(url, `REASSIGN OWNED BY ${team}, ${alice} TO postgres; DROP OWNED BY ${team}, ${alice}`)
      await query(url, `DROP ROLE ${alice}; DROP ROLE ${team}`)
    })
    await query(url, 'DROP TABLE baton.facet, baton.ended, baton.word, baton.live')
    for (const each of [
      'count_agents',
      'keep_lists',
      'count_done',
      'facets',
      'instant',
      'forget_words',
      'used',
      'keep_usage',
      'correct_flow',
      'flow_changed',
      'flow_made',
    ])
      await query(url, `DROP FUNCTION baton.${each} CASCADE`)
    await query(url, 'CREATE INDEX handoff_ended ON baton.handoff (ws, state, uid) WHERE open = 0')
    await query(url, 'ALTER TABLE baton.workspace DROP COLUMN agents')
    await query(url, 'DELETE FROM baton.migration WHERE number > 4')
    await query(url, `ALTER SCHEMA baton OWNER TO ${team}`)
    for (const { relname } of await query(
      url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'baton'::regnamespace AND relkind = 'r'`,
    ))
      await query(url, `ALTER TABLE baton.${relname} OWNER TO ${team}`)
    await query(url, `ALTER SEQUENCE baton.handoff_number_1 OWNER TO ${team}`)
    const member = new URL(url)
    member.username = alice
    await (await open(t, { url: member.href, workspace: 'a' })).close()
    await query(url, `REVOKE ${team} FROM ${alice}`)

    const store = await open(t, { url, workspace: 'a' })
    await run(store, { agents: ['planner'] }, (view) => view.putAgent(anAgent('planner')))

    assert.deepEqual(
      (await store.agents()).map(({ name }) => name),
      ['planner'],
    )
    const owners = `SELECT DISTINCT relowner::regrole::text AS owner FROM pg_class
      WHERE relname IN ('handoff', 'facet', 'ended', 'live')`
    assert.deepEqual(await query(url, owners), [{ owner: team }])
  })
})

describe('two workspaces of one database', () => {
  it('never see each other, though everything in them has the same name', async (t) => {
    const url = await newDatabase()
    const [ours, theirs] = [
      await open(t, { url, workspace: 'ours' }),
      await open(t, { url, workspace: 'theirs' }),
    ]
    await fill(theirs)
    const before = await dumpOf(theirs)

    assert.deepEqual(await ours.counts(), { handoffs: {}, tasks: {}, agents: {}, entries: 0 })
    assert.equal(await run(ours, { numbers: 1 }, (view) => view.number()), 1)
    await seesNothing(ours)
    await fill(ours)

    assert.deepEqual(await dumpOf(theirs), before)
    assert.notEqual(ours.info.origin, theirs.info.origin)
    assert.deepEqual(await ours.gc('2999', true), { idem: 1, notices: 0, deliveries: 0, tokens: 0 })
    assert.deepEqual(await dumpOf(theirs), before)
    const { entries } = await ours.changes('0', 99)
    assert.equal(entries.length, 1)
  })

  it('do not settle, claim or change what belongs to the other', async (t) => {
    const url = await newDatabase()
    const [ours, theirs] = [
      await open(t, { url, workspace: 'ours' }),
      await open(t, { url, workspace: 'theirs' }),
    ]
    const handoff = await offer(theirs, { ack_deadline: '2026-01-01T00:00:00.000Z' })
    ours.onDue(() => assert.fail('nothing of ours is due'))

    assert.equal(await ours.settle(AT), 0)
    assert.equal(await run(ours, { claim: 'codex' }, (view) => view.claimed('codex')), undefined)
    await run(ours, { handoffs: [handoff.uid], streams: [handoff.root] }, (view) => {
      assert.equal(view.handoff(handoff.uid), undefined)
      assert.equal(view.append(entryOf(handoff.uid)), 0)
    })

    assert.deepEqual(await theirs.handoff(handoff.uid), handoff)
    assert.equal((await theirs.entries(handoff.root, 0, 9)).length, 1)
  })
})

describe('two dumps', () => {
  it('are taken into one database at once without waiting for each other for ever', async (t) => {
    const url = await newDatabase()
    const source = await open(t, { url, workspace: 'source' })
    await fill(source)
    const rows = await dumpOf(source)
    const targets = await Promise.all(['a', 'b'].map((workspace) => open(t, { url, workspace })))
    let written = 0
    const nearlyAll = async function* () {
      yield* rows.slice(0, -1)
      written += 1
      for (let waited = 0; written < 2 && waited < 20; waited++) await pause(10)
      yield rows.at(-1)!
    }

    const counts = await Promise.all(targets.map((target) => target.restore(nearlyAll())))

    assert.deepEqual(counts, [rows.length, rows.length])
  })
})

const HANDOFF = freshHandoff({ id: 'HO-2026-001', task: 'T1' })
const KEY = { actor: 'planner', op: 'handoff_send', key: 'k1' }
const TASK = freshTask('T1')
const RECORD = freshRecord()
const NOTICE = freshNotice()

const fill = (store: Store): Promise<void> =>
  run(store, { idem: KEY, agents: ['planner'], tasks: ['T1'], streams: [HANDOFF.root] }, (view) => {
    put(view, HANDOFF)
    view.putAgent(anAgent('planner'))
    view.putTask(TASK, { depends_on: [], open_deps: 0 })
    view.addNotice(NOTICE)
    view.addRecord(RECORD)
    view.addIdem({ ...KEY, input_hash: 'h', subject: HANDOFF.uid, rev: 1, at: AT })
    view.putToken({ uid: HANDOFF.uid, hash: 'f00d', agent: 'planner', scopes: [], created_at: AT })
    const artifact = { uid: HANDOFF.uid, path: 'a', handoff: HANDOFF.uid, sha256: 'ab', stored: true }
    view.addArtifact({ ...artifact, by: 'planner', created_at: AT }, new Uint8Array([1]))
  })

async function seesNothing(store: Store): Promise<void> {
  assert.equal(await store.handoff(HANDOFF.uid), undefined)
  assert.equal(await store.handoff(HANDOFF.id), undefined)
  assert.equal(await store.content(HANDOFF.uid), undefined)
  assert.equal(await store.latest('T1'), undefined)
  assert.equal(await store.task('T1'), undefined)
  assert.equal(await store.record(RECORD.uid), undefined)
  assert.equal(await store.token('f00d'), undefined)
  assert.equal(await store.artifact(HANDOFF.uid), undefined)
  assert.equal(await store.blob('ab'), undefined)
  assert.deepEqual(await store.agents(), [])
  assert.deepEqual(await store.nextTasks(9), [])
  assert.deepEqual(await store.records('T1', 9), [])
  assert.deepEqual((await store.inbox('codex', { limit: 9 })).items, [])
  assert.deepEqual((await store.notices('planner', { limit: 9 })).items, [])
  assert.deepEqual((await store.streams({ limit: 9 })).items, [])
  assert.deepEqual(await store.entries(HANDOFF.root, 0, 9), [])
  assert.equal(await run(store, { idem: KEY }, (view) => view.idem()), undefined)
}

async function open(t: TestContext, options: PostgresStoreOptions): Promise<Store> {
  const store = await openPostgresStore(options)
  t.after(() => store.close())
  return store
}

const schemaOf = (url: string) =>
  query(
    url,
    `SELECT table_name, column_name, data_type, column_default FROM information_schema.columns
     WHERE table_schema = 'baton' UNION ALL
     SELECT indexname, indexdef, '', '' FROM pg_indexes WHERE schemaname = 'baton' UNION ALL
     SELECT 'meta', key, value, ws::text FROM baton.meta UNION ALL
     SELECT 'workspace', name, uuid, id::text FROM baton.workspace ORDER BY 1, 2, 3, 4`,
  )
