import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { ExportFiles } from './audit/levels/index.ts'

/** An export in a folder. Links are not followed: what they lead to is not part of it. */
export function folderFiles(folder: string): ExportFiles {
  const sizeOf = (name: string): number | undefined => {
    const found = statSync(join(folder, ...name.split('/')), { throwIfNoEntry: false })
    return found?.isFile() ? found.size : undefined
  }
  return {
    names: async () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/')),
    read: async (name, most) => {
      const size = sizeOf(name)
      return size === undefined || size > most ? undefined : readFileSync(join(folder, ...name.split('/')))
    },
    chunks: (name) =>
      sizeOf(name) === undefined ? undefined : createReadStream(join(folder, ...name.split('/'))),
  }
}

export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()
