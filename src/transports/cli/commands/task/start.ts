import { type Claimant, claimedPlace, isMine } from '../../../../git/claimed-place.ts'
import type { Repository } from '../../../../git/git.ts'
import { demandCommitish, demandSlug } from '../../../../git/names.ts'
import type { ShownTask } from '../../../../git/task-facts.ts'
import { flag } from '../../input/args.ts'
import { added } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { taskView } from '../../views/task.ts'
import { askOf, repositoryHere } from './repository.ts'

const FLAGS = [
  flag(
    'slug <words>',
    'The end of the branch, package-setup for feature/p0-1-1-package-setup (from the title)',
  ),
  flag('base <branch>', 'Base of the new branch (main)'),
  flag('no-worktree', 'Only claim the task, without a branch and a folder'),
].map(added)

interface Begun {
  readonly repository: Repository
  /** The caller held the task before: then this call has nothing to give back. */
  readonly wasMine: boolean
}

/** The findings of `before`, for `after` of the same command. */
const BEGUN = new WeakMap<Shell, Begun>()

/** In a repository the claim comes with a branch and a worktree. The claim is the lock; git comes second. */
export const start: Extra = {
  flags: (flags) => [...flags, ...FLAGS],
  async before(shell, session, { slug, base, no_worktree, ...input }) {
    const repository = no_worktree === true ? undefined : await repositoryHere(shell)
    if (!repository) return { input }
    if (typeof slug === 'string') demandSlug(slug)
    if (typeof base === 'string') demandCommitish(base, '--base')
    const wasMine = await isMine(await claimantOf(session, repository), String(input.id), ': baton next')
    BEGUN.set(shell, { repository, wasMine })
    return { input }
  },
  async after(shell, output, { slug, base }) {
    const begun = BEGUN.get(shell)
    if (!begun) return false
    const task = output as ShownTask
    const claimant = await claimantOf(await shell.open({ write: true }), begun.repository)
    const { branch, path, folder } = await claimedPlace(claimant, task, {
      wasMine: begun.wasMine,
      slug: typeof slug === 'string' ? slug : undefined,
      base: typeof base === 'string' ? base : undefined,
      onStuck: (error) =>
        shell.warn(
          `${task.id} is still claimed (${error.message}); give it back with: baton task update ${task.id} --status todo`,
        ),
    })
    shell.answer({ ...task, branch, worktree: path, folder }, () =>
      [taskView(shell, 'task_start', task), `  ${branch} in ${path}`].join('\n'),
    )
    return true
  },
}

async function claimantOf(session: Session, repository: Repository): Promise<Claimant> {
  return { repository, ask: askOf(session), agent: (await session.actor()).name }
}
