import { BatonError, wrongState } from '../../../../domain/errors.ts'
import { present } from '../../../../domain/present.ts'
import type { Problem } from '../../../../domain/problem.ts'
import type { ThoughtRecord } from '../../../../domain/tasks/task.ts'
import type { Repository } from '../../../../git/git.ts'
import { demandBase, gateReasons, hasTaskRules } from '../../../../git/merge-check.ts'
import {
  defaultCommands,
  type Finishing,
  lookAtWork,
  pushBranch,
  runCommands,
} from '../../../../git/stage-one.ts'
import { belongsTo, type ShownTask, taskFacts } from '../../../../git/task-facts.ts'
import { worktreeOf } from '../../../../git/worktrees.ts'
import type { Command } from '../../command.ts'
import { type Arguments, badOption, flag, textOf, textsOf } from '../../input/args.ts'
import { TEXT } from '../../input/flags.ts'
import { withProgress } from '../../screen/progress.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'
import { type TaskRules, taskRules } from './commands.ts'
import { askOf, BASE, demandRepository, taskNamed } from './repository.ts'

/** Document 003's Stages 1 and 2: the work is checked, and then recorded and done in one. */
export const finish: Command = {
  name: 'task finish',
  summary:
    'Checks finished work by the rules of the repository, pushes its branch, records it and sets the task done.',
  words: ['id'],
  flags: [
    flag('summary <text>', 'The work that was done, in 3 to 5 sentences (the body of the last commit)'),
    flag(`${TEXT} <text>`, 'A sentence or two for people, beside --summary', { also: ['notes'] }),
    flag('test <name>', 'A test that was run beside the commands', { repeats: true }),
    flag('blocker <json>', 'A blocker: {"type": …, "issue": …}', { repeats: true }),
    BASE,
  ],
  examples: [
    'baton task finish P0.1.1 --summary "Set up package.json as ESM. Added strict TypeScript. Lint is clean."',
    'baton task finish @ --as claude --json',
  ],
  async run(shell, args) {
    const session = await shell.open({ write: true })
    const id = await taskNamed(session, args)
    const here = await demandRepository(shell, 'task finish')
    const { task } = await taskFacts(askOf(session), id)
    if (task.status === 'done')
      throw wrongState(`${id} is done already; see its record with: baton task get ${id}`, { id })
    await demandWriter(session, task)
    const place = await worktreeOf(here, (branch) => belongsTo(askOf(session), branch, id))
    if (place?.isGone)
      throw wrongState(
        `the worktree ${place.folder} of ${id} was deleted; make it again with: baton task start ${id}`,
        { id, folder: place.folder },
      )
    const repository = place ? here.at(place.folder) : here
    const base = await demandBase(repository, textOf(args, 'base'))
    const set = await taskRules(shell)
    const isStrict = set.isStrict ?? (await hasTaskRules(repository, base.commit))
    const work = await lookAtWork(repository, task, { base: base.commit, isStrict })
    const tests = await demandStageOne(shell, repository, { work, task, args }, { ...set, isStrict })
    for (const { message } of work.warnings) shell.warn(message)
    shell.next(`baton merge-check ${work.branch}`)
    const done = await record(session, { work, task, args }, tests)
    shell.answer(
      { ...done, branch: work.branch, commit_sha: work.commit, files_changed: work.files, tests_run: tests },
      () =>
        [
          `${shell.screen.tick} ${shell.screen.bold(id)} is done, and its record is written; merge is permitted`,
          `  ${work.branch} at ${work.commit.slice(0, 10)}, ${count(work.files.length, 'file')}, ${count(tests.length, 'check')}`,
        ].join('\n'),
    )
  },
}

/**
 * Before a check runs in somebody's worktree or a branch is pushed. Who may write to work that another holds is the
 * engine's to say: it is asked with an update that says nothing, which leaves nothing.
 */
async function demandWriter(session: Session, { id, owner, status }: ShownTask): Promise<void> {
  if (status !== 'in_progress' || owner === undefined || owner === (await session.actor()).name) return
  await session.call('task_update', { task_id: id })
}

/** Finished work, its task and what was typed about it. */
interface Stage {
  readonly work: Finishing
  readonly task: ShownTask
  readonly args: Arguments
}

/** Every point of Stage 1. All that stands in the way is told at once, and then nothing is recorded. */
async function demandStageOne(
  shell: Shell,
  repository: Repository,
  { work, task, args }: Stage,
  rules: TaskRules & { readonly isStrict: boolean },
): Promise<readonly string[]> {
  const points: Problem[] = [...work.points, ...gateReasons({ task })]
  if ((textOf(args, 'summary') ?? work.body) === '')
    points.push({ code: 'no_summary', message: 'nothing says what was done; add --summary "…"' })
  const isElsewhere = points.some(({ code }) => code === 'branch_of_another_task')
  const { problem, commands = await defaultCommands(repository.root, rules.isStrict) } = rules
  if (problem) points.push({ code: 'not_trusted', message: problem })
  else if (!isElsewhere) {
    const failed = await withProgress(shell, (tell) => runCommands(commands, repository.root, tell))
    if (failed) points.push(failed)
  }
  // Only what is good is pushed, so this comes last.
  const unpushed = points.length === 0 ? await pushBranch(repository, work.branch) : undefined
  if (unpushed) points.push(unpushed)
  if (points.length > 0) throw notFinished(task.id, points)
  return problem ? [] : commands
}

function notFinished(id: string, points: readonly Problem[]): BatonError {
  const lines = points.map(({ message }) => `- ${message}`)
  return new BatonError('unmet', [`${id} is not finished, and nothing was recorded:`, ...lines].join('\n'), {
    id,
    points,
  })
}

async function record(session: Session, { work, task, args }: Stage, tests: readonly string[]) {
  const notes = textOf(args, TEXT)
  const input = {
    task_id: task.id,
    branch: work.branch,
    commit_sha: work.commit,
    tests_run: [...tests, ...textsOf(args, 'test')],
    summary: textOf(args, 'summary') ?? work.body,
    blockers: textsOf(args, 'blocker').map(toBlocker),
    files_changed: work.files,
    related_thought_records: await relatedTo(session, task),
    ...present({ notes }),
  }
  return session.call('task_complete', input, { key: textOf(args, 'key') })
}

/** The records that the work stands on: the latest of each task it depends on. */
async function relatedTo(session: Session, task: ShownTask): Promise<readonly string[]> {
  const before = await Promise.all(task.depends_on.map((id) => taskFacts(askOf(session), id)))
  return before.flatMap(({ task: { record_id } }) => (record_id === undefined ? [] : [record_id]))
}

function toBlocker(text: string): ThoughtRecord['blockers'][number] {
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Refused below, as is JSON that is not an object.
  }
  throw badOption('blocker', `${text} is not a JSON object; write {"type": "peer-dep", "issue": "…"}`)
}
