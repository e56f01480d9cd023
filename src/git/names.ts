import { invalidInput } from '../domain/errors.ts'

/** The folder of the worktrees, below the main worktree of the repository. */
export const WORKTREES = '.worktrees'

const FEATURE = 'feature/'
/** Narrower than git's own rule: git takes `$(id)`, `a;b` and `a'b` for names of branches. */
const BRANCH = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const LONGEST_SLUG = 48
const COMMIT = /^[0-9a-f]{40}$/i
/** An em dash, as the document writes it. */
const DASH = '\u2014'

/** A task id as it stands in branches and folders: `P0.1.1` is `p0-1-1`. */
export const taskSlug = (id: string): string => kebab(id)

/** The prefix of every branch of a task. */
export const branchPrefix = (id: string): string => `${FEATURE}${taskSlug(id)}-`

/** `feature/p0-1-1-package-setup` */
export const branchName = (id: string, slug: string): string => `${branchPrefix(id)}${slug}`

/** `.worktrees/claude/p0-1-1-package-setup`, with slashes on every system. */
export const worktreePath = (agent: string, id: string, slug: string): string =>
  `${WORKTREES}/${agent}/${taskSlug(id)}-${slug}`

/** Whether a branch belongs to this task: up to a hyphen, so `p0-1-11-x` does not belong to P0.1.1. */
export const isBranchOf = (branch: string, id: string): boolean =>
  branch.startsWith(branchPrefix(id)) || branch === `${FEATURE}${taskSlug(id)}`

/** The agent in whose folder a worktree lies: document 003 has `.worktrees/{agent}/{task}`. */
export const agentOfWorktree = (folder: string): string | undefined =>
  /[\\/]\.worktrees[\\/]([^\\/.][^\\/]*)[\\/][^\\/]+$/.exec(folder)?.[1]

/** The task that a branch belongs to. Of P0.1 and P0.1.1 the longer one is meant by `feature/p0-1-1-x`. */
export function taskOfBranch<T extends { readonly id: string }>(
  branch: string,
  tasks: Iterable<T>,
): T | undefined {
  let best: T | undefined
  for (const task of tasks)
    if (isBranchOf(branch, task.id) && taskSlug(task.id).length > taskSlug(best?.id ?? '').length) best = task
  return best
}

/** A title as the end of a branch: a few words in small letters with hyphens. */
export function slugOf(title: string): string {
  const whole = kebab(title)
  if (whole === '') return 'work'
  if (whole.length <= LONGEST_SLUG) return whole
  const cut = whole.slice(0, LONGEST_SLUG + 1)
  const end = cut.lastIndexOf('-')
  return end > 0 ? cut.slice(0, end) : whole.slice(0, LONGEST_SLUG)
}

export function demandSlug(slug: string): string {
  if (SLUG.test(slug) && slug.length <= LONGEST_SLUG) return slug
  throw invalidInput(
    `--slug ${JSON.stringify(slug)} is not in small letters, digits and single hyphens of at most ${LONGEST_SLUG}; write: --slug ${slugOf(slug)}`,
    { option: 'slug', value: slug },
  )
}

/**
 * A name of a branch as it may be given to git: it cannot be read as an option, as a range or as a path out of
 * the folder of names.
 */
export function demandBranch(name: string, what = 'the branch'): string {
  const problem = branchProblem(name)
  if (problem === undefined) return name
  throw invalidInput(
    `${what} ${JSON.stringify(name)} ${problem}; name one such as feature/p0-1-1-package-setup`,
    { value: name },
  )
}

function branchProblem(name: string): string | undefined {
  if (name.startsWith('-')) return 'begins with a hyphen'
  if (name.includes('..')) return 'holds ".."'
  if (!BRANCH.test(name)) return 'holds something else than letters, digits, dots, hyphens and slashes'
  const parts = name.split('/')
  if (
    parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.') || part.endsWith('.lock'))
  )
    return 'has a part that git does not take'
  return undefined
}

/** A commit is named by all of its hash or by a branch, and by nothing that git would have to interpret. */
export const demandCommitish = (text: string, what: string): string =>
  COMMIT.test(text) || text === 'HEAD' ? text : demandBranch(text, what)

/** A path inside the repository, with slashes, as git writes it. */
export function demandPath(path: string): string {
  const problem = pathProblem(path)
  if (problem === undefined) return path
  throw invalidInput(
    `the path ${JSON.stringify(path)} ${problem}; name a file inside the repository, for example docs/index.md`,
    { path },
  )
}

function pathProblem(path: string): string | undefined {
  if (path === '' || path.length > 1_000) return 'is empty or too long'
  if (path.startsWith('-')) return 'begins with a hyphen'
  if (/\p{Cc}/u.test(path)) return 'holds control characters'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is not relative'
  const parts = path.split(/[/\\]/)
  if (parts.includes('..')) return 'leads out of the repository'
  if (parts.some((part) => part.toLowerCase() === '.git')) return "leads into git's own folder"
  return undefined
}

/** As people and agents write paths, so that they can be compared with what git writes. */
export const plainPath = (path: string): string =>
  path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '')

/** As many as a sentence names. */
export const firstOf = (items: readonly string[], most = 5): string =>
  items.slice(0, most).join(', ') + (items.length > most ? ` and ${items.length - most} more` : '')

export const commitMessage = (id: string, title: string): string => `task: ${id} ${DASH} ${title}`

export type MessageCheck =
  | { readonly ok: true; readonly id: string; readonly title: string; readonly warning?: string }
  | { readonly ok: false; readonly problem: string }

/** The first line of a commit message against `task: P0.X.Y — [title]`; a plain hyphen is read with a warning. */
export function checkCommitMessage(message: string, task?: { id: string; title: string }): MessageCheck {
  const subject = message.split(/\r?\n/, 1)[0]!.trim()
  const form = `write: ${commitMessage(task?.id ?? 'P0.1.1', task?.title ?? 'Package setup')}`
  const [, id, separator, title] = /^task: (\S*\d\S*) (\u2014|-) (\S.*)$/u.exec(subject) ?? []
  if (id === undefined || title === undefined)
    return {
      ok: false,
      problem: `${JSON.stringify(subject)} does not name a task, an em dash and a title; ${form}`,
    }
  if (task && id !== task.id)
    return { ok: false, problem: `it is about ${id} and not about ${task.id}; ${form}` }
  return separator === DASH
    ? { ok: true, id, title }
    : { ok: true, id, title, warning: `a plain hyphen stands for the em dash; ${form}` }
}

function kebab(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
