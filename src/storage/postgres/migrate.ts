import type { ClientBase } from 'pg'
import { BatonError } from '../../domain/errors.ts'
import { inTransaction } from './connection/connect.ts'
import { sql as start } from './migrations/0001-start.ts'
import { sql as runs } from './migrations/0002-runs.ts'
import { sql as history } from './migrations/0003-history.ts'
import { sql as parties } from './migrations/0004-parties.ts'
import { sql as agents } from './migrations/0005-agents.ts'
import { sql as lists } from './migrations/0006-lists.ts'
import { sql as search } from './migrations/0007-search.ts'
import { sql as outcomes } from './migrations/0008-outcomes.ts'
import { sql as programs } from './migrations/0009-programs.ts'
import { sql as flow } from './migrations/0010-flow.ts'
import { sql as late } from './migrations/0011-late.ts'

interface Migration {
  readonly name: string
  readonly sql: string
  /** A program that knows only older steps may go on reading and writing beside this one. */
  readonly additive: boolean
}

/** Forward only; a released step is never edited. */
const MIGRATIONS: readonly Migration[] = [
  { name: 'start', sql: start, additive: true },
  { name: 'runs', sql: runs, additive: true },
  { name: 'history', sql: history, additive: true },
  { name: 'parties', sql: parties, additive: true },
  { name: 'agents', sql: agents, additive: true },
  { name: 'lists', sql: lists, additive: true },
  { name: 'search', sql: search, additive: true },
  { name: 'outcomes', sql: outcomes, additive: true },
  { name: 'programs', sql: programs, additive: true },
  { name: 'flow', sql: flow, additive: true },
  { name: 'late', sql: late, additive: true },
]

export const SCHEMA = MIGRATIONS.length

/** Any number that nobody else in the database is likely to lock: "baton" in ASCII. */
export const LOCK = 0x6261746f6e

/** Brings the schema up to date and answers its version. Twenty processes may do so at once. */
export async function migrate(
  client: ClientBase,
  options: { readonly readOnly: boolean; readonly upgrade: boolean },
): Promise<number> {
  const version = await checkedVersion(client, options.readOnly)
  if (version >= SCHEMA) return version
  if (options.readOnly)
    throw new BatonError(
      version === 0 ? 'not_found' : 'store_refused',
      version === 0
        ? 'there is no Baton store in this database; open it for writing once'
        : `this store has schema ${version} and this program reads ${SCHEMA}; open it for writing once`,
      { schema: version, wanted: SCHEMA },
    )
  if (version > 0 && !options.upgrade && MIGRATIONS.slice(version).some((step) => !step.additive))
    throw new BatonError(
      'store_refused',
      `this store has schema ${version} and this program wants ${SCHEMA}; run: baton store upgrade`,
      { schema: version, wanted: SCHEMA },
    )
  await inTransaction(client, async () => {
    // Waiting for another starter, or building an index, may take longer than a call ever should.
    await client.query('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0')
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`)
    await apply(client)
  })
  return checkedVersion(client, options.readOnly)
}

async function apply(client: ClientBase): Promise<void> {
  // Asked first: a user who may not create schemas must still be able to use one that an owner made.
  const { rows } = await client.query(`SELECT to_regnamespace('baton') IS NULL AS missing`)
  if (rows[0].missing) await client.query('CREATE SCHEMA baton')
  await client.query(
    `CREATE TABLE IF NOT EXISTS baton.migration (
       number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  )
  const version = await versionOf(client)
  for (const [index, step] of MIGRATIONS.entries()) {
    if (index < version) continue
    await client.query('INSERT INTO baton.migration (number, name) VALUES ($1, $2)', [index + 1, step.name])
    await client.query(step.sql)
  }
  const breaking = Math.max(1, 1 + MIGRATIONS.findLastIndex((step) => !step.additive))
  await client.query(
    `INSERT INTO baton.meta (ws, key, value) VALUES (0, 'least_reader', $1), (0, 'least_writer', $1)
     ON CONFLICT (ws, key) DO UPDATE SET value = excluded.value
     WHERE meta.value::integer < excluded.value::integer`,
    [String(breaking)],
  )
}

/** Refuses a store that a newer program made in a way this one does not understand. */
async function checkedVersion(client: ClientBase, readOnly: boolean): Promise<number> {
  const version = await versionOf(client)
  if (version <= SCHEMA) return version
  const key = readOnly ? 'least_reader' : 'least_writer'
  const { rows } = await client.query('SELECT value FROM baton.meta WHERE ws = 0 AND key = $1', [key])
  if (Number(rows[0]?.value ?? Number.POSITIVE_INFINITY) <= SCHEMA) return version
  throw new BatonError(
    'store_refused',
    `this database was made by a newer Baton (schema ${version}, this program knows ${SCHEMA}); install that version`,
    { schema: version, known: SCHEMA },
  )
}

async function versionOf(client: ClientBase): Promise<number> {
  const found = await client.query(`SELECT to_regclass('baton.migration') IS NOT NULL AS found`)
  if (!found.rows[0].found) return 0
  const { rows } = await client.query(
    `SELECT coalesce(max(number), 0) AS version, (${ACTIVE}) AS active FROM baton.migration`,
  )
  const ours = MIGRATIONS.map(({ sql }) => sql).join('')
  const active: readonly { what: string; text: string | null }[] = rows[0].active ?? []
  const foreign = active
    .filter(({ text }) => text === null || !ours.includes(text))
    // A newer program may have made more of these.
    .filter(({ what }) => rows[0].version <= SCHEMA || !/^(default|constraint|index) /.test(what))
    .map(({ what }) => what)
  if (foreign.length === 0) return rows[0].version
  throw new BatonError(
    'store_refused',
    `the schema baton of this database holds what Baton did not make: ${foreign.join(', ')}. If the store is yours, drop it and run: baton trust. Otherwise use another database`,
    { foreign },
  )
}

/**
 * All that would run by itself in the schema: functions with their text, triggers by name where they call one of them,
 * expressions in tables. An event trigger of the whole database belongs to its superuser, unless it calls what is here.
 */
const ACTIVE = `SELECT pg_catalog.json_agg(pg_catalog.json_build_object('what', a.what, 'text', a.text)) FROM (
  SELECT 'function ' || p.proname AS what, p.prosrc AS text FROM pg_catalog.pg_proc AS p
    WHERE p.pronamespace = 'baton'::regnamespace
  UNION ALL SELECT 'trigger ' || t.tgname, CASE WHEN p.pronamespace = c.relnamespace THEN 'TRIGGER ' || t.tgname || ' ' END
    FROM pg_catalog.pg_trigger AS t JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
    JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
    WHERE c.relnamespace = 'baton'::regnamespace AND NOT t.tgisinternal
  UNION ALL SELECT 'rule of ' || c.relname, NULL FROM pg_catalog.pg_rewrite AS r
    JOIN pg_catalog.pg_class AS c ON c.oid = r.ev_class WHERE c.relnamespace = 'baton'::regnamespace
  UNION ALL SELECT 'default of ' || c.relname, 'DEFAULT ' || pg_catalog.pg_get_expr(d.adbin, c.oid)
    FROM pg_catalog.pg_attrdef AS d JOIN pg_catalog.pg_class AS c ON c.oid = d.adrelid
    WHERE c.relnamespace = 'baton'::regnamespace
  UNION ALL SELECT 'row security of ' || c.relname, NULL FROM pg_catalog.pg_class AS c
    WHERE c.relnamespace = 'baton'::regnamespace
      AND (c.relrowsecurity OR EXISTS (SELECT FROM pg_catalog.pg_policy AS p WHERE p.polrelid = c.oid))
  UNION ALL SELECT 'constraint ' || n.conname, CASE WHEN pg_catalog.pg_get_constraintdef(n.oid)
      = 'CHECK ((ws <> ' || pg_catalog.substr(n.conname, 7) || ')) NOT VALID' THEN '' END
    FROM pg_catalog.pg_constraint AS n WHERE n.connamespace = 'baton'::regnamespace AND n.contype IN ('c', 'f', 'x')
  UNION ALL SELECT 'index ' || c.relname, NULL FROM pg_catalog.pg_index AS i
    JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
    WHERE c.relnamespace = 'baton'::regnamespace AND i.indexprs IS NOT NULL) AS a`
