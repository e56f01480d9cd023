import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { orElse } from '../domain/once.ts'
import { present } from '../domain/present.ts'

/** A checkout of a git repository, read from its files: git itself may be missing, and costs a process. */
export interface Checkout {
  /** The folder that holds `.git`. */
  readonly root: string
  /** A worktree that `git worktree add` made beside the main one. */
  readonly linked: boolean
  /** The main worktree of a linked one; absent where it is bare or out of reach. */
  readonly main?: string
}

/** The checkout whose root this folder is; undefined when the folder is not a root. */
export function checkoutAt(root: string): Checkout | undefined {
  const dotGit = join(root, '.git')
  const kind = lstatSync(dotGit, { throwIfNoEntry: false })
  if (!kind) return undefined
  if (!kind.isFile()) return { root, linked: false }
  const folder = pointerIn(dotGit)
  if (folder === undefined) return { root, linked: false }
  const common = commonFolder(folder)
  if (common === undefined) {
    // A submodule has its own folder elsewhere. A worktree whose repository is out of reach (a container that
    // mounts nothing else) is known by the name git gave it.
    return { root, linked: basename(dirname(folder)) === 'worktrees' && !exists(folder) }
  }
  const main = pointsBack(folder, dotGit) ? mainOf(common) : undefined
  return { root, linked: true, ...present({ main }) }
}

/** The checkout that a folder is in: git takes the nearest one upwards. */
export function checkoutAbove(here: string): Checkout | undefined {
  for (let folder = here; ; folder = dirname(folder)) {
    const checkout = checkoutAt(folder)
    if (checkout || folder === dirname(folder)) return checkout
  }
}

/** The folder in which git keeps the HEAD and the index of this checkout. */
export function gitFolder(root: string): string | undefined {
  const dotGit = join(root, '.git')
  return statSync(dotGit, { throwIfNoEntry: false })?.isDirectory() ? dotGit : pointerIn(dotGit)
}

/** Git's list of tracked files for this folder, and a text that changes with it. */
export function indexAbove(here: string): { readonly file: string; readonly stamp: string } | undefined {
  const folder = gitFolder(checkoutAbove(here)?.root ?? here)
  const file = join(folder ?? here, 'index')
  const stats = folder === undefined ? undefined : statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats && { file, stamp: `${stats.ino} ${stats.mtimeNs} ${stats.size}` }
}

/**
 * HEAD, its commit and the newest stash, as one text to compare. It holds the time of HEAD too: a checkout of another
 * branch and back changes the files twice.
 */
export function headIn(folder: string): string {
  const head = trimmed(join(folder, 'HEAD'))
  const written = statSync(join(folder, 'HEAD'), { bigint: true, throwIfNoEntry: false })
  const [, ref] = /^ref: (.+)$/.exec(head) ?? []
  const common = commonFolder(folder) ?? folder
  const packed = statSync(join(common, 'packed-refs'), { throwIfNoEntry: false })
  const at =
    ref === undefined ? '' : trimmed(join(common, ref)) || `packed ${packed?.mtimeMs} ${packed?.size}`
  const stash = trimmed(join(common, 'refs/stash'))
  return [head, at, stash, written?.ino, written?.mtimeNs].join(' ')
}

/** The address on the web of the repository that this folder is in, by its remote `origin`; without a name or a password. */
export function webRemote(here: string): string | undefined {
  const folder = gitFolder(checkoutAbove(here)?.root ?? here)
  const config = folder && readIfThere(join(commonFolder(folder) ?? folder, 'config'))
  const [, remote = ''] =
    /^\[remote "origin"\]\s*$(?:\n(?!\[).*)*?\n\s*url\s*=\s*(\S+)/m.exec(config ?? '') ?? []
  const form =
    /^(?:(?:https?|ssh|git):\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/|[\w-]+@([\w.-]+):)([\w./~-]+?)(?:\.git)?\/?$/
  const [, host, scpHost, path] = form.exec(remote) ?? []
  return path === undefined ? undefined : `https://${host ?? scpHost}/${path}`
}

/** The branches that are checked out in linked worktrees whose folders are there. */
export function linkedBranches(
  root: string,
): readonly { readonly folder: string; readonly branch: string }[] {
  const folder = gitFolder(root)
  if (folder === undefined) return []
  const all = join(commonFolder(folder) ?? folder, 'worktrees')
  const names = exists(all) ? readdirSync(all) : []
  return names.flatMap((name) => {
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(trimmed(join(all, name, 'HEAD'))) ?? []
    const dotGit = resolve(all, name, firstLine(join(all, name, 'gitdir')) ?? '.')
    return branch !== undefined && exists(dotGit) ? [{ folder: dirname(dotGit), branch }] : []
  })
}

/** The folder that all worktrees share; undefined when this one names none. */
function commonFolder(folder: string): string | undefined {
  const named = firstLine(join(folder, 'commondir'))
  return named === undefined ? undefined : resolve(folder, named)
}

/**
 * The worktree of a repository's own folder: `.git` in it, or `.git` names it (a bare folder beside its
 * worktrees), or the configuration does (a submodule).
 */
function mainOf(common: string): string | undefined {
  const beside = dirname(common)
  if (basename(common) === '.git' && exists(common)) return real(beside)
  const named = pointerIn(join(beside, '.git'))
  if (named !== undefined && real(named) === real(common)) return real(beside)
  const configured = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(readIfThere(join(common, 'config')) ?? '')?.[1]
  return configured === undefined ? undefined : real(resolve(common, configured))
}

/**
 * Git notes in the repository where the worktree is. A `.git` file that came with an archive could otherwise
 * point into any repository of this user.
 */
function pointsBack(folder: string, dotGit: string): boolean {
  const back = firstLine(join(folder, 'gitdir'))
  return back !== undefined && real(resolve(folder, back)) === real(dotGit)
}

/** The folder that a `.git` file names. */
function pointerIn(dotGit: string): string | undefined {
  const [, target] = /^gitdir: (.+)/.exec(firstLine(dotGit) ?? '') ?? []
  return target === undefined ? undefined : resolve(dirname(dotGit), target.trim())
}

const trimmed = (file: string): string => readIfThere(file)?.trim() ?? ''

const firstLine = (file: string): string | undefined => readIfThere(file)?.split(/\r?\n/, 1)[0]

const readIfThere = (file: string): string | undefined => orElse(() => readFileSync(file, 'utf8'), undefined)

const real = (path: string): string | undefined => orElse(() => realpathSync(path), undefined)

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
