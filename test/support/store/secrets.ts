import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Store } from '../../../src/storage/store.ts'
import { query, sharedPostgres } from './store-places.ts'

/** A text in every form in which a store may hold it: as it is, and in base64 wherever it begins in its triple. */
export function formsOf(secret: string): readonly string[] {
  const coded = [0, 1, 2].map((before) => {
    const whole = Buffer.from(`${'x'.repeat(before)}${secret}`).toString('base64')
    // The first and the last letters hold bits of their neighbours too.
    return whole.slice(before === 0 ? 0 : 4, Math.floor((before + secret.length) / 3) * 4)
  })
  return [secret, ...coded, ...coded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}

/** Where a store holds a text: names of files with SQLite, of columns with PostgreSQL. */
export async function placesOf(store: Store, secret: string): Promise<readonly string[]> {
  return store.info.engine === 'sqlite'
    ? filesWith(dirname(store.info.location), secret)
    : columnsWith(secret)
}

/** Every file below a folder, byte for byte. */
export function filesWith(folder: string, secret: string): readonly string[] {
  const forms = formsOf(secret).flatMap((form) => [form, withinTwo(form)])
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file)
      return forms.some((form) => bytes.includes(form))
    })
}

/** Disclosures are base64 of JSON, and what an agent signed is base64 within that. */
const withinTwo = (form: string): string => Buffer.from(form).toString('base64url').slice(4, -4)

/** Every column of every table of the server that can hold it, in every workspace. */
async function columnsWith(secret: string): Promise<readonly string[]> {
  const url = sharedPostgres()
  const columns = await query(
    url,
    `SELECT table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema = 'baton' AND data_type IN ('text', 'bytea', 'tsvector')`,
  )
  const forms = formsOf(secret).flatMap((form) => [Buffer.from(form), Buffer.from(withinTwo(form))])
  const looks = columns.map(({ table_name, column_name, data_type }) => {
    const bytes = data_type === 'bytea' ? column_name : `convert_to(${column_name}::text, 'UTF8')`
    return `SELECT '${table_name}.${column_name}' AS place WHERE EXISTS (
      SELECT FROM baton.${table_name}, unnest($1::bytea[]) AS f (form) WHERE position(f.form IN ${bytes}) > 0)`
  })
  const found = await query(url, looks.join(' UNION ALL '), [forms])
  return found.map(({ place }) => String(place))
}
