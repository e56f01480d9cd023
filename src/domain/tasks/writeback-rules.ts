import type { FieldProblem } from '../problem.ts'

type RecordField = 'branch' | 'commit_sha' | 'summary' | 'tests_run' | 'blockers' | 'status' | 'notes'
export type WrittenRecord = Readonly<Partial<Record<RecordField, unknown>>>

const SHA_256 = /^[0-9a-f]{64}$/i
const FULL_SHA = 'write all 40 characters, as `git rev-parse HEAD` prints them'

/** Required fields of a record of finished work, each with the way to fill it. */
const DEMANDED = {
  branch: 'write the branch that holds the work, for example "feature/p0-1-1-package-setup"',
  commit_sha: FULL_SHA,
  summary: 'write what was done in 3 to 5 sentences',
} as const

/** A commit as git names it in full. Hashes of 64 characters are of repositories that a record cannot speak of. */
export const isSha = (text: string): boolean => /^[0-9a-f]{40}$/i.test(text)

/** The second shape of a record opens a task again: it says so and names neither a branch nor a commit. */
export const isReinstating = ({ status, branch, commit_sha }: WrittenRecord): boolean =>
  status === 'todo' && branch === undefined && commit_sha === undefined

const finding = (severity: FieldProblem['severity'], field: string, code: string, message: string) => ({
  severity,
  code,
  field,
  message,
})
const error = (field: string, code: string, message: string) => finding('error', field, code, message)
const warning = (field: string, code: string, message: string) => finding('warning', field, code, message)

export function shaProblem(sha: string): FieldProblem | undefined {
  if (isSha(sha)) return undefined
  const [code, wrong] = SHA_256.test(sha)
    ? ['sha_of_64', 'has 64 characters, as in a repository with SHA-256; a record takes 40']
    : /^[0-9a-f]{4,39}(?:\.{2,3}|…)?$/i.test(sha)
      ? ['short_sha', `${sha} is cut short; ${FULL_SHA}`]
      : ['invalid_sha', `${shortened(sha)} is not a commit; ${FULL_SHA}`]
  return error('commit_sha', code!, `commit_sha ${wrong}.`)
}

/** The branch of a task begins with `feature/` and the task's id, up to a hyphen: P0.1.1 is not p0-1-11. */
export function branchProblem(branch: string, task: string): FieldProblem | undefined {
  const slug = (task.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-')
  const name = branch.startsWith('feature/') ? branch.slice('feature/'.length).toLowerCase() : undefined
  if (slug === '' || name === slug || name?.startsWith(`${slug}-`)) return undefined
  const message = `branch ${shortened(branch)} does not say that it is of ${task}; its name would begin with feature/${slug}-.`
  return warning('branch', 'branch_of_other_task', message)
}

export function summaryProblem(summary: string): FieldProblem | undefined {
  const count = sentencesIn(summary)
  const isUsual = count >= 3 && count <= 5
  if (isUsual && !/\n[ \t]*\n/.test(summary.trim())) return undefined
  const has = isUsual ? 'several paragraphs' : sentences(count)
  return warning('summary', 'summary_length', `summary has ${has}; write one paragraph of 3 to 5.`)
}

export function notesProblem(notes: string): FieldProblem | undefined {
  const count = sentencesIn(notes)
  if (count <= 2) return undefined
  return warning('notes', 'notes_length', `notes has ${sentences(count)}; write 1 or 2.`)
}

/** Document 003: 100 for a task that is done. */
export function doneProgressProblem(progress: number): FieldProblem | undefined {
  if (progress === 100) return undefined
  const message = `a task that is done has progress 100, not ${progress}; write progress: 100 or status: "in_progress".`
  return error('progress', 'done_without_full_progress', message)
}

/** Required fields that a record of finished work lacks, and others that a reader would miss. */
export function completionProblems(record: WrittenRecord): readonly FieldProblem[] {
  const found = Object.entries(DEMANDED)
    .filter(([field]) => record[field as keyof typeof DEMANDED] === undefined)
    .map(([field, how]) => error(field, 'missing_field', `${field} is missing; ${how}.`))
  const { tests_run: tests, blockers } = record
  if (!Array.isArray(tests) || tests.length === 0) {
    const message = `tests_run is ${tests ? 'empty' : 'missing'}, so nobody knows what was tried; write the test files that were run, for example ["smoke.test.ts"].`
    found.push(warning('tests_run', 'no_tests_run', message))
  }
  if (blockers === undefined)
    found.push(warning('blockers', 'no_blockers', 'blockers is missing; write [] if there are none.'))
  return found
}

/**
 * Everything about a record that is wrong or unusual. Without git, a record cannot name a branch and a commit;
 * everywhere else finished work has both.
 */
export function recordProblems(
  task: string,
  record: WrittenRecord,
  project: { readonly git: boolean } = { git: true },
): readonly FieldProblem[] {
  const { branch, summary, notes } = record
  const about = [
    typeof branch === 'string' ? branchProblem(branch, task) : undefined,
    typeof summary === 'string' ? summaryProblem(summary) : undefined,
    typeof notes === 'string' ? notesProblem(notes) : undefined,
  ].filter((finding) => finding !== undefined)
  if (isReinstating(record))
    return notes === undefined ? [error('notes', 'missing_field', NO_NOTES), ...about] : about
  const isOfGit = ({ code, field }: FieldProblem) => code === 'missing_field' && field !== 'summary'
  const said = completionProblems(record).filter(
    // In a call an absent list is an empty one.
    (finding) => finding.code !== 'no_blockers' && (project.git || !isOfGit(finding)),
  )
  return [...said, ...about]
}

const NO_NOTES =
  'notes is missing; write why the task is open again, for example "Previous PR reverted, task reinstated".'

/** Allowed, but the next agent should hear of it (A3-29). */
export function blockersProblem(blockers: number): FieldProblem {
  const what = blockers === 1 ? 'a blocker is' : `${blockers} blockers are`
  const message = `status is done although ${what} listed; the next agent sees them.`
  return finding('info', 'blockers', 'done_with_blockers', message)
}

const sentences = (count: number): string => (count === 1 ? '1 sentence' : `${count} sentences`)
export const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

const ENDS = '.!?'
const AFTER = ' \t\r\n"\')]'

/** Dots that end a word and no sentence. */
const SHORT = ['e.g', 'i.e', 'etc', 'vs', 'cf', 'resp', 'incl', 'approx', 'no', 'fig']

/**
 * How many sentences a text has. A dot counts where space or the end follows, so that `package.json`, `5.3+`
 * and `.env.example` do not end a sentence.
 */
export function sentencesIn(text: string): number {
  let count = 0
  let isOpen = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    const after = text[at + 1]
    if (!ENDS.includes(sign)) isOpen ||= !AFTER.includes(sign)
    else if (isOpen && (after === undefined || AFTER.includes(after)) && !isShort(text, at)) {
      count++
      isOpen = false
    }
  }
  return isOpen ? count + 1 : count
}

function isShort(text: string, dot: number): boolean {
  const word = /[a-z.]*$/i.exec(text.slice(Math.max(0, dot - 8), dot))![0].toLowerCase()
  return text[dot] === '.' && SHORT.includes(word)
}
