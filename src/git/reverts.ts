import type { ThoughtRecord } from '../domain/task.ts'
import type { Repository } from './git.ts'
import { checkCommitMessage, plainPath } from './names.ts'
import { type Ask, allTasks, type ShownTask, taskFacts } from './task-facts.ts'

/** A commit that takes another one back. */
export interface Revert {
  readonly commit: string
  readonly subject: string
  /** What it takes back, as written: whole or shortened. */
  readonly reverts: string
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
  /** What opens the task again, for a person or an agent to decide. */
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
  /** Ids of tasks that a commit of the base is named after, also a squashed one. */
  readonly named: ReadonlySet<string>
}

const TAKES_BACK = /This reverts commit ([0-9a-f]{7,40})/g
/** What document 003 looks at; the check itself looks at everything. */
const RECENT = 20
const NOTES = 'Previous PR reverted, task reinstated'

/** Done tasks whose work is no longer where it was merged. Nothing is changed: a file may have moved on rightly. */
export async function auditTasks(
  repository: Repository,
  ask: Ask,
  base: { readonly name: string; readonly commit: string },
): Promise<AuditReport> {
  const known = await mergedIn(repository, base.commit)
  const tasks = await allTasks(ask, { status: ['done'] })
  const suspects: Suspect[] = []
  const waiting: { task: string; branch: string }[] = []
  const unknown: string[] = []
  for (const task of tasks) {
    const record = await latestRecord(ask, task)
    if (!record || (record.files_changed.length === 0 && record.commit_sha === undefined)) {
      unknown.push(task.id)
      continue
    }
    const suspect = await suspectOf(known, task, record, base.name)
    if (suspect === 'waiting') waiting.push({ task: task.id, branch: record.branch! })
    else if (suspect) suspects.push(suspect)
  }
  return {
    base: base.name,
    checked: tasks.length,
    suspects,
    waiting,
    unknown,
    recent_reverts: await recentReverts(repository, base.commit),
  }
}

async function latestRecord(ask: Ask, task: ShownTask): Promise<ThoughtRecord | undefined> {
  const { records } = await taskFacts(ask, task.id)
  return records.find(({ uid }) => uid === task.record_id)
}

async function mergedIn(repository: Repository, base: string): Promise<Merged> {
  const log = await repository.run(['log', '-z', '--format=%s', '--grep=^task: ', '--end-of-options', base])
  const named = log.split('\0').map((subject) => checkCommitMessage(subject))
  return {
    repository,
    base,
    files: await repository.files(base),
    reverts: await revertsOn(repository, base),
    named: new Set(named.flatMap((check) => (check.ok ? [check.id] : []))),
  }
}

/** The reverts that hold: one that was itself taken back later does not. */
export async function revertsOn(repository: Repository, base: string): Promise<readonly Revert[]> {
  const log = await repository.run([
    'log',
    '-z',
    '--format=%H%n%B',
    '--grep=This reverts commit',
    '--end-of-options',
    base,
  ])
  const holding: Revert[] = []
  // Newest first: what takes a revert back is met before the revert itself.
  for (const entry of log.split('\0').filter(Boolean)) {
    const [commit = '', subject = ''] = entry.split('\n')
    if (holding.some(({ reverts }) => commit.startsWith(reverts))) continue
    for (const [, reverts] of entry.matchAll(TAKES_BACK)) holding.push({ commit, subject, reverts: reverts! })
  }
  return holding
}

async function suspectOf(
  known: Merged,
  task: ShownTask,
  record: ThoughtRecord,
  base: string,
): Promise<Suspect | 'waiting' | undefined> {
  const revert = await revertOf(known, task.id, record)
  const missing = record.files_changed.map(plainPath).filter((path) => !known.files.has(path))
  if (!revert && missing.length === 0) return undefined
  if (!revert && (await isWaiting(known, task.id, record))) return 'waiting'
  const reasons = [
    ...(revert ? [`${revert.commit.slice(0, 10)} takes its commit back`] : []),
    ...(missing.length > 0
      ? [
          `${base} does not hold ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ` and ${missing.length - 5} more` : ''}`,
        ]
      : []),
  ]
  return {
    task: task.id,
    title: task.title,
    record: record.uid,
    ...(record.commit_sha !== undefined && { commit: record.commit_sha }),
    missing,
    ...(revert && { reverted_by: revert.commit }),
    reason: reasons.join('; '),
    reinstate: `baton thought record ${task.id} --status todo --notes "${NOTES}"`,
  }
}

/** The revert of the recorded commit, of the merge that brought it in, or of a commit named after the task. */
export async function revertOf(
  known: Pick<Merged, 'repository' | 'reverts'>,
  id: string,
  record: Pick<ThoughtRecord, 'commit_sha'>,
): Promise<Revert | undefined> {
  for (const revert of known.reverts) {
    if (record.commit_sha?.startsWith(revert.reverts)) return revert
    const target = await known.repository.ask([
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${revert.reverts}^{commit}`,
    ])
    if (target.code !== 0) continue
    if (await takesBack(known.repository, target.stdout.trim(), id, record.commit_sha)) return revert
  }
  return undefined
}

async function takesBack(
  repository: Repository,
  target: string,
  id: string,
  commit: string | undefined,
): Promise<boolean> {
  const [parents = '', subject = ''] = (
    await repository.run(['log', '-1', '--format=%P%n%s', '--end-of-options', target])
  ).split('\n')
  const named = checkCommitMessage(subject)
  if (named.ok && named.id === id) return true
  const [first, ...others] = parents.split(' ')
  if (commit === undefined || first === undefined || others.length === 0) return false
  return (await repository.isAncestor(commit, target)) && !(await repository.isAncestor(commit, first))
}

/** Not merged yet: the commit is not in the base, nothing there is named after the task, and its branch is still here. */
async function isWaiting(
  { repository, base, named }: Merged,
  id: string,
  record: ThoughtRecord,
): Promise<boolean> {
  if (record.branch === undefined || record.commit_sha === undefined || named.has(id)) return false
  if (await repository.isAncestor(record.commit_sha, base)) return false
  const branches = await repository.run([
    'for-each-ref',
    '--format=%(refname)',
    'refs/heads/',
    'refs/remotes/',
  ])
  return branches.split('\n').some((ref) => ref.endsWith(`/${record.branch}`))
}

/** The reverts among the newest commits, as document 003 looks for them. */
async function recentReverts(
  repository: Repository,
  base: string,
): Promise<{ commit: string; subject: string }[]> {
  const log = await repository.run([
    'log',
    '--oneline',
    '--no-abbrev-commit',
    '--no-decorate',
    '-n',
    String(RECENT),
    '--end-of-options',
    base,
  ])
  return log
    .split('\n')
    .filter((line) => /^[0-9a-f]+ (?:Revert|Reapply) "/.test(line))
    .map((line) => ({ commit: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
}
