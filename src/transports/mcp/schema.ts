import * as z from 'zod'
import { AgentName } from '../../domain/agent.ts'
import { Id as HandoffId } from '../../domain/handoffs/inputs.ts'
import { once } from '../../domain/once.ts'
import { TaskId } from '../../domain/tasks/task.ts'
import type { Operation } from '../../operations/operation.ts'
import { isReadOn, SIZE_FIELDS } from './size.ts'

type ToolSchema = Record<string, unknown>

/** Bounds that the input is checked against anyway, and whose refusal says what to do: an agent pays for each word. */
const LEFT_OUT = [
  '$schema',
  'additionalProperties',
  'default',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'pattern',
  'propertyNames',
]

/** The descriptions that every id and agent name has; in a tool the field's name says it. */
const known = once(() => new Set([HandoffId, TaskId, AgentName].map(({ description }) => description)))

/** The input of a tool as JSON Schema, in as few words as an agent can act on. */
export function inputSchema(op: Operation): ToolSchema {
  const schema = compact(z.toJSONSchema(op.input, { io: 'input', unrepresentable: 'any' }) as ToolSchema)
  const properties = Object.fromEntries(
    Object.entries((schema.properties ?? {}) as Record<string, ToolSchema>).map(([name, field]) => [
      name,
      withoutNesting(field),
    ]),
  )
  for (const [field, { about }] of Object.entries(SIZE_FIELDS))
    if (properties[field]) properties[field] = { ...properties[field], description: about }
  if (properties.cursor || isReadOn(op)) properties.cursor = { type: 'string' }
  return { ...schema, properties }
}

/** The shape of a field, in a line: `{path, role?: input|output}[]`. */
export const shapeOf = (field: ToolSchema): string => spelled(compact(field))

function compact(schema: ToolSchema): ToolSchema {
  const kept = Object.entries(schema).filter(
    ([name, value]) => !LEFT_OUT.includes(name) && !(name === 'description' && known().has(String(value))),
  )
  const result: ToolSchema = Object.fromEntries(kept.map(([name, value]) => [name, inside(name, value)]))
  const choices = result.oneOf ?? result.anyOf
  const merged = listIn(choices) ?? mergedChoice(choices)
  if (!merged) return result
  const { oneOf: _, anyOf: __, ...rest } = result
  return { ...rest, ...merged }
}

function inside(name: string, value: unknown): unknown {
  if (name === 'properties')
    return Object.fromEntries(
      Object.entries(value as Record<string, ToolSchema>).map(([field, each]) => [field, compact(each)]),
    )
  if (name === 'items') return compact(value as ToolSchema)
  if (name === 'oneOf' || name === 'anyOf') return (value as ToolSchema[]).map(compact)
  return value
}

/** One of something or a list of it, as a list: both are taken, and the words are told once. */
function listIn(choices: unknown): ToolSchema | undefined {
  if (!Array.isArray(choices) || choices.length !== 2) return undefined
  const [one, list] = choices as [ToolSchema, ToolSchema]
  return list.type === 'array' && JSON.stringify(list.items) === JSON.stringify(one) ? list : undefined
}

/** Kinds of one object, told apart by a constant, as one object with all their fields. */
function mergedChoice(choices: unknown): ToolSchema | undefined {
  if (!Array.isArray(choices)) return undefined
  const objects = choices as readonly { properties?: Record<string, ToolSchema> }[]
  const [tag] = Object.entries(objects[0]?.properties ?? {}).find(([, each]) => 'const' in each) ?? []
  if (tag === undefined || objects.some(({ properties }) => properties?.[tag]?.const === undefined))
    return undefined
  const kinds = objects.map(({ properties }) => properties?.[tag]?.const)
  return {
    type: 'object',
    properties: {
      ...Object.assign({}, ...objects.map(({ properties }) => properties)),
      [tag]: { enum: kinds },
    },
    required: [tag],
  }
}

/** An object inside a field in a line of text, `{path, role?: input|output}`: a fifth of what its schema takes. */
function withoutNesting(field: ToolSchema): ToolSchema {
  if (field.type === 'array' && Object(field.items).properties)
    return { ...field, items: inLine(field.items as ToolSchema) }
  if (Array.isArray(field.anyOf) && field.anyOf.some((each) => Object(each).properties)) {
    const { type: _, ...text } = inLine(field)
    return text
  }
  return field.properties ? inLine(field) : field
}

function inLine({ description, ...schema }: ToolSchema): ToolSchema {
  const shape = spelled(schema)
  return { type: 'object', description: description === undefined ? shape : `${description}: ${shape}` }
}

function spelled(schema: ToolSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.join('|')
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((each) => spelled(Object(each))).join(' or ')
  if (schema.type === 'array') {
    const item = spelled(Object(schema.items))
    return /^[^{]*\|/.test(item) ? `(${item})[]` : `${item}[]`
  }
  if (!schema.properties) return String(schema.type ?? 'any')
  const needed = (schema.required ?? []) as readonly string[]
  const fields = Object.entries(schema.properties as Record<string, ToolSchema>).map(([name, each]) => {
    const kind = spelled(each)
    return `${name}${needed.includes(name) ? '' : '?'}${kind === 'string' ? '' : `: ${kind}`}`
  })
  return `{${fields.join(', ')}}`
}
