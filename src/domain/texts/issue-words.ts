import { didYouMean } from './nearest.ts'

/** The fields of an issue that are read here: a schema's own, also after it came over a wire. */
export interface Issue {
  readonly code?: string
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly origin?: string
  readonly minimum?: number | bigint
  readonly maximum?: number | bigint
  readonly inclusive?: boolean
  readonly expected?: string
  readonly values?: readonly unknown[]
  readonly keys?: readonly string[]
  readonly errors?: readonly (readonly Issue[])[]
}

/** A hostile input can be wrong in a hundred thousand places; nobody reads more than these. */
export const SHOWN_ISSUES = 20

/** One line for each thing that is wrong, led by the field's name. `fields` are the ones that there are. */
export function describeIssues(issues: readonly object[], fields: readonly string[] = []): string {
  const lines = (issues as readonly Issue[]).slice(0, SHOWN_ISSUES).map((issue) => {
    const [unknownField, ...more] = issue.path.length === 0 ? (issue.keys ?? []) : []
    const meant = unknownField && more.length === 0 ? didYouMean(unknownField, fields) : ''
    return issueSentence(issue, (path) => path.join('.')) + meant
  })
  const more = issues.length - lines.length
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/**
 * One fault as a sentence that says what the field takes. `name` is how the reader calls the field that the path
 * leads to. A message that was written for its schema is left alone.
 */
export function issueSentence(issue: Issue, name: (path: readonly PropertyKey[]) => string): string {
  const nearest = nearestOf(issue)
  const field = name(nearest.path)
  const said = isWritten(nearest) ? undefined : wordsFor(nearest)
  if (said !== undefined) return field === '' ? said : `${field} ${said}`
  return field === '' ? nearest.message : `${field}: ${nearest.message.replace(/^Invalid input: /, '')}`
}

const isWritten = ({ message }: Issue): boolean =>
  !/^(Invalid|Too small|Too big|Unrecognized)\b/.test(message)

/** Of several forms the one that was begun, whose fault lies deepest; else the one whose type was met. */
function nearestOf(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue
  const firsts = (issue.errors ?? []).flatMap((branch) => branch.slice(0, 1))
  const [begun] = firsts.filter(({ path }) => path.length > 0).sort((a, b) => b.path.length - a.path.length)
  const met = firsts.filter(({ code }) => code !== 'invalid_type')
  const best = begun ?? met.find(({ code }) => code !== 'invalid_value') ?? met[0]
  return best ? nearestOf({ ...best, path: [...issue.path, ...best.path] }) : issue
}

function wordsFor(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'too_small':
      return atLeast(issue)
    case 'too_big':
      return atMost(issue)
    case 'invalid_type':
      return ofType(issue)
    case 'invalid_value':
      return issue.values && `is ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'unrecognized_keys':
      return issue.keys && unknown(issue.path, issue.keys)
    case 'invalid_format':
      return issue.message === 'Invalid ISO datetime'
        ? 'is an instant, for example 2026-02-21T14:30:00Z'
        : undefined
    default:
      return undefined
  }
}

function unknown(path: readonly PropertyKey[], keys: readonly string[]): string {
  const names = keys.map((key) => JSON.stringify(key)).join(', ')
  return path.length === 0 ? `there is no field ${names}` : `has no ${names}`
}

const UNIT_WORDS: Readonly<Record<string, string>> = {
  string: ' characters',
  array: ' of them',
  set: ' of them',
}

function atLeast({ origin = '', minimum, inclusive = true }: Issue): string {
  const unit = UNIT_WORDS[origin]
  if (unit === undefined) return inclusive ? `is at least ${minimum}` : `is more than ${minimum}`
  return Number(minimum) === 1 ? 'must not be empty' : `takes at least ${minimum}${unit}`
}

function atMost({ origin = '', maximum, inclusive = true }: Issue): string {
  const unit = UNIT_WORDS[origin]
  if (unit !== undefined) return `takes at most ${maximum}${unit}`
  return inclusive ? `is at most ${maximum}` : `is less than ${maximum}`
}

/** Types as people call them. */
// biome-ignore format: read as a table
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list',
  object: 'an object', record: 'an object', date: 'an instant',
}

function ofType({ expected = '', message }: Issue): string {
  const type = TYPE_WORDS[expected] ?? expected
  return message.endsWith('received undefined') ? `is missing; it takes ${type}` : `takes ${type}`
}
