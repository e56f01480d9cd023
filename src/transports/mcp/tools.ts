import type { Tool } from '@modelcontextprotocol/server'
import { invalidInput } from '../../domain/errors.ts'
import { nearest } from '../../domain/texts/nearest.ts'
import { isOperationName, loadOperation, loadOperations, OPERATION_NAMES } from '../../operations/index.ts'
import type { Operation } from '../../operations/operation.ts'
import { inputSchema } from './schema.ts'

/** Which tools an agent is shown: names of sets and of single tools, none of which is also a set's. */
export type Toolset = ReadonlySet<string>

const SETS = ['default', 'proof', 'all']

/** Reads what `--tools` says: `default`, `default,proof`, `all`, `handoff_inbox,handoff_cancel`. */
export function parseToolset(text = 'default'): Toolset {
  const words = text.split(',').flatMap((word) => word.trim() || [])
  const unknown = words.find((word) => !SETS.includes(word) && !isOperationName(word))
  if (unknown === undefined && words.length > 0) return new Set(words)
  const meant = nearest(unknown ?? '', [...SETS, ...Object.keys(OPERATION_NAMES)])
  throw invalidInput(
    `there are no tools ${JSON.stringify(unknown ?? text)}${meant === undefined ? '.' : `; did you mean ${meant}?`} Use ${SETS.join(', ')}, or tool names separated by commas`,
    { tools: text },
  )
}

const isIn = (toolset: Toolset, { name, tools }: Operation): boolean =>
  ['all', name, tools].some((word) => word !== undefined && toolset.has(word))

/** Asking for a module again costs as much as a small call does. */
const loaded = new Map<string, Operation>()

/** The operation behind a tool of the set, by its name; undefined when it is not in it. */
export async function toolNamed(toolset: Toolset, name: string): Promise<Operation | undefined> {
  if (!isOperationName(name)) return undefined
  const op = loaded.get(name) ?? (await loadOperation(name))
  loaded.set(name, op)
  return isIn(toolset, op) ? op : undefined
}

/** Schemas are made once for each tool, however many connections ask. */
const described = new Map<string, Tool>()

export async function listTools(toolset: Toolset): Promise<Tool[]> {
  const names = [...toolset].filter(isOperationName)
  const isNamed = names.length === toolset.size
  const needed = isNamed ? await Promise.all(names.map(loadOperation)) : await loadOperations()
  const chosen = needed.filter((op) => isIn(toolset, op))
  // Those that are used most come first, and say in full what others share with them.
  return saidOnce([...chosen.filter(isDefault), ...chosen.filter((op) => !isDefault(op))].map(toTool))
}

const isDefault = ({ tools }: Operation): boolean => tools === 'default'

/** A shorter text is not worth the words that point to another tool. */
const WORTH_POINTING = 40

/** A field that two tools share is described by the first of them; the second names the first, once. */
function saidOnce(tools: readonly Tool[]): Tool[] {
  const first = new Map<string, string>()
  return tools.map((tool) => {
    const pointsTo = new Set<string>()
    const properties = Object.entries(tool.inputSchema.properties ?? {}).map(([field, schema]) => {
      const text = JSON.stringify([field, schema])
      const said = first.get(text)
      if (said === undefined) first.set(text, tool.name)
      else if (text.length > WORTH_POINTING * 2 || text.includes(': ')) pointsTo.add(said)
      return [field, said === undefined ? schema : undescribed(schema)] as const
    })
    const inputSchema = { ...tool.inputSchema, properties: Object.fromEntries(properties) }
    const others = pointsTo.size > 0 ? ` Fields as in ${[...pointsTo].join(', ')}.` : ''
    const description = `${tool.description}${others}`
    return { ...tool, description, inputSchema: inputSchema as Tool['inputSchema'] }
  })
}

function undescribed(schema: unknown): unknown {
  const { items, description: _, ...rest } = Object(schema)
  return { ...rest, ...(items && { items: undescribed(items) }) }
}

/** The way to the package of a handoff, which only an agent has to be told. */
const TO_PACKAGE: Readonly<Record<string, string>> = {
  handoff_inbox: ' handoff_get shows one with its package.',
  handoff_accept: ' The reply has the package.',
}

function toTool(op: Operation): Tool {
  const known = described.get(op.name)
  if (known) return known
  const tool = {
    name: op.name,
    description: `${op.summary}${TO_PACKAGE[op.name] ?? ''}`,
    inputSchema: inputSchema(op) as Tool['inputSchema'],
    annotations: annotationsOf(op),
  }
  described.set(op.name, tool)
  return tool
}

/**
 * Only what differs from what a client takes for granted: tools change, destroy, are not to be repeated and reach out
 * into an open world. Codex asks before each call of a tool that may.
 */
function annotationsOf({ effect, peopleOnly }: Operation): NonNullable<Tool['annotations']> {
  const openWorldHint = false
  // Reading again changes nothing, so whether it may be repeated need not be said.
  if (effect === 'read') return { readOnlyHint: true, openWorldHint }
  // A step that only a person may take cannot be undone. Any other can be mended by a later step.
  return { destructiveHint: peopleOnly === true, openWorldHint }
}
