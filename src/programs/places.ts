import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Repository } from '../git/git.ts'
import { taskSlug, WORKTREES } from '../git/names.ts'
import {
  isOurs,
  listWorktrees,
  makeWorktree,
  placeAt,
  restoreWorktree,
  type WorktreePlace,
} from '../git/worktrees.ts'

const LOCK_TRIES = 100
/** Branches of programs; those of tasks are `feature/…`. */
const BRANCHES = 'baton/'

/** The worktree of a handoff, as it is or newly made. Work that was begun there is still there. */
export async function handoffPlace(
  repository: Repository,
  agent: string,
  { id, uid }: Pick<Handoff, 'id' | 'uid'>,
): Promise<WorktreePlace> {
  const slug = taskSlug(id)
  const path = `${WORKTREES}/${agent}/${slug}`
  const branch = `${BRANCHES}${agent}/${slug}`
  const place = { branch, path, folder: join(repository.main, ...path.split('/')) }
  const known = await repository.line(['config', '--get', uidSetting(branch)])
  // Other work had this number before the store was made anew.
  if ((known ?? uid) !== uid) return handoffPlace(repository, agent, { id: `${id}-${uid.slice(-8)}`, uid })
  // Written first: a worktree that a killed runner had not named would stay for ever.
  const setting = ['config', uidSetting(branch), uid]
  // Git does not wait for the lock of its settings, which the start of another program may hold.
  for (let tries = known === undefined ? LOCK_TRIES : 0; tries > 0; tries--) {
    if ((await repository.ask(setting)).code === 0) break
    await pause(20)
  }
  const there = (await listWorktrees(repository)).find((worktree) => worktree.branch === branch)
  if (there && !there.isGone) return placeAt(repository, there)
  if (there || (await repository.commit(branch))) await restoreWorktree(repository, there, place)
  else await makeWorktree(repository, place, 'HEAD')
  return place
}

const uidSetting = (branch: string): string => `branch.${branch}.description`

/** Removes the worktrees of handoffs that have ended, and branches without a commit of their own. Answers what stays. */
export async function clearPlaces(
  repository: Repository,
  hasEnded: (uid: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const kept: string[] = []
  for (const { folder, branch = '', commit = '' } of await listWorktrees(repository)) {
    if (!branch.startsWith(BRANCHES) || !isOurs(repository, { folder })) continue
    const uid = await repository.line(['config', '--get', uidSetting(branch)])
    if (uid === undefined || !(await hasEnded(uid))) continue
    const cwd = repository.main
    // Git refuses where a change would be lost.
    const { code } = await repository.ask(['worktree', 'remove', '--end-of-options', folder], { cwd })
    if (code !== 0) kept.push(placeAt(repository, { folder }).path)
    else if (await repository.isAncestor(commit, 'HEAD'))
      await repository.ask(['update-ref', '-d', `refs/heads/${branch}`, commit], { cwd })
  }
  return kept
}

/** The commit of the branch, where the program has made one. */
export async function committed(
  repository: Repository | undefined,
  { folder, branch }: { readonly folder: string; readonly branch: string },
): Promise<string | undefined> {
  const commit = await repository?.at(folder).commit('HEAD')
  return commit === undefined || (await repository?.isAncestor(commit, 'HEAD'))
    ? undefined
    : `commit ${commit} on ${branch}`
}

const FILES_TOLD = 10

/** Remembers the state of the project itself; answers later what changed outside a worktree meanwhile. */
export async function watchOutside(repository: Repository): Promise<() => Promise<string>> {
  const head = () => repository.at(repository.main).commit('HEAD')
  const [before, began] = await Promise.all([changedFiles(repository), head()])
  return async () => {
    const [now, ended] = await Promise.all([changedFiles(repository), head()])
    const files = [...now].filter(([file, at]) => before.get(file) !== at).map(([file]) => file)
    const more = files.length > FILES_TOLD ? ` and ${files.length - FILES_TOLD} more` : ''
    const names = files.slice(0, FILES_TOLD).join(', ')
    const moved =
      ended === began ? '' : `the project itself went to commit ${ended?.slice(0, 10)} while it ran`
    const changed = names && `files outside its worktree changed while it ran: ${names}${more}`
    return [moved, changed].filter(Boolean).join('; ')
  }
}

/** By the instant of the last change: a file may have been changed before. */
async function changedFiles(repository: Repository): Promise<ReadonlyMap<string, number>> {
  const files = await repository.at(repository.main).uncommitted()
  const at = (file: string) => statSync(join(repository.main, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return new Map(files.map((file) => [file, at(file)]))
}
