import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { storeRefused } from '../../domain/errors.ts'
import { sql as start } from './migrations/0001-start.ts'
import { sql as runs } from './migrations/0002-runs.ts'
import { sql as history } from './migrations/0003-history.ts'
import { sql as words } from './migrations/0004-words.ts'
import { sql as lists } from './migrations/0005-lists.ts'
import { sql as search } from './migrations/0006-search.ts'
import { sql as reports } from './migrations/0007-reports.ts'
import { sql as flow } from './migrations/0008-flow.ts'

export interface Migration {
  readonly sql: string
  /** A program that knows only older steps may go on reading and writing beside this one. */
  readonly additive: boolean
}

/** Forward only; a released step is never edited. */
const MIGRATIONS: readonly Migration[] = [
  { sql: start, additive: true },
  { sql: runs, additive: true },
  { sql: history, additive: true },
  { sql: words, additive: true },
  { sql: lists, additive: true },
  { sql: search, additive: true },
  { sql: reports, additive: true },
  { sql: flow, additive: true },
]

export const SCHEMA = MIGRATIONS.length

/** A store whose work goes on elsewhere has these. Triggers stop every program, also one that has it open already. */
const RETIRED = ['entry', 'handoff', 'delivery'].map((table) => ({
  name: `moved_${table}`,
  sql: `CREATE TRIGGER moved_${table} BEFORE ${table === 'entry' ? 'INSERT' : 'UPDATE'} ON ${table} BEGIN SELECT RAISE(ABORT, 'copied to another store'); END`,
}))

export function retire(db: DatabaseSync, from?: string, to?: string): boolean {
  const found = db.prepare(`SELECT value FROM meta WHERE key = 'moved'`).get()?.value
  if (found === to || found !== from) return found === to
  if (from === undefined || to === undefined)
    for (const { name, sql } of RETIRED) db.exec(to === undefined ? `DROP TRIGGER ${name}` : sql)
  if (to === undefined) db.exec(`DELETE FROM meta WHERE key = 'moved'`)
  else db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('moved', ?)`).run(to)
  return true
}

/** Marks the file as ours ("bato" in ASCII), so that no other program's database is taken for a store. */
const APPLICATION = 0x6261746f

export interface MigrateOptions {
  /** Runs steps that an older program could not live beside. */
  readonly upgrade?: boolean
  readonly steps?: readonly Migration[]
}

/** Brings the schema up to date. The caller holds the write lock, so two starters cannot both apply a step. */
export function migrate(db: DatabaseSync, options: MigrateOptions = {}): void {
  const { upgrade, steps = MIGRATIONS } = options
  const version = schemaVersion(db)
  if (version >= steps.length) return
  const missing = steps.slice(version)
  if (version > 0 && !upgrade && missing.some((step) => !step.additive))
    throw storeRefused(
      `this store has schema ${version} and this program wants ${steps.length}; run: baton store upgrade`,
      { schema: version, wanted: steps.length },
    )
  for (const step of missing) db.exec(step.sql)
  db.exec(`PRAGMA user_version = ${steps.length}; PRAGMA application_id = ${APPLICATION}`)
  const put = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  if (version === 0) {
    const uuid = randomUUID()
    put.run('workspace_uuid', uuid)
    put.run('origin', `baton.local/${uuid}`)
  }
  const breaking = 1 + steps.findLastIndex((step) => !step.additive)
  put.run('least_reader', String(Math.max(1, breaking)))
  put.run('least_writer', String(Math.max(1, breaking)))
}

/** Refuses a file that is not a store, and a store of a newer program that this one does not understand. */
export function checkSchema(db: DatabaseSync, path: string, readOnly: boolean): void {
  if (path === ':memory:') return
  if (db.prepare('PRAGMA application_id').get()?.application_id !== APPLICATION)
    throw storeRefused(
      `${path} is not a Baton store; name another file, or restore a backup with: baton store restore <file>`,
      { file: path },
    )
  const version = schemaVersion(db)
  refuseForeignSchema(db, path, version)
  if (version <= SCHEMA) return
  const key = readOnly ? 'least_reader' : 'least_writer'
  const least = db.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.value
  if (Number(least ?? Number.POSITIVE_INFINITY) <= SCHEMA) return
  throw storeRefused(
    `${path} was made by a newer Baton (schema ${version}, this program knows ${SCHEMA}); install that version`,
    { schema: version, known: SCHEMA },
  )
}

/** A trigger that came with a file would run at every write. A newer program may have made more tables. */
function refuseForeignSchema(db: DatabaseSync, path: string, version: number): void {
  const ours = [...MIGRATIONS, ...RETIRED].map(({ sql }) => sql).join('')
  const added = [...ours.matchAll(/ADD COLUMN (.+);/g)].map(([, column]) => `, ${column})`)
  // SQLite writes added columns and quotes into the text of a table that was altered.
  const original = (sql: unknown) =>
    added.reduce((text, end) => text.replace(end, ')'), String(sql).replaceAll('"', ''))
  const foreign = db
    .prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL')
    .all()
    // ANALYZE keeps its numbers in tables of these names.
    .filter(({ type, name }) => type !== 'table' || !String(name).startsWith('sqlite_stat'))
    .filter(({ type }) => version <= SCHEMA || type === 'trigger' || type === 'view')
    .filter(({ sql }) => !ours.includes(original(sql)))
    .map(({ type, name }) => `${type} ${JSON.stringify(name)}`)
  if (foreign.length === 0) return
  throw storeRefused(
    `${path} holds what Baton did not make: ${foreign.join(', ')}. If the store is yours, drop it with sqlite3 and run: baton trust. Otherwise move the file away and run: baton init`,
    { file: path, foreign },
  )
}

export const schemaVersion = (db: DatabaseSync): number =>
  Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0)
