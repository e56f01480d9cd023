import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { VALUE_ROOT } from '../../dialects/json-schema.ts'
import { BatonError } from '../../domain/errors.ts'
import { checkSchemaLimits, hasTooManyItems, SCHEMA_LIMITS } from './schema-limits.ts'
import { missingField, schemaPathOf, toProblems, type ValueProblem } from './schema-problems.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Says what is wrong with a value; an empty list when nothing is. Never throws. */
export type Validate = (data: unknown) => readonly ValueProblem[]

/**
 * A validator for a JSON Schema (2020-12 or draft-07), given as an object or as the path of a file. It runs in
 * this thread, so the schema must be the program's own; `checkForeign` is for schemas of others. Formats are
 * notes, patterns run in linear time, and nothing is fetched.
 */
export async function compileSchema(schema: JsonSchema | string, base = '.'): Promise<Validate> {
  const parsed = typeof schema === 'string' ? await readSchema(resolve(base, schema)) : schema
  checkSchemaLimits(parsed)
  const validate = await compile(parsed)
  return (data) => {
    if (hasTooManyItems(data))
      return toProblems([{ path: [], error: `has more than ${SCHEMA_LIMITS.items} list items` }])
    try {
      return validate(data) ? [] : toProblems((validate.errors ?? []).map((error) => toReported(error, data)))
    } catch (error) {
      // A schema that refers to itself without an end runs out of stack.
      if (error instanceof RangeError)
        return toProblems([{ path: [], error: 'is nested too deeply for its schema' }])
      throw error
    }
  }
}

async function readSchema(file: string): Promise<JsonSchema> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new BatonError('not_found', `the schema ${file} cannot be read`, { file }, error)
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BatonError('invalid_input', `the schema ${file} is not JSON`, { file }, error)
  }
}

async function compile(schema: JsonSchema): Promise<ValidateFunction> {
  const [dialect, { RE2JS }] = await Promise.all([dialectFor(schema.$schema), import('re2js')])
  const regExp = Object.assign(
    (pattern: string) => {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
      // The text tells one pattern from another: the validator keeps one of each.
      return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
    },
    { code: 're2' },
  )
  try {
    return new dialect({
      allErrors: true,
      strict: false,
      validateFormats: false,
      logger: false,
      code: { regExp },
    }).compile(schema)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new BatonError('invalid_input', `the schema cannot be used: ${why}`, {}, error)
  }
}

/** The class for the version that the schema names; without one it is read as 2020-12. */
async function dialectFor(version: unknown) {
  const name = version === undefined ? '2020-12' : String(version)
  if (name.includes('2020-12')) return (await import('ajv/dist/2020.js')).Ajv2020
  if (name.includes('draft-07')) return (await import('ajv')).Ajv
  throw new BatonError('invalid_input', `the schema is in ${name}; use 2020-12 or draft-07`, {
    $schema: name,
  })
}

function toReported(error: ErrorObject, data: unknown) {
  const path = toPath(error.instancePath, data)
  const { missingProperty, additionalProperty, allowedValues } = error.params as {
    readonly missingProperty?: string
    readonly additionalProperty?: string
    readonly allowedValues?: readonly unknown[]
  }
  const schemaPath = error.schemaPath.startsWith('#/') ? schemaPathOf(error.schemaPath, path) : undefined
  return { path, error: textOf(), schemaPath }

  function textOf(): string {
    if (missingProperty !== undefined) return missingField(missingProperty)
    if (additionalProperty !== undefined) return `Unknown field '${additionalProperty}'`
    if (allowedValues)
      return `must be one of ${allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
    return error.message ?? `does not match ${VALUE_ROOT}`
  }
}

/** A JSON pointer into the data, with the positions in lists as numbers. */
function toPath(pointer: string, data: unknown): (string | number)[] {
  let value = data
  return pointer
    .split('/')
    .slice(1)
    .map((step) => {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      const name = Array.isArray(value) ? Number(key) : key
      value = (value as Record<string | number, unknown>)[name]
      return name
    })
}
