import { present } from '../../../../domain/present.ts'
import { inWords } from '../../../../domain/texts/visible.ts'
import type { Repository } from '../../../../git/git.ts'
import { demandBase } from '../../../../git/merge-check.ts'
import { taskOfBranch } from '../../../../git/names.ts'
import { allTasks, type ShownTask } from '../../../../git/task-facts.ts'
import { isMerged, isOurs, listWorktrees, removeWorktree, type Worktree } from '../../../../git/worktrees.ts'
import type { Command } from '../../command.ts'
import { flag, isOn, textOf } from '../../input/args.ts'
import { plainText } from '../../screen/plain-text.ts'
import { askOf, BASE, demandRepository } from './repository.ts'

/** Removes the worktree and branch that a task left behind after its merge; everything else stays. */
export const clean: Command = {
  name: 'task clean',
  summary:
    'Removes worktrees and branches of tasks that are done, merged and hold nothing uncommitted. Others stay, with the reason.',
  flags: [flag('dry-run', 'Only show what would be removed'), BASE],
  examples: ['baton task clean --dry-run', 'baton task clean'],
  async run(shell, args) {
    const repository = await demandRepository(shell, 'task clean')
    const base = await demandBase(repository, textOf(args, 'base'))
    const session = await shell.open({ write: false })
    const ours = (await listWorktrees(repository)).filter((worktree) => isOurs(repository, worktree))
    const tasks = ours.length === 0 ? [] : await allTasks(askOf(session))
    const dry = isOn(args, 'dry-run')
    const items: Awaited<ReturnType<typeof cleaned>>[] = []
    for (const worktree of ours) items.push(await cleaned(repository, worktree, base.commit, tasks, dry))
    shell.answer({ items, dry_run: dry }, () =>
      items.length === 0
        ? shell.nothing('There is no worktree of a task here.')
        : items
            .map(({ folder, removed, reason }) => {
              const what = removed ? (dry ? 'can go' : 'removed') : `stays: ${reason}`
              return `${removed ? shell.screen.tick : shell.screen.dim('·')} ${plainText(folder)} ${plainText(what)}`
            })
            .join('\n'),
    )
  },
}

async function cleaned(
  repository: Repository,
  worktree: Worktree,
  base: string,
  tasks: readonly ShownTask[],
  dry: boolean,
) {
  const { folder, branch } = worktree
  const task = branch === undefined ? undefined : taskOfBranch(branch, tasks)
  const reason = await whyItStays(repository, worktree, task, base)
  if (reason === undefined && !dry) await removeWorktree(repository, worktree)
  return present({ folder, branch, task: task?.id, removed: reason === undefined, reason })
}

async function whyItStays(
  repository: Repository,
  worktree: Worktree,
  task: ShownTask | undefined,
  base: string,
): Promise<string | undefined> {
  if (worktree.folder === repository.root) return 'you are in it'
  if (!task) return 'it belongs to no task'
  if (task.status !== 'done') return `${task.id} is ${inWords(task.status)}`
  if (worktree.commit === undefined || !(await isMerged(repository, worktree.commit, base)))
    return 'it is not merged'
  if (worktree.isGone) return undefined
  const open = await repository.at(worktree.folder).uncommitted()
  return open.length > 0 ? `${open[0]} is not committed` : undefined
}
