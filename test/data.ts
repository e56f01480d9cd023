import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Published documents, real files and test vectors that are not part of the project. Tests skip where it is not there. */
const SHARED = resolve(import.meta.dirname, '..', process.env.BATON_SHARED ?? '../shared')

export function sharedFile(name: string): string | undefined {
  const path = join(SHARED, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Names of all files below a folder of the shared data, with forward slashes. */
export function sharedFiles(folder: string): readonly string[] {
  const path = join(SHARED, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(SHARED.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}
