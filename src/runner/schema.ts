import type { JsonSchema } from '../service/schema/json-schema.ts'
import { missingField, toProblems, type ValueProblem } from '../service/schema/schema-problems.ts'
import type { Link } from './link.ts'

/**
 * A schema that checks values by itself: zod's, or any other library's that keeps the Standard Schema promise.
 * Asked for by shape and not by class, so that a program may use its own copy of zod.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    /** Writes the schema as JSON Schema; not every library can. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Readonly<Record<string, unknown>>
    }
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A zod schema, a JSON Schema, or the path of a file that holds one. */
export type Schema = StandardSchema | JsonSchema | string

/** The type of a value before its schema has seen it; `unknown` if the schema has no type. */
export type BeforeSchema<S> = S extends StandardSchema<infer Input, unknown> ? Input : unknown
/** The type of a value once its schema has passed it. */
export type AfterSchema<S> = S extends StandardSchema<unknown, infer Output> ? Output : unknown

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly ValueProblem[] }

export type CheckValue = (value: unknown) => Promise<Checked>

/** Makes a schema ready for use. A schema that cannot be used is refused here, before any work is taken. */
export async function prepareSchema(
  schema: Schema | undefined,
  compile: Link['compile'],
): Promise<CheckValue | undefined> {
  if (schema === undefined) return undefined
  if (isStandard(schema)) return (value) => checkStandard(schema, value)
  const validate = await compile(schema)
  return async (value) => {
    const problems = validate(value)
    return problems.length === 0 ? { ok: true, value } : { ok: false, problems }
  }
}

export const isStandard = (schema: unknown): schema is StandardSchema =>
  (isObject(schema) || typeof schema === 'function') && '~standard' in schema

export async function checkStandard(schema: StandardSchema, value: unknown): Promise<Checked> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return { ok: true, value: result.value }
  return { ok: false, problems: toProblems(result.issues.map((issue) => toReported(issue, value))) }
}

/** Libraries say each in their own words that a field is absent; the value itself says it for all of them. */
function toReported({ message, path = [] }: StandardIssue, value: unknown) {
  const steps = path.map((step) => {
    const key = typeof step === 'object' ? step.key : step
    return typeof key === 'number' ? key : String(key)
  })
  const name = steps.at(-1)
  const above = steps.slice(0, -1)
  const owner = above.reduce<unknown>((each, key) => Object(each)[key], value)
  const absent = typeof name === 'string' && isObject(owner) && !(name in owner)
  return absent ? { path: above, error: missingField(name) } : { path: steps, error: message }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
