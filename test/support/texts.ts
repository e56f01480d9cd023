import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { z } from 'zod'
import { loadOperation, OPERATION_NAMES, type OperationName } from '../../src/operations/index.ts'
import { OTHER_COMMANDS, type OtherCommand } from '../../src/transports/cli/catalog.ts'
import type { Command } from '../../src/transports/cli/command.ts'
import { loadCommand } from '../../src/transports/cli/commands/index.ts'
import { GLOBAL_FLAGS } from '../../src/transports/cli/input/args.ts'
import { operationCommand } from '../../src/transports/cli/operation-command.ts'

/** A text that a person can read, and where it is written. An expression inside it is `…`. */
export interface Text {
  readonly place: string
  readonly text: string
  /** True inside the call that makes an error or a refusal. */
  readonly isRefusal: boolean
}

type Node = Readonly<Record<string, unknown>> & { readonly type?: string; readonly start: number }

const ROOT = resolve(import.meta.dirname, '../..')
const REFUSES =
  /(?:Error|Exceeded|Exception|[Rr]efuse\w*|invalid|invalidInput|notFound|notAllowed|wrongState|conflict|unavailable|usage|unknown)$/
const SQL =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|BEGIN|PRAGMA|ATTACH|LOCK|COPY|SET|ANALYZE) /

/** Every text of two words or more in the source, comments and SQL left out. */
export function sourceTexts(): readonly Text[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.(?:test|contract)\.ts$|[\\/]fixtures[\\/]/.test(file))
    .flatMap((file) => textsIn(file.replaceAll('\\', '/'), readFileSync(join(ROOT, file), 'utf8')))
}

export function textsIn(file: string, source: string): readonly Text[] {
  const found: Text[] = []
  const visit = (node: unknown, isRefusal: boolean): void => {
    if (Array.isArray(node)) for (const each of node) visit(each, isRefusal)
    if (!isNode(node) || node.type === 'ImportDeclaration') return
    // A list of words in one text.
    if (node.type === 'MemberExpression' && /\.split$/.test(source.slice(node.start, node.end as number)))
      return
    const text = literalOf(node)
    if (text && /\p{L}\S*\s+\S/u.test(text) && !SQL.test(text))
      found.push({ place: `${file}:${source.slice(0, node.start).split('\n').length}`, text, isRefusal })
    const callee = node.callee as (Node & { readonly end: number }) | undefined
    const refuses = callee !== undefined && REFUSES.test(source.slice(callee.start, callee.end))
    for (const child of Object.values(node)) visit(child, isRefusal || refuses)
  }
  visit(parseAst(source, { lang: 'ts' }, file).body, false)
  return found
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function literalOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join('…')
}

/** The summary of every command and the description of every option and field, as they are shown. */
export async function catalogTexts(): Promise<readonly Text[]> {
  const found: Text[] = GLOBAL_FLAGS.map(({ name, about }) => shown(`baton --${name}`, about))
  for (const name of Object.keys(OPERATION_NAMES) as OperationName[]) {
    found.push(...commandTexts(await operationCommand(name)))
    const { input, output } = await loadOperation(name)
    for (const schema of [input, output])
      found.push(...descriptionsIn(name, z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })))
  }
  for (const [name, verbs] of Object.entries(OTHER_COMMANDS) as [OtherCommand, readonly string[]][])
    for (const verb of verbs.length > 0 || name === 'help' ? verbs : [''])
      found.push(...commandTexts(await loadCommand(name, verb)))
  return found
}

const commandTexts = ({ name, summary, flags = [] }: Command): readonly Text[] => [
  shown(name, summary),
  ...flags.map((flag) => shown(`${name} --${flag.name}`, flag.about)),
]

const shown = (place: string, text = ''): Text => ({ place, text, isRefusal: false })

function descriptionsIn(place: string, schema: unknown): readonly Text[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => descriptionsIn(place, each))
  if (!isNode(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'description' && typeof value === 'string'
      ? [shown(place, value)]
      : descriptionsIn(`${place} ${key}`, value),
  )
}
