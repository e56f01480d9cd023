import type { ZodType } from 'zod'
import { STATUSES } from '../../domain/blocks/phases.ts'
import type { State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import { type Data, isData, sameData, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { mapping, type Schema } from '../json-schema.ts'
import { codec } from '../table/codecs.ts'
import type { Codec } from '../table/row.ts'
import { findWord, PRIORITY_WORDS } from '../text/words.ts'
import { checkAgentName, checkBlanks, checkCount, checkIds } from './check.ts'
import { exact, keep, keyOf, peek, type Reading, written } from './reading.ts'
import { bare } from './required.ts'
import { STATUS_OF } from './words.ts'

export type { Reading } from './reading.ts'

type Value<T> = Codec<T, Reading>
export const neverWritten = (): undefined => undefined

const AGENT: Schema = { type: 'string', pattern: '^@[A-Za-z0-9][A-Za-z0-9._-]*$' }
const withAt = (agent: string): string => (agent.startsWith('@') ? agent : `@${agent}`)

export const atAgent = { schema: AGENT, write: withAt }
export const nextAgent = {
  schema: { anyOf: [{ const: 'None' }, AGENT] },
  write: (name: string | null) => (name === null ? 'None' : withAt(name)),
}
export const statusOfState = { schema: { enum: STATUSES }, write: (state: State) => STATUS_OF[state] }

export const retryCount = codec<number, Reading>(
  { type: 'integer', minimum: 0, default: 0 },
  ({ fields, names }) => {
    const count = fields.number(...names)
    checkCount(fields, 'retry_count', count, keyOf(fields, names))
    return count
  },
)

/** A mapping, or nothing and a word about it; what else stood there is kept. */
function mappingAt(reading: Reading, key: string, example: string): unknown {
  const { fields } = reading
  const found = fields.value(key)
  if (found === undefined || found === null || isData(found)) return found
  const message = `${key} must be a mapping of names and values. Write ${key}: and below it, indented, for example ${example}.`
  fields.report('error', 'wrong_type', message, key)
  return found
}

export const metricValues = codec<Data, Reading>({ type: 'object' }, ({ fields, context }) => {
  const found = mappingAt(context, 'metrics', 'tests_passed: 25')
  if (isData(found)) {
    checkBlanks(fields, found)
    return { ...found }
  }
  if (found !== undefined && found !== null) keep(context, 'metrics', found)
  return undefined
})

export function metricsOf({ metrics: found, progress, result }: Draft): Data | undefined {
  const all: Data = { ...result?.metadata, ...found, ...present({ progress }) }
  return found !== undefined || Object.keys(all).length > 0 ? all : undefined
}

export const taskIds = codec<string[], Reading>(
  { type: 'array', items: { type: 'string' }, default: [] },
  ({ fields, names }) => {
    const ids = fields.list(...names)
    if (ids) checkIds(fields, keyOf(fields, names), ids)
    return ids
  },
)

export const writtenTime = codec<string, Reading>(
  { type: 'string', format: 'date-time' },
  ({ fields, names }) => fields.time(...names),
)

export const writtenAt = ({ created_at, state, ended_at }: Draft): string | undefined =>
  created_at ?? (state === 'completed' ? ended_at : undefined)

const count = (minimum: number, description: string): Schema => ({ type: 'integer', minimum, description })

/** The steps after a failure. The number of retries is also the one that the engine keeps to. */
export const failureRules: Value<Draft> = {
  schema: mapping({
    retry: count(0, 'Retries at most'),
    route_to: { ...AGENT, description: 'Agent that gets the work when no retry is left' },
    notify: { ...AGENT, description: 'Agent that is told of each failure' },
    escalate_after: count(1, 'Failures until the delegator hears'),
    context: { type: 'string', description: 'Notes for the agent that handles the failure' },
  }),
  read: ({ fields, names: [name], context }) => {
    const below = fields.value(name) === null ? undefined : fields.below(name)
    if (!below) return undefined
    const found: Data = {}
    for (const key of ['retry', 'escalate_after'] as const) {
      const number = below.number(key)
      checkCount(below, key, number)
      if (number !== undefined) found[key] = number
    }
    for (const key of ['route_to', 'notify'] as const) {
      const text = exact(context, below, [key])
      if (text === undefined || text === 'None') continue
      checkRoute(below, key, text)
      found[key] = bare(text)
    }
    const notes = below.text('context')
    if (notes !== undefined) found.context = notes
    for (const [key, each] of Object.entries(below.rest())) keep(context, `${name}.${key}`, each)
    const max = found.retry
    const isLimit = typeof max === 'number' && Number.isInteger(max) && max >= 0 && max <= 100
    return { on_failure: found, ...(isLimit && { retry: { max } }) }
  },
  write: ({ on_failure, retry }) => {
    const { route_to, notify, escalate_after, context } = on_failure ?? {}
    const said = present({
      retry: retry?.max ?? on_failure?.retry,
      route_to: route_to && withAt(route_to),
      notify: notify && withAt(notify),
      escalate_after,
      context,
    })
    return on_failure || Object.keys(said).length > 0 ? said : undefined
  },
}

/** The rule for `from` and `to`, which the document's function does not apply here. */
function checkRoute(below: Fields, key: string, text: string): void {
  if (text.startsWith('@')) {
    checkAgentName(below, key, text)
    return
  }
  const message = `Agent name must start with @: ${text}. Write ${key}: "@${bare(text)}".`
  below.report('error', 'agent_without_at', message, key)
}

/** A schema that drops keys or changes a value does not fit: the value would not come back as it was. */
export function fits(type: ZodType, found: unknown): boolean {
  if (found === undefined || found === null) return false
  const parsed = type.safeParse(found)
  return parsed.success && sameData(parsed.data, found)
}

export const isScalar = (found: unknown): boolean => typeof found === 'string' || typeof found === 'number'

/**
 * A value of the field's shape, exactly under its key; what does not fit stays the writer's data. Beside `context` it
 * is a lone value, in words. Ids stay as they were written: `15.10` and a hash of digits alone too.
 */
export const shaped = <T>(type: ZodType<T>, { isId = false } = {}): Value<NonNullable<T>> =>
  codec<NonNullable<T>, Reading>(undefined, ({ fields, names: [key], context }) => {
    const found = peek(context, fields, key)
    if (fields !== context.fields) {
      const said = isId && typeof found === 'number' ? context.source.raw([...fields.path, key]) : found
      return fits(type, said) ? (said as NonNullable<T>) : undefined
    }
    if (!isScalar(found)) return undefined
    const text = written(context, fields, [key])
    const said = key === 'priority' ? findWord(PRIORITY_WORDS, text ?? '')?.word : text
    if (fits(type, said)) return said as NonNullable<T>
    keep(context, key, found)
    return undefined
  })

/** Text beside the summary, or where the keys of `context` belong. */
export const backgroundOrContext = (type: ZodType<string | undefined>): Value<string> => {
  const inside = shaped(type)
  return codec<string, Reading>(undefined, (at) => {
    if (at.fields !== at.context.fields) return inside.read?.(at)
    const found = mappingAt(at.context, 'context', 'summary: "…"')
    if (typeof found === 'string') return found.slice(0, 64_000)
    if (found !== undefined && found !== null && !isData(found)) keep(at.context, 'context', found)
    return undefined
  })
}

/** A name only; any other id stays below `workflow_state`. */
export const workflowId: Value<Draft> = {
  read: ({ fields, names: [key], context: { source } }) => {
    const found = valueAt(source.value, [...fields.path, key])
    const id = typeof found === 'number' ? source.raw([...fields.path, key]) : found
    return typeof id === 'string' ? { workflow: { id } } : undefined
  },
  write: ({ workflow }) => (typeof workflow?.id === 'string' ? workflow.id : undefined),
}

export function workflowState({ workflow = {} }: Draft): Data | undefined {
  const { id, ...rest } = workflow
  const state = typeof id === 'string' || id === undefined ? rest : workflow
  return Object.keys(state).length > 0 ? state : undefined
}

export const scalarTime = codec<string, Reading>(undefined, ({ fields, names: [key], context }) =>
  isScalar(peek(context, fields, key)) ? fields.time(key) : undefined,
)
export const nextSteps = codec<string[], Reading>(undefined, ({ fields, names: [key], context }) =>
  Array.isArray(peek(context, fields, key)) ? (fields.list(key) ?? []) : undefined,
)
export const shortLabel = codec<string, Reading>(undefined, ({ fields, names: [key], context }) => {
  const text = isScalar(peek(context, fields, key)) ? fields.text(key) : undefined
  return text !== undefined && text.length <= 200 ? text : undefined
})
