import { BatonError } from '../../domain/errors.ts'
import { openRepository, type Repository } from '../../git/git.ts'
import { belongsTo, maybeTask, type ShownTask } from '../../git/task-facts.ts'
import { branchOf, makeWorktree, type Place, placeAt, placeFor, worktreeOf } from '../../git/worktrees.ts'
import { loadOperation, type OperationName } from '../../operations/index.ts'
import { invoke } from '../../operations/operation.ts'
import type { Call } from '../../service/deps.ts'
import type { Service } from '../../service/service.ts'

export interface Claiming {
  readonly service: Service
  readonly call: Call
  /** The folder that the agent was started in. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly task: string
  readonly claim: () => Promise<object>
}

/** In a repository with a commit a claimed task comes with a branch and a worktree. The claim is the lock. */
export async function claimWithWorktree({ claim, ...claiming }: Claiming): Promise<object> {
  const repository = await openRepository(claiming.folder, claiming.env)
  if (!repository || (await repository.commit('HEAD')) === undefined) return claim()
  const ask = asking(claiming)
  const wasMine = await isMine(repository, ask, claiming)
  const task = (await claim()) as ShownTask
  try {
    const { branch, path, folder } = await placed(repository, ask, task, claiming.call, wasMine)
    return { ...task, branch, worktree: path, folder }
  } catch (error) {
    // A claim without a place to work would keep others from the task.
    if (!wasMine) await ask('task_update', { task_id: task.id, status: 'todo' }).catch(() => undefined)
    throw error
  }
}

type Ask = (name: OperationName, input: object) => Promise<unknown>

/** Without the key of the call: it belongs to the claim alone. */
const asking =
  ({ service, call: { actor } }: Pick<Claiming, 'service' | 'call'>): Ask =>
  async (name, input) =>
    invoke(await loadOperation(name), service, { actor }, input)

/** Whether the caller holds the task. Another's claim is told with the branch that shows it. */
async function isMine(
  repository: Repository,
  ask: Ask,
  { call, task: id }: Pick<Claiming, 'call' | 'task'>,
): Promise<boolean> {
  const task = (await maybeTask(ask, id))?.task
  if (task?.status !== 'in_progress') return false
  if (task.owner === call.actor.name) return true
  const branch = await branchOf(repository, (name) => belongsTo(ask, name, id))
  if (branch === undefined) return false
  throw new BatonError(
    'conflict',
    `${id} belongs to ${task.owner}, and branch ${branch} already exists; pick another with task_next_actions`,
    { id, owner: task.owner, branch },
  )
}

async function placed(
  repository: Repository,
  ask: Ask,
  task: ShownTask,
  { actor }: Call,
  wasMine: boolean,
): Promise<Place> {
  const there = wasMine
    ? await worktreeOf(repository, (branch) => belongsTo(ask, branch, task.id))
    : undefined
  if (there) return placeAt(repository, there)
  const place = placeFor(repository, { task, agent: actor.name })
  await makeWorktree(repository, place, (await repository.base())?.commit ?? 'HEAD')
  return place
}
