import { ANYONE } from '../../domain/actor.ts'
import type { Interpretation } from '../dialect.ts'
import { type Data, isData, keysOf, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import { PRIORITY_WORDS } from '../text/words.ts'
import { readFrom, readTo } from './ends.ts'
import { keepAt, keepRest } from './extra.ts'
import { readAcknowledgment } from './files/acknowledgment.ts'
import { readState } from './files/state-file.ts'
import { filled, type MaybeUndefined, orNothing } from './filled.ts'
import { type Options, readGate, readGateResponse } from './gate.ts'
import { judged } from './judged.ts'
import { readTravels } from './travels.ts'
import { inferType, marksOf, Types, WHY } from './types.ts'
import { Statuses, stateOf } from './words.ts'

/** What a source says, by its form. A state file and a session tell of many handoffs and give no draft. */
export function interpret(source: Source, form: string): Interpretation {
  const root = fieldsOf(source)
  if (form === 'session') return { diagnostics: [] }
  if (form === 'state') return { diagnostics: readState(source).diagnostics }
  if (root === undefined) return { diagnostics: [nothing(source)] }
  const extra: Data = {}
  const draft = READERS[form]?.(root, extra, source)
  if (draft === undefined) {
    const isSaid = root.diagnostics.some(({ severity }) => severity === 'error')
    return { diagnostics: isSaid ? root.diagnostics : [nothing(source)] }
  }
  const whole: Draft = { ...draft, ...(keysOf(extra).length > 0 && { extra }) }
  return { ...judged(whole, source, root), places: root.places }
}

type Reader = (root: Fields, extra: Data, source: Source) => Draft | undefined

const READERS: Readonly<Record<string, Reader>> = {
  package: readPackage,
  acknowledgment: (root, extra) => {
    const fields = root.below(...ACKNOWLEDGMENT)
    const draft = fields && readAcknowledgment(fields, extra)
    return draft && ownKeys(draft, root, extra, 'acknowledgment')
  },
  gate_response: (root, extra) => {
    const response = readGateResponse(root, extra)
    return response && ownKeys({ gate: { response } }, root, extra, 'gate_response')
  },
}

export const ACKNOWLEDGMENT = ['acknowledgment', 'acknowledgement'] as const

const nothing = (source: Source) => ({
  severity: 'error' as const,
  code: 'no_package',
  message: 'nothing of a handoff package can be read here; a package begins with handoff: and keys below it',
  ...source.position(source.start),
})

function readPackage(root: Fields, extra: Data, source: Source): Draft | undefined {
  const handoff = root.below('handoff')
  if (handoff === undefined) return undefined
  // The slot is read by whoever reads all dialects.
  handoff.value('x_baton')
  const travels = readTravels(handoff, extra)
  const draft: Draft = filled({
    id: readId(handoff),
    created_at: readTime(handoff),
    ...readFrom(handoff, extra),
    ...readTo(handoff, extra),
    ...readNames(handoff, root),
    gate: readGates(handoff, root, extra, travels?.validation_request?.options),
    package: travels,
    workflow: readWorkflow(handoff),
    ...readEmbeddedAcknowledgment(handoff, root, extra),
    body: source.kind === 'markdown' && source.body?.trim() ? source.body : undefined,
  })
  draft.task ??= workflowTask(draft.workflow)
  const type = readType(handoff, draft)
  keepRest(extra, handoff, ['handoff'])
  return ownKeys({ ...filled(draft), type }, root, extra, 'handoff')
}

/** Marks the unknown keys as a package's, so that they and the text around it are written back. */
function ownKeys(draft: Draft, root: Fields, extra: Data, name: string): Draft {
  keepRest(extra, root, [])
  const incomplete = name === 'handoff' && (draft.from === undefined || draft.to === undefined)
  const marked = keysOf(extra).length > 0 || incomplete || draft.body !== undefined
  if (marked && !isData(own(extra, name))) keepAt(extra, [name], {})
  return draft
}

const PACKAGE_ID = /^HO-(?:\d{4}-)?\d{3,}$/

function readId(handoff: Fields): string | undefined {
  const id = handoff.text('id', 'handoff_id')
  if (id === undefined)
    handoff.report('info', 'missing_id', 'the package has no id; it is given one when it is sent')
  else if (!PACKAGE_ID.test(id) && !id.startsWith('['))
    handoff.report('info', 'odd_id', `${id} is kept; ids of packages look like HO-2024-001 or HO-001`, 'id')
  return id
}

function readTime(handoff: Fields): string | undefined {
  const time = handoff.time('timestamp', 'created_at', 'date', 'created')
  if (time === undefined && !handoff.has('timestamp', 'created_at', 'date', 'created'))
    handoff.report(
      'info',
      'missing_timestamp',
      'the package has no timestamp; it is given one when it is sent',
    )
  return time
}

/** Keys that document 004 does not have and that people write all the same. */
function readNames(handoff: Fields, root: Fields): MaybeUndefined<Draft> {
  const status = handoff.word(Statuses, 'status', 'state')
  return {
    state: status && stateOf(status),
    title: handoff.text('title', 'subject'),
    priority: handoff.word(PRIORITY_WORDS, 'priority'),
    task: readName(handoff, root, 'task', 'workflow_state.name'),
    project: readName(handoff, root, 'project', 'project'),
    in_reply_to: handoff.text('in_reply_to', 'reply_to'),
  }
}

/** A name of something, as text, or as a mapping with an id, in the package or beside it. */
function readName(handoff: Fields, root: Fields, key: string, native: string): string | undefined {
  const parent = [handoff, root].find((fields) => fields.has(key, `${key}_id`))
  if (parent === undefined) return undefined
  const found = parent.value(key, `${key}_id`)
  const [fields, names] = isData(found)
    ? [parent.below(key, `${key}_id`), ['id', `${key}_id`, 'name']]
    : [parent, [key, `${key}_id`]]
  const text = fields?.text(...names)
  const name = fields && names.find((each) => fields.has(each))
  if (fields && name !== undefined) handoff.places.set(`handoff.${native}`, [...fields.path, name])
  return text
}

function workflowTask(workflow: Draft['workflow']): string | undefined {
  const name = own(workflow, 'name')
  return typeof name === 'string' && name !== '' && !name.startsWith('[') && name.length <= 200
    ? name
    : undefined
}

function readGates(handoff: Fields, root: Fields, extra: Data, options: Options): Draft['gate'] {
  const gate = readGate(handoff, extra)
  const parent = root.has('gate_response') ? root : handoff
  const response = readGateResponse(parent, extra, options)
  if (parent === handoff && handoff.has('gate_response'))
    handoff.places.set('gate_response', [...handoff.path, 'gate_response'])
  return orNothing({ ...gate, response })
}

/** The steps as they stand: names and numbers are the workflow's own. */
function readWorkflow(handoff: Fields): Draft['workflow'] {
  const fields = handoff.below('workflow_state', 'workflow')
  const found = handoff.value('workflow_state', 'workflow')
  if (fields === undefined || !isData(found)) return undefined
  const [completed, remaining] = [fields.list('completed_steps'), fields.list('remaining_steps')]
  const open = new Set(remaining)
  for (const step of completed ?? [])
    if (open.has(step))
      fields.report(
        'warning',
        'step_twice',
        `the step ${step} is both completed and remaining; keep it in one list`,
        'remaining_steps',
      )
  const current = fields.value('current_step')
  if (current !== undefined && current !== null && typeof current !== 'number') fields.text('current_step')
  fields.text('name')
  return found
}

function readEmbeddedAcknowledgment(handoff: Fields, root: Fields, extra: Data): Partial<Draft> {
  const parent = [root, handoff].find((fields) => fields.has(...ACKNOWLEDGMENT))
  if (parent === undefined) return {}
  // A receiver that asked first answers again; what it said last counts.
  const found = parent.value(...ACKNOWLEDGMENT)
  const isList = Array.isArray(found)
  const last = isList ? parent.each(...ACKNOWLEDGMENT)?.at(-1) : parent.below(...ACKNOWLEDGMENT)
  if (last === undefined || typeof last === 'string') return {}
  if (isList && found.length > 1) keepAt(extra, ['earlier_acknowledgments'], found.slice(0, -1))
  if (last.path.join('.') !== 'acknowledgment') handoff.places.set('acknowledgment', last.path)
  return readAcknowledgment(last, extra)
}

function readType(handoff: Fields, draft: Draft) {
  const marks = marksOf(draft)
  const inferred = inferType(marks)
  const given = handoff.word(Types, 'type', 'handoff_type')
  if (given !== undefined && given !== inferred)
    handoff.report(
      'warning',
      'type_contradicts',
      `type says ${given}, but the package reads as ${inferred}: ${WHY[inferred]}`,
      'type',
    )
  if (marks.gate && draft.to !== ANYONE && typeof draft.to === 'string')
    handoff.report(
      'warning',
      'gate_not_to_human',
      `a gate is answered by a person; write to.agent: ${ANYONE}, or leave the gate out`,
      'to',
    )
  return given ?? inferred
}
