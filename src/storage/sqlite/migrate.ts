import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { BatonError } from '../../domain/errors.ts'
import { sql as start } from './migrations/0001-start.ts'

interface Migration {
  readonly sql: string
  /** A program that knows only older steps may go on reading and writing beside this one. */
  readonly additive: boolean
}

/** Forward only; a released step is never edited. */
const MIGRATIONS: readonly Migration[] = [{ sql: start, additive: true }]

export const SCHEMA = MIGRATIONS.length

/** Brings the schema up to date. The caller holds the write lock, so two starters cannot both apply a step. */
export function migrate(db: DatabaseSync, options: { readonly upgrade?: boolean } = {}): void {
  const version = schemaVersion(db)
  if (version >= SCHEMA) return
  const steps = MIGRATIONS.slice(version)
  if (version > 0 && !options.upgrade && steps.some((step) => !step.additive))
    throw new BatonError(
      'store_refused',
      `this store has schema ${version} and this program wants ${SCHEMA}; run: baton store upgrade`,
      { schema: version, wanted: SCHEMA },
    )
  for (const step of steps) db.exec(step.sql)
  db.exec(`PRAGMA user_version = ${SCHEMA}`)
  if (version === 0) {
    const uuid = randomUUID()
    const put = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)')
    put.run('workspace_uuid', uuid)
    put.run('origin', `baton.local/${uuid}`)
  }
  const put = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const breaking = 1 + MIGRATIONS.findLastIndex((step) => !step.additive)
  put.run('least_reader', String(Math.max(1, breaking)))
  put.run('least_writer', String(Math.max(1, breaking)))
}

/** Refuses a store that a newer program made in a way this one does not understand. */
export function checkSchema(db: DatabaseSync, path: string): void {
  const version = schemaVersion(db)
  if (version <= SCHEMA) return
  const least = Number(
    db.prepare(`SELECT value FROM meta WHERE key = 'least_writer'`).get()?.value ?? Number.POSITIVE_INFINITY,
  )
  if (least <= SCHEMA) return
  throw new BatonError(
    'store_refused',
    `${path} was made by a newer Baton (schema ${version}, this program knows ${SCHEMA}); upgrade with: npm install -g batonpass@latest`,
    { schema: version, known: SCHEMA },
  )
}

export const schemaVersion = (db: DatabaseSync): number =>
  Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0)
