import { TYPES } from '../../domain/handoffs/handoff.ts'
import type { ArtifactRef, Package } from '../../domain/handoffs/package.ts'
import { PRIORITIES } from '../../domain/priority.ts'
import { type Data, isData, own, pickKeys, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { isAbsent } from '../fields.ts'
import { fieldPath, mapping, type Schema, text as textSchema } from '../json-schema.ts'
import { hidden, shown, text, words } from '../table/codecs.ts'
import { type Codec, type KeyPlace, type Table, tableFor } from '../table/row.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import type { Path } from '../text/source.ts'
import { findWord, PRIORITY_WORDS, type Words } from '../text/words.ts'
import { keepAt, keepRest } from './extra.ts'
import * as said from './said.ts'
import type { PackageReading } from './values.ts'
import * as is from './values.ts'
import { ArtifactTypes, QuestionPriorities } from './words.ts'

type At = KeyPlace<PackageReading>

/** One key of the elements of a list. */
interface Part {
  readonly key: string
  readonly read?: (at: At) => unknown
  readonly schema?: Schema
  readonly also?: readonly string[]
  /** A value that is not understood stays as it stands. */
  readonly isKept?: boolean
}

/** A list of mappings. The main key is what each element is about; an element that is only a text says that. */
function elements<T>(
  main: string,
  parts: readonly Part[],
  isDroppedEmpty = false,
): Codec<T[], PackageReading> {
  const keys = parts.map(({ key }) => key)
  const properties = parts.flatMap(({ key, schema }) => (schema ? [[key, schema]] : []))
  return {
    schema: { type: 'array', items: mapping(Object.fromEntries(properties), [main]) },
    write: (list) => list.map((each) => pickKeys(each, keys)),
    read: (at) => {
      const { fields, names } = at
      const list = fields.each(...names)
      const all: Data[] = []
      for (const [i, each] of list?.entries() ?? []) {
        const made =
          typeof each === 'string' ? { [main]: each } : readElement({ ...at, fields: each }, parts, main)
        if (typeof each === 'string' && !isPlaceholder(each, 'package')) {
          const place = `handoff.context.${names[0]}[${i}]`
          const message = `${place} has keys of its own; "${each}" is only a text`
          fields.report('warning', 'element_as_text', message, names[0], i)
        }
        if (isDroppedEmpty && own(made, main) === '') continue
        if (typeof each !== 'string')
          keepParts({ ...at, fields: each }, parts, made, ['handoff', 'context', names[0], all.length])
        all.push(made)
      }
      return list && (all as T[])
    },
  }
}

/** An element without its main text is reported and stays, empty, so that the others keep their places. */
function readElement(at: At, parts: readonly Part[], main: string): Data {
  const element: Data = {}
  for (const { key, also = [], read = readText } of parts) {
    const names = [key, ...also] as const
    const found = read({ ...at, names })
    if (key === main && found === undefined && isAbsent(at.fields.value(...names)))
      at.fields.report('error', `missing_${key}`, `write what this is about as ${key}`)
    if (found !== undefined || key === main) put(element, key, found ?? '')
  }
  return element
}

const readText = ({ fields, names }: At): string | undefined => fields.text(...names)

/** Unknown keys go with the element that is kept, wherever it ends up. */
function keepParts(
  { fields, context }: At,
  parts: readonly Part[],
  element: Data,
  path: (string | number)[],
): void {
  keepRest(context.extra, fields, path)
  for (const { key, isKept } of parts)
    if (isKept && own(element, key) === undefined && fields.has(key))
      keepAt(context.extra, [...path, key], fields.value(key))
}

/** A word of a table, or an error that names the place and the words. */
const knownWord =
  <T extends string>(words: Words<T>) =>
  ({ fields, names: [key] }: At): T | undefined => {
    const found = fields.value(key)
    if (typeof found !== 'string' || found.trim() === '' || isPlaceholder(found, 'package')) return undefined
    if (findWord(words, found)) return fields.word(words, key)
    const message = `${fieldPath(fields.path)}.${key} says "${found}"; write one of ${words.words.join(', ')}`
    return fields.report('error', `unknown_${words.name}`, message, key)
  }

export type PackageForm = 'package' | 'acknowledgment' | 'gate_response'

type Element<K extends 'decisions' | 'open_questions'> = NonNullable<Package[K]>[number]
const TEXT = { schema: textSchema() }
const ANY_TEXT = { schema: { type: 'string' } }
const ROLES: readonly unknown[] = ['input', 'output', 'changed']
const HASH = /^[0-9a-f]{64}$/
const artifactType = knownWord(ArtifactTypes)
const hash = (found: unknown) => (typeof found === 'string' && HASH.test(found) ? found : undefined)

const decisionList = elements<Element<'decisions'>>('decision', [
  { key: 'id', schema: textSchema('pending: not yet taken') },
  { key: 'decision', also: ['choice'], ...TEXT },
  { key: 'rationale', also: ['why', 'reason'], ...TEXT },
])
// biome-ignore format: read as a table
const artifactList = elements<ArtifactRef>('path', [
  { key: 'path', also: ['file'], schema: textSchema('Relative to the project; a folder ends with /') },
  { key: 'type', read: (at) => artifactType(at) ?? at.fields.text('type'), schema: { enum: ArtifactTypes.words } },
  { key: 'description', ...ANY_TEXT },
  { key: 'role', read: ({ fields }) => ROLES.find((role) => role === fields.value('role')), isKept: true },
  { key: 'sha256', read: ({ fields }) => hash(fields.value('sha256')), isKept: true },
  { key: 'commit' },
], true)
// biome-ignore format: read as a table
const questionList = elements<Element<'open_questions'>>('question', [
  { key: 'question', ...TEXT },
  { key: 'priority', read: knownWord(QuestionPriorities), schema: { enum: QuestionPriorities.words }, isKept: true },
  { key: 'context', ...ANY_TEXT },
])

const context = <T>(as: Parameters<typeof is.below<T>>[1], alone?: string) => is.below('context', as, alone)
const expected = <T>(as: Parameters<typeof is.below<T>>[1], alone?: string) =>
  is.below('expectations', as, alone)
const agentBelow = (end: 'from' | 'to') => is.AGENT_KEYS.slice(1).map((key) => `handoff.${end}.${key}`)

const { row, bundle, kept, table } = tableFor<PackageForm, is.PackageReading>()
const PACKAGE = ['package'] as const
const ANSWER = ['acknowledgment'] as const
const NO_DEADLINE = 'a package has no deadline'
const NO_METRICS = 'a package has no metrics'
const NO_PHASES = 'a package counts steps, not phases'
const NO_RETRY = 'a package is not retried but sent again'
const NO_SCHEMAS = 'a package names no schemas'
const NO_TASKS = 'a package names steps of a workflow, not tasks'
const ONE_TIME = 'a package has one time, when it was made'

/** Document 004. */
// biome-ignore format: read as a table
export const PACKAGE_TABLE: Table = table({
  groups: {
    'handoff.from':         { also: ['from_agent'], lone: 'agent' },
    'handoff.to':           { also: ['to_agent'], lone: 'agent' },
    'handoff.gate':         { lone: 'type' },
    'handoff.context':      { lone: 'summary' },
    'handoff.expectations': { lone: 'deliverable' },
    acknowledgment:         { find: is.answerIn },
  },
  rows: [
    row('id',                       'handoff.id',                 is.packageId,          { also: ['handoff.handoff_id'], live: 'fixed', says: 'HO-2024-001 or HO-001; given when the package is sent' }),
    row('created_at',               'handoff.timestamp',          is.createdAt,     { also: ['handoff.created_at', 'handoff.date', 'handoff.created'], live: 'fixed' }),
    row('from',                     'handoff.from.agent',         is.agentName,       { also: agentBelow('from'), need: PACKAGE, live: 'fixed', asked: 'a package names the agent that sends it' }),
    row('from_step',                'handoff.from.step',          is.stepName,        { also: ['handoff.from_step'] }),
    row('from_role',                'handoff.from.role',          text,           { also: ['handoff.from.agent_type', 'handoff.from_role'] }),
    row('to',                       'handoff.to.agent',           is.receiver,    { also: agentBelow('to'), from: said.someReceiver, need: PACKAGE, live: 'fixed', asked: 'a package goes to an agent, or to human for a person', lossy: 'a package always goes to somebody' }),
    row('to_reason',                'handoff.to.reason',          text,           { also: ['handoff.to.why', 'handoff.reason'], from: said.anyReason, says: 'Why this agent' }),
    row('to_step',                  'handoff.to.step',            is.stepName,        { also: ['handoff.to_step'] }),
    row('to_role',                  'handoff.to.role',            text,           { also: ['handoff.to.agent_type', 'handoff.to_role'] }),
    row('gate.type',                'handoff.gate.type',          is.gateType,    { core: true, live: 'fixed' }),
    row('gate.name',                'handoff.gate.name',          is.gateName,    { also: ['handoff.gate_name'], live: 'fixed' }),
    row('gate.step',                'handoff.gate.step',          is.stepName,        { live: 'fixed' }),
    row('package.summary',          'handoff.context.summary',    context(text, 'text below it as summary'), { also: ['handoff.summary'], need: PACKAGE, from: said.anySummary, live: 'amend', says: 'The work so far, in two or three sentences' }),
    row('package.context',          'handoff.context.background', is.backgroundText,  { from: said.backgroundBeside, live: 'amend', says: 'More that the receiver must know', lossy: 'a package says it as context.summary where there is no other' }),
    row('package.decisions',        'handoff.context.decisions',  context(decisionList), { also: ['handoff.decisions'], live: 'amend' }),
    row('package.artifacts',        'handoff.context.artifacts',  context(artifactList), { also: ['handoff.artifacts'], from: said.listedArtifacts, live: 'amend', lossy: 'created and changed files are listed with it' }),
    row('package.open_questions',   'handoff.context.open_questions', context(questionList), { also: ['handoff.open_questions'], live: 'amend' }),
    row('package.data',             'handoff.context.data',       is.factData,        { from: said.dataAndRecord, live: 'amend', lossy: 'created and changed files are listed with it' }),
    row('package.input',            'handoff.context.input',      hidden,       { live: 'amend' }),
    row('package.validation_request', 'handoff.validation_request', is.validationRequest, { live: 'amend' }),
    row('package.deliverables',     'handoff.expectations.deliverable', expected(is.deliverables, 'below it as deliverable'), { also: ['handoff.expectations.deliverables', 'handoff.deliverable', 'handoff.deliverables'], from: said.oneDeliverable, live: 'amend', says: 'The result expected from the receiver', lossy: 'a package has one deliverable, so they were joined' }),
    row('package.constraints',      'handoff.expectations.constraints', expected(is.textList), { also: ['handoff.constraints'], live: 'amend' }),
    row('package.criteria',         'handoff.expectations.success_criteria', expected(is.textList), { also: ['handoff.expectations.criteria', 'handoff.expectations.acceptance_criteria', 'handoff.success_criteria', 'handoff.criteria', 'handoff.acceptance_criteria'], live: 'amend', says: 'Each can be measured' }),
    row('task',                     'handoff.workflow_state.name', shown(),          { from: said.unwritten, live: 'fixed' }),
    row('workflow',                 'handoff.workflow_state',     is.workflowSteps,    { also: ['handoff.workflow'], from: said.workflowWithTask }),
    row('type',                     'handoff.type',               shown({ enum: [...TYPES] }), { from: said.typeUnlessInferred, live: 'follows', says: 'Only needed where it does not follow from the rest' }),
    row('state',                    'handoff.status',             is.stateWord,      { also: ['handoff.state'], from: said.statusWord, live: 'step', lossy: 'the nearest status was written' }),
    row('title',                    'handoff.title',              text,           { also: ['handoff.subject'], live: 'amend' }),
    row('priority',                 'handoff.priority',           words(PRIORITY_WORDS), { live: 'fixed', schema: { enum: [...PRIORITIES] } }),
    row('task',                     'handoff.task',               shown(textSchema()), { from: said.taskUnlessWorkflow, live: 'fixed', says: 'The task, if its name is not that of the workflow' }),
    row('project',                  'handoff.project',            shown(textSchema())),
    row('in_reply_to',              'handoff.in_reply_to',        text,           { also: ['handoff.reply_to'], live: 'fixed', says: 'The delegation that a return answers' }),
    kept(                           'handoff.x_baton',            shown({ type: 'object' }), { says: 'Fields that Baton keeps for other formats' }),
    kept(                           'acknowledgment.received',    is.receivedMark,    { core: true, need: ANSWER, from: said.receivedAgain }),
    row('acknowledgment.handoff_id', 'acknowledgment.handoff_id', text,           { also: ['acknowledgment.handoff', 'acknowledgment.id'], live: 'step' }),
    row('acknowledgment.from',      'acknowledgment.from',        is.agentName,       { from: said.answeredTo, live: 'step', says: 'The agent that sent the package' }),
    row('accepted_by',              'acknowledgment.by',          is.agentName,       { also: ['acknowledgment.agent', 'acknowledgment.receiver'], live: 'step', says: 'The agent that received it' }),
    row('acknowledgment.at',        'acknowledgment.at',          is.instant,        { also: ['acknowledgment.timestamp', 'acknowledgment.acknowledged_at'], from: said.answeredAt, live: 'follows' }),
    row('accepted_at',              'acknowledgment.at', shown(),           { from: said.answeredAt, live: 'follows', lossy: 'the acknowledgment has one time' }),
    bundle(['acknowledgment.understood', 'acknowledgment.understanding'], 'acknowledgment.understood', is.understoodTask, { core: true, need: ANSWER, from: said.understoodAs, live: 'step' }),
    row('acknowledgment.questions', 'acknowledgment.questions',   is.textList,        { live: 'step' }),
    row('acknowledgment.blockers',  'acknowledgment.blockers',    is.textList,        { live: 'step', says: 'For example: Artifact docs/api.md not found' }),
    row('acknowledgment.starting',  'acknowledgment.starting',    is.startingFlag,    { from: said.startingUnlessAsked, live: 'step' }),
    kept(                           'acknowledgment.action',      is.actionWord,      { from: said.clarification }),
    row('ack_notes',                'acknowledgment.notes',       { read: text.read!, write: text.write },       { also: ['acknowledgment.note', 'acknowledgment.comment'], live: 'step' }),
    row('gate.response',            'gate_response',              is.gateResponse, { also: ['handoff.gate_response'], need: ['gate_response'], live: 'step' }),
  ],
  lost: {
    uid: 'a package is known by its id', supersedes: 'a package does not say what it replaces', body: 'a package is data without text around it',
    from_phase: NO_PHASES, to_phase: NO_PHASES, phase: NO_PHASES, metrics: NO_METRICS, progress: NO_METRICS, depends_on: NO_TASKS, next_steps: NO_TASKS,
    updated_at: ONE_TIME, started_at: ONE_TIME, ended_at: ONE_TIME, not_before: ONE_TIME, ack_deadline: NO_DEADLINE, target_completion: NO_DEADLINE, timeout_s: NO_DEADLINE,
    retry_count: NO_RETRY, retry: NO_RETRY, retry_available: NO_RETRY, on_failure: NO_RETRY, input_schema: NO_SCHEMAS, output_schema: NO_SCHEMAS,
    error: 'a package does not say how work failed', rejection: 'a package does not say why it was rejected', verification: 'a package does not say how work was verified',
    review: 'a package does not name a reviewer', expected_output: 'a package expects a deliverable in words',
    result: 'a package lists the files of a result as artifacts and says nothing else of it',
    record: 'a package keeps it as context.data.record, its files as artifacts',
    'acknowledgment.understanding': 'an acknowledgment that asks back does not say what was understood',
    'package.purpose': 'a package says it as to.reason or expectations.deliverable',
    'package.links': 'a package has no links; the meeting is listed as an artifact',
    'package.checks': 'a package has criteria in words and no checks',
  },
})

/** An answer that stands alone has only its own rows. */
const alone = (form: PackageForm): Table => {
  const isOwnKey = (key: string) => key.split('.')[0] === form
  const rows = PACKAGE_TABLE.rows.filter(({ key }) => isOwnKey(key))
  return {
    ...PACKAGE_TABLE,
    rows: rows.map((each) => ({ ...each, also: each.also?.filter(isOwnKey) ?? [] })),
  }
}
export const FORM_TABLES: Readonly<Record<PackageForm, Table>> = {
  package: PACKAGE_TABLE,
  acknowledgment: alone('acknowledgment'),
  gate_response: alone('gate_response'),
}

/** Whether unknown keys are a package's: only its reader keeps them by its own roots. */
export const isOwn = ({ extra }: Draft): boolean =>
  ['handoff', 'acknowledgment', 'gate_response'].some((root) => isData(own(extra, root)))

/** The path of a field such as `package.criteria.0` in a package, as far as there is one. There is one deliverable. */
export function pathOfField(field: string): Path {
  const keys = field.replace(/^(package\.deliverables)\.\d+$/, '$1').split('.')
  for (let length = keys.length; length > 0; length--) {
    const name = keys.slice(0, length).join('.')
    const found = PACKAGE_TABLE.rows.flatMap(({ fields, key }): Path[] => {
      if (fields.includes(name)) return [key.split('.')]
      const part = fields.find((each) => each.startsWith(`${name}.`))
      return part === undefined
        ? []
        : [key.split('.').slice(0, name.split('.').length - part.split('.').length)]
    })[0]
    if (found) return [...found, ...keys.slice(length).map(indexOrKey)]
  }
  return ['handoff']
}

const indexOrKey = (key: string): string | number => (/^\d{1,9}$/.test(key) ? Number(key) : key)
