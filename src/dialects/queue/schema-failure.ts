import type { Failure } from '../../domain/handoffs/handoff.ts'
import { recoveryActions } from '../../domain/handoffs/retry.ts'
import { fieldPath, VALUE_ROOT, wildcardPath } from '../json-schema.ts'
import type { Path } from '../text/source.ts'

/** What a JSON Schema validator says about one fault. */
export interface SchemaError {
  readonly path: Path
  readonly message: string
  readonly keyword?: string
  readonly params?: Readonly<Record<string, unknown>>
  /** Where in the schema, for example `$.routes[*]`; without it, it is made from the path. */
  readonly schema_path?: string
}

/** The same in document 001's words; a validator that speaks them already is taken at its word. */
export interface SchemaDetail {
  readonly field: string
  readonly error: string
  readonly schema_path: string
}

const SIDES = { input: 'Input', output: 'Output' } as const
const MAX_DETAILS = 50

/**
 * A value that does not match its schema, as document 001 prints it. A wrong input is
 * `SCHEMA_VALIDATION_FAILED`, a wrong output `VALIDATION_FAILED`.
 */
export function schemaFailure(
  errors: readonly (SchemaError | SchemaDetail)[],
  which: 'input' | 'output',
): Failure {
  const details = errors.slice(0, MAX_DETAILS).map(detailOf)
  const code = which === 'input' ? 'SCHEMA_VALIDATION_FAILED' : 'VALIDATION_FAILED'
  return {
    code,
    message: sentenceOf(details[0], which),
    severity: 'error',
    details: details.map((detail) => ({ ...detail })),
    recovery_actions: [...(which === 'input' ? inputRecovery(details) : recoveryActions(code))],
  }
}

/** A required artifact is not there. */
export function dependencyMissing(artifact: string): Failure {
  const code = 'DEPENDENCY_MISSING'
  return {
    code,
    message: `Required artifact not found: ${artifact}`,
    severity: 'error',
    recovery_actions: [...recoveryActions(code)],
  }
}

function detailOf(error: SchemaError | SchemaDetail): SchemaDetail {
  if ('field' in error) return { field: error.field, error: error.error, schema_path: error.schema_path }
  const missing = error.keyword === 'required' ? error.params?.missingProperty : undefined
  return {
    field: fieldPath(error.path),
    error: typeof missing === 'string' ? `Missing required field '${missing}'` : error.message,
    schema_path: error.schema_path ?? wildcardPath(error.path),
  }
}

/** `Input validation failed: {path} is missing required field '{name}'`, with the path of the first detail. */
function sentenceOf(detail: SchemaDetail | undefined, which: 'input' | 'output'): string {
  const start = `${SIDES[which]} validation failed`
  if (!detail) return start
  const where = detail.field === VALUE_ROOT ? which : detail.field
  const name = missingName(detail)
  return `${start}: ${where} ${name === undefined ? detail.error : `is missing required field '${name}'`}`
}

/** The document's three steps: mend, what to look for, retry. */
function inputRecovery(details: readonly SchemaDetail[]): readonly string[] {
  const hints = details.flatMap((detail) => {
    const name = missingName(detail)
    return name === undefined ? [] : [`Ensure ${subjectOf(detail)} '${name}' field defined`]
  })
  return [
    'Fix input schema validation errors',
    ...[...new Set(hints)].slice(0, 5),
    'Retry handoff with corrected input',
  ]
}

/** `all props have` where the schema says the same of every entry, else `component.props has`. */
function subjectOf({ field, schema_path: schemaPath }: SchemaDetail): string {
  const all = /([^.[\]]+)(?:\.\*|\[\*\])$/.exec(schemaPath)?.[1]
  if (all !== undefined && all !== VALUE_ROOT) return `all ${all} have`
  return field === VALUE_ROOT ? 'the input has' : `${field} has`
}

function missingName({ error }: SchemaDetail): string | undefined {
  return /^Missing required field '(.*)'$/s.exec(error)?.[1]
}
