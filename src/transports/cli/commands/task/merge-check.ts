import { BatonError, invalidInput } from '../../../../domain/errors.ts'
import type { Problem } from '../../../../domain/problem.ts'
import type { Repository } from '../../../../git/git.ts'
import { checkMerge, type MergeCheck } from '../../../../git/merge-check.ts'
import { defaultCommands, runCommands } from '../../../../git/stage-one.ts'
import { withCheckout } from '../../../../git/worktrees.ts'
import type { Command } from '../../command.ts'
import { type Arguments, flag, isOn, refuseMoreWords, textOf } from '../../input/args.ts'
import { bytesFrom } from '../../input/values.ts'
import { plainText } from '../../screen/plain-text.ts'
import { withProgress } from '../../screen/progress.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { type TaskRules, taskRules } from './commands.ts'
import { askOf, BASE, demandRepository } from './repository.ts'

/** Not an error: the check ran and refused the merge. */
const REFUSED = 1

/** Document 003's Stage 3: what is not written back is not merged, however good it is. */
export const mergeCheck: Command = {
  name: 'merge-check',
  summary:
    'Checks whether a branch may be merged: task done and recorded, record of this branch, checklist ticked. Exit 0 allowed, 1 refused.',
  words: ['[branch]'],
  flags: [
    BASE,
    flag('task <id>', 'The task, when the branch does not name it'),
    flag('run', 'Run the tests again, on the commit that would be merged'),
    flag('install-hook', 'Check every push to the main branch (git hook pre-push)'),
    flag('pre-push', 'For the git hook: reads the pushed refs from standard input'),
  ],
  examples: [
    'baton merge-check feature/p0-1-1-package-setup',
    'baton merge-check feature/p0-1-1-package-setup --run --json',
    'baton merge-check --install-hook',
  ],
  async run(shell, args) {
    const repository = await demandRepository(shell, 'merge-check')
    if (isOn(args, 'install-hook')) return install(shell, repository, args)
    if (isOn(args, 'pre-push')) return prePush(shell, repository, args)
    return check(shell, repository, args)
  },
}

async function check(shell: Shell, repository: Repository, args: Arguments): Promise<number> {
  const branch = await branchOf(repository, args)
  const session = await shell.open({ write: false })
  const set = await taskRules(shell)
  const found = await checkMerge(repository, askOf(session), {
    branch,
    base: textOf(args, 'base'),
    task: textOf(args, 'task'),
    isStrict: set.isStrict,
  })
  const failed = isOn(args, 'run') ? await runAgain(shell, repository, found, set) : undefined
  const reasons = [...found.reasons, ...(failed ? [failed] : [])]
  const reopened = await reopen(shell, session, found)
  const answer = { ...found, allowed: reasons.length === 0, reasons, reopened }
  shell.answer(answer, () => view(shell, answer))
  return answer.allowed ? 0 : REFUSED
}

async function branchOf(repository: Repository, { words }: Arguments): Promise<string> {
  const branch = words[0] ?? (await repository.currentBranch())
  if (branch !== undefined) return branch
  throw invalidInput(
    'no branch is checked out here; name one: baton merge-check feature/p0-1-1-package-setup',
  )
}

/** Runs in a checkout of the commit alone, so that what passes is what would be merged. */
async function runAgain(
  shell: Shell,
  repository: Repository,
  { head, isStrict }: MergeCheck,
  { commands, problem }: TaskRules,
): Promise<Problem | undefined> {
  if (problem) return { code: 'not_trusted', message: problem }
  return withProgress(shell, (tell) =>
    withCheckout(repository, head, async (folder) =>
      runCommands(commands ?? (await defaultCommands(folder, isStrict)), folder, tell),
    ),
  )
}

/** Done without a record cannot stand. Whoever may not write says so and leaves it to the next who checks. */
async function reopen(
  shell: Shell,
  session: Session,
  { task, branch, reasons }: MergeCheck,
): Promise<boolean> {
  if (task === undefined || !reasons.some(({ code }) => code === 'writeback_missing')) return false
  try {
    await session.call('task_reopen', { id: task, reason: `merge of ${branch} refused: no thought_record` })
    return true
  } catch (error) {
    if (!(error instanceof BatonError)) throw error
    if (error.code !== 'wrong_state') shell.warn(`${task} could not be reopened: ${error.message}`)
    return false
  }
}

function view(shell: Shell, found: MergeCheck & { readonly reopened: boolean }): string {
  const { screen } = shell
  const what = [found.branch, ...(found.task === undefined ? [] : [found.task])].join(', ')
  return [
    `${found.allowed ? screen.tick : screen.cross} ${plainText(what)}: ${found.allowed ? `may be merged into ${found.base}` : 'merge refused'}`,
    ...found.reasons.map(({ message }) => screen.marked(`  ${screen.cross}`, message)),
    ...found.warnings.map(({ message }) => screen.marked(`  ${screen.mark}`, message)),
    ...(found.reopened
      ? [`  ${screen.mark} ${found.task} is in progress again: it was done without a record`]
      : []),
  ].join('\n')
}

async function install(shell: Shell, repository: Repository, args: Arguments): Promise<number> {
  refuseMoreWords(args.words, 0, 'merge-check --install-hook')
  const { installHook } = await import('../../../../git/pre-push-install.ts')
  const done = await installHook(repository)
  shell.answer(done, () =>
    [
      `${shell.screen.tick} ${done.hook} ${done.changed ? 'is written' : 'is there already'}`,
      ...(done.kept === undefined ? [] : [`  ${done.kept} runs before it`]),
    ].join('\n'),
  )
  return 0
}

/** Only pushes to the main branch are looked at: a feature branch is pushed before it is written back. */
async function prePush(shell: Shell, repository: Repository, args: Arguments): Promise<number> {
  const { checkPush, pushesTo } = await import('../../../../git/hook.ts')
  const text = await textFrom(shell.io.stdin)
  const base = textOf(args, 'base') ?? (await repository.base())?.name ?? 'main'
  const pushes = pushesTo(base, text)
  if (pushes.length === 0) return 0
  const session = await shell.open({ write: false })
  const reasons: Problem[] = []
  for (const pushed of pushes) reasons.push(...(await checkPush(repository, askOf(session), pushed)))
  if (reasons.length === 0) return 0
  shell.say(`${shell.screen.cross} the push to ${base} is refused`)
  for (const { message } of reasons) shell.say(`  ${plainText(message)}`)
  if (shell.isJson) shell.print(JSON.stringify({ allowed: false, reasons }))
  return REFUSED
}

/** A push of more refs than this is made by no person. */
const MOST_BYTES = 1_000_000

async function textFrom(stdin: Shell['io']['stdin']): Promise<string> {
  const bytes = await bytesFrom(stdin, MOST_BYTES)
  if (bytes.length <= MOST_BYTES) return bytes.toString()
  throw new BatonError('too_large', 'more was given on standard input than git tells a hook of any push')
}
