import { claimedPlace, isMine } from '../../git/claimed-place.ts'
import { openRepository } from '../../git/git.ts'
import type { Ask, ShownTask } from '../../git/task-facts.ts'
import { loadOperation } from '../../operations/index.ts'
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
export async function claimWithWorktree({ claim, service, ...claiming }: Claiming): Promise<object> {
  const { actor } = claiming.call
  const repository = await openRepository(claiming.folder, claiming.env)
  if (!repository || (await repository.commit('HEAD')) === undefined) return claim()
  // Without the key of the call: it belongs to the claim alone.
  const ask: Ask = async (name, input) => invoke(await loadOperation(name), service, { actor }, input)
  const claimant = { repository, ask, agent: actor.name }
  const wasMine = await isMine(claimant, claiming.task, ' task_next_actions')
  const task = (await claim()) as ShownTask
  const { branch, path, folder } = await claimedPlace(claimant, task, { wasMine })
  return { ...task, branch, worktree: path, folder }
}
