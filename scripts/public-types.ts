// Writes the types that a program of the package sees: plain interfaces with the descriptions of the operations as
// comments, in place of types that a compiler would have to derive from schemas.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import * as z from 'zod'
import { loadOperations } from '../src/operations/index.ts'

const ROOT = join(import.meta.dirname, '..')
const DERIVED = /export type (\w+) = (?:z\.infer<ReturnType<typeof \1>>|AnswerOf<typeof \1>);/g
/** Names of inputs that the methods of an agent take. */
const SHORT = { SendInput: 'handoff_create', AcceptInput: 'handoff_accept', SubmitInput: 'handoff_submit' }

type Json = Readonly<Record<string, unknown>>

/** Schemas with a name. The descriptions stand in zod's own registry. */
class Named extends z.core.$ZodRegistry<{ id: string }> {
  override get(schema: z.core.$ZodType) {
    // What is found there may be a description alone.
    return { ...z.globalRegistry.get(schema), ...super.get(schema) } as never
  }
}

/** Replaces the derived types in the declarations of a build. */
export async function writePublicTypes(folder: string): Promise<void> {
  const named = new Named()
  const declarations = ['domain', 'dialects'].flatMap((room) =>
    readdirSync(join(folder, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => join(folder, room, name)),
  )
  const names = new Set<string>()
  for (const file of declarations) {
    const text = readFileSync(file, 'utf8')
    const derived = [...text.matchAll(DERIVED)].map(([, name]) => name!).filter((name) => !names.has(name))
    if (derived.length === 0) continue
    const module = await import(join(ROOT, 'src', relative(folder, file).replace(/\.d\.ts$/, '.ts')))
    const found = derived.filter((name) => typeof module[name] === 'function')
    for (const name of found) {
      names.add(name)
      named.add(module[name](), { id: name })
    }
    const up = '../'.repeat(relative(folder, file).split(/[\\/]/).length - 1)
    writeFileSync(
      file,
      text.replaceAll(DERIVED, (whole, name) =>
        found.includes(name) ? `export type ${name} = import('${up}types.ts').${name};` : whole,
      ),
    )
  }
  writeFileSync(join(folder, 'types.d.ts'), await typesText(named))
  writeFileSync(join(folder, 'runner/calls.d.ts'), CALLS)
}

const CALLS = `export type { OperationName } from '../operations/index.ts'
import type { OperationInputs, OperationOutputs } from '../types.ts'
/** The input of an operation. */
export type OperationInput<Name extends keyof OperationInputs> = OperationInputs[Name]
/** The output of an operation. */
export type OperationOutput<Name extends keyof OperationOutputs> = OperationOutputs[Name]
export type { ${Object.keys(SHORT).join(', ')} } from '../types.ts'
`

async function typesText(named: z.core.$ZodRegistry<{ id: string }>): Promise<string> {
  const shared = { unrepresentable: 'any', target: 'draft-2020-12' } as const
  const { schemas } = z.toJSONSchema(named, { ...shared, uri: (id) => id })
  const lines = Object.entries(schemas).map(([name, schema]) => declaration(name, schema as Json))
  const operations = await loadOperations()
  const inputs: string[] = []
  const outputs: string[] = []
  for (const { name, summary, input, output } of operations) {
    const type = name.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())
    const to = { ...shared, metadata: named }
    lines.push(declaration(`${type}Input`, z.toJSONSchema(input, { ...to, io: 'input' }) as Json, summary))
    lines.push(declaration(`${type}Output`, z.toJSONSchema(output, to) as Json))
    inputs.push(`  ${name}: ${type}Input`)
    outputs.push(`  ${name}: ${type}Output`)
  }
  for (const [short, name] of Object.entries(SHORT)) {
    const long = name.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())
    lines.push(
      `export type ${short} = ${name === 'handoff_create' ? `${long}Input` : `Omit<${long}Input, 'id'>`}\n`,
    )
  }
  const map = (name: string, fields: readonly string[]) =>
    `export interface ${name} {\n${fields.join('\n')}\n}\n`
  return [...lines, map('OperationInputs', inputs), map('OperationOutputs', outputs)].join('\n')
}

function declaration(name: string, schema: Json, summary?: string): string {
  const comment = summary === undefined ? '' : `/** ${summary} */\n`
  const isInterface = schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0
  return `${comment}export ${isInterface ? `interface ${name} ${typeOf(schema, '')}` : `type ${name} = ${typeOf(schema, '')}`}\n`
}

/** The type of the values that a JSON Schema allows. */
function typeOf(schema: Json, indent: string): string {
  const { $ref, anyOf, oneOf, allOf, type, items, prefixItems, properties, additionalProperties } = schema
  if (typeof $ref === 'string') return $ref === '#' ? 'unknown' : $ref.replace(/^.*\//, '')
  const of = (parts: unknown, sign: string) =>
    (parts as Json[]).map((part) => group(typeOf(part, indent))).join(sign)
  if (anyOf ?? oneOf) return of(anyOf ?? oneOf, ' | ')
  if (allOf) return of(allOf, ' & ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(' | ')
  if (prefixItems) return `[${of(prefixItems, ', ')}]`
  if (type === 'array') return `${group(typeOf((items ?? {}) as Json, indent))}[]`
  if (type === 'object' && properties) return objectText(schema, indent)
  if (type === 'object') return `Record<string, ${typeOf((additionalProperties as Json) ?? {}, indent)}>`
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

const group = (text: string): string => (/ [|&] /.test(text) && !text.startsWith('{') ? `(${text})` : text)

function objectText({ properties, required = [], additionalProperties }: Json, indent: string): string {
  const inner = `${indent}  `
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => {
    const comment = typeof field.description === 'string' ? `${inner}/** ${field.description} */\n` : ''
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    const type = typeOf(field, inner)
    return (required as string[]).includes(name)
      ? `${comment}${inner}${key}: ${type}`
      : `${comment}${inner}${key}?: ${type} | undefined`
  })
  if (fields.length === 0) return 'Record<string, never>'
  if (typeof additionalProperties === 'object') fields.push(`${inner}[more: string]: unknown`)
  return `{\n${fields.join('\n')}\n${indent}}`
}
