import { orElse } from '../domain/once.ts'
import type { Problem } from '../domain/problem.ts'
import { runCommand, toArguments } from '../service/handoffs/command.ts'
import { checkoutFiles } from './files.ts'
import { lastLine, type Repository } from './git.ts'
import { promptReasons } from './merge-check.ts'
import { branchPrefix, checkCommitMessage, firstOf, isBranchOf } from './names.ts'
import { findPrompt } from './prompts.ts'

/** Document 003's Stage 1: `npm test && npm run lint`, run one after the other without a shell. */
const DEFAULT_COMMANDS = { test: 'npm test', lint: 'npm run lint' } as const
/** The script that npm writes into a new package. */
const NO_TEST = 'no test specified'

/** The commands of a project that lists none: with document 003's rules both, else the scripts that it has. */
export async function defaultCommands(root: string, isStrict: boolean): Promise<readonly string[]> {
  if (isStrict) return Object.values(DEFAULT_COMMANDS)
  const text = await checkoutFiles(root).read('package.json')
  const scripts = orElse(() => JSON.parse(text ?? '{}')?.scripts ?? {}, undefined)
  if (scripts === undefined) return Object.values(DEFAULT_COMMANDS)
  return (['test', 'lint'] as const)
    .filter((name) => typeof scripts[name] === 'string' && !scripts[name].includes(NO_TEST))
    .map((name) => DEFAULT_COMMANDS[name])
}

const COMMAND_TIME_LIMIT_MS = 30 * 60_000
const PUSH_TIME_LIMIT_MS = 5 * 60_000

/** Runs the commands in order and stops at the first that does not exit with 0. */
export async function runCommands(
  commands: readonly string[],
  cwd: string,
  tell: (command: string) => void = () => undefined,
): Promise<Problem | undefined> {
  for (const command of commands) {
    tell(command)
    const problem = await problemOf(command, cwd)
    if (problem !== undefined)
      return { code: 'command_failed', message: `${command}: ${problem}; make it pass and try again` }
  }
  return undefined
}

async function problemOf(command: string, cwd: string): Promise<string | undefined> {
  const split = toArguments(command)
  if ('problem' in split) return split.problem
  const end = await runCommand(split.words, { cwd, timeLimitMs: COMMAND_TIME_LIMIT_MS })
  if (end.kind === 'not_started') return `could not be started (${end.reason})`
  if (end.kind === 'late') return `took longer than ${COMMAND_TIME_LIMIT_MS / 60_000} minutes`
  return end.code === 0 ? undefined : `exit code ${end.code}${end.tail && `\n${end.tail}\n`}`
}

export interface Finishing {
  readonly branch: string
  readonly commit: string
  /** Created or modified between the base and the commit. */
  readonly files: readonly string[]
  /** The last commit message without its first line. */
  readonly body: string
  readonly points: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** Checks finished work against git and, with document 003's rules, the task-prompts file; each point stands in the way. */
export async function lookAtWork(
  repository: Repository,
  task: { readonly id: string; readonly title: string },
  { base, isStrict }: { readonly base: string; readonly isStrict: boolean },
): Promise<Finishing> {
  const branch = (await repository.currentBranch()) ?? ''
  const commit = (await repository.commit('HEAD')) ?? ''
  const { id } = task
  const points: Problem[] = []
  const point = (code: string, message: string) => points.push({ code, message })
  const how = `make one with: baton task start ${id}`
  const other = `is checked out, not a branch of ${id} (${branchPrefix(id)}…); ${how}`
  if (!isBranchOf(branch, id)) point('branch_of_another_task', `${branch || 'no branch'} ${other}`)
  const open = await repository.uncommitted()
  if (open.length > 0) point('not_committed', `${firstOf(open, 3)} is not committed; commit it or remove it`)
  const prompt = isStrict && (await findPrompt(checkoutFiles(repository.root), id))
  if (prompt !== false) points.push(...promptReasons(prompt, id))
  const fork = (await repository.mergeBase(base, commit)) ?? base
  const changed = await repository.changed(fork, commit)
  if (fork === commit) point('nothing_done', `${branch} has no commit of its own; commit the work first`)
  const message = await repository.message(commit)
  const checked = isStrict ? checkCommitMessage(message, task) : { ok: true as const }
  if (!checked.ok && fork !== commit)
    point('commit_message', `the last commit message: ${checked.problem}, with: git commit --amend`)
  const warning = 'warning' in checked ? checked.warning : undefined
  return {
    branch,
    commit,
    files: changed.filter(({ deleted }) => !deleted).map(({ path }) => path),
    body: message.split('\n').slice(1).join('\n').trim(),
    points,
    warnings: warning === undefined ? [] : [{ code: 'commit_message', message: warning }],
  }
}

/** Pushes the branch to its remote; does nothing without one. */
export async function pushBranch(repository: Repository, branch: string): Promise<Problem | undefined> {
  const [remote] = await repository.remotes()
  if (remote === undefined) return undefined
  const flags = ['--quiet', '--set-upstream', '--no-recurse-submodules', '--end-of-options']
  const args = ['push', ...flags, remote, `refs/heads/${branch}:refs/heads/${branch}`]
  // Hooks never come with a clone, and large files are pushed by one.
  const { code, stderr } = await repository.ask(args, { timeLimitMs: PUSH_TIME_LIMIT_MS, hooks: true })
  const how = `push it with: git push --set-upstream ${remote} ${branch}`
  const message = `${branch} could not be pushed to ${remote}: ${lastLine(stderr)}; ${how}`
  return code === 0 ? undefined : { code: 'not_pushed', message }
}
