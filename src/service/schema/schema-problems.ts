import { fieldPath, VALUE_ROOT, wildcardPath } from '../../dialects/json-schema.ts'
/** One thing that is wrong with a value, in document 001's words. */
export interface ValueProblem {
  /** Path in the value: `component_requirements[0].props.userId`, or `$` for the value itself. */
  readonly field: string
  readonly error: string
  /** Path in the schema: `$.component_requirements[*].props.*`. */
  readonly schema_path: string
}

/** A problem as a validator reports it; both of ours use this form. */
export interface ReportedProblem {
  readonly path: readonly (string | number)[]
  readonly error: string
  readonly schemaPath?: string | undefined
}

/** More than anyone reads; a list of ten thousand wrong items must not become ten thousand lines. */
const MAX_PROBLEMS = 50
const OPEN_FIELDS: readonly string[] = ['additionalProperties', 'unevaluatedProperties']

export const toProblems = (faults: readonly ReportedProblem[]): readonly ValueProblem[] =>
  faults.slice(0, MAX_PROBLEMS).map(({ path, error, schemaPath }) => ({
    field: fieldPath(path),
    error,
    schema_path: schemaPath ?? wildcardPath(path),
  }))

export const missingField = (name: string): string => `Missing required field '${name}'`

/** Document 001's sentence: `Input validation failed: {path} is missing required field '{name}'`. */
export function sentenceOf(side: 'Input' | 'Output', problems: readonly ValueProblem[]): string {
  const [first] = problems
  if (!first) return `${side} validation failed`
  const where = first.field === VALUE_ROOT ? side.toLowerCase() : first.field
  const [, name] = /^Missing required field '(.*)'$/s.exec(first.error) ?? []
  const what = name === undefined ? first.error : `is missing required field '${name}'`
  return `${side} validation failed: ${where} ${what}`
}

/**
 * The place of a JSON Schema keyword, as a path into the value. Behind a `$ref` the keyword's own place says
 * nothing of the value; then the path is made from the value's.
 */
export function schemaPathOf(keywordPath: string, path: readonly (string | number)[]): string {
  const steps = keywordPath.split('/').slice(1, -1).map(toName)
  let found = VALUE_ROOT
  let depth = 0
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!
    if (step === 'properties') found += `.${steps[++i]}`
    else if (step === 'patternProperties') found += steps[++i] === undefined ? '' : '.*'
    else if (OPEN_FIELDS.includes(step)) found += '.*'
    else if (step === 'items' || step === 'additionalItems') found += '[*]'
    else if (step === 'prefixItems') found += steps[++i] === undefined ? '' : '[*]'
    else continue
    depth += 1
  }
  return depth === path.length ? found : wildcardPath(path)
}

/** A step of a JSON pointer in a URI, as the name that it stands for. */
const toName = (step: string): string => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
