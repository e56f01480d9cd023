import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, refusal, type Where } from '../support/program/command.ts'
import { newDatabase, query } from '../support/store/store-places.ts'

describe('a store with more in it than Baton made', () => {
  it('is not opened, on sqlite', async (t) => {
    const place = folders(t)
    const where: Where = { cwd: place.repository('shop') }
    await ask(where, 'send', '--to', 'codex', '--title', 'X')
    const file = join(where.cwd, '.baton/baton.db')
    const kept = new DatabaseSync(file)
    kept.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    kept.close()
    copyFileSync(file, place.path('kept.db'))
    // biome-ignore format: read as a table
    for (const [what, sql] of [
      ['trigger "gift"', `CREATE TRIGGER gift AFTER INSERT ON token BEGIN UPDATE token SET doc = '{}'; END`],
      ['trigger "handoff_lists_new"', 'DROP TRIGGER handoff_lists_new; CREATE TRIGGER handoff_lists_new AFTER INSERT ON handoff BEGIN DELETE FROM token; END'],
      ['view "gift"', 'CREATE VIEW gift AS SELECT * FROM token'],
      ['table "gift"', 'CREATE TABLE gift (a TEXT)'],
      ['index "gift"', 'CREATE INDEX gift ON token (doc)'],
      ['table "token"', 'DROP TABLE token; CREATE TABLE token (hash TEXT PRIMARY KEY, doc TEXT DEFAULT 1)'],
    ] as const)
      // A newer program may have made more tables and indexes.
      for (const version of /trigger|view/.test(what) ? [4, 9] : [4]) {
        for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
        copyFileSync(place.path('kept.db'), file)
        const db = new DatabaseSync(file)
        db.exec(`${sql}; PRAGMA user_version = ${version}`)
        db.close()

        const { code, message } = await refusal(where, 'inbox')
        assert.equal(code, 'store_refused')
        assert.ok(message.includes(`holds what Baton did not make: ${what}. If the store is yours, drop it`), message)
      }
  })

  it('is not opened, on postgres', async (t) => {
    const url = await newDatabase()
    const where: Where = { cwd: folders(t).folder('shop'), env: { BATON_STORE: url } }
    await ask(where, 'send', '--to', 'codex', '--title', 'X')
    const [kept] = await query(url, `SELECT pg_get_functiondef('baton.count_agents'::regproc) AS text`)
    await query(
      url,
      'CREATE FUNCTION public.gift() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    )
    // biome-ignore format: read as a table
    for (const [what, sql, undo] of [
      ['trigger gift', 'CREATE TRIGGER gift AFTER INSERT ON baton.token FOR EACH ROW EXECUTE FUNCTION baton.count_agents()', 'DROP TRIGGER gift ON baton.token'],
      ['trigger handoff_parties', 'CREATE TRIGGER handoff_parties AFTER INSERT ON baton.token FOR EACH ROW EXECUTE FUNCTION public.gift()', 'DROP TRIGGER handoff_parties ON baton.token'],
      ['function gift', `CREATE FUNCTION baton.gift() RETURNS text LANGUAGE sql AS 'SELECT 1::text'`, 'DROP FUNCTION baton.gift()'],
      ['function count_agents', 'CREATE OR REPLACE FUNCTION baton.count_agents() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM baton.token; RETURN NULL; END $$', String(kept?.text)],
      ['rule of token', 'CREATE RULE gift AS ON INSERT TO baton.token DO ALSO DELETE FROM baton.notice', 'DROP RULE gift ON baton.token'],
      ['default of token', `ALTER TABLE baton.token ALTER doc SET DEFAULT upper('x')`, 'ALTER TABLE baton.token ALTER doc DROP DEFAULT'],
      ['row security of token', 'CREATE POLICY gift ON baton.token USING (true)', 'DROP POLICY gift ON baton.token'],
      ['row security of entry', 'ALTER TABLE baton.entry ENABLE ROW LEVEL SECURITY', 'ALTER TABLE baton.entry DISABLE ROW LEVEL SECURITY'],
      ['constraint gift', `ALTER TABLE baton.token ADD CONSTRAINT gift CHECK (upper(doc) <> 'X')`, 'ALTER TABLE baton.token DROP CONSTRAINT gift'],
      ['constraint moved_1', `ALTER TABLE baton.token ADD CONSTRAINT moved_1 CHECK (upper(doc) <> 'X')`, 'ALTER TABLE baton.token DROP CONSTRAINT moved_1'],
      ['index gift', 'CREATE INDEX gift ON baton.token (upper(doc))', 'DROP INDEX baton.gift'],
      ['function gift', 'CREATE FUNCTION baton.gift() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN END $$; CREATE EVENT TRIGGER gift ON ddl_command_end EXECUTE FUNCTION baton.gift()', 'DROP EVENT TRIGGER gift; DROP FUNCTION baton.gift()'],
      ['rule of gift', 'CREATE VIEW baton.gift AS SELECT 1 AS a', 'DROP VIEW baton.gift'],
    ] as const) {
      await query(url, sql)
      const { code, message } = await refusal(where, 'inbox')
      assert.equal(code, 'store_refused')
      assert.ok(message.includes(`holds what Baton did not make: ${what}. If the store is yours, drop it`), message)
      await query(url, undo)
      await ask(where, 'inbox')
    }
  })
})
