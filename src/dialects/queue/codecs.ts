import { Package } from '../../domain/handoffs/package.ts'
import { once } from '../../domain/once.ts'
import { type Data, keysOf, own, put, valueAt } from '../difference.ts'
import { Draft } from '../draft.ts'
import { text as textSchema } from '../json-schema.ts'
import { any, keyIn, NAME_LENGTH, name, TIME, time } from '../table/codecs.ts'
import type { Codec } from '../table/row.ts'
import { readInstant } from '../text/time.ts'
import { isMapping } from '../text/tree.ts'
import { findWord, PRIORITY_WORDS, type Words } from '../text/words.ts'
import { PHASES_OF } from './names.ts'

/** Names of agents have an `@` here. */
export const agentId: Codec<string> = {
  schema: {
    type: 'string',
    pattern: '^@[A-Za-z0-9][A-Za-z0-9._-]*$',
    description: 'With @, for example @react-specialist',
  },
  write: (value) => `@${value}`,
  read: ({ fields, names }) => {
    const written = fields.value(...names)
    const found = fields.agent(...names)
    if (found === undefined || found.length > NAME_LENGTH) return undefined
    const key = keyIn(fields, names)
    if (typeof written === 'string' && !written.trim().startsWith('@'))
      fields.report(
        'warning',
        'agent_without_at',
        `${[...fields.path, key].join('.')} is "${found}"; write "@${found}"`,
        key,
      )
    return found
  },
}

/** The format has no word for nobody. */
export const receiver: Codec<string | null> = {
  ...agentId,
  write: (value) => (value === null ? undefined : `@${value}`),
}

/** Which numbers are right depends on the type of the agent. */
export const phase: Codec<number> = {
  schema: {
    type: 'integer',
    description: Object.entries(PHASES_OF)
      .map(([type, { from, to }]) => `${type}s ${from} to ${to}`)
      .join(', '),
  },
  write: (value) => value,
  read: ({ fields, names }) => fields.number(...names),
}

export const role: Codec<string> = { ...name, schema: { enum: Object.keys(PHASES_OF) } }

/** A word that nobody knows is kept in the document and ordered as normal. */
export const priority: Codec<NonNullable<Draft['priority']>> = {
  schema: { enum: [...PRIORITY_WORDS.words] },
  write: (value) => value,
  read: ({ fields, names }) => {
    const written = fields.text(...names)
    if (written === undefined || findWord(PRIORITY_WORDS, written))
      return fields.word(PRIORITY_WORDS, ...names)
    const message = `priority "${written.slice(0, 60)}" counts as normal; write low, normal, high or critical`
    fields.report('warning', 'unknown_priority', message, 'priority')
    return undefined
  },
}

/** The second spelling of a time; the first one counts. */
export const sameTime = (first: string): Codec<string> => ({
  ...time,
  read: (at) => {
    const { fields, names } = at
    const [other, ended] = [time.read!(at), readInstant(String(fields.value(first) ?? ''))?.instant]
    if (other !== undefined && ended !== undefined && ended !== other)
      fields.report(
        'warning',
        'time_spellings_differ',
        `${names[0]} is ${other} and ${first} is ${ended}, which counts; write the same time in both`,
        names[0],
      )
    return other
  },
})

/** Picking up is accepting and starting. */
export const started: Codec<Draft> = {
  schema: TIME,
  write: ({ started_at }) => started_at,
  read: (at) => {
    const since = time.read!(at)
    return since === undefined ? undefined : { started_at: since, accepted_at: since }
  },
}

/** A duration as its writer says it. */
export const seconds: Codec<unknown> = {
  schema: { type: 'number', minimum: 0 },
  write: (value) => value,
  read: ({ fields, names }) => fields.number(...names),
}

export const metadata: Codec<Data> = {
  schema: { type: 'object' },
  write: (value) => value,
  read: ({ fields, names }) => {
    const found = fields.value(...names)
    return isMapping(found) && keysOf(found).length > 0 ? found : undefined
  },
}

/** One key for a list: the artifact that must be there before the work can begin. */
export const dependency: Codec<string[]> = {
  schema: textSchema(),
  write: (ids) => ids.find((id) => id.startsWith('artifact-')),
  read: ({ fields, names }) => {
    const artifact = fields.text(...names)
    return artifact === undefined ? undefined : [artifact]
  },
}

/** The one artifact of a response; its type stands beside its path. */
export const artifact: Codec<NonNullable<NonNullable<Draft['result']>['artifacts']>> = {
  schema: textSchema(),
  write: ([first]) => first?.path,
  read: (at) => {
    const { fields, names, isLone } = at
    const path = isLone ? String(fields.value(...names)) : fields.text(...names)
    const type = isLone ? undefined : name.read!({ ...at, names: ['artifact_type'] })
    if (path === undefined || path === '' || path.length > 1_000) return undefined
    return [{ path, ...(type && type.length <= 40 && { type }), role: 'output' as const }]
  },
}

/** A text that is cut to what a draft holds. */
export const cut = (length: number): Codec<string> => ({
  schema: textSchema(),
  write: (value) => value,
  read: ({ fields, names }) => fields.text(...names)?.slice(0, length),
})

/** Sentences beside the data, where people put them: the document has no key for them. */
export const prose: Codec<string> = {
  write: () => undefined,
  read: ({ fields, names }) => {
    const text = fields.path.length > 0 ? undefined : fields.value(...names)
    return typeof text !== 'string' || text.trim() === '' || text.length > 64_000 ? undefined : text
  },
}
export const title: Codec<string> = {
  write: () => undefined,
  read: ({ fields, names }) => (fields.path.length > 0 ? undefined : fields.text(...names)),
}

const COMPLIANCE_WORDS: Words<'valid' | 'invalid'> = {
  name: 'schema_compliance',
  words: ['valid', 'invalid'],
  // biome-ignore format: read as a table
  synonyms: { compliant: 'valid', passed: 'valid', ok: 'valid', true: 'valid', failed: 'invalid', false: 'invalid' },
}
export const compliance: Codec<'valid' | 'invalid'> = {
  schema: { enum: [...COMPLIANCE_WORDS.words] },
  write: (value) => value,
  read: ({ fields, names }) => fields.word(COMPLIANCE_WORDS, ...names),
}

const CARRIED = 'package'
const OF_DRAFT = ['title', 'to_reason', 'gate', 'workflow'] as const
type Carried = (typeof OF_DRAFT)[number] | `package.${Exclude<keyof Package, 'data' | 'input'>}`

/** Fields of other formats that document 001 has no key for. */
export const carriedFields = once((): readonly Carried[] => [
  ...OF_DRAFT,
  ...Object.keys(Package().shape).flatMap((key) =>
    key === 'data' || key === 'input' ? [] : [`package.${key}` as Carried],
  ),
])

/** It stands in one key of `input.data`: kept as data, it reaches the specialist and can be read back. */
export const carried: Codec<Draft> = {
  write: (draft) => {
    const result: Data = {}
    for (const field of carriedFields()) {
      const path = field.split('.')
      const value = valueAt(draft, path)
      if (value !== undefined) put(result, path.at(-1)!, value)
    }
    return keysOf(result).length > 0 ? result : undefined
  },
  read: ({ fields, names: [key] }) => carriedBy({ [key]: fields.value(key) }),
}

/** The input without it. */
export const input: Codec<unknown> = {
  ...any,
  read: ({ fields, names, isLone }) => {
    const found = fields.value(...names)
    if (isLone || !isMapping(found) || !carriedBy(found)) return found
    const { [CARRIED]: _carried, ...rest } = found
    return keysOf(rest).length > 0 ? rest : undefined
  },
}

/** A specialist's own `package` stays what it is: only a mapping that holds our keys and nothing else is read. */
function carriedBy(data: Data): Draft | undefined {
  const found = own(data, CARRIED)
  const fields = new Map(carriedFields().map((field) => [field.split('.').at(-1)!, field.split('.')]))
  const keys = isMapping(found) ? keysOf(found) : []
  if (keys.length === 0 || keys.some((key) => !fields.has(key))) return undefined
  const draft: Data = {}
  for (const key of keys) {
    const [head = '', below] = fields.get(key) ?? []
    const value = own(found, key)
    put(
      draft,
      head,
      below === undefined ? value : { ...(own(draft, head) as Data | undefined), [below]: value },
    )
  }
  const checked = Draft().safeParse(draft)
  return checked.success ? checked.data : undefined
}
