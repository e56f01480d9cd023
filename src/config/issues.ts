import * as z from 'zod'
import { nearest } from '../domain/texts/nearest.ts'
import { ConfigSchema, isAgentName, NAME_MESSAGE } from './schema.ts'

/** A problem with a setting, in words that say what to write instead. */
export interface SettingProblem {
  readonly path: readonly PropertyKey[]
  /** Whether the name of the field is meant or what it is set to. */
  readonly part: 'key' | 'value'
  readonly message: string
}

/** The words for one thing that the schema refused. */
export function settingProblems(issue: z.core.$ZodIssue, raw: unknown): SettingProblem[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      part: 'key',
      message: `there is no such field${meant(key, fieldsAt(path))}`,
    }))
  if (issue.code === 'invalid_key') {
    const name = String(path.at(-1))
    const message = askedFor(name, settingText(name), issue.issues[0]?.message ?? issue.message)
    return [{ path, part: 'key', message }]
  }
  return [{ path, part: 'value', message: told(issue, valueAt(raw, path)) }]
}

function told(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'it is missing; every entry here needs it'
  // The address of a store may hold a password.
  const text = issue.path[0] === 'store' ? 'the value' : settingText(value)
  switch (issue.code) {
    case 'invalid_value':
      return `${text} is not one of the words known here${meant(String(value), issue.values.map(String))}`
    case 'invalid_union':
      return askedFor(value, text, issue.errors[0]?.[0]?.message ?? issue.message)
    case 'invalid_type': {
      const { expected } = issue
      // A schema that says what to write knows better than its type.
      if (!issue.message.startsWith('Invalid input')) return askedFor(value, text, issue.message)
      return `${text} is not ${KIND_WORDS[expected]?.name ?? expected}; write ${KIND_WORDS[expected]?.example ?? 'one'}`
    }
    case 'too_small':
      return `${text} is too ${SMALL[issue.origin] ?? 'small'}; write at least ${issue.minimum}`
    case 'too_big':
      return `${text} is too ${LARGE[issue.origin] ?? 'large'}; write at most ${issue.maximum}`
    default:
      return askedFor(value, text, issue.message)
  }
}

/** The value as written, the correct form, and a suggestion for a misspelt name. */
function askedFor(value: unknown, text: string, message: string): string {
  const name = String(value).trim().replace(/^@/, '').toLowerCase()
  const hint = isAgentName(name) && message === NAME_MESSAGE ? `; did you mean ${name}?` : ''
  return `${text}: ${message}${hint}`
}

// biome-ignore format: read as a table
const KIND_WORDS: Readonly<Record<string, { readonly name: string; readonly example: string }>> = {
  object:  { name: 'a group of fields', example: 'the fields on lines of their own, indented' },
  record:  { name: 'a group of names',  example: 'the names on lines of their own, indented' },
  array:   { name: 'a list',            example: '[first, second], or lines that start with -' },
  string:  { name: 'text',              example: 'it in quotes' },
  boolean: { name: 'true or false',     example: 'true or false' },
  int:     { name: 'a whole number',    example: 'a whole number such as 5' },
  number:  { name: 'a number',          example: 'a whole number such as 5' },
}
const SMALL: Readonly<Record<string, string>> = { array: 'short a list', string: 'short' }
const LARGE: Readonly<Record<string, string>> = { array: 'long a list', string: 'long' }

function settingText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function meant(word: string, known: readonly string[]): string {
  const found = nearest(word, known)
  if (found !== undefined) return `; did you mean ${found}?`
  return known.length > 0 ? `; write ${known.join(', ')}` : ''
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | false
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
}

let whole: SchemaNode | undefined

/** The names of the fields that may stand at a path, from the schema itself. */
function fieldsAt(path: readonly PropertyKey[]): string[] {
  // The generator's type is looser than what it makes for this schema: nodes of these four keys.
  whole ??= z.toJSONSchema(ConfigSchema, { io: 'input' }) as SchemaNode
  let node: SchemaNode | undefined = whole
  for (const step of path) {
    const next: SchemaNode | false | undefined =
      typeof step === 'number'
        ? node?.items
        : (node?.properties?.[String(step)] ?? node?.additionalProperties)
    node = next ? (next.anyOf?.find((each) => each.properties) ?? next) : undefined
  }
  return Object.keys(node?.properties ?? {})
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (value !== null && typeof value === 'object' ? Reflect.get(value, step) : undefined),
    raw,
  )
}
