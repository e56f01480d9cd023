import { BatonError } from '../../../../domain/errors.ts'
import type { Repository } from '../../../../git/git.ts'
import { demandCommitish, demandSlug } from '../../../../git/names.ts'
import { belongsTo, maybeTask, type ShownTask } from '../../../../git/task-facts.ts'
import {
  branchOf,
  makeWorktree,
  type Place,
  placeAt,
  placeFor,
  worktreeOf,
} from '../../../../git/worktrees.ts'
import type { FieldFlag } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { taskView } from '../../views/task.ts'
import { askOf, repositoryHere } from './repository.ts'

const FLAGS: readonly FieldFlag[] = [
  {
    name: 'slug',
    field: 'slug',
    kind: 'word',
    takes: 'value',
    placeholder: 'words',
    about: 'The end of the branch, package-setup for feature/p0-1-1-package-setup (from the title)',
  },
  {
    name: 'base',
    field: 'base',
    kind: 'word',
    takes: 'value',
    placeholder: 'branch',
    about: 'What the new branch starts from (main)',
  },
  {
    name: 'no-worktree',
    field: 'no_worktree',
    kind: 'switch',
    takes: 'nothing',
    about: 'Only claim the task, without a branch and a folder',
  },
]

interface Begun {
  readonly repository: Repository
  /** The caller held the task before: then this call has nothing to give back. */
  readonly wasMine: boolean
}

/** What `before` found, for `after` of the same command. */
const BEGUN = new WeakMap<Shell, Begun>()

/** In a repository the claim comes with a branch and a worktree. The claim is the lock; git comes second. */
export const start: Extra = {
  flags: (flags) => [...flags, ...FLAGS],
  async before(shell, session, { slug, base, no_worktree, ...input }) {
    const repository = no_worktree === true ? undefined : await repositoryHere(shell)
    if (!repository) return { input }
    if (typeof slug === 'string') demandSlug(slug)
    if (typeof base === 'string') demandCommitish(base, '--base')
    const wasMine = await isMine(repository, session, String(input.id))
    BEGUN.set(shell, { repository, wasMine })
    return { input }
  },
  async after(shell, output, { slug, base }) {
    const begun = BEGUN.get(shell)
    if (!begun) return false
    const task = output as ShownTask
    const place = await placed(shell, begun, task, {
      slug: typeof slug === 'string' ? slug : undefined,
      base: typeof base === 'string' ? base : undefined,
    })
    const { branch, path, folder } = place
    shell.answer({ ...task, branch, worktree: path, folder }, () =>
      [taskView(shell, 'task_start', task), `  ${branch} in ${path}`].join('\n'),
    )
    return true
  },
}

const isOf = (session: Session, id: string) => (branch: string) => belongsTo(askOf(session), branch, id)

/** Whether the caller holds the task. Another's claim is told with the branch that shows it. */
async function isMine(repository: Repository, session: Session, id: string): Promise<boolean> {
  const task = (await maybeTask(askOf(session), id))?.task
  if (task?.status !== 'in_progress') return false
  if (task.owner === (await session.actor()).name) return true
  const branch = await branchOf(repository, isOf(session, id))
  if (branch === undefined) return false
  throw new BatonError(
    'conflict',
    `${id} belongs to ${task.owner}, and branch ${branch} already exists; pick another with: baton next`,
    { id, owner: task.owner, branch },
  )
}

async function placed(
  shell: Shell,
  { repository, wasMine }: Begun,
  task: ShownTask,
  wanted: { readonly slug: string | undefined; readonly base: string | undefined },
): Promise<Place> {
  const session = await shell.open({ write: true })
  if (wasMine) {
    const there = await worktreeOf(repository, isOf(session, task.id))
    if (there) return placeAt(repository, there)
  }
  try {
    const agent = (await session.actor()).name
    const place = placeFor(repository, { task, agent, slug: wanted.slug })
    await makeWorktree(repository, place, wanted.base ?? (await repository.base())?.commit ?? 'HEAD')
    return place
  } catch (error) {
    if (!wasMine) await giveBack(shell, session, task.id)
    throw error
  }
}

/** A claim without a place to work would keep others from the task. */
async function giveBack(shell: Shell, session: Session, id: string): Promise<void> {
  try {
    await session.call('task_update', { task_id: id, status: 'todo' })
  } catch (error) {
    shell.warn(
      `${id} is still claimed (${(error as Error).message}); give it back with: baton task update ${id} --status todo`,
    )
  }
}
