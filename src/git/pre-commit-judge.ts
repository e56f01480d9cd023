import { type Document, type Draft, readDocuments } from '../dialects/index.ts'
import { checkMarkdown, type KeyProblem } from '../dialects/markdown/check.ts'
import { folderFor, idFor, ROOT } from '../dialects/markdown/home.ts'
import { isHandoffFile } from '../dialects/markdown/is-handoff.ts'
import { stemOf } from '../dialects/markdown/names.ts'
import type { GradedProblem, Problem } from '../domain/problem.ts'

export interface StagedFile {
  readonly path: string
  /** As it is staged; absent where it is too large to be a handoff. */
  readonly text: string | undefined
}

/** One thing that speaks against a commit, or only a warning. */
export interface StagedProblem extends GradedProblem {
  readonly path: string
  /** The path where the file belongs, from the root of the repository. */
  readonly target?: string
}

/** Of all that is checked in a handoff, what its name and place are about. */
const OF_PLACE: ReadonlySet<string> = new Set(['wrong_place', 'name_differs', 'id_form', 'id_contradicts'])

export function judgeStaged(
  files: readonly StagedFile[],
  filed: readonly string[],
  strict: boolean,
): readonly StagedProblem[] {
  const handoffs = files.filter(({ path, text }) => isHandoffFile(path, text))
  return handoffs.flatMap(({ path, text }) => {
    const draft = stagedDraft(path, text)
    if (!path.startsWith(`${ROOT}/`)) return [outside(path, draft)]
    const severity = strict ? 'error' : 'warning'
    return [...within(path, draft), ...twins(path, filed)].map((each) => ({ path, severity, ...each }))
  })
}

function stagedDraft(path: string, text: string | undefined): Draft {
  const documents: readonly Document[] = text === undefined ? [] : readDocuments(text, { path })
  return documents.find(({ dialect, draft }) => dialect === 'markdown' && draft)?.draft ?? {}
}

/** The path where the file belongs. A file whose fields do not make up an id keeps its name. */
function rightPath(path: string, draft: Draft): string {
  return `${folderFor(draft)}/${idFor(draft) ?? stemOf(path)}.md`
}

function outside(path: string, draft: Draft): StagedProblem {
  const target = rightPath(path, draft)
  const message = `handoffs belong into ${ROOT}/ at the root of the repository; move it to ${target}`
  return { path, severity: 'error', code: 'wrong_place', message, target }
}

function within(path: string, draft: Draft): Omit<StagedProblem, 'path' | 'severity'>[] {
  const target = rightPath(path, draft)
  return [...checkMarkdown(draft, path)]
    .filter(({ code }) => OF_PLACE.has(code))
    .map(({ code, message }: KeyProblem) => ({ code, message, ...(target !== path && { target }) }))
}

function* twins(path: string, filed: readonly string[]): Generator<Problem> {
  const others = filed.filter((other) => other !== path && stemOf(other) === stemOf(path))
  if (others.length === 0) return
  const message = `the same handoff is also at ${others.map(shownPath).join(', ')}; keep one of them`
  yield { code: 'duplicate', message }
}

/** A path may hold anything, a line break too; what would not show is written as an escape. */
const shownPath = (path: string): string =>
  /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(path)
    ? path
    : JSON.stringify(path).replace(/\p{C}/gu, (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`)

const oneLine = (text: string): string => text.replace(/[\s\p{C}]+/gu, ' ')

export function stagedText(problems: readonly StagedProblem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const warnings = problems.filter(({ severity }) => severity === 'warning')
  const refused = `baton: the commit is refused, handoffs have a wrong place or name (${errors.length})`
  const warned = `baton: handoffs to look at (${warnings.length}); --strict refuses them`
  const how = 'Move them with git mv, or all at once with: baton migrate --from v1 . --yes'
  return [
    ...(errors.length === 0 ? [] : [refused, ...errors.flatMap(problemLines)]),
    ...(warnings.length === 0 ? [] : [warned, ...warnings.flatMap(problemLines)]),
    ...(errors.length === 0 ? [] : [how]),
  ].join('\n')
}

const problemLines = ({ path, message, target }: StagedProblem): readonly string[] => [
  `  ${shownPath(path)}`,
  `    ${target === undefined ? oneLine(message) : `→ ${shownPath(target)}`}`,
  ...(target === undefined || message.includes(target) ? [] : [`    ${oneLine(message)}`]),
]
