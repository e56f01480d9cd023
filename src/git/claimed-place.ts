import { conflict } from '../domain/errors.ts'
import type { Repository } from './git.ts'
import { agentOfWorktree } from './names.ts'
import { type Ask, belongsTo, maybeTask, type ShownTask } from './task-facts.ts'
import {
  branchOf,
  isOurs,
  makeWorktree,
  placeAt,
  placeFor,
  restoreWorktree,
  type WorktreePlace,
  worktreeOf,
} from './worktrees.ts'

/** The agent that claims a task, with the repository of the task. */
export interface Claimant {
  readonly repository: Repository
  readonly ask: Ask
  readonly agent: string
}

/** Whether the caller holds the task. Another's claim is told with the branch that shows it, and with the way out. */
export async function isMine(
  { repository, ask, agent }: Claimant,
  id: string,
  wayOut: string,
): Promise<boolean> {
  const task = (await maybeTask(ask, id))?.task
  if (task?.status !== 'in_progress') return false
  if (task.owner === agent) return true
  const branch = await branchOf(repository, (name) => belongsTo(ask, name, id))
  if (branch === undefined) return false
  throw conflict(
    `${id} belongs to ${task.owner}, and branch ${branch} already exists; pick another with${wayOut}`,
    { id, owner: task.owner, branch },
  )
}

export interface Placing {
  /** The caller held the task before: then there is nothing to give back. */
  readonly wasMine: boolean
  readonly slug?: string | undefined
  readonly base?: string | undefined
  /** Told when a claim without a place could not be given back. */
  readonly onStuck?: (error: Error) => void
}

/** The branch and worktree of a task that was just claimed, made if they are missing. */
export async function claimedPlace(
  { repository, ask, agent }: Claimant,
  task: ShownTask,
  { wasMine, slug, base, onStuck }: Placing,
): Promise<WorktreePlace> {
  try {
    const there = await worktreeOf(repository, (branch) => belongsTo(ask, branch, task.id))
    if (there && !there.isGone && (wasMine || agentOfWorktree(there.folder) === agent))
      return placeAt(repository, there)
    const place = placeFor(repository, { task, agent, slug })
    if (there?.isGone) {
      const isSame = wasMine && isOurs(repository, there)
      const again = isSame ? placeAt(repository, there) : { ...place, branch: there.branch ?? place.branch }
      await restoreWorktree(repository, there, again)
      return again
    }
    await makeWorktree(repository, place, base ?? (await repository.base())?.commit ?? 'HEAD')
    return place
  } catch (error) {
    // A claim without a place to work would keep others from the task.
    if (!wasMine) await ask('task_update', { task_id: task.id, status: 'todo' }).catch(onStuck)
    throw error
  }
}
