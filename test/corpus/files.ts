import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Published documents and handoffs of other projects. They are not part of this one: BATON_SHARED names their folder. */
const SHARED = resolve(import.meta.dirname, '../..', process.env.BATON_SHARED ?? '../shared')
if (!existsSync(SHARED)) throw new Error(`There is no corpus at ${SHARED}; set BATON_SHARED to its folder`)

export const sharedFile = (name: string): string => readFileSync(join(SHARED, name), 'utf8')

/** Names of all files below a folder of the shared data, with forward slashes. */
export function sharedFiles(folder: string): readonly string[] {
  return readdirSync(join(SHARED, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(SHARED.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}
