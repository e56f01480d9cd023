import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { orElse } from '../domain/once.ts'
import { gitFolder, headIn } from './checkout.ts'
import type { GitEnvironment, Repository } from './git.ts'
import { demandPath } from './names.ts'
import type { Files } from './prompts.ts'

/** More than any document; a larger file is not read. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024

/** The files of a checkout as they lie there. A link that leads out of it leads nowhere. */
export function checkoutFiles(root: string): Files {
  return {
    async list(folder) {
      return orElse(() => readdirSync(join(root, demandPath(folder))), [])
    },
    async read(path) {
      const file = join(root, demandPath(path))
      try {
        const real = realpathSync(file)
        const stats = statSync(real)
        const isOutside = relative(realpathSync(root), real).split(sep)[0] === '..'
        // A pipe could be read for ever.
        return isOutside || !stats.isFile() || stats.size > MAX_TEXT_BYTES
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
      const args = ['ls-tree', '-z', '--name-only', '--full-tree', commit, `${demandPath(folder)}/`]
      const paths = (await repository.line(args))?.split('\0') ?? []
      return paths.filter(Boolean).map((path) => path.slice(path.lastIndexOf('/') + 1))
    },
    read: (path) => repository.fileAt(commit, path),
  }
}

/** The HEAD of the repository at a project's root. Git is started only to list a folder's files, once for each HEAD. */
export function headAt(root: string, env: GitEnvironment) {
  const folder = gitFolder(root)
  if (folder === undefined) return undefined
  const trees = new Map<string, Promise<ReadonlyMap<string, string>>>()
  return {
    head: () => headIn(folder),
    isBusy: () => existsSync(join(folder, 'index.lock')),
    async holds(path: string, bytes: Uint8Array) {
      const below = dirname(path)
      const key = `${headIn(folder)}\0${below}`
      let tree = trees.get(key)
      if (!tree) {
        if (trees.size > 50) trees.clear()
        tree = blobsIn(root, below, env)
        trees.set(key, tree)
      }
      const blob = (await tree).get(path)
      return blob !== undefined && blob === blobHash(bytes, blob.length === 64 ? 'sha256' : 'sha1')
    },
  }
}

/** The files of HEAD in one folder, with the hashes of their content. */
async function blobsIn(
  root: string,
  folder: string,
  env: GitEnvironment,
): Promise<ReadonlyMap<string, string>> {
  const args = ['ls-tree', '-z', '--full-tree', 'HEAD', '--', folder === '.' ? '.' : `${folder}/`]
  const { startGit } = await import('./git.ts')
  const { code, stdout } = await startGit(args, { cwd: root, env })
  const lines = code === 0 ? stdout.split('\0').filter(Boolean) : []
  return new Map(
    lines.flatMap((line) => {
      const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
      return blob !== undefined && path !== undefined ? [[path, blob] as const] : []
    }),
  )
}

const blobHash = (bytes: Uint8Array, algorithm: 'sha1' | 'sha256'): string =>
  createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
