import { lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type BatonError, conflict, notAllowed, wrongState } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import type { Repository } from './git.ts'
import { branchName, demandSlug, slugOf, WORKTREES, worktreePath } from './names.ts'

/** The branch and folder of the work on a task. */
export interface WorktreePlace {
  readonly branch: string
  /** From the main worktree, with slashes. */
  readonly path: string
  /** The whole path on this machine. */
  readonly folder: string
}

/** Folder for commits that are checked out for a moment; no agent's name begins with a dot. */
const CHECKS = '.checks'

export interface Worktree {
  readonly folder: string
  readonly branch?: string
  readonly commit?: string
  /** Its folder was deleted by hand; git only remembers it. */
  readonly isGone?: true
}

export interface PlaceOptions {
  readonly task: { readonly id: string; readonly title: string }
  readonly agent: string
  readonly slug?: string | undefined
}

export function placeFor(repository: Repository, { task, agent, slug }: PlaceOptions): WorktreePlace {
  const end = slug === undefined ? slugOf(task.title) : demandSlug(slug)
  const path = worktreePath(agent, task.id, end)
  return { branch: branchName(task.id, end), path, folder: join(repository.main, ...path.split('/')) }
}

/** The place of a worktree that is there. */
export const placeAt = (repository: Repository, { branch = '', folder }: Worktree): WorktreePlace => ({
  branch,
  path: relative(repository.main, folder).split(sep).join('/'),
  folder,
})

/** Every worktree of the repository, the main one first. */
export async function listWorktrees(repository: Repository): Promise<readonly Worktree[]> {
  const text = await repository.run(['worktree', 'list', '--porcelain', '-z'])
  const blocks = text.split('\0\0').filter(Boolean)
  return blocks.map((block) => {
    const facts = new Map(
      block.split('\0').map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)]),
    )
    const branch = facts.get('branch')?.replace(/^refs\/heads\//, '')
    const isGone = facts.has('prunable') || undefined
    return { folder: facts.get('worktree') ?? '', ...present({ branch, commit: facts.get('HEAD'), isGone }) }
  })
}

/** Whether a branch is one of the task that is asked about. */
export type IsOf = (branch: string) => Promise<boolean>

/** The worktree of a task: the one we stand in, else any with a branch of the task, one that is gone last. */
export async function worktreeOf(repository: Repository, isOf: IsOf): Promise<Worktree | undefined> {
  const rank = ({ folder, isGone }: Worktree): number => (folder === repository.root ? 0 : isGone ? 2 : 1)
  const all = [...(await listWorktrees(repository))].sort((a, b) => rank(a) - rank(b))
  for (const worktree of all)
    if (worktree.branch !== undefined && (await isOf(worktree.branch))) return worktree
  return undefined
}

/** A branch of a task that is here. */
export async function branchOf(repository: Repository, isOf: IsOf): Promise<string | undefined> {
  const text = await repository.run(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/feature/'])
  for (const branch of text.split('\n')) if (await isOf(branch)) return branch
  return undefined
}

/** A new branch in a new folder. Whoever comes second is told that the branch already exists. */
export async function makeWorktree(
  repository: Repository,
  place: WorktreePlace,
  base: string,
): Promise<void> {
  await demandNew(repository, place)
  demandFree(place)
  const start = await repository.commit(base)
  if (start === undefined) throw nothingToStartFrom(base)
  makeFolders(repository, place.path)
  const args = ['worktree', 'add', '--quiet', '-b', place.branch, '--end-of-options', place.folder, start]
  const { code, stderr } = await repository.at(repository.main).ask(args)
  if (code === 0) return
  // Somebody was quicker: git's own words differ between versions and languages.
  await demandNew(repository, place)
  throw wrongState(`the worktree ${place.path} could not be made: ${stderr.trim().split('\n').at(-1)}`, {
    branch: place.branch,
    path: place.path,
  })
}

/** A branch whose worktree was removed, with all its commits, in a folder again. */
export async function restoreWorktree(
  repository: Repository,
  gone: Worktree | undefined,
  place: WorktreePlace,
): Promise<void> {
  demandFree(place)
  const main = repository.at(repository.main)
  if (gone) await main.run(['worktree', 'remove', '--end-of-options', gone.folder])
  makeFolders(repository, place.path)
  await main.run(['worktree', 'add', '--quiet', '--end-of-options', place.folder, place.branch])
}

/** The folder that holds all worktrees keeps itself out of git. A link there could lead anywhere. */
function makeFolders(repository: Repository, path: string): void {
  const [, agent = ''] = path.split('/')
  for (const folder of [join(repository.main, WORKTREES), join(repository.main, WORKTREES, agent)]) {
    mkdirSync(folder, { recursive: true })
    if (lstatSync(folder).isSymbolicLink() || !isInside(repository.main, folder))
      throw notAllowed(
        `${folder} is a link and leads out of the repository; remove it, and start the task again`,
        { path: folder },
      )
  }
  keepOutOfGit(join(repository.main, WORKTREES, '.gitignore'))
}

function keepOutOfGit(file: string): void {
  try {
    writeFileSync(file, '*\n', { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function isInside(root: string, folder: string): boolean {
  const way = relative(realpathSync(root), realpathSync(folder))
  return way !== '' && way.split(sep)[0] !== '..'
}

async function demandNew(repository: Repository, place: WorktreePlace): Promise<void> {
  if (await repository.commit(place.branch))
    throw alreadyExists(place, `branch ${place.branch} already exists`)
}

function demandFree(place: WorktreePlace): void {
  if (lstatSync(place.folder, { throwIfNoEntry: false }))
    throw alreadyExists(place, `${place.path}, the folder of branch ${place.branch}, already exists`)
}

function alreadyExists(place: WorktreePlace, what: string): BatonError {
  return conflict(`${what}; pick another task (task_next_actions, or: baton next), or give another slug`, {
    branch: place.branch,
    path: place.path,
  })
}

const nothingToStartFrom = (base: string): BatonError =>
  wrongState(
    base === 'HEAD'
      ? 'the repository has no commit yet; commit something first, or start the task without a branch: --no-worktree'
      : `there is no branch or commit ${base} to start from; name another with --base`,
    { base },
  )

/** Calls `work` where a commit is checked out and nothing else: here if it is, else in a worktree for this once. */
export async function withCheckout<T>(
  repository: Repository,
  commit: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const isHere = (await repository.commit('HEAD')) === commit && (await repository.uncommitted()).length === 0
  if (isHere) return work(repository.root)
  const path = `${WORKTREES}/${CHECKS}/${commit.slice(0, 12)}-${process.pid}`
  const folder = join(repository.main, ...path.split('/'))
  makeFolders(repository, path)
  const main = repository.at(repository.main)
  await main.run(['worktree', 'add', '--quiet', '--detach', '--end-of-options', folder, commit])
  try {
    return await work(folder)
  } finally {
    await main.ask(['worktree', 'remove', '--force', '--end-of-options', folder])
  }
}

/** Removes a worktree and its branch; git itself refuses when something in it would be lost. */
export async function removeWorktree(repository: Repository, worktree: Worktree): Promise<void> {
  const { folder, branch, commit } = worktree
  const main = repository.at(repository.main)
  await main.run(['worktree', 'remove', '--end-of-options', folder])
  // Only as long as the branch is where it was looked at.
  if (branch !== undefined && commit !== undefined)
    await main.run(['update-ref', '-d', `refs/heads/${branch}`, commit])
}

/** Whether the worktree is one that Baton made: nothing else is ever removed. */
export function isOurs(repository: Repository, { folder }: Worktree): boolean {
  const parts = relative(join(repository.main, WORKTREES), folder).split(sep)
  return parts.length === 2 && parts[0] !== '..' && !parts[0]!.startsWith('.')
}

/**
 * Whether the work of a commit is in the base: as it is, or squashed, which shows in that no file the branch
 * changed is different there.
 */
export async function isMerged(repository: Repository, commit: string, base: string): Promise<boolean> {
  if (await repository.isAncestor(commit, base)) return true
  const fork = await repository.mergeBase(commit, base)
  if (fork === undefined) return false
  const own = await repository.changed(fork, commit)
  const differs = new Set((await repository.changed(commit, base)).map(({ path }) => path))
  return own.length > 0 && own.every(({ path }) => !differs.has(path))
}
