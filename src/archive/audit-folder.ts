import { createReadStream, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ExportFiles } from '../audit/levels/index.ts'

/** An export in a folder. Links are not followed: what they lead to is not part of it. */
export function folderFiles(folder: string): ExportFiles {
  const sizeOf = (name: string): number | undefined => {
    const found = lstatSync(join(folder, ...name.split('/')), { throwIfNoEntry: false })
    return found?.isFile() ? found.size : undefined
  }
  return {
    names: async () => [...filesBelow(folder, '')],
    read: async (name, most) => {
      const size = sizeOf(name)
      return size === undefined || size > most ? undefined : readFileSync(join(folder, ...name.split('/')))
    },
    chunks: (name) =>
      sizeOf(name) === undefined ? undefined : createReadStream(join(folder, ...name.split('/'))),
  }
}

function* filesBelow(folder: string, prefix: string): Iterable<string> {
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, name)
    else yield name
  }
}

export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()
