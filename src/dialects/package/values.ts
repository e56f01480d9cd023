import { ANYONE } from '../../domain/actor.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { GATE_TYPES, type GateType } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import { type Data, isData, keysOf, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { mapping, type Schema, text as textSchema } from '../json-schema.ts'
import { time as anyTime, codec, flag, texts } from '../table/codecs.ts'
import type { Codec } from '../table/row.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { findWord } from '../text/words.ts'
import { keepAt, keepRest } from './extra.ts'
import {
  DECISIONS,
  type Decision,
  Decisions,
  GateTypes,
  STATUSES,
  Statuses,
  stateOf,
  UNDERSTOOD,
  Understood,
} from './words.ts'

/** Shared by the values of one document while they are read, in the order of the rows. */
export interface PackageReading {
  readonly handoff: Fields
  /** Keys that the draft has no field for. */
  readonly extra: Data
  /** The labels of the gate at hand are other names for its options. */
  labels: Readonly<Data>
  /** Whether the receiver asked back instead of saying what it understood. */
  asked: boolean
  /** The mapping that holds the acknowledgment. */
  answer?: Fields
}

type Value<T> = Codec<T, PackageReading>

const value = codec as <T>(schema: Schema | undefined, read: NonNullable<Value<T>['read']>) => Value<T>

const choice = (words: readonly string[]): Schema => ({ enum: [...words] })
const PACKAGE_TIME: Schema = {
  type: 'string',
  format: 'date-time',
  description: 'For example 2024-01-15T14:30:00Z',
}
export const instant: Value<string> = { ...anyTime, schema: PACKAGE_TIME }
export const agentName = value<string>(textSchema(), ({ fields, names }) => fields.agent(...names))
export const AGENT_KEYS = ['agent', 'agent_id', 'name', 'id'] as const
export const textList: Value<string[]> = { ...texts, schema: { type: 'array', items: textSchema() } }

/** A value that people also put one level too high, or write as a text where keys belong. */
export const below = <T>(parent: string, as: Value<T>, alone?: string): Value<T> => ({
  ...as,
  read: (at) => {
    const { fields, names, isLone, context } = at
    if (!isLone && fields === context.handoff && fields.has(...names)) {
      const key = names.find((each) => fields.has(each)) ?? names[0]
      const message = `${key} stands below handoff; it belongs below ${parent}`
      fields.report('warning', 'misplaced_key', message, key)
    }
    const found = as.read?.(at)
    if (isLone && found !== undefined && alone) {
      const message = `${parent} has keys of its own; put this ${alone}`
      fields.report('warning', `${parent}_as_text`, message, parent)
    }
    return found
  },
})

const PACKAGE_ID = /^HO-(?:\d{4}-)?\d{3,}$/

export const packageId = value<string>(
  { type: 'string', pattern: '^HO-([0-9]{4}-)?[0-9]{3,}$' },
  ({ fields, names }) => {
    const found = fields.text(...names)
    const odd = `${found} is kept; ids of packages look like HO-2024-001 or HO-001`
    if (found === undefined)
      fields.report('info', 'missing_id', 'the package has no id; it is given one when it is sent')
    else if (!PACKAGE_ID.test(found) && !found.startsWith('[')) fields.report('info', 'odd_id', odd, 'id')
    return found
  },
)

export const createdAt = value<string>(PACKAGE_TIME, ({ fields, names }) => {
  const message = 'the package has no timestamp; it is given one when it is sent'
  if (!fields.has(...names)) fields.report('info', 'missing_timestamp', message)
  return fields.time(...names)
})

const PERSON = [ANYONE, 'humain']

export const receiver = value<string | null>(
  textSchema('human: a person decides'),
  ({ fields, names, context }) => {
    const found = fields.agent(...names)
    if (found === undefined || !PERSON.includes(found.toLowerCase())) return found
    if (found !== ANYONE)
      context.handoff.report('warning', 'odd_human', `${found} is read as ${ANYONE}; write ${ANYONE}`, 'to')
    return ANYONE
  },
)

/** As given: a number stays one, `null` says that there is none. */
export const stepName = value<string | number | null>(
  { type: ['string', 'number', 'null'], description: 'Step of the workflow; null: not in the main workflow' },
  ({ fields, names }) => {
    const found = fields.value(...names)
    if (found === undefined || found === null) return found
    const written = fields.text(...names)
    return typeof found === 'number' && String(found) === written ? found : written
  },
)

export const stateWord = value<NonNullable<Draft['state']>>(choice(STATUSES), ({ fields, names }) => {
  const found = fields.word(Statuses, ...names)
  return found && stateOf(found)
})

/** Words that say in so many letters that there is no gate. */
const NO_GATE: readonly unknown[] = [null, false, 'none', 'None', 'no', 'aucune', '']

/** A type that nobody knows must not let the work pass, so it blocks. */
export const gateType = value<GateType>(choice(GATE_TYPES), ({ fields, names, isLone, context }) => {
  const found = fields.value(...names)
  if (isLone && NO_GATE.includes(found)) {
    keepAt(context.extra, ['handoff', 'gate'], found)
    return undefined
  }
  if (typeof found !== 'string' || isPlaceholder(found, 'package') || findWord(GateTypes, found))
    return fields.word(GateTypes, ...names) ?? 'blocking'
  const message = `the gate type ${found} is not known and is taken as blocking; write ${GATE_TYPES.join(', ')}`
  fields.report('warning', 'unknown_gate_type', message, names[0])
  return 'blocking'
})

/** A name beside a gate that is only its type. */
export const gateName = value<string>(textSchema(), ({ fields, names, context: { handoff } }) =>
  fields === handoff &&
  (!handoff.has('gate') || isData(handoff.value('gate')) || NO_GATE.includes(handoff.value('gate')))
    ? undefined
    : fields.text(...names),
)

/** Text beside the summary; anything else is kept as it is. */
export const backgroundText = value<string>(textSchema(), ({ fields, names, context }) => {
  const found = fields.value(...names)
  if (typeof found === 'string' && found.trim() !== '') return found
  if (found !== undefined) keepAt(context.extra, ['handoff', 'context', 'background'], found)
  return undefined
})

/** Background as data. Lists of facts beside the document's own keys are such data too. */
export const factData = value<Data>(undefined, ({ fields, names, context }) => {
  const path = ['handoff', 'context', 'data']
  const found = fields.value(...names)
  const result: Data = isData(found) ? { ...found } : {}
  if (found !== undefined && !isData(found)) keepAt(context.extra, path, found)
  if (fields.has('key_info') && !Object.hasOwn(result, 'key_info')) {
    result.key_info = fields.value('key_info')
    fields.places.set([...path, 'key_info'].join('.'), [...fields.path, 'key_info'])
  }
  return isData(found) || keysOf(result).length > 0 ? result : undefined
})

/** Document 004 has one; a list of them is read. */
export const deliverables = value<string[]>(textSchema(), ({ fields, names }) => {
  if (Array.isArray(fields.value(...names))) return fields.list(...names)
  const found = fields.text(...names)
  return found === undefined ? undefined : [found]
})

/** The points to validate, alone or with labels for the answers. */
export const validationRequest = value<NonNullable<Package['validation_request']>>(
  mapping({
    items: { ...textList.schema, description: 'Points to validate' },
    options: mapping(Object.fromEntries(DECISIONS.map((option) => [option, textSchema()]))),
  }),
  ({ fields: parent, names, context }) => {
    if (!parent.has(...names)) return undefined
    if (!isData(parent.value(...names))) {
      const items = parent.list(...names)
      parent.places.set('handoff.validation_request.items', [...parent.path, names[0]])
      return items && { items }
    }
    const fields = parent.below(...names)!
    const items = fields.list('items') ?? []
    const options = optionsIn(fields, context.extra)
    context.labels = options ?? {}
    keepRest(context.extra, fields, ['handoff', 'validation_request'])
    return { items, ...present({ options }) }
  },
)

function optionsIn(validated: Fields, extra: Data): Record<string, string> | undefined {
  if (!validated.has('options')) return undefined
  const found = validated.value('options')
  if (!isData(found)) {
    keepAt(extra, ['handoff', 'validation_request', 'options'], found)
    const labels = DECISIONS.map((option) => `${option}: "…"`).join(', ')
    validated.report('warning', 'options_without_labels', `options is a mapping; write ${labels}`, 'options')
    return undefined
  }
  const fields = validated.below('options')!
  const options = keysOf(found).map((key): [string, string] => {
    const message = `nobody can answer ${key}; the options of a gate are ${DECISIONS.join(', ')}`
    if (!isDecision(key.toLowerCase())) fields.report('warning', 'unknown_option', message, key)
    return [key, fields.text(key) ?? '']
  })
  return Object.fromEntries(options)
}

const isDecision = (found: string): found is Decision => (DECISIONS as readonly string[]).includes(found)

const RESPONSE = 'gate_response'

/** The answer to a gate, as a mapping or as the bare decision. */
export const gateResponse = value<NonNullable<NonNullable<Draft['gate']>['response']>>(
  mapping(
    {
      decision: choice(DECISIONS),
      by: textSchema('The person who decided'),
      at: PACKAGE_TIME,
      comment: { type: 'string' },
    },
    ['decision'],
  ),
  ({ fields: parent, names, context }) => {
    if (!parent.has(...names)) return undefined
    if (!isData(parent.value(...names))) {
      const decision = decisionIn(parent, names[0], context)
      parent.places.set(`${RESPONSE}.decision`, [...parent.path, names[0]])
      return decision && { decision }
    }
    const fields = parent.below(...names)!
    const decision = decisionIn(fields, 'decision', context)
    const rest = present({
      by: fields.agent('by', 'decided_by'),
      at: fields.time('at', 'timestamp', 'decided_at'),
      comment: fields.text('comment', 'notes', 'feedback'),
    })
    keepRest(context.extra, fields, [RESPONSE])
    if (decision !== undefined) return { decision, ...rest }
    for (const [key, said] of Object.entries(rest)) keepAt(context.extra, [RESPONSE, key], said)
    return undefined
  },
)

function decisionIn(fields: Fields, key: string, { labels, extra }: PackageReading): Decision | undefined {
  const synonyms = keysOf(labels).flatMap((option): [string, Decision][] => {
    const [meant, label] = [option.toLowerCase(), own(labels, option)]
    return isDecision(meant) && typeof label === 'string' ? [[label.trim().toLowerCase(), meant]] : []
  })
  const words = { ...Decisions, synonyms: { ...Decisions.synonyms, ...Object.fromEntries(synonyms) } }
  const found = fields.value(key)
  const isText = typeof found === 'string'
  if (isText && findWord(words, found)) return fields.word(words, key)
  const what = isText ? `${found} is not an answer to a gate` : 'the answer to the gate is missing'
  fields.report('error', 'unknown_decision', `${what}; write ${DECISIONS.join(', ')}`, key)
  if (found !== undefined) keepAt(extra, [RESPONSE, 'decision'], found)
  return undefined
}

/** The steps as they stand: names and numbers are the workflow's own. */
export const workflowSteps = value<Data>(
  mapping({
    name: textSchema(),
    current_step: { type: 'number' },
    completed_steps: textList.schema,
    remaining_steps: textList.schema,
  }),
  ({ fields: handoff, names }) => {
    const fields = handoff.below(...names)
    const found = handoff.value(...names)
    if (fields === undefined || !isData(found)) return undefined
    const [completed, remaining] = [fields.list('completed_steps'), fields.list('remaining_steps')]
    const open = new Set(remaining)
    for (const each of (completed ?? []).filter((done) => open.has(done))) {
      const message = `the step ${each} is both completed and remaining; keep it in one list`
      fields.report('warning', 'step_twice', message, 'remaining_steps')
    }
    const current = fields.value('current_step')
    if (current !== undefined && current !== null && typeof current !== 'number') fields.text('current_step')
    fields.text('name')
    return found
  },
)

export const UNSAID = 'say what was understood: understood.task, or understood: partial'
export const CLARIFY = 'request_clarification'

/** A mapping with the task in the receiver's words, or one word. */
export const understoodTask = value<Draft>(
  {
    oneOf: [
      mapping(
        { task: textSchema('The task in your own words'), constraints: { type: ['string', 'array'] } },
        ['task'],
      ),
      choice(UNDERSTOOD),
    ],
  },
  ({ fields, names, context }) => {
    if (!fields.has(...names)) fields.report('warning', 'missing_understood', UNSAID)
    if (!isData(fields.value(...names))) {
      const word = fields.word(Understood, ...names)
      context.asked = word === 'partial' || word === 'no'
      return word && { acknowledgment: { understood: word } }
    }
    const inner = fields.below(...names)!
    const task = inner.text('task')
    const constraints = Array.isArray(inner.value('constraints'))
      ? (inner.list('constraints') ?? [])
      : [inner.text('constraints') ?? []].flat()
    const message = 'understood.task is empty; say the task in your own words'
    if (task === undefined) fields.report('error', 'missing_understood_task', message, 'understood')
    const understanding = [...(task === undefined ? [] : [task]), ...constraints]
    return { acknowledgment: { understood: 'yes', understanding } }
  },
)

export const startingFlag = value<boolean>(flag.schema as Schema, ({ fields, names, context }) => {
  const found = fields.boolean(...names)
  if (!context.asked) return found
  const message =
    'work that is not understood is not started; write starting: false, or say what was understood'
  if (found === true) fields.report('warning', 'starting_not_understood', message, 'starting')
  return false
})

/** `received` and `action` say nothing that the rest does not, unless they say something else. */
export const receivedMark = value<unknown>({ const: true }, ({ fields, names, context }) => {
  if (fields.boolean(...names) !== false) return undefined
  keepAt(context.extra, ['acknowledgment', 'received'], false)
  const message = 'an acknowledgment says received: true; leave it out if nothing was received'
  fields.report('warning', 'not_received', message, 'received')
  return undefined
})

export const actionWord = value<unknown>(choice([CLARIFY]), ({ fields, names, context }) => {
  const found = fields.text(...names)
  if (found === undefined || (context.asked && found === CLARIFY)) return undefined
  keepAt(context.extra, ['acknowledgment', 'action'], found)
  const message = `the action ${found} is not known; the only one is ${CLARIFY}`
  if (found !== CLARIFY) fields.report('warning', 'unknown_action', message, 'action')
  return undefined
})

export const ACKNOWLEDGMENT = ['acknowledgment', 'acknowledgement'] as const

/** The acknowledgment beside the package or in it. A receiver that asked first answers again; the last counts. */
export function answerIn(root: Fields, reading: PackageReading): Fields | undefined {
  const parent = [root, reading.handoff].find((fields) => fields.has(...ACKNOWLEDGMENT))
  const found = parent?.value(...ACKNOWLEDGMENT)
  const last = Array.isArray(found)
    ? parent?.each(...ACKNOWLEDGMENT)?.at(-1)
    : parent?.below(...ACKNOWLEDGMENT)
  if (last === undefined || typeof last === 'string') return undefined
  if (Array.isArray(found) && found.length > 1)
    keepAt(reading.extra, ['earlier_acknowledgments'], found.slice(0, -1))
  reading.answer = last
  return last
}
