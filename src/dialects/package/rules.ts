import type { Package } from '../../domain/handoffs/package.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { isVacuousSummary, vagueWord } from '../../domain/texts/measurable.ts'
import type { Draft } from '../draft.ts'
import { blankIn, isPlaceholder } from '../text/placeholder.ts'
import { insideProject, type Kinds } from './artifacts.ts'
import { answeredBy, type OpenDelegation, typeOf } from './types.ts'

const error = (code: string, field: string, message: string): FieldProblem => ({
  severity: 'error',
  code,
  message,
  field,
})
const warning = (code: string, field: string, message: string): FieldProblem => ({
  severity: 'warning',
  code,
  message,
  field,
})

export interface SendingFacts {
  readonly kinds?: Kinds
  /** Delegations that wait for an answer; absent when the caller does not know. */
  readonly open?: readonly OpenDelegation[]
}

type Rule = (draft: Draft, facts: SendingFacts) => readonly FieldProblem[]

/** The four rules of document 004 for whoever sends, and what a package cannot do without. */
export function checkSending(draft: Draft, facts: SendingFacts = {}): readonly FieldProblem[] {
  return RULES.flatMap((rule) => rule(draft, facts))
}

const ends: Rule = ({ from, to }) => [
  ...(from === undefined
    ? [error('missing_from', 'from', 'nobody sends this package; write the sender as from.agent')]
    : []),
  ...(to === undefined || to === null
    ? [error('missing_to', 'to', 'the package goes to nobody; write the receiver as to.agent')]
    : []),
]

/** Rule 1: no implicit context. */
const summary: Rule = ({ package: travels }) => {
  const text = travels?.summary
  if (text === undefined)
    return [
      error(
        'missing_summary',
        'package.summary',
        'the package has no summary; write two or three sentences (--summary, or context.summary in a file)',
      ),
    ]
  return isPlaceholder(text, 'package') ? [] : vacuousSummary(text)
}

/** Rule 2: artifacts are referenced by paths that lead to them. */
const artifacts: Rule = ({ package: travels }, { kinds }) =>
  (travels?.artifacts ?? []).flatMap(({ path }, i) => {
    const field = `package.artifacts.${i}.path`
    if (isPlaceholder(path, 'package')) return []
    if (insideProject(path) === undefined)
      return [
        error(
          'artifact_outside',
          field,
          `artifact ${path} is not inside the project; copy it there and write its path relative to the project`,
        ),
      ]
    return kinds?.get(path) === 'missing'
      ? [
          error(
            'artifact_not_found',
            field,
            `artifact ${path} does not exist; correct the path or leave it out`,
          ),
        ]
      : []
  })

/** Rule 3: what is unresolved is asked. */
const questions: Rule = ({ package: travels }) =>
  (travels?.decisions ?? []).flatMap(({ id, decision }, i) =>
    id?.toLowerCase() === PENDING && (travels?.open_questions ?? []).length === 0
      ? [
          warning(
            'pending_without_question',
            `package.decisions.${i}`,
            `the decision "${decision}" is pending and no open question asks for it; add one to context.open_questions`,
          ),
        ]
      : [],
  )

/** Rule 4: criteria can be measured. */
const measurable: Rule = ({ package: travels }) => (travels ? notMeasurable(travels) : [])

const deliverable: Rule = (draft, { open }) => {
  if ((draft.package?.deliverables ?? []).length > 0) return []
  const type = typeOf(draft, open)
  if (type === 'delegation')
    return [
      error(
        'missing_deliverable',
        'package.deliverables',
        'a delegation needs a deliverable; name the result you expect (--deliverable, or expectations.deliverable in a file)',
      ),
    ]
  return type === 'escalation' && draft.package?.validation_request === undefined
    ? [
        warning(
          'missing_deliverable',
          'package.deliverables',
          'an escalation needs a deliverable; name the decision you need (--deliverable, or expectations.deliverable in a file)',
        ),
      ]
    : []
}

const blanks: Rule = (draft) =>
  draftTexts(draft).flatMap(([field, text]) => {
    if (isPlaceholder(text, 'package'))
      return [error('placeholder', field, `${text} is a placeholder; write the value that it stands for`)]
    const blank = blankIn(text)
    return blank === undefined
      ? []
      : [warning('placeholder_inside', field, `"${text}" has the blank ${blank}; fill it in`)]
  })

const answer: Rule = (draft, { open }) => {
  if (open === undefined || typeOf(draft, open) !== 'return') return []
  const answered = answeredBy(draft, open)
  if (answered.kind === 'one') return []
  return answered.kind === 'none'
    ? [
        warning(
          'return_without_delegation',
          'type',
          `${draft.to ?? 'the receiver'} has no open delegation to ${draft.from ?? 'the sender'} that this could answer; name it as in_reply_to`,
        ),
      ]
    : [
        error(
          'ambiguous_return',
          'in_reply_to',
          `this could answer ${answered.ids.join(' or ')}; name one as in_reply_to`,
        ),
      ]
}

const RULES: readonly Rule[] = [ends, summary, artifacts, questions, measurable, deliverable, blanks, answer]

/** A decision that is yet to be taken has this for an id. */
export const PENDING = 'pending'

/** Everything that a person wrote into the fields of a package. */
export function draftTexts(draft: Draft): readonly (readonly [string, string])[] {
  const { package: travels, gate } = draft
  const lists = { deliverables: travels?.deliverables, criteria: travels?.criteria }
  const all: [string, string | null | undefined][] = [
    ['id', draft.id],
    ['from', draft.from],
    ['to', draft.to],
    ['to_reason', draft.to_reason],
    ['gate.name', gate?.name],
    ['package.summary', travels?.summary],
    ...Object.entries({ ...lists, constraints: travels?.constraints }).flatMap(([name, list]) =>
      (list ?? []).map((text, i): [string, string] => [`package.${name}.${i}`, text]),
    ),
    ...(travels?.validation_request?.items ?? []).map((text, i): [string, string] => [
      `package.validation_request.items.${i}`,
      text,
    ]),
    ...mappings(travels, 'decisions', ['decision', 'rationale']),
    ...mappings(travels, 'artifacts', ['path', 'type', 'description']),
    ...mappings(travels, 'open_questions', ['question', 'context']),
  ]
  return all.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
}

function mappings(
  travels: Package | undefined,
  list: 'decisions' | 'artifacts' | 'open_questions',
  keys: readonly string[],
): [string, string | undefined][] {
  return (travels?.[list] ?? []).flatMap((each, i) =>
    keys.map((key): [string, string | undefined] => {
      const value = Object.entries(each).find(([name]) => name === key)?.[1]
      return [`package.${list}.${i}.${key}`, value]
    }),
  )
}

export const vacuousSummary = (text: string): readonly FieldProblem[] =>
  isVacuousSummary(text)
    ? [
        error(
          'vacuous_summary',
          'package.summary',
          `"${text}" tells the receiver nothing; say what was done and what is needed`,
        ),
      ]
    : []

export const notMeasurable = ({ criteria = [], constraints = [] }: Package): readonly FieldProblem[] => [
  ...criteria.flatMap((text, i) => {
    const word = vagueWord(text)
    return word === undefined
      ? []
      : [
          warning(
            'not_measurable',
            `package.criteria.${i}`,
            `criterion "${text}" is not measurable ("${word}"); name a number, a tool or a test that decides it`,
          ),
        ]
  }),
  ...constraints.flatMap((text, i) => {
    const word = vagueWord(text)
    return word === undefined
      ? []
      : [
          warning(
            'not_measurable',
            `package.constraints.${i}`,
            `${constraintNotMeasurable(word)}; name a number, a tool or a test that decides it`,
          ),
        ]
  }),
]

/** Document 004 quotes the word, not the sentence. */
export const constraintNotMeasurable = (word: string): string => `Constraint '${word}' not measurable`
