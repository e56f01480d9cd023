// Writes the types that a program of the package sees: plain interfaces with the descriptions of the operations as
// comments, in place of types that a compiler would have to derive from schemas.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { loadOperations } from '../../src/operations/index.ts'
import { wordFor } from './field-words.ts'

const ROOT = join(import.meta.dirname, '../..')
const DERIVED = /^export type (\w+) = (?:z\.infer<ReturnType<typeof \1>>|AnswerOf<typeof \1>);?$/gm
type Json = Readonly<Record<string, unknown>>

/** Schemas with a name. The descriptions stand in zod's own registry. */
class Named extends z.core.$ZodRegistry<{ id: string }> {
  override get(schema: z.core.$ZodType) {
    // What is found there may be a description alone.
    return { ...z.globalRegistry.get(schema), ...super.get(schema) } as never
  }
}

export interface PublicTypes {
  /** The declarations, as a file of the package. */
  readonly text: string
  /** The names of the derived types by the source file, from `src/`, that derives them. */
  readonly derived: ReadonlyMap<string, readonly string[]>
}

/** The types that the sources derive from schemas, and those of the operations. */
export async function publicTypes(): Promise<PublicTypes> {
  const named = new Named()
  const names = new Set<string>()
  const derived = new Map<string, string[]>()
  for (const file of ['domain', 'dialects'].flatMap(sourcesIn)) {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8')
    const candidates = [...text.matchAll(DERIVED)].map(([, name]) => name!).filter((name) => !names.has(name))
    if (candidates.length === 0) continue
    const module = await import(join(ROOT, 'src', file))
    const found = candidates.filter((name) => typeof module[name] === 'function')
    for (const name of found) {
      names.add(name)
      named.add(module[name](), { id: name })
    }
    derived.set(file, found)
  }
  return { text: await typesText(named), derived }
}

function sourcesIn(room: string): readonly string[] {
  return readdirSync(join(ROOT, 'src', room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(?:test|contract)\.ts$/.test(name))
    .map((name) => `${room}/${name.replaceAll('\\', '/')}`)
    .sort()
}

/** Replaces the derived types in the declarations of a build, and says of each public field what it is. */
export async function writePublicTypes(folder: string): Promise<void> {
  const { text, derived } = await publicTypes()
  for (const [source, names] of derived) {
    const file = join(folder, source.replace(/\.ts$/, '.d.ts'))
    if (!existsSync(file)) continue
    const up = '../'.repeat(source.split('/').length - 1)
    const declared = readFileSync(file, 'utf8').replaceAll(DERIVED, (whole, name) =>
      names.includes(name) ? `export type ${name} = import('${up}types.ts').${name};` : whole,
    )
    writeFileSync(file, declared)
  }
  writeFileSync(join(folder, 'types.d.ts'), text)
  writeFileSync(join(folder, 'runner/operation-types.d.ts'), callsText())
}

/** The named inputs and outputs as the source has them, over the plain types. */
function callsText(): string {
  const source = readFileSync(join(ROOT, 'src/runner/operation-types.ts'), 'utf8')
  const named =
    source.match(/^(?:\/\*\*.*\*\/\n)?export type \w+ = (?:Omit<)?Operation(?:In|Out)put<'.*$/gm) ?? []
  return `export type { OperationName } from '../operations/index.ts'
import type { OperationInputs, OperationOutputs } from '../types.ts'
/** The input of an operation. */
export type OperationInput<Name extends keyof OperationInputs> = OperationInputs[Name]
/** The output of an operation. */
export type OperationOutput<Name extends keyof OperationOutputs> = OperationOutputs[Name]
${named.join('\n')}
`
}

/** `handoff_create` as the types are called: `HandoffCreate`. */
export const pascalOf = (name: string): string =>
  name.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())

async function typesText(named: z.core.$ZodRegistry<{ id: string }>): Promise<string> {
  const shared = { unrepresentable: 'any', target: 'draft-2020-12' } as const
  const { schemas } = z.toJSONSchema(named, { ...shared, uri: (id) => id })
  const lines = Object.entries(schemas).map(([name, schema]) => declaration(name, schema as Json))
  const operations = await loadOperations()
  const inputs: string[] = []
  const outputs: string[] = []
  for (const { name, summary, input, output } of operations) {
    const type = pascalOf(name)
    const to = { ...shared, metadata: named }
    lines.push(declaration(`${type}Input`, z.toJSONSchema(input, { ...to, io: 'input' }) as Json, summary))
    lines.push(declaration(`${type}Output`, z.toJSONSchema(output, to) as Json))
    inputs.push(`  ${name}: ${type}Input`)
    outputs.push(`  ${name}: ${type}Output`)
  }
  const map = (name: string, fields: readonly string[]) =>
    `export interface ${name} {\n${fields.join('\n')}\n}\n`
  return [...lines, map('OperationInputs', inputs), map('OperationOutputs', outputs)].join('\n')
}

function declaration(name: string, schema: Json, summary?: string): string {
  const comment = summary === undefined ? '' : `/** ${summary} */\n`
  const isInterface = schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0
  return `${comment}export ${isInterface ? `interface ${name} ${typeOf(schema, '', name)}` : `type ${name} = ${typeOf(schema, '', name)}`}\n`
}

/** The type of the values that a JSON Schema allows. */
function typeOf(schema: Json, indent: string, owner: string): string {
  const { $ref, anyOf, oneOf, allOf, type, items, prefixItems, properties, additionalProperties } = schema
  if (typeof $ref === 'string') return $ref === '#' ? 'unknown' : $ref.replace(/^.*\//, '')
  const of = (parts: unknown, sign: string) =>
    (parts as Json[]).map((part) => group(typeOf(part, indent, owner))).join(sign)
  if (anyOf ?? oneOf) return of(anyOf ?? oneOf, ' | ')
  if (allOf) return of(allOf, ' & ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(type))
    return type.map((each) => typeOf({ ...schema, type: each }, indent, owner)).join(' | ')
  if (prefixItems) return `[${of(prefixItems, ', ')}]`
  if (type === 'array') return `${group(typeOf((items ?? {}) as Json, indent, owner))}[]`
  if (type === 'object' && properties) return objectText(schema, indent, owner)
  if (type === 'object')
    return `Record<string, ${typeOf((additionalProperties as Json) ?? {}, indent, owner)}>`
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

const group = (text: string): string => (/ [|&] /.test(text) && !text.startsWith('{') ? `(${text})` : text)

function objectText(
  { properties, required = [], additionalProperties }: Json,
  indent: string,
  owner: string,
): string {
  const inner = `${indent}  `
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => {
    const said = typeof field.description === 'string' ? field.description : wordFor(owner, name)
    const comment = said === undefined ? '' : `${inner}/** ${said.replace(/\.?$/, '.')} */\n`
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    const type = typeOf(field, inner, name)
    return (required as string[]).includes(name)
      ? `${comment}${inner}${key}: ${type}`
      : `${comment}${inner}${key}?: ${type} | undefined`
  })
  if (fields.length === 0) return 'Record<string, never>'
  if (typeof additionalProperties === 'object') fields.push(`${inner}[more: string]: unknown`)
  return `{\n${fields.join('\n')}\n${indent}}`
}
