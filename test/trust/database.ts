import { DatabaseSync } from 'node:sqlite'
import type { Engine } from '../support/program/workspace.ts'
import { newDatabase, query, sharedPostgres } from '../support/store/store-places.ts'

type Row = Readonly<Record<string, unknown>>

/** The database of a world, past its store. */
export interface Database {
  /** What names it to a command. */
  readonly env: Readonly<Record<string, string>>
  run(statement: string): Promise<readonly Row[]>
  tables(): Promise<readonly string[]>
  /** Keeps a copy of it as it is, which `restore` puts back. Files are the world's own matter. */
  keep(): Promise<void>
  restore(): Promise<void>
}

export const aDatabase = async (engine: Engine, file: string): Promise<Database> =>
  engine === 'sqlite' ? sqlite(file) : postgres(await newDatabase())

function sqlite(file: string): Database {
  const run = async (statement: string) => {
    const db = new DatabaseSync(file)
    try {
      return db.prepare(statement).all()
    } finally {
      db.close()
    }
  }
  return {
    env: {},
    run,
    tables: async () =>
      namesIn(await run("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")),
    keep: async () => undefined,
    restore: async () => undefined,
  }
}

/** Functions of SQLite that the ways use, beside Baton's schema. */
const FUNCTIONS = `CREATE SCHEMA tools;
CREATE FUNCTION tools.json_set(doc text, path text, value text) RETURNS text LANGUAGE sql
  AS $$ SELECT jsonb_set(doc::jsonb, ARRAY[substr(path, 3)], to_jsonb(value))::text $$;
CREATE FUNCTION tools.json_remove(doc text, path text) RETURNS text LANGUAGE sql
  AS $$ SELECT (doc::jsonb - substr(path, 3))::text $$;
CREATE FUNCTION tools.json_extract(doc text, path text) RETURNS text LANGUAGE sql
  AS $$ SELECT doc::jsonb ->> substr(path, 3) $$`

function postgres(url: string): Database {
  const name = new URL(url).pathname.slice(1)
  const run = (statement: string) => query(`${url}?options=-c%20search_path%3Dbaton,tools`, statement)
  const copy = async (from: string, to: string) => {
    await query(sharedPostgres(), `DROP DATABASE IF EXISTS ${to} WITH (FORCE)`)
    await query(sharedPostgres(), `CREATE DATABASE ${to} TEMPLATE ${from}`)
  }
  return {
    env: { BATON_STORE: url },
    run,
    tables: async () =>
      namesIn(await run("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'baton' ORDER BY 1")),
    async keep() {
      await query(url, FUNCTIONS)
      await copy(name, `${name}_kept`)
    },
    restore: () => copy(`${name}_kept`, name),
  }
}

const namesIn = (rows: readonly Row[]): readonly string[] => rows.map(({ name }) => String(name))
