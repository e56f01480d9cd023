import { Package } from '../../domain/handoffs/package.ts'
import { once } from '../../domain/once.ts'
import { type Data, isData, keysOf, own, put, valueAt } from '../difference.ts'
import { Draft } from '../draft.ts'
import { text as textSchema } from '../json-schema.ts'
import { any, codec, keyIn, NAME_LENGTH, name, plain, TIME, words } from '../table/codecs.ts'
import type { Codec } from '../table/row.ts'
import { readInstant } from '../text/time.ts'
import { findWord, PRIORITY_WORDS, type Words } from '../text/words.ts'
import { PHASES_OF } from './names.ts'

/** Names of agents have an `@` here. */
export const agentId = codec<string>(
  {
    type: 'string',
    pattern: '^@[A-Za-z0-9][A-Za-z0-9._-]*$',
    description: 'With @, for example @react-specialist',
  },
  ({ fields, names }) => {
    const [written, found, key] = [fields.value(...names), fields.agent(...names), keyIn(fields, names)]
    if (found === undefined || found.length > NAME_LENGTH) return undefined
    const message = `${[...fields.path, key].join('.')} is "${found}"; write "@${found}"`
    if (typeof written === 'string' && !written.trim().startsWith('@'))
      fields.report('warning', 'agent_without_at', message, key)
    return found
  },
  (value) => `@${value}`,
)

/** The format has no word for nobody. */
export const receiver: Codec<string | null> = {
  ...agentId,
  write: (value) => (value === null ? undefined : `@${value}`),
}

const PHASE_TEXT = Object.entries(PHASES_OF)
  .map(([type, { from, to }]) => `${type}s ${from} to ${to}`)
  .join(', ')
/** Which numbers are right depends on the type of the agent. */
export const phase = plain({ type: 'integer', description: PHASE_TEXT }, 'number')
export const role: Codec<string> = { ...name, schema: { enum: Object.keys(PHASES_OF) } }

/** A word that nobody knows is kept in the document and ordered as normal. */
export const priority = codec<NonNullable<Draft['priority']>>(
  { enum: [...PRIORITY_WORDS.words] },
  ({ fields, names }) => {
    const written = fields.text(...names)
    if (written === undefined || findWord(PRIORITY_WORDS, written))
      return fields.word(PRIORITY_WORDS, ...names)
    const message = `priority "${written.slice(0, 60)}" counts as normal; write low, normal, high or critical`
    return fields.report('warning', 'unknown_priority', message, 'priority')
  },
)

/** The second spelling of a time; the first one counts. */
export const sameTime = (first: string): Codec<string> =>
  codec(TIME, ({ fields, names: [key] }) => {
    const [other, ended] = [fields.time(key), readInstant(String(fields.value(first) ?? ''))?.instant]
    const message = `${key} is ${other} and ${first} is ${ended}, which counts; write the same time in both`
    if (other !== undefined && ended !== undefined && ended !== other)
      fields.report('warning', 'time_spellings_differ', message, key)
    return other
  })

/** Picking up is accepting and starting. */
export const started = codec<Draft>(TIME, ({ fields, names }) => {
  const since = fields.time(...names)
  return since === undefined ? undefined : { started_at: since, accepted_at: since }
})

/** As its writer measured it. */
export const seconds: Codec<unknown> = plain({ type: 'number', minimum: 0 }, 'number') as Codec<unknown>

export const metadata = codec<Data>({ type: 'object' }, ({ fields, names }) => {
  const found = fields.value(...names)
  return isData(found) && keysOf(found).length > 0 ? found : undefined
})

/** One key for a list: the artifact that must be there before the work can begin. */
export const dependency = codec<string[]>(
  textSchema(),
  ({ fields, names }) => {
    const artifact = fields.text(...names)
    return artifact === undefined ? undefined : [artifact]
  },
  (ids) => ids.find((id) => id.startsWith('artifact-')),
)

/** The one artifact of a response; its type stands beside its path. */
export const artifact = codec<NonNullable<NonNullable<Draft['result']>['artifacts']>>(textSchema(), (at) => {
  const { fields, names, isLone } = at
  const path = isLone ? String(fields.value(...names)) : fields.text(...names)
  const type = isLone ? undefined : name.read!({ ...at, names: ['artifact_type'] })
  if (path === undefined || path === '' || path.length > 1_000) return undefined
  return [{ path, ...(type && type.length <= 40 && { type }), role: 'output' as const }]
})

/** A text that is cut to what a draft holds. */
export const cut = (length: number): Codec<string> =>
  codec(textSchema(), ({ fields, names }) => fields.text(...names)?.slice(0, length))

/** Words beside the data, where people put them: the document has no key for them. */
const beside = (read: NonNullable<Codec<string>['read']>): Codec<string> => ({
  write: () => undefined,
  read: (at) => (at.fields.path.length > 0 ? undefined : read(at)),
})
export const title = beside(({ fields, names }) => fields.text(...names))
export const prose = beside(({ fields, names }) => {
  const found = fields.value(...names)
  return typeof found !== 'string' || found.trim() === '' || found.length > 64_000 ? undefined : found
})

const COMPLIANCE_WORDS: Words<'valid' | 'invalid'> = {
  name: 'schema_compliance',
  words: ['valid', 'invalid'],
  // biome-ignore format: read as a table
  synonyms: { compliant: 'valid', passed: 'valid', ok: 'valid', true: 'valid', failed: 'invalid', false: 'invalid' },
}
export const compliance = words(COMPLIANCE_WORDS)

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
    if (isLone || !isData(found) || !carriedBy(found)) return found
    const { [CARRIED]: _carried, ...rest } = found
    return keysOf(rest).length > 0 ? rest : undefined
  },
}

/** A specialist's own `package` stays what it is: only a mapping that holds our keys and nothing else is read. */
function carriedBy(data: Data): Draft | undefined {
  const found = own(data, CARRIED)
  const fields = new Map(carriedFields().map((field) => [field.split('.').at(-1)!, field.split('.')]))
  const keys = isData(found) ? keysOf(found) : []
  if (keys.length === 0 || keys.some((key) => !fields.has(key))) return undefined
  const draft: Data = {}
  for (const key of keys) {
    const [head = '', below] = fields.get(key) ?? []
    const value = own(found, key)
    const group = own(draft, head) as Data | undefined
    put(draft, head, below === undefined ? value : { ...group, [below]: value })
  }
  const checked = Draft().safeParse(draft)
  return checked.success ? checked.data : undefined
}
