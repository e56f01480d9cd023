import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Repository } from './git.ts'
import { demandPath } from './names.ts'
import type { Files } from './prompts.ts'

/** More than any document; a larger file is not read. */
const MOST_BYTES = 4 * 1024 * 1024

/** The files of a checkout as they lie there. A link that leads out of it leads nowhere. */
export function checkoutFiles(root: string): Files {
  return {
    async list(folder) {
      try {
        return readdirSync(join(root, demandPath(folder)))
      } catch {
        return []
      }
    },
    async read(path) {
      const file = join(root, demandPath(path))
      try {
        const real = realpathSync(file)
        const stats = statSync(real)
        const isOutside = relative(realpathSync(root), real).split(sep)[0] === '..'
        // A pipe could be read for ever.
        return isOutside || !stats.isFile() || stats.size > MOST_BYTES
          ? undefined
          : readFileSync(real, 'utf8')
      } catch {
        return undefined
      }
    },
  }
}

/** The files of a commit, whatever lies in the checkout. */
export function commitFiles(repository: Repository, commit: string): Files {
  return {
    async list(folder) {
      const { code, stdout } = await repository.ask([
        'ls-tree',
        '-z',
        '--name-only',
        '--full-tree',
        commit,
        `${demandPath(folder)}/`,
      ])
      if (code !== 0) return []
      return stdout
        .split('\0')
        .filter(Boolean)
        .map((path) => path.slice(path.lastIndexOf('/') + 1))
    },
    read: (path) => repository.fileAt(commit, path),
  }
}
