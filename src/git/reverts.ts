import { present } from '../domain/present.ts'
import type { ThoughtRecord } from '../domain/tasks/task.ts'
import type { Base, Repository } from './git.ts'
import { checkCommitMessage, firstOf, plainPath } from './names.ts'
import { type Ask, allTasks, type ShownTask, taskFacts } from './task-facts.ts'

/** A commit that takes another one back. */
export interface Revert {
  readonly commit: string
  readonly subject: string
  /** The commits that it takes back: one, or all that a merge had brought in. */
  readonly takes: ReadonlySet<string>
  /** The task that the commit it takes back is named after. */
  readonly task?: string
}

export interface Suspect {
  readonly task: string
  readonly title: string
  readonly record: string
  readonly commit?: string
  /** Recorded files that the base does not hold. */
  readonly missing: readonly string[]
  readonly reverted_by?: string
  /** Why it is suspected, in a sentence. */
  readonly reason: string
  /** The command that opens the task again; a person or an agent decides. */
  readonly reinstate: string
}

export interface AuditReport {
  readonly base: string
  readonly checked: number
  readonly suspects: readonly Suspect[]
  /** Done and not in the base yet: their review is open. */
  readonly waiting: readonly { readonly task: string; readonly branch: string }[]
  /** Done without a record that names a commit or files, so there is nothing to compare. */
  readonly unknown: readonly string[]
  readonly recent_reverts: readonly { readonly commit: string; readonly subject: string }[]
}

interface Merged {
  readonly repository: Repository
  readonly base: string
  readonly files: ReadonlySet<string>
  readonly reverts: readonly Revert[]
  /** Ids of tasks that a commit of the base is named after, perhaps a squashed one, and that was not taken back. */
  readonly holding: ReadonlySet<string>
  /** Every branch, here and at the remotes. */
  readonly refs: readonly string[]
}

const TAKES_BACK = /This reverts commit ([0-9a-f]{7,40})/g
/** The commits that document 003 looks at; the check itself looks at everything. */
const RECENT = 20
const NOTES = 'Previous PR reverted, task reinstated'

/** Finds done tasks whose work was merged and has gone. Changes nothing: a file may have moved on rightly. */
export async function auditTasks(repository: Repository, ask: Ask, base: Base): Promise<AuditReport> {
  const known = await mergedIn(repository, base.commit)
  const tasks = await allTasks(ask, { status: ['done'] })
  const suspects: Suspect[] = []
  const waiting: { task: string; branch: string }[] = []
  const unknown: string[] = []
  for (const task of tasks) {
    const { records } = await taskFacts(ask, task.id)
    const record = records.find(({ uid }) => uid === task.record_id)
    if (!record || (record.files_changed.length === 0 && record.commit_sha === undefined)) {
      unknown.push(task.id)
      continue
    }
    const suspect = await suspectOf(known, task, record, base.name)
    if (suspect === 'waiting') waiting.push({ task: task.id, branch: record.branch! })
    else if (suspect) suspects.push(suspect)
  }
  const recent_reverts = await recentReverts(repository, base.commit)
  return { base: base.name, checked: tasks.length, suspects, waiting, unknown, recent_reverts }
}

async function mergedIn(repository: Repository, base: string): Promise<Merged> {
  const reverts = await revertsOn(repository, base)
  const named = (await repository.log('%H %s', base, '--grep=^task: ')).flatMap((line) => {
    const [commit = ''] = line.split(' ', 1)
    const check = checkCommitMessage(line.slice(commit.length + 1))
    return check.ok ? [{ commit, id: check.id }] : []
  })
  const isHeld = (commit: string): boolean => !reverts.some(({ takes }) => takes.has(commit))
  const refs = await repository.run(['for-each-ref', '--format=%(refname)', 'refs/heads/', 'refs/remotes/'])
  return {
    repository,
    base,
    files: await repository.files(base),
    reverts,
    refs: refs.split('\n'),
    holding: new Set(named.filter(({ commit }) => isHeld(commit)).map(({ id }) => id)),
  }
}

/** The reverts that hold: one that was itself taken back later does not. */
export async function revertsOn(repository: Repository, base: string): Promise<readonly Revert[]> {
  const holding: Revert[] = []
  // Newest first: what takes a revert back is met before the revert itself.
  for (const entry of await repository.log('%H%n%B', base, '--grep=This reverts commit')) {
    const [commit = '', subject = ''] = entry.split('\n')
    if (holding.some(({ takes }) => takes.has(commit))) continue
    for (const [, target] of entry.matchAll(TAKES_BACK)) {
      const taken = await takenBack(repository, target!)
      if (taken) holding.push({ commit, subject, ...taken })
    }
  }
  return holding
}

/** The commits and the task that a revert takes back; undefined when the commit is not found. */
async function takenBack(
  repository: Repository,
  target: string,
): Promise<Pick<Revert, 'takes' | 'task'> | undefined> {
  const format = '--format=%H%n%P%n%s'
  const found = await repository.line(['log', '-1', format, '--end-of-options', target, '--'])
  if (found === undefined) return undefined
  const [commit = '', parents = '', subject = ''] = found.split('\n')
  const [first, ...others] = parents.split(' ')
  const merged =
    first !== undefined && others.length > 0
      ? (await repository.run(['rev-list', '--end-of-options', commit, `^${first}`])).split('\n')
      : []
  const named = checkCommitMessage(subject)
  return { takes: new Set([commit, ...merged]), ...(named.ok && { task: named.id }) }
}

async function suspectOf(
  known: Merged,
  task: ShownTask,
  record: ThoughtRecord,
  base: string,
): Promise<Suspect | 'waiting' | undefined> {
  const found = revertOf(known.reverts, task.id, record)
  const revert = found && (await isRedone(known, found, task.id, record)) ? undefined : found
  if (!revert && (await isWaiting(known, task.id, record))) return 'waiting'
  const missing = record.files_changed.map(plainPath).filter((path) => !known.files.has(path))
  if (!revert && missing.length === 0) return undefined
  const reasons = [
    ...(revert ? [`${revert.commit.slice(0, 10)} takes its commit back`] : []),
    ...(missing.length > 0 ? [`${base} does not hold ${firstOf(missing)}`] : []),
  ]
  return {
    task: task.id,
    title: task.title,
    record: record.uid,
    ...present({ commit: record.commit_sha, missing, reverted_by: revert?.commit }),
    reason: reasons.join('; '),
    reinstate: `baton thought record ${task.id} --status todo -m "${NOTES}"`,
  }
}

/** The revert of the recorded commit, of the merge that brought it in, or of a commit named after the task. */
export const revertOf = (
  reverts: readonly Revert[],
  id: string,
  { commit_sha }: Pick<ThoughtRecord, 'commit_sha'>,
): Revert | undefined =>
  reverts.find(({ takes, task }) => task === id || (commit_sha !== undefined && takes.has(commit_sha)))

/** Whether a revert is about earlier work: the record's own was built on it, or is in the base under the task's name. */
async function isRedone(
  { repository, holding }: Merged,
  revert: Revert,
  id: string,
  { commit_sha = '' }: ThoughtRecord,
): Promise<boolean> {
  if (revert.takes.has(commit_sha)) return false
  return holding.has(id) || (await repository.isAncestor(revert.commit, commit_sha))
}

/** Not merged yet: its branch is still here, nothing in the base is named after it, and the commit is not there. */
async function isWaiting(
  { repository, base, holding, refs }: Merged,
  id: string,
  { branch, commit_sha }: ThoughtRecord,
): Promise<boolean> {
  if (branch === undefined || commit_sha === undefined || holding.has(id)) return false
  if (!refs.some((ref) => ref.endsWith(`/${branch}`))) return false
  return !(await repository.isAncestor(commit_sha, base))
}

/** The reverts among the newest commits, as document 003 looks for them. */
async function recentReverts(repository: Repository, base: string) {
  return (await repository.log('%H %s', base, `-${RECENT}`))
    .filter((line) => /^[0-9a-f]+ (?:Revert|Reapply) "/.test(line))
    .map((line) => ({ commit: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
}
