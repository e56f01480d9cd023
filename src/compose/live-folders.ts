import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gitEnvironment } from '../config/config.ts'
import type { Git } from '../folders/folder.ts'
import { markdownFolder } from '../folders/markdown/kind.ts'
import { packageFolder } from '../folders/package/kind.ts'
import { queueFolder } from '../folders/queue/kind.ts'
import type { FoldersOptions, LiveFolder } from '../folders/sync.ts'
import { startGit } from '../git/git.ts'
import type { Erasing, ServiceDeps } from '../service/deps.ts'
import type { Service } from '../service/service.ts'
import type { Context } from './open.ts'

const KINDS = { markdown: markdownFolder, queue: queueFolder, package: packageFolder }

/** The live folders of a workspace, as its `baton.yaml` lists them; undefined where there are none. */
export function liveFolders(
  context: Pick<Context, 'config' | 'workspace' | 'service'>,
): FoldersOptions | undefined {
  const { config, workspace, service } = context
  if (!workspace || !config?.folders?.length) return undefined
  const root = realpathSync(workspace.root)
  const folders = config.folders.map(
    ({ dialect, path, accept = [] }): LiveFolder => ({ kind: KINDS[dialect], path, accept }),
  )
  return { root, dir: workspace.dir, folders, service, git: gitAt(root), host: hostOf() }
}

/** What the service asks of document 001's folder, where the workspace has one: loaded by the first call. */
export function queueDeps(
  config: Context['config'],
  workspace: Context['workspace'],
  service: () => Service,
): Pick<ServiceDeps, 'shared' | 'pickUp' | 'judgeOutput'> {
  const live = config?.folders?.find(({ dialect }) => dialect === 'queue')
  if (!live || !workspace || !config) return {}
  const root = (): string => join(realpathSync(workspace.root), live.path)
  return {
    shared: async (home) => {
      if (home !== 'queue') return undefined
      const { sharedContext } = await import('../folders/queue/shared.ts')
      return sharedContext(root())
    },
    pickUp: async (handoff, commit) => {
      const { pickUp } = await import('../folders/queue/pick-up.ts')
      const options = liveFolders({ config, workspace, service: service() })
      return options ? pickUp(options, handoff, commit) : commit()
    },
    judgeOutput: async (handoff, result) => {
      const { judgeOutput } = await import('../folders/queue/output.ts')
      return judgeOutput(root(), service().deps, handoff, result)
    },
  }
}

/** Takes texts out of all live folders of a workspace; answers which files of others may hold them. */
export async function eraseFiles(
  context: Pick<Context, 'config' | 'workspace' | 'service'>,
  erasing: Erasing,
): Promise<readonly string[]> {
  const options = liveFolders(context)
  return options ? (await import('../folders/erase.ts')).eraseInFolders(options, erasing) : []
}

/** Containers of one machine share its kernel, and with it the locks; their names differ. */
function hostOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

/** The repository that the project is the top of, read from its files: a pass must not cost a process. */
export function gitAt(root: string): Git | undefined {
  const folder = gitFolder(root)
  if (folder === undefined) return undefined
  const trees = new Map<string, Promise<ReadonlyMap<string, string>>>()
  return {
    head: () => headIn(folder),
    isBusy: () => existsSync(join(folder, 'index.lock')),
    async holds(path, bytes) {
      const below = dirname(path)
      const key = `${headIn(folder)}\0${below}`
      let tree = trees.get(key)
      if (!tree) {
        if (trees.size > 50) trees.clear()
        tree = blobsIn(root, below)
        trees.set(key, tree)
      }
      const blob = (await tree).get(path)
      return blob !== undefined && blob === blobHash(bytes, blob.length === 64 ? 'sha256' : 'sha1')
    },
  }
}

function gitFolder(root: string): string | undefined {
  const dotGit = join(root, '.git')
  const stats = statSync(dotGit, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return dotGit
  const [, target] = /^gitdir: (.+)/.exec(textIn(dotGit)) ?? []
  return target === undefined ? undefined : resolve(root, target.trim())
}

/**
 * HEAD, the commit it stands for, and the newest stash. With when HEAD was written: who checks something else out and
 * comes back has changed the files twice.
 */
function headIn(folder: string): string {
  const head = textIn(join(folder, 'HEAD')).trim()
  const written = statSync(join(folder, 'HEAD'), { bigint: true, throwIfNoEntry: false })
  const [, ref] = /^ref: (.+)$/.exec(head) ?? []
  const common = resolve(folder, textIn(join(folder, 'commondir')).trim() || '.')
  const packed = statSync(join(common, 'packed-refs'), { throwIfNoEntry: false })
  const at =
    ref === undefined ? '' : textIn(join(common, ref)).trim() || `packed ${packed?.mtimeMs} ${packed?.size}`
  const stash = textIn(join(common, 'refs/stash')).trim()
  return [head, at, stash, written?.ino, written?.mtimeNs].join(' ')
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** The files of HEAD in one folder, with the hashes of their content. */
async function blobsIn(root: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const args = ['ls-tree', '-z', '--full-tree', 'HEAD', '--', folder === '.' ? '.' : `${folder}/`]
  const { code, stdout } = await startGit(args, { cwd: root, env: gitEnvironment() })
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
