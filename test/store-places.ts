import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StorePlace } from '../src/storage/store.contract.ts'

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

/** A workspace of its own in the database that all test files share. */
export function newPostgresPlace(): StorePlace {
  made += 1
  const workspace = `store-${process.pid}-${made}`
  return { target: { engine: 'postgres', url: sharedPostgres(), workspace }, remove: () => undefined }
}

export function sharedPostgres(): string {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('TEST_POSTGRES_URL is not set: run the tests with node scripts/test.mjs')
  return url
}
