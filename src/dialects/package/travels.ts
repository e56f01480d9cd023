import type { ArtifactRef, Package } from '../../domain/handoffs/package.ts'
import { type Data, isData, keysOf } from '../difference.ts'
import type { Fields } from '../fields.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { findWord, type Words } from '../text/words.ts'
import { keepAt, keepRest } from './extra.ts'
import { filled, isBlank, orNothing } from './filled.ts'
import { readValidation } from './gate.ts'
import { ArtifactTypes, QuestionPriorities } from './words.ts'

/** What travels: `context`, `expectations` and `validation_request`. */
export function readTravels(handoff: Fields, extra: Data): Package | undefined {
  return orNothing({
    ...readContext(handoff, extra),
    ...readExpectations(handoff, extra),
    validation_request: readValidation(handoff, extra),
  })
}

const CONTEXT = 'context'

function readContext(handoff: Fields, extra: Data): Package {
  const found = handoff.value(CONTEXT)
  const fields = isData(found) ? handoff.below(CONTEXT) : undefined
  const summary = isData(found) || found === undefined ? undefined : readPlainContext(handoff)
  const said = summary ?? holder(handoff, fields, CONTEXT, 'summary')?.text('summary')
  const read = {
    summary: said,
    context: said === undefined ? undefined : readBackground(fields, extra),
    decisions: readDecisions(handoff, fields, extra),
    artifacts: readArtifacts(handoff, fields, extra),
    open_questions: readQuestions(handoff, fields, extra),
    data: fields && readData(fields, extra),
    input: fields?.value('input'),
  }
  if (fields) keepRest(extra, fields, ['handoff', CONTEXT])
  return filled(read)
}

/** Text beside the summary. */
function readBackground(fields: Fields | undefined, extra: Data): string | undefined {
  const found = fields?.value('background')
  if (typeof found === 'string' && found.trim() !== '') return found
  if (found !== undefined) keepAt(extra, ['handoff', CONTEXT, 'background'], found)
  return undefined
}

/** Text where keys belong is what the sender had to say. */
function readPlainContext(handoff: Fields): string | undefined {
  const text = handoff.text(CONTEXT)
  if (text === undefined) return undefined
  handoff.places.set('handoff.context.summary', [...handoff.path, CONTEXT])
  handoff.report(
    'warning',
    'context_as_text',
    'context has keys of its own; put this text below it as summary',
    CONTEXT,
  )
  return text
}

/** The mapping that holds a key: the one where it belongs, else the package itself, where people put it too. */
function holder(handoff: Fields, fields: Fields | undefined, parent: string, ...names: readonly string[]) {
  if (fields?.has(...names)) return fields
  if (!handoff.has(...names)) return undefined
  const [first = ''] = names
  const place = names.find((name) => handoff.has(name)) ?? first
  handoff.places.set(`handoff.${parent}.${first}`, [...handoff.path, place])
  handoff.report(
    'warning',
    'misplaced_key',
    `${place} stands below handoff; it belongs below ${parent}`,
    place,
  )
  return handoff
}

function readDecisions(handoff: Fields, context: Fields | undefined, extra: Data): Package['decisions'] {
  return readEach(handoff, context, 'decisions', (fields, keep) => {
    const id = fields.text('id')
    const decision = required(fields, 'decision', 'choice')
    const rationale = fields.text('rationale', 'why', 'reason')
    keep(extra)
    return { ...filled({ id }), decision, ...filled({ rationale }) }
  })?.map((each) => (typeof each === 'string' ? { decision: each } : each))
}

function readQuestions(handoff: Fields, context: Fields | undefined, extra: Data): Package['open_questions'] {
  return readEach(handoff, context, 'open_questions', (fields, keep, place) => {
    const question = required(fields, 'question')
    const priority = readWord(fields, QuestionPriorities, 'priority', place)
    const about = fields.text('context')
    keep(extra, priority === undefined ? ['priority'] : [])
    return { question, ...filled({ priority, context: about }) }
  })?.map((each) => (typeof each === 'string' ? { question: each } : each))
}

const ROLES = ['input', 'output', 'changed'] as const

function readArtifacts(handoff: Fields, context: Fields | undefined, extra: Data): Package['artifacts'] {
  const all = readEach(handoff, context, 'artifacts', (fields, keep, place) => {
    const type = readWord(fields, ArtifactTypes, 'type', place) ?? fields.text('type')
    const role = ROLES.find((each) => each === fields.value('role'))
    const sha256 = fields.value('sha256')
    const isHash = typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)
    const path = required(fields, 'path', 'file')
    const artifact = {
      path,
      ...filled({ type, role, description: fields.text('description') }),
      ...(isHash && { sha256 }),
      ...filled({ commit: fields.text('commit') }),
    }
    if (path === '') return undefined
    keep(extra, [...(role ? [] : ['role']), ...(isHash ? [] : ['sha256'])])
    return artifact
  })
  return all?.map((each): ArtifactRef => (typeof each === 'string' ? { path: each } : each))
}

type Keep = (extra: Data, also?: readonly string[]) => void

/** Each element of a list that could be read; the reader says when it has asked for all it knows. */
function readEach<T>(
  handoff: Fields,
  context: Fields | undefined,
  name: string,
  read: (fields: Fields, keep: Keep, place: string) => T | undefined,
): (T | string)[] | undefined {
  const parent = holder(handoff, context, CONTEXT, name)
  const elements = parent?.each(name)
  if (parent === undefined || elements === undefined) return undefined
  const all: (T | string)[] = []
  for (const [i, each] of elements.entries()) {
    const place = `handoff.context.${name}[${i}]`
    // Unknown keys go with the element that is kept, wherever it ends up.
    const path = ['handoff', CONTEXT, name, all.length]
    const made =
      typeof each === 'string' ? each : read(each, (...kept) => keepElement(each, path, ...kept), place)
    if (made === undefined) continue
    if (typeof made === 'string' && !isPlaceholder(made, 'package'))
      parent.report(
        'warning',
        'element_as_text',
        `${place} has keys of its own; "${made}" is only a text`,
        name,
        i,
      )
    all.push(made)
  }
  return all
}

function keepElement(
  fields: Fields,
  path: (string | number)[],
  extra: Data,
  also: readonly string[] = [],
): void {
  const rest = fields.rest()
  for (const key of keysOf(rest)) keepAt(extra, [...path, key], rest[key])
  for (const key of also) if (fields.has(key)) keepAt(extra, [...path, key], fields.value(key))
}

/** An element without its main text is reported and stays, empty, so that the others keep their places. */
function required(fields: Fields, ...names: readonly string[]): string {
  const text = fields.text(...names)
  if (text === undefined && isBlank(fields.value(...names)))
    fields.report('error', `missing_${names[0]}`, `write what this is about as ${names[0]}`)
  return text ?? ''
}

/** A word of a table, or an error that names the place and the words. */
function readWord<T extends string>(
  fields: Fields,
  words: Words<T>,
  key: string,
  place: string,
): T | undefined {
  const value = fields.value(key)
  if (typeof value !== 'string' || value.trim() === '' || isPlaceholder(value, 'package')) return undefined
  if (findWord(words, value)) return fields.word(words, key)
  fields.report(
    'error',
    `unknown_${words.name}`,
    `${place}.${key} says "${value}"; write one of ${words.words.join(', ')}`,
    key,
  )
  return undefined
}

/** Background as data. Lists of facts beside the document's own keys are such data too. */
function readData(context: Fields, extra: Data): Package['data'] {
  const found = context.value('data')
  const data: Data = isData(found) ? { ...found } : {}
  if (found !== undefined && !isData(found)) keepAt(extra, ['handoff', CONTEXT, 'data'], found)
  if (context.has('key_info') && !Object.hasOwn(data, 'key_info')) {
    data.key_info = context.value('key_info')
    context.places.set('handoff.context.data.key_info', [...context.path, 'key_info'])
  }
  return isData(found) || keysOf(data).length > 0 ? data : undefined
}

const EXPECTATIONS = 'expectations'

function readExpectations(handoff: Fields, extra: Data): Package {
  const found = handoff.value(EXPECTATIONS)
  const fields = isData(found) ? handoff.below(EXPECTATIONS) : undefined
  if (found !== undefined && found !== null && !isData(found)) {
    const deliverables = Array.isArray(found)
      ? handoff.list(EXPECTATIONS)
      : [handoff.text(EXPECTATIONS) ?? []].flat()
    handoff.places.set('handoff.expectations.deliverable', [...handoff.path, EXPECTATIONS])
    handoff.report(
      'warning',
      'expectations_as_text',
      'expectations has keys of its own; put this below it as deliverable',
      EXPECTATIONS,
    )
    return filled({ deliverables })
  }
  const read = {
    deliverables: readDeliverables(holder(handoff, fields, EXPECTATIONS, 'deliverable', 'deliverables')),
    constraints: holder(handoff, fields, EXPECTATIONS, 'constraints')?.list('constraints'),
    criteria: readCriteria(handoff, fields),
  }
  if (fields) keepRest(extra, fields, ['handoff', EXPECTATIONS])
  return filled(read)
}

function readCriteria(handoff: Fields, fields: Fields | undefined): string[] | undefined {
  const names = ['success_criteria', 'criteria', 'acceptance_criteria']
  return holder(handoff, fields, EXPECTATIONS, ...names)?.list(...names)
}

function readDeliverables(fields: Fields | undefined): string[] | undefined {
  const names = ['deliverable', 'deliverables']
  if (fields === undefined) return undefined
  if (Array.isArray(fields.value(...names))) return fields.list(...names)
  const text = fields.text(...names)
  return text === undefined ? undefined : [text]
}
