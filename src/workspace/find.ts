import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Environment } from '../config/config.ts'
import { BatonError } from '../domain/errors.ts'
import { orElse } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import { type Checkout, checkoutAbove, checkoutAt } from '../git/checkout.ts'

/** The workspace of a project: its agents, tasks, handoffs and log. */
export interface Workspace {
  readonly root: string
  /** The `.baton` folder; it may not be there yet. */
  readonly dir: string
  readonly configFile?: string
  readonly found: 'environment' | 'folder' | 'config' | 'main_worktree'
  /** The embedded store; it may not be there yet. */
  readonly database: string
  /** The root of the caller's files: the linked worktree it stands in, else the root. */
  readonly checkout: string
  /** Set on the one call that made the folder. */
  readonly created?: true
}

/** A folder that is marked as a workspace. */
interface Marked {
  readonly root: string
  readonly hasFolder: boolean
  readonly configFile?: string
}

/**
 * The workspace of this folder: the one that `BATON_WORKSPACE` names, else the nearest upwards within the
 * repository, else that of the main worktree. What another user put in the way is refused, not used.
 */
export async function findWorkspace(cwd: string, environment: Environment): Promise<Workspace | undefined> {
  const here = realpathSync(cwd)
  if (environment.workspace !== undefined) return namedWorkspace(here, environment.workspace)
  const { nearest, checkout } = lookAround(here, environment)
  if (nearest?.hasFolder) return workspaceAt(nearest.root, 'folder')
  // A baton.yaml is checked out in every worktree; the store is one for all of them.
  const main = checkout?.linked ? mainSide(here, checkout, nearest, environment) : undefined
  return main ?? (nearest && workspaceAt(nearest.root, 'config'))
}

/** Looks from this folder up to the repository's root; without one, to the edge of the disk or the home. */
export function lookAround(here: string, environment: Environment) {
  const home = realpath(environment.home)
  const { dev } = statSync(here)
  let nearest: Marked | undefined
  for (let folder = here; ; folder = dirname(folder)) {
    if (statSync(folder).dev !== dev) break
    nearest ??= markedAt(folder, environment)
    const checkout = checkoutAt(folder)
    if (checkout || folder === home || folder === dirname(folder)) return { nearest, checkout }
  }
  return { nearest }
}

/** The root of a workspace around the repository of this folder. It is not used from here unless it is named. */
export function workspaceAround(cwd: string, environment: Environment): string | undefined {
  const root = lookAround(realpathSync(cwd), environment).checkout?.root
  if (root === undefined || root === realpath(environment.home)) return undefined
  try {
    const { nearest } = lookAround(dirname(root), environment)
    return nearest?.hasFolder ? nearest.root : undefined
  } catch (error) {
    if (error instanceof BatonError) return undefined
    throw error
  }
}

/** The workspace in a folder, whether its parts are there or not; where it has no settings, with those given. */
export function workspaceAt(
  root: string,
  found: Workspace['found'],
  checkout = root,
  otherConfig?: string,
): Workspace {
  const dir = join(root, '.baton')
  const configFile = configIn(root) ?? otherConfig
  return { root, dir, ...present({ configFile }), found, database: join(dir, 'baton.db'), checkout }
}

/** Whether the folder is there and can be used; a link is refused: a clone could send writes anywhere with one. */
export function hasBatonFolder(root: string): boolean {
  const dir = join(root, '.baton')
  const stats = lstatSync(dir, { throwIfNoEntry: false })
  const why = `${dir} is a symbolic link, which Baton does not follow`
  const how = "remove it, or set BATON_WORKSPACE to the real folder's parent"
  if (stats?.isSymbolicLink()) throw new BatonError('not_allowed', `${why}; ${how}`, { path: dir })
  return stats?.isDirectory() ?? false
}

/** Belongs to someone who is neither this user nor the system. */
const isForeign = (stats: Stats | undefined, { uid }: Environment): boolean =>
  stats !== undefined && uid !== undefined && stats.uid !== uid && stats.uid !== 0

function markedAt(folder: string, environment: Environment): Marked | undefined {
  const configFile = configIn(folder)
  const hasFolder = hasBatonFolder(folder) && !isOnlyForKeys(folder, environment)
  if (!hasFolder && configFile === undefined) return undefined
  const how = `if you trust it, set BATON_WORKSPACE=${folder}`
  for (const path of [join(folder, '.baton'), ...(configFile === undefined ? [] : [configFile])])
    if (isForeign(lstatSync(path, { throwIfNoEntry: false }), environment))
      throw new BatonError('not_allowed', `${path} belongs to another user of this machine; ${how}`, { path })
  return { root: folder, hasFolder, ...present({ configFile }) }
}

/** The user's own `.baton` holds keys and trust. It is a workspace too only when one was made there. */
function isOnlyForKeys(folder: string, { home }: Environment): boolean {
  const marks = ['.gitignore', 'baton.db'].map((name) => join(folder, '.baton', name))
  return folder === realpath(home) && !marks.some((path) => lstatSync(path, { throwIfNoEntry: false }))
}

function configIn(folder: string): string | undefined {
  const file = join(folder, 'baton.yaml')
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/** The same place in the main worktree, or the nearest marked one above it there. */
function mainSide(here: string, checkout: Checkout, nearest: Marked | undefined, environment: Environment) {
  const { main } = checkout
  if (main === undefined) return undefined
  for (let folder = join(main, relative(checkout.root, here)); ; folder = dirname(folder)) {
    const marked = markedAt(folder, environment)
    const linked = join(checkout.root, relative(main, folder))
    if (marked) return workspaceAt(marked.root, 'main_worktree', linked, nearest?.configFile)
    if (folder === main) break
  }
  if (!nearest) return undefined
  const root = join(main, relative(checkout.root, nearest.root))
  return workspaceAt(root, 'main_worktree', nearest.root, nearest.configFile)
}

/** Naming a folder is a decision of the user's, so its owner is not asked about. */
function namedWorkspace(here: string, text: string): Workspace {
  const path = resolve(here, text)
  const folder = basename(path) === '.baton' ? dirname(path) : path
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats?.isDirectory())
    throw new BatonError(
      stats ? 'invalid_input' : 'not_found',
      `BATON_WORKSPACE is ${folder}, which is ${stats ? 'not a folder' : 'not there'}. Set it to the folder that holds .baton, create the folder (mkdir -p ${folder}), or unset it`,
      { path: folder },
    )
  const root = realpathSync(folder)
  hasBatonFolder(root)
  return workspaceAt(root, 'environment', checkoutFor(here, root))
}

/** A linked worktree of the named project counts as a place in it, wherever it lies. */
function checkoutFor(here: string, root: string): string {
  const checkout = checkoutAbove(here)
  return checkout?.main === root ? checkout.root : root
}

const realpath = (path: string): string => orElse(() => realpathSync(path), path)
