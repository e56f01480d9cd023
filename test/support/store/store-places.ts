import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { StorePlace } from '../../../src/storage/store.contract.ts'

let made = 0

/** A folder of its own with no store in it yet. */
export function newSqlitePlace(): StorePlace & { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'baton-store-'))
  const path = join(folder, 'baton.db')
  return {
    folder,
    path,
    target: { engine: 'sqlite', path },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A workspace of its own, by default in the database that all test files share. */
export function newPostgresPlace(url: string = sharedPostgres()): StorePlace {
  made += 1
  const workspace = `store-${process.pid}-${made}`
  return { target: { engine: 'postgres', url, workspace }, remove: () => undefined }
}

export function sharedPostgres(): string {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('TEST_POSTGRES_URL is not set: run the tests with node scripts/test.mjs')
  return url
}

/** An empty database of its own on this server; answers its address. */
export async function newDatabase(server: string = sharedPostgres()): Promise<string> {
  made += 1
  const name = `store_${process.pid}_${made}`
  await query(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = name
  return url.href
}

/** Runs one statement past the store. */
export async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}
