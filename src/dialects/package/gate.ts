import type { GateType } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import { type Data, isData, keysOf, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { findWord, type Words } from '../text/words.ts'
import { readStep } from './ends.ts'
import { keepAt, keepRest } from './extra.ts'
import { filled, orNothing } from './filled.ts'
import { DECISIONS, type Decision, Decisions, GateTypes } from './words.ts'

export type Gate = NonNullable<Draft['gate']>
type Response = NonNullable<Gate['response']>
export type Options = Readonly<Record<string, string>> | undefined
type Validation = NonNullable<NonNullable<Draft['package']>['validation_request']>

/** Words that say in so many letters that there is no gate. */
const NO_GATE: readonly unknown[] = [null, false, 'none', 'None', 'no', 'aucune', '']

/** A gate is a mapping, or only its type. */
export function readGate(handoff: Fields, extra: Data): Gate | undefined {
  if (!handoff.has('gate')) return undefined
  const found = handoff.value('gate')
  if (NO_GATE.includes(found)) {
    keepAt(extra, ['handoff', 'gate'], found)
    return undefined
  }
  if (isData(found)) {
    const fields = handoff.below('gate')
    if (fields === undefined) return undefined
    const step = readStep(fields, 'step')
    const gate = { type: readType(fields, 'type'), name: fields.text('name'), step }
    keepRest(extra, fields, ['handoff', 'gate'])
    return filled(gate)
  }
  const type = readType(handoff, 'gate')
  handoff.places.set('handoff.gate.type', [...handoff.path, 'gate'])
  handoff.places.set('handoff.gate.name', [...handoff.path, 'gate_name'])
  return filled({ type, name: handoff.text('gate_name') })
}

/** A type that nobody knows must not let the work pass, so it blocks. */
function readType(fields: Fields, key: string): GateType {
  const found = fields.value(key)
  if (typeof found !== 'string' || isPlaceholder(found, 'package') || findWord(GateTypes, found))
    return fields.word(GateTypes, key) ?? 'blocking'
  fields.report(
    'warning',
    'unknown_gate_type',
    `the gate type ${found} is not known and is taken as blocking; write ${GateTypes.words.join(', ')}`,
    key,
  )
  return 'blocking'
}

export function readValidation(handoff: Fields, extra: Data): Validation | undefined {
  if (!handoff.has('validation_request')) return undefined
  if (!isData(handoff.value('validation_request'))) {
    const items = handoff.list('validation_request')
    handoff.places.set('handoff.validation_request.items', [...handoff.path, 'validation_request'])
    return items && { items }
  }
  const fields = handoff.below('validation_request')
  if (fields === undefined) return undefined
  const items = fields.list('items') ?? []
  const options = readOptions(fields, extra)
  keepRest(extra, fields, ['handoff', 'validation_request'])
  return { items, ...present({ options }) }
}

function readOptions(validation: Fields, extra: Data): Record<string, string> | undefined {
  if (!validation.has('options')) return undefined
  const found = validation.value('options')
  if (!isData(found)) {
    keepAt(extra, ['handoff', 'validation_request', 'options'], found)
    validation.report(
      'warning',
      'options_without_labels',
      `options is a mapping; write ${DECISIONS.map((option) => `${option}: "…"`).join(', ')}`,
      'options',
    )
    return undefined
  }
  const fields = validation.below('options')
  if (fields === undefined) return undefined
  const options = keysOf(found).map((key): [string, string] => {
    if (!isDecision(key.toLowerCase()))
      fields.report(
        'warning',
        'unknown_option',
        `nobody can answer ${key}; the options of a gate are ${DECISIONS.join(', ')}`,
        key,
      )
    return [key, fields.text(key) ?? '']
  })
  return Object.fromEntries(options)
}

const isDecision = (text: string): text is Decision => (DECISIONS as readonly string[]).includes(text)

/** The labels of the gate at hand are other names for its options. */
function wordsFor(options: Readonly<Record<string, string>>): Words<Decision> {
  const labels = keysOf(options).flatMap((key): [string, Decision][] => {
    const [option, label] = [key.toLowerCase(), own(options, key)]
    return isDecision(option) && typeof label === 'string' ? [[label.trim().toLowerCase(), option]] : []
  })
  return { ...Decisions, synonyms: { ...Decisions.synonyms, ...Object.fromEntries(labels) } }
}

/** The answer to a gate, as a mapping or as the bare decision. */
export function readGateResponse(parent: Fields, extra: Data, options: Options = {}): Response | undefined {
  const key = 'gate_response'
  if (!parent.has(key)) return undefined
  const words = wordsFor(options)
  if (!isData(parent.value(key))) {
    const decision = readDecision(parent, key, words, extra)
    parent.places.set('gate_response.decision', [...parent.path, key])
    return decision && { decision }
  }
  const fields = parent.below(key)
  if (fields === undefined) return undefined
  const decision = readDecision(fields, 'decision', words, extra)
  const rest = {
    by: fields.agent('by', 'decided_by'),
    at: fields.time('at', 'timestamp', 'decided_at'),
    comment: fields.text('comment', 'notes', 'feedback'),
  }
  keepRest(extra, fields, [key])
  if (decision !== undefined) return { decision, ...filled(rest) }
  for (const [name, value] of Object.entries(filled(rest))) keepAt(extra, [key, name], value)
  return undefined
}

function readDecision(
  fields: Fields,
  key: string,
  words: Words<Decision>,
  extra: Data,
): Decision | undefined {
  const found = fields.value(key)
  if (typeof found === 'string' && findWord(words, found)) return fields.word(words, key)
  const what =
    typeof found === 'string' ? `${found} is not an answer to a gate` : 'the answer to the gate is missing'
  fields.report('error', 'unknown_decision', `${what}; write ${DECISIONS.join(', ')}`, key)
  if (found !== undefined) keepAt(extra, ['gate_response', 'decision'], found)
  return undefined
}

export const nativeGate = ({ gate }: Draft): Data | undefined =>
  gate && orNothing({ type: gate.type, name: gate.name, step: gate.step })

export const nativeGateResponse = ({ gate }: Draft): Data | undefined =>
  gate?.response &&
  filled({
    decision: gate.response.decision,
    by: gate.response.by,
    at: gate.response.at,
    comment: gate.response.comment,
  })
