import type { FieldProblem, Severity } from '../../domain/problem.ts'
import { vagueIn } from '../../domain/texts/measurable.ts'
import { own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { blankIn, isPlaceholder } from '../text/placeholder.ts'
import { insideProject, type Kinds } from './artifacts.ts'
import { typeOf } from './types.ts'

const finding = (severity: Severity, code: string, field: string, message: string): FieldProblem[] => [
  { severity, code, message, field },
]

type Rule = (draft: Draft, kinds: Kinds | undefined) => readonly FieldProblem[]

/** The four rules of document 004 for whoever sends, and what a package cannot do without. */
export function checkSending(draft: Draft, kinds?: Kinds): readonly FieldProblem[] {
  return RULES.flatMap((rule) => rule(draft, kinds))
}

/** The findings about a package from nobody or to nobody. */
export const MISSING_ENDS = [
  ['from', 'missing_from', 'nobody sends this package; write the sender as from.agent'],
  ['to', 'missing_to', 'the package goes to nobody; write the receiver as to.agent'],
] as const

const ends: Rule = (draft) =>
  MISSING_ENDS.flatMap(([end, code, message]) =>
    draft[end] === undefined || draft[end] === null ? finding('error', code, end, message) : [],
  )

/** Rule 1: no implicit context. Rule 4: criteria can be measured. */
const words: Rule = ({ package: travels = {} }) => {
  const { summary } = travels
  const message =
    'the package has no summary; write two or three sentences (--summary, or context.summary in a file)'
  const isSaid = Object.keys(travels).length > 0
  const isBlank = summary !== undefined && isPlaceholder(summary, 'package')
  return [
    ...(summary === undefined ? finding('error', 'missing_summary', 'package.summary', message) : []),
    ...(isSaid ? vagueIn(isBlank ? { ...travels, summary: undefined } : travels) : []),
  ]
}

/** Rule 2: artifacts are referenced by paths that lead to them. */
const artifacts: Rule = ({ package: travels }, kinds) =>
  (travels?.artifacts ?? []).flatMap(({ path }, i) => {
    const field = `package.artifacts.${i}.path`
    if (isPlaceholder(path, 'package')) return []
    const outside = `artifact ${path} is not inside the project; copy it there and write its path relative to the project`
    if (insideProject(path) === undefined) return finding('error', 'artifact_outside', field, outside)
    const missing = `artifact ${path} does not exist; correct the path or leave it out`
    return kinds?.get(path) === 'missing' ? finding('error', 'artifact_not_found', field, missing) : []
  })

/** A decision that is yet to be taken has this for an id. */
const PENDING = 'pending'

/** Rule 3: what is unresolved is asked. */
const questions: Rule = ({ package: travels }) =>
  (travels?.decisions ?? []).flatMap(({ id, decision }, i) => {
    if (id?.toLowerCase() !== PENDING || (travels?.open_questions ?? []).length > 0) return []
    const message = `the decision "${decision}" is pending and no open question asks for it; add one to context.open_questions`
    return finding('warning', 'pending_without_question', `package.decisions.${i}`, message)
  })

const deliverable: Rule = (draft) => {
  const { deliverables = [], validation_request: validation } = draft.package ?? {}
  const type = deliverables.length > 0 ? undefined : typeOf(draft)
  const where = '(--deliverable, or expectations.deliverable in a file)'
  const ask = (severity: Severity, what: string) =>
    finding(severity, 'missing_deliverable', 'package.deliverables', `${what} ${where}`)
  if (type === 'delegation')
    return ask('error', 'a delegation needs a deliverable; name the result you expect')
  if (type !== 'escalation' || validation !== undefined) return []
  return ask('warning', 'an escalation needs a deliverable; name the decision you need')
}

const blanks: Rule = (draft) =>
  draftTexts(draft).flatMap(([field, text]) => {
    const unfilled = `${text} is a placeholder; write the value that it stands for`
    if (isPlaceholder(text, 'package')) return finding('error', 'placeholder', field, unfilled)
    const blank = blankIn(text)
    if (blank === undefined) return []
    return finding('warning', 'placeholder_inside', field, `"${text}" has the blank ${blank}; fill it in`)
  })

const RULES: readonly Rule[] = [ends, words, artifacts, questions, deliverable, blanks]

/** The lists whose elements have keys of their own, and the keys of a person's words. */
export const PROSE_IN = {
  decisions: ['decision', 'rationale'],
  artifacts: ['path', 'type', 'description'],
  open_questions: ['question', 'context'],
}

/** Everything that a person wrote into the fields of a package. */
export function draftTexts(draft: Draft): readonly (readonly [string, string])[] {
  const { id, from, to, to_reason, gate, package: travels = {} } = draft
  const { summary, deliverables, criteria, constraints, validation_request: validation } = travels
  const texts = (prefix: string, values: Readonly<Record<string, unknown>>): [string, string][] =>
    Object.entries(values).flatMap(([key, value]) => {
      if (typeof value === 'string') return [[`${prefix}${key}`, value]]
      return Array.isArray(value) ? texts(`${prefix}${key}.`, { ...value }) : []
    })
  const elements = Object.entries(PROSE_IN).flatMap(([name, prose]) =>
    (travels[name as keyof typeof PROSE_IN] ?? []).flatMap((each, i) =>
      texts(`package.${name}.${i}.`, Object.fromEntries(prose.map((key) => [key, own(each, key)]))),
    ),
  )
  return [
    ...texts('', { id, from, to, to_reason, 'gate.name': gate?.name }),
    ...texts('package.', { summary, deliverables, criteria, constraints }),
    ...texts('package.validation_request.', { items: validation?.items }),
    ...elements,
  ]
}
