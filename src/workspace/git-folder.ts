import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** A checkout of a git repository, read from its files: git itself may be missing, and costs a process. */
export interface Checkout {
  /** The folder that holds `.git`. */
  readonly root: string
  /** A worktree that `git worktree add` made beside the main one. */
  readonly linked: boolean
  /** The main worktree of a linked one; absent where it is bare or out of reach. */
  readonly main?: string
}

/** The checkout whose root this folder is; undefined when it is none. */
export function checkoutAt(root: string): Checkout | undefined {
  const dotGit = join(root, '.git')
  const kind = lstatSync(dotGit, { throwIfNoEntry: false })
  if (!kind) return undefined
  if (!kind.isFile()) return { root, linked: false }
  const gitFolder = pointerIn(dotGit, 'gitdir: ')
  if (gitFolder === undefined) return { root, linked: false }
  const common = lineOf(join(gitFolder, 'commondir'))
  if (common === undefined) {
    // A submodule has its own folder elsewhere. A worktree whose repository is out of reach (a container that
    // mounts nothing else) is known by the name git gave it.
    return { root, linked: basename(dirname(gitFolder)) === 'worktrees' && !exists(gitFolder) }
  }
  const main = pointsBack(gitFolder, dotGit) ? mainOf(resolve(gitFolder, common)) : undefined
  return { root, linked: true, ...(main !== undefined && { main }) }
}

/**
 * The worktree of a repository's own folder: `.git` in it, or `.git` names it (a bare folder beside its
 * worktrees), or the configuration does (a submodule).
 */
function mainOf(common: string): string | undefined {
  const beside = dirname(common)
  if (basename(common) === '.git' && exists(common)) return real(beside)
  const named = pointerIn(join(beside, '.git'), 'gitdir: ')
  if (named !== undefined && real(named) === real(common)) return real(beside)
  const configured = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(join(common, 'config')) ?? '')?.[1]
  return configured === undefined ? undefined : real(resolve(common, configured))
}

/**
 * Git notes in the repository where the worktree is. A `.git` file that came with an archive could otherwise
 * point into any repository of this user.
 */
function pointsBack(gitFolder: string, dotGit: string): boolean {
  const back = lineOf(join(gitFolder, 'gitdir'))
  return back !== undefined && real(resolve(gitFolder, back)) === real(dotGit)
}

function pointerIn(file: string, lead: string): string | undefined {
  const line = lineOf(file)
  return line?.startsWith(lead) ? resolve(dirname(file), line.slice(lead.length).trim()) : undefined
}

const lineOf = (file: string): string | undefined => textOf(file)?.split(/\r?\n/, 1)[0]

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
