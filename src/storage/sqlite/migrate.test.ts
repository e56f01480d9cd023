import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { newSqlitePlace } from '../../../test/support/store/store-places.ts'
import { offer } from '../../../test/support/store/store-units.ts'
import { type Migration, migrate, SCHEMA, schemaVersion } from './migrate.ts'
import { sql as start } from './migrations/0001-start.ts'
import { openSqliteStore } from './sqlite-store.ts'

const FIRST: Migration = { sql: start, additive: true }
const ADDITIVE: Migration = { sql: 'CREATE TABLE extra (a TEXT)', additive: true }
const BREAKING: Migration = { sql: 'DROP TABLE token', additive: false }

describe('migrations of a store file', () => {
  it('change nothing the second time', async (t) => {
    const { path } = await newFile(t)
    const db = new DatabaseSync(path)
    t.after(() => db.close())
    const before = stateOf(db)

    migrate(db)
    migrate(db, { upgrade: true })

    assert.deepEqual(stateOf(db), before)
  })

  it('bring a file of the first schema up to date, with what is in it', async (t) => {
    const { path } = await newFile(t)
    const before = await openSqliteStore({ path })
    const kept = await offer(before)
    await before.close()
    const db = new DatabaseSync(path)
    db.exec(`DROP TRIGGER flow_given; DROP TRIGGER flow_made; DROP TRIGGER usage_kept; DROP TRIGGER live_redacted; DROP TABLE live; DROP TRIGGER word_redacted; DROP TABLE word; DROP TABLE search;
      DROP TRIGGER handoff_outcome_new; DROP TRIGGER handoff_outcome; DROP TRIGGER handoff_lists_new; DROP TRIGGER handoff_ended_new; DROP TRIGGER handoff_lists;
      DROP TRIGGER task_done_new; DROP TRIGGER task_done; DROP TABLE facet; DROP TABLE ended;
      CREATE INDEX handoff_from ON handoff (from_agent, uid); CREATE INDEX handoff_to ON handoff (to_agent, uid);
      DROP TABLE run; DROP TABLE block; DROP TABLE delivery; DROP INDEX handoff_run;
      ALTER TABLE handoff DROP COLUMN run; PRAGMA user_version = 1`)
    db.close()

    const after = await openSqliteStore({ path })
    t.after(() => after.close())

    assert.deepEqual(await after.handoff(kept.uid), kept)
    assert.equal((await after.handoffs({ ref: kept.id }, { limit: 9 })).items.length, 1)
    const { uid } = await offer(after, { run: 'a-run' })
    assert.deepEqual(
      (await after.handoffs({ run: 'a-run' }, { limit: 9 })).items.map((h) => h.uid),
      [uid],
    )
  })

  it('leave the same schema whether they run at once or one by one', () => {
    const [atOnce, oneByOne] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')]

    migrate(atOnce, { steps: [FIRST, ADDITIVE, BREAKING] })
    migrate(oneByOne, { steps: [FIRST] })
    migrate(oneByOne, { steps: [FIRST, ADDITIVE] })
    migrate(oneByOne, { steps: [FIRST, ADDITIVE, BREAKING], upgrade: true })

    assert.deepEqual(schemaOf(oneByOne), schemaOf(atOnce))
    assert.equal(schemaVersion(oneByOne), 3)
  })

  it('run by themselves while an older program can live beside them', () => {
    const db = new DatabaseSync(':memory:')
    migrate(db, { steps: [FIRST] })

    migrate(db, { steps: [FIRST, ADDITIVE] })

    assert.equal(schemaVersion(db), 2)
    assert.deepEqual(leastOf(db), { least_reader: '1', least_writer: '1' })
  })

  it('wait for the word of a person when an older program cannot live beside them', () => {
    const db = new DatabaseSync(':memory:')
    migrate(db, { steps: [FIRST] })
    const steps = [FIRST, BREAKING, ADDITIVE]

    assert.throws(() => migrate(db, { steps }), {
      code: 'store_refused',
      message: 'this store has schema 1 and this program wants 3; run: baton store upgrade',
    })
    assert.equal(schemaVersion(db), 1)

    migrate(db, { steps, upgrade: true })
    assert.equal(schemaVersion(db), 3)
    assert.deepEqual(leastOf(db), { least_reader: '2', least_writer: '2' })
  })

  it('keep the name of the log', () => {
    const db = new DatabaseSync(':memory:')
    migrate(db, { steps: [FIRST] })
    const origin = db.prepare(`SELECT value FROM meta WHERE key = 'origin'`).get()?.value

    migrate(db, { steps: [FIRST, ADDITIVE] })

    assert.equal(db.prepare(`SELECT value FROM meta WHERE key = 'origin'`).get()?.value, origin)
  })
})

describe('a store file of a newer program', () => {
  it('is refused with the fix when this program may neither read nor write it', async (t) => {
    const { path } = await newFile(t, { version: SCHEMA + 2, reader: SCHEMA + 1, writer: SCHEMA + 2 })

    for (const readOnly of [false, true])
      await assert.rejects(openSqliteStore({ path, readOnly }), {
        code: 'store_refused',
        message: new RegExp(
          `made by a newer Baton \\(schema ${SCHEMA + 2}, this program knows ${SCHEMA}\\); install that version`,
        ),
      })
  })

  it('is read, and only read, when that is what it allows', async (t) => {
    const { path } = await newFile(t, { version: SCHEMA + 1, reader: SCHEMA, writer: SCHEMA + 1 })

    await assert.rejects(openSqliteStore({ path }), { code: 'store_refused' })
    const store = await openSqliteStore({ path, readOnly: true })
    t.after(() => store.close())
    assert.deepEqual((await store.counts()).handoffs, { offered: 1 })
  })

  it('is written beside the newer program when it allows that, and its version stays', async (t) => {
    const { path } = await newFile(t, { version: SCHEMA + 1, reader: SCHEMA, writer: SCHEMA })

    const store = await openSqliteStore({ path })
    t.after(() => store.close())
    await offer(store)

    assert.deepEqual((await store.counts()).handoffs, { offered: 2 })
    assert.equal(store.info.schema, SCHEMA + 1)
  })

  it('is refused when it does not say who may use it', async (t) => {
    const { path } = await newFile(t, { version: SCHEMA + 1 })
    const db = new DatabaseSync(path)
    db.exec(`DELETE FROM meta WHERE key LIKE 'least%'`)
    db.close()

    await assert.rejects(openSqliteStore({ path }), { code: 'store_refused' })
  })
})

/** A store with one handoff, made to look as if another version of the program had made it. */
async function newFile(
  t: TestContext,
  made?: { readonly version: number; readonly reader?: number; readonly writer?: number },
) {
  const place = newSqlitePlace()
  t.after(place.remove)
  const store = await openSqliteStore({ path: place.path })
  await offer(store)
  await store.close()
  if (made) {
    const db = new DatabaseSync(place.path)
    db.exec(`PRAGMA user_version = ${made.version}`)
    const put = db.prepare('UPDATE meta SET value = ? WHERE key = ?')
    if (made.reader !== undefined) put.run(String(made.reader), 'least_reader')
    if (made.writer !== undefined) put.run(String(made.writer), 'least_writer')
    db.close()
  }
  return place
}

const schemaOf = (db: DatabaseSync): readonly unknown[] =>
  db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all()

const stateOf = (db: DatabaseSync): readonly unknown[] => [
  schemaOf(db),
  db.prepare('SELECT * FROM meta ORDER BY key').all(),
  schemaVersion(db),
]

const leastOf = (db: DatabaseSync): Record<string, unknown> =>
  Object.fromEntries(
    db
      .prepare(`SELECT key, value FROM meta WHERE key LIKE 'least%' ORDER BY key`)
      .all()
      .map((row) => [row.key, row.value]),
  )
