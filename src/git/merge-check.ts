import { notFound } from '../domain/errors.ts'
import { taskReasons } from '../domain/people/gate.ts'
import { present } from '../domain/present.ts'
import type { Problem } from '../domain/problem.ts'
import type { ThoughtRecord } from '../domain/tasks/task.ts'
import { inWords } from '../domain/texts/visible.ts'
import { commitFiles } from './files.ts'
import type { Base, ChangedPath, Repository } from './git.ts'
import { branchPrefix, demandBranch, firstOf, isBranchOf, plainPath, taskOfBranch } from './names.ts'
import { findPrompt, PROMPTS_FOLDER, type TaskPrompt } from './prompts.ts'
import { type Ask, allTasks, type TaskFacts, taskFacts, writebackOf } from './task-facts.ts'

export interface MergeCheck {
  readonly branch: string
  readonly base: string
  readonly head: string
  /** Whether document 003's rules held. */
  readonly isStrict: boolean
  readonly task?: string
  readonly record?: string
  readonly allowed: boolean
  readonly reasons: readonly Problem[]
  readonly warnings: readonly Problem[]
}

export interface MergeCheckOptions {
  readonly branch: string
  readonly base?: string | undefined
  /** The task, when the branch does not say it. */
  readonly task?: string | undefined
  /** Whether document 003's rules hold; left out, as `hasTaskRules` finds them. */
  readonly isStrict?: boolean | undefined
}

/** Facts about a branch, from git and the workspace. */
export interface BranchFacts {
  readonly branch: string
  readonly base: string
  readonly facts?: TaskFacts | undefined
  /** False where a checklist is not asked for. */
  readonly prompt?: TaskPrompt | false | undefined
  /** Files that the branch changes; undefined when it is merged already. */
  readonly changed?: readonly ChangedPath[] | undefined
  readonly files: ReadonlySet<string>
  /** Whether the recorded commit is on the branch. */
  readonly commitIsOn: boolean
  /** Commits of the branch after the recorded one. */
  readonly later: number
}

/** Whether a branch may be merged: its task is written back, and the record says what git says. */
export async function checkMerge(
  repository: Repository,
  ask: Ask,
  options: MergeCheckOptions,
): Promise<MergeCheck> {
  const branch = demandBranch(options.branch)
  const { name: base, commit: baseCommit } = await demandBase(repository, options.base)
  const head = await headOf(repository, branch)
  const facts = await factsOf(ask, branch, options.task)
  const record = facts && writebackOf(facts)
  const isStrict = options.isStrict ?? (await hasTaskRules(repository, baseCommit))
  const prompt = isStrict && facts && (await findPrompt(commitFiles(repository, head), facts.task.id))
  const commitIsOn =
    record?.commit_sha !== undefined && (await repository.isAncestor(record.commit_sha, head))
  const found = judge({
    branch,
    base,
    facts,
    prompt,
    changed: await changedBy(repository, baseCommit, head),
    files: await repository.files(head),
    commitIsOn,
    later: commitIsOn ? await countCommits(repository, record.commit_sha!, head) : 0,
  })
  return {
    branch,
    base,
    head,
    isStrict,
    ...present({ task: facts?.task.id, record: record?.uid }),
    allowed: found.reasons.length === 0,
    ...found,
  }
}

/** Judges what is known, without asking anybody. */
export function judge(known: BranchFacts): Pick<MergeCheck, 'reasons' | 'warnings'> {
  const { branch, facts, prompt } = known
  if (!facts) {
    const message = `no task belongs to ${branch}; name it with --task, or create the task that feature/<id>-… stands for`
    return { reasons: [{ code: 'task_unknown', message }], warnings: [] }
  }
  const { id, status, gates } = facts.task
  const other = `${branch} is not a branch of ${id}; rename it so that it begins with ${branchPrefix(id)}`
  const reasons = [
    ...problemsWhere([[!isBranchOf(branch, id), 'branch_of_another_task', other]]),
    ...gateReasons(facts),
    ...(prompt === false ? [] : promptReasons(prompt, id)),
  ]
  const record = writebackOf(facts)
  if (!record) {
    const message = `${id} has no thought_record of its present work; write it with: baton task finish ${id}`
    return { reasons: [{ code: 'writeback_missing', message }, ...reasons], warnings: [] }
  }
  const isOpen = status !== 'done' && taskReasons(gates).length === 0
  const how = `set it done with: baton task update ${id} --status done`
  const open = `${id} is ${inWords(status)}; its record is written, so ${how}`
  const undone = problemsWhere([[isOpen, 'not_done', open]])
  return {
    reasons: [...undone, ...reasons, ...recordReasons(known, record)],
    warnings: recordWarnings(known, record),
  }
}

/** The problems of a table whose conditions hold. */
const problemsWhere = (
  rows: readonly (readonly [isSo: boolean, code: string, message: string])[],
): Problem[] => rows.flatMap(([isSo, code, message]) => (isSo ? [{ code, message }] : []))

/** Gates that a person has to open: before that, the task cannot be done, and its branch is not merged. */
export const gateReasons = ({ task }: Pick<TaskFacts, 'task'>): Problem[] =>
  taskReasons(task.gates).map((message) => ({ code: 'gate_shut', message }))

function recordReasons(known: BranchFacts, record: ThoughtRecord): Problem[] {
  const { branch, commitIsOn, changed, files } = known
  const again = `record the work again with: baton task finish ${record.task_id}`
  const there = changed ? new Set(changed.map(({ path }) => path)) : files
  const missing = record.files_changed.map(plainPath).filter((path) => !there.has(path))
  // biome-ignore format: read as a table
  return problemsWhere([
    [record.branch !== branch, 'record_of_another_branch', `the record of ${record.task_id} is about ${record.branch ?? 'no branch'} and not about ${branch}; ${again}`],
    [!commitIsOn, 'commit_not_on_branch', `the recorded commit ${record.commit_sha ?? '(none)'} is not on ${branch}; ${again}`],
    [missing.length > 0, 'files_missing', `the record names ${firstOf(missing)}, which ${branch} does not ${changed ? 'change' : 'hold'}; commit them, or record what was really changed`],
  ])
}

function recordWarnings({ later, changed }: BranchFacts, record: ThoughtRecord): Problem[] {
  const recorded = new Set(record.files_changed.map(plainPath))
  const extra = (changed ?? []).flatMap(({ path, deleted }) => (deleted || recorded.has(path) ? [] : [path]))
  const { length } = record.blockers
  const commits = `${later} ${later === 1 ? 'commit was' : 'commits were'}`
  return problemsWhere([
    [later > 0, 'commits_after_record', `${commits} added after the recorded one`],
    [!changed, 'merged', 'the branch is merged already'],
    [extra.length > 0, 'files_not_recorded', `${firstOf(extra)} changed and is not in the record`],
    [length > 0, 'blockers', `the record names ${length} that stood in the way`],
  ])
}

/** Whether the branch that work is merged into keeps task prompts. A branch cannot drop the rule by deleting them. */
export const hasTaskRules = async (repository: Repository, base: string): Promise<boolean> =>
  (await commitFiles(repository, base).list(PROMPTS_FOLDER)).length > 0

export function promptReasons(prompt: TaskPrompt | undefined, id: string): Problem[] {
  if (!prompt) {
    const message = `there is no task-prompts file for ${id}; add ${PROMPTS_FOLDER}/${groupOf(id)}-<group>.md with a heading "## ${id}" and a checklist`
    return [{ code: 'prompts_missing', message }]
  }
  const { path, title, checklist } = prompt
  if (title === undefined || checklist.length === 0) {
    const message = `${path} has no verification checklist for ${id}; add lines such as "- [x] npm test passes" below "## ${id}"`
    return [{ code: 'checklist_missing', message }]
  }
  const open = checklist.flatMap(({ done, text, line }) => (done ? [] : [`line ${line}: ${text}`]))
  const some = `${open.length} of ${checklist.length} items of ${id} not ticked`
  const message = `${path} has ${some} (${firstOf(open)}); verify each and write [x]`
  return problemsWhere([[open.length > 0, 'checklist_open', message]])
}

const groupOf = (id: string): string =>
  (id.includes('.') ? id.slice(0, id.lastIndexOf('.')) : id).toLowerCase()

export async function demandBase(repository: Repository, named?: string): Promise<Base> {
  const base = await repository.base(named)
  if (base) return base
  throw notFound(
    `there is no branch ${named ?? 'main'} here; name the one that work is merged into with --base, or fetch it first`,
    { base: named ?? 'main' },
  )
}

/** The newest commit of a branch; one that only the remote has is fetched. */
async function headOf(repository: Repository, branch: string): Promise<string> {
  const here = await repository.branch(branch)
  if (here) return here.commit
  const [remote] = await repository.remotes()
  if (remote !== undefined) {
    const wanted = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`
    await repository.ask(['fetch', '--quiet', '--no-tags', '--end-of-options', remote, wanted])
    const fetched = await repository.branch(branch)
    if (fetched) return fetched.commit
  }
  throw notFound(
    `there is no branch ${branch} here${remote === undefined ? '' : ` or at ${remote}`}; see: git branch --all`,
    { branch },
  )
}

async function factsOf(ask: Ask, branch: string, task: string | undefined): Promise<TaskFacts | undefined> {
  if (task !== undefined) return taskFacts(ask, task)
  const found = taskOfBranch(branch, await allTasks(ask))
  return found && taskFacts(ask, found.id)
}

async function changedBy(repository: Repository, base: string, head: string) {
  const fork = await repository.mergeBase(base, head)
  return fork === undefined || fork === head ? undefined : repository.changed(fork, head)
}

async function countCommits(repository: Repository, from: string, to: string): Promise<number> {
  return Number((await repository.run(['rev-list', '--count', '--end-of-options', `${from}..${to}`])).trim())
}
