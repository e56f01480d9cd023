import { ERROR_KINDS } from '../../domain/handoffs/retry.ts'
import { once } from '../../domain/once.ts'
import { isData, own, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { mapping, type Schema, text } from '../json-schema.ts'
import * as is from '../table/codecs.ts'
import { type Live, tableFor } from '../table/row.ts'
import * as it from './codecs.ts'
import { namedArtifact } from './handed-in.ts'
import {
  DEFAULT_TIMEOUT_S,
  FORM_OF,
  HANDOFF_ID,
  type HandoffForm,
  PHASES_OF,
  type QueueStatus,
  retryIsLeft,
  SIDES,
  STATUS_OF,
  STATUSES,
  stemOf,
} from './names.ts'

/** Several states have one word here: what waits for an answer was started, or it was not. */
export function queueStatus({ state, started_at }: Pick<Draft, 'state' | 'started_at'>): QueueStatus {
  if (state === undefined || (state === 'needs_input' && started_at === undefined)) return 'pending'
  return STATUS_OF[state]
}

export const formFor = (draft: Draft): HandoffForm => FORM_OF[queueStatus(draft)]

export const ID_SCHEMA: Schema = {
  type: 'string',
  pattern: HANDOFF_ID.source,
  description: 'hoff-001-1705147200000; also the name of the file',
}

const state: is.Of<'state'> = {
  schema: (form) => ({ enum: STATUSES.filter((status) => FORM_OF[status] === form) }),
  write: (value) => STATUS_OF[value],
}

const startedOf = (draft: Draft): string | undefined =>
  draft.started_at ?? (queueStatus(draft) === 'pending' ? undefined : draft.accepted_at)

/** A number has a key of its own; anything else under that name is metadata like the rest. */
function durationIn({ metrics }: Draft): number | undefined {
  const took = own(metrics, 'execution_time_seconds')
  return typeof took === 'number' ? took : undefined
}

function metadataOf({ metrics = {}, result }: Draft): unknown {
  const { execution_time_seconds: took, ...others } = metrics
  const all = { ...result?.metadata, ...(typeof took === 'number' ? others : metrics) }
  return Object.values(all).some((value) => value !== undefined) ? all : undefined
}

/** A failure says how many retries there are by `max_retries`; the whole rule only where more of it is known. */
function policyOf(draft: Draft): NonNullable<Draft['retry']> {
  const { retry = {} } = draft
  const isWhole = retry.delay_s !== undefined || retry.multiplier !== undefined
  return formFor(draft) !== 'failure' || isWhole ? retry : {}
}

function retryLeft({ retry_available, retry, retry_count: count, state: now }: Draft): boolean | undefined {
  const available = retry_available ?? (now === 'retry_wait' ? true : undefined)
  return available && (count === undefined || retryIsLeft(count, retry?.max))
}

/** Ends that document 001 has no word for are failures (REQUIREMENTS 7.3). */
export function errorOf(draft: Draft): Draft['error'] {
  const { state: end, rejection, error } = draft
  const severity = 'error'
  if (error || formFor(draft) !== 'failure') return error
  if (end === 'rejected' && rejection)
    return { code: 'PROCESSING_ERROR', message: `Rejected: ${rejection.message}`, severity }
  if (end === 'expired') return { code: 'TIMEOUT', message: 'Expired before it was accepted', severity }
  if (end !== 'cancelled') return undefined
  const why = rejection?.type === 'cancelled' ? `: ${rejection.message}` : ''
  return { code: 'PROCESSING_ERROR', message: `Cancelled by its sender${why}`, severity }
}

/** One key with two meanings: the report on an output, or what was wrong with an input. */
function validationOf({ result, error }: Draft): unknown {
  if (error?.details === undefined) return result?.validation
  const { status: _status, ...report } = result?.validation ?? {}
  return { status: 'failed', ...report, errors: error.details }
}

const whole = is.number({ whole: true })
const REPORT = mapping({
  status: { enum: ['passed', 'failed'] },
  typescript_errors: { ...whole.schema, description: 'Of the output' },
  eslint_warnings: { ...whole.schema, description: 'Of the output' },
  tests_passing: { type: 'boolean' },
  coverage_percentage: { type: 'number', minimum: 0, maximum: 100 },
  accessibility_violations: { ...whole.schema, description: 'Of the output' },
  errors: {
    type: 'array',
    description: 'Problems of the input',
    items: mapping({ field: text(), error: text(), schema_path: text() }, ['field', 'error']),
  },
})

/** A sender may say these anew while nobody has begun. */
const SENDERS_OWN: readonly string[] = [
  'title',
  ...['summary', 'context', 'deliverables', 'criteria', 'constraints'].map((key) => `package.${key}`),
]
const carriedLive = (field: string): Live =>
  SENDERS_OWN.includes(field) ? 'amend' : field.startsWith('package.') ? 'fixed' : 'sent'

/** A role of another dialect, such as `Chief`, is not a type of an agent. */
const isType = (value: unknown): boolean => typeof value !== 'string' || Object.hasOwn(PHASES_OF, value)
const isFramed = (value: unknown): boolean => isData(value) && ('schema' in value || 'data' in value)

const ALL = ['request', 'response', 'failure'] as const
const REQUEST = ['request'] as const
const RESPONSE = ['response'] as const
const FAILURE = ['failure'] as const
const ANSWERS = ['response', 'failure'] as const
const { row, bundle, kept, table } = tableFor<HandoffForm>()

/** Document 001. */
// biome-ignore format: read as a table
export const queueTable = once(() => table({
  groups: {
    source: { also: SIDES.source.slice(1), lone: 'agent_id' },
    target: { also: SIDES.target.slice(1), lone: 'agent_id' },
    input: {
      lone: 'data', isLone: (value) => !isFramed(value),
      report: (fields) => fields.report('warning', 'input_without_frame', 'input has neither schema nor data; write {"schema": "…", "data": …} around it', 'input'),
    },
    output: { lone: 'artifact_path', isLone: (value) => typeof value === 'string' },
    error: { lone: 'message', isLone: (value) => value !== null && !isData(value), keepsUnread: true },
  },
  rows: [
    row('id', 'handoff_id', is.name, { need: ALL, also: ['id', 'request_id'], live: 'fixed', schema: ID_SCHEMA,
      example: 'hoff-001-1705147200000', asked: 'the file is named after it, for example hoff-001-1705147200000' }),
    row('created_at', 'timestamp', is.time, { need: REQUEST, also: ['created_at', 'created', 'sent_at', 'date'], live: 'step',
      says: 'When the request was made', example: '2026-01-13T10:00:00Z', asked: 'a request says when it was made' }),
    row('state', 'status', state, { in: REQUEST, need: REQUEST, from: queueStatus, live: 'step', example: 'pending', lossy: 'the queue format has four states' }),
    bundle(['started_at', 'accepted_at', 'accepted_by'], 'started_at', it.started, { from: startedOf, live: 'follows', says: 'When the specialist took it on' }),
    row('ended_at', 'timestamp_completed', is.time, { in: RESPONSE, need: RESPONSE, live: 'follows', example: '2026-01-13T10:05:32Z',
      asked: 'a response says when the work was completed', lossy: 'only completed and failed work has an end' }),
    row('ended_at', 'completed_at', it.sameTime('timestamp_completed'), { in: RESPONSE, live: 'follows', says: 'The same as timestamp_completed' }),
    row('ended_at', 'timestamp_failed', is.time, { in: FAILURE, need: FAILURE, live: 'follows', example: '2026-01-13T10:10:00Z',
      asked: 'a failure says when the work failed' }),
    row('ended_at', 'failed_at', it.sameTime('timestamp_failed'), { in: FAILURE, live: 'follows', says: 'The same as timestamp_failed' }),
    row('state', 'status', state, { in: ANSWERS, need: ANSWERS, from: queueStatus, live: 'step', example: 'pending' }),
    row('metrics.execution_time_seconds', 'execution_time_seconds', it.seconds, { from: durationIn, says: 'How long the work took' }),

    row('from', 'source.agent_id', it.agentId, { need: ALL, also: ['source.agent', 'source.id', 'source.name'], live: 'fixed',
      example: '@frontend-specialist', asked: 'a request names its sender' }),
    row('from_phase', 'source.phase', it.phase, { need: ALL, example: 11, asked: 'a number, 6 to 12 for an orchestrator' }),
    row('from_role', 'source.agent_type', it.role, { need: REQUEST, also: ['source.type', 'source.role'], fits: isType,
      example: 'orchestrator', asked: 'orchestrator or specialist' }),
    row('to', 'target.agent_id', it.receiver, { need: ALL, also: ['target.agent', 'target.id', 'target.name'], live: 'fixed',
      example: '@react-specialist', asked: 'a request names its receiver; there is no word for nobody' }),
    row('to_phase', 'target.phase', it.phase, { need: ALL, example: 13, asked: 'a number, 13 to 16 for a specialist' }),
    row('to_role', 'target.agent_type', it.role, { need: REQUEST, also: ['target.type', 'target.role'], fits: isType,
      example: 'specialist', asked: 'orchestrator or specialist' }),

    row('project', 'context.project_id', is.name),
    row('task', 'context.task_id', is.name, { also: ['task_id', 'task'], live: 'fixed' }),
    row('depends_on', 'context.tech_stack_artifact_id', it.dependency, { says: 'An artifact that must be there before the work can begin',
      lossy: 'a request depends on one artifact, context.tech_stack_artifact_id, and not on tasks' }),
    row('package.data', 'context.*', is.bag, { live: 'amend', schema: { tech_stack: { type: 'object' } },
      lossy: 'project_id, task_id, tech_stack_artifact_id have their own meaning in context' }),
    row('input_schema', 'input.schema', is.text, { need: REQUEST, says: 'react-specialist.input.schema.json', example: 'react-specialist.input.schema.json',
      asked: 'the schema of the input, for example react-specialist.input.schema.json' }),
    row('package.input', 'input.data', it.input, { need: REQUEST, live: 'amend', says: 'The data that the schema describes', example: {},
      lossy: 'input.data.package holds what has no key of its own' }),
    bundle(it.carriedFields(), 'input.data.package', it.carried, { live: carriedLive, lossy: 'the input is a single value and leaves no room beside it' }),
    row('title', 'input.data.package.title', it.title, { also: ['title', 'subject'] }),
    row('package.summary', 'input.data.package.summary', it.prose, { also: ['summary', 'description', 'message', 'instructions'] }),
    row('package.context', 'input.data.package.context', it.prose, { also: ['context', 'body', 'content', 'details', 'notes'] }),
    kept('expected_output.artifact_type', is.shown(text('For example react-components'))),
    row('output_schema', 'expected_output.schema', is.text, { says: 'react-specialist.output.schema.json',
      from: ({ output_schema, expected_output }) => output_schema ?? own(expected_output, 'schema') }),
    kept('expected_output.destination', is.shown(text('Below the project; {timestamp} is filled in when the artifact is written'))),
    row('expected_output', 'expected_output.*', is.bag, { lossy: 'expected_output.schema is the name of the schema of the output' }),

    row('timeout_s', 'timeout_seconds', is.number(), { also: ['timeout'], live: 'fixed', says: 'How long the work may take', schema: { default: DEFAULT_TIMEOUT_S } }),
    row('priority', 'priority', it.priority, { live: 'fixed', schema: { default: 'normal' } }),
    row('retry.max', 'retry_policy.max_retries', is.number({ max: 100, whole: true }), { from: (draft) => policyOf(draft).max, live: 'follows',
      says: 'Attempts are one more', schema: { default: 3 } }),
    row('retry.delay_s', 'retry_policy.retry_delay_seconds', is.number(), { from: (draft) => policyOf(draft).delay_s, live: 'follows',
      says: 'Before the second attempt', schema: { default: 30 } }),
    row('retry.multiplier', 'retry_policy.backoff_multiplier', is.number({ min: 1 }), { from: (draft) => policyOf(draft).multiplier, live: 'follows', schema: { default: 2 } }),
    row('retry_count', 'retry_count', whole, { in: ['request', 'response'], live: 'follows', says: 'Retries that were made: 0 at the first failure' }),

    row('error.code', 'error.code', it.cut(80), { need: FAILURE, also: ['error.error_code'], from: (draft) => errorOf(draft)?.code, live: 'step',
      schema: { enum: Object.keys(ERROR_KINDS) }, example: 'PROCESSING_ERROR', askedAs: 'error', asked: 'a failure says what went wrong: a code and a message' }),
    row('error.message', 'error.message', it.cut(8_000), { need: FAILURE, also: ['error.error_message'], from: (draft) => errorOf(draft)?.message, live: 'step',
      example: 'the reason, in a sentence' }),
    row('error.severity', 'error.severity', it.cut(20), { from: (draft) => errorOf(draft)?.severity, live: 'step', schema: { default: 'error' } }),
    kept('error.timestamp', is.shown(is.TIME), { from: (draft) => errorOf(draft) && (valueAt(draft.extra, ['error', 'timestamp']) ?? draft.ended_at) }),
    kept('output.artifact_id', is.shown(text('artifact-react-comp-1705147532000; also the name of the file')), { need: RESPONSE,
      from: ({ extra, result }) => valueAt(extra, ['output', 'artifact_id']) ?? stem(namedArtifact(result?.artifacts)?.path), example: 'artifact-react-comp-1705147532000' }),
    row('result.artifacts', 'output.artifact_path', it.artifact, { need: RESPONSE, from: ({ result }) => namedArtifact(result?.artifacts)?.path, live: 'step',
      says: 'Below the project, with /', example: 'artifacts/phase-13-react/artifact-react-comp-1705147532000.json',
      asked: 'a response names the artifact that was produced', lossy: 'a response names one artifact, by path and type' }),
    kept('output.artifact_type', is.shown(text()), { from: ({ result }) => namedArtifact(result?.artifacts)?.type }),
    row('result.schema_compliance', 'output.schema_compliance', it.compliance, { live: 'step' }),
    row('result.output', 'output.data', is.hidden, { live: 'step' }),
    bundle(['result.validation', 'error.details'], 'validation', is.shown(REPORT), { from: validationOf, live: 'step', lossy: 'the same key holds what was wrong with the input' }),
    row('metrics', 'metadata', it.metadata, { from: metadataOf, says: 'Counts of any kind' }),
    row('retry_available', 'retry_available', is.flag, { from: retryLeft, live: 'follows', lossy: 'all retries are made, so there is none left' }),
    row('retry_count', 'retry_count', whole, { in: FAILURE, live: 'follows', says: 'Retries that were made: 0 at the first failure' }),
    row('retry.max', 'max_retries', is.number({ max: 100, whole: true }), { from: (draft) => (formFor(draft) === 'failure' ? draft.retry?.max : undefined), live: 'follows', says: 'Of retry_policy' }),
    row('not_before', 'not_before', is.time, { live: 'follows', says: 'A retry is not picked up earlier' }),
    row('error.recovery_actions', 'recovery_actions', is.texts, { also: ['error.recovery_actions'], live: 'step', says: 'Steps before the next attempt' }),
    row('next_steps', 'next_steps', is.texts, { from: ({ next_steps, result }) => next_steps ?? result?.next_steps }),
    kept('warnings', is.texts, { in: ANSWERS, live: 'step' }),
    kept('errors', is.texts, { in: ANSWERS, live: 'step' }),
    kept('retry_history', is.shown({ type: 'array', items: { type: 'object' }, description: 'The errors of earlier attempts' })),
    kept('x_baton', is.shown({ type: 'object', description: 'Fields that Baton keeps for other formats' })),
  ],
  lost: {
    uid:                   'the id of the engine is not the id of the document',
    type:                  'the queue format has one kind of handoff',
    phase:                 'phases are numbers here, and no rule turns a word into a number',
    from_step:             'steps have no key; phases are numbers',
    to_step:               'steps have no key; phases are numbers',
    in_reply_to:           'a request does not name an earlier one',
    supersedes:            'a request does not name an earlier one',
    updated_at:            'only creation, start and end have a time',
    accepted_at:           'taking work on and starting it are one step, written as started_at',
    accepted_by:           'only the target takes the work on, and started_at says that it has',
    ack_deadline:          'there is a timeout for the work and none for taking it on',
    ack_notes:             'taking work on is a move of the file and carries no words',
    acknowledgment:        'taking work on is a move of the file and carries no words',
    target_completion:     'there is a timeout in seconds and no date',
    on_failure:            'retry_policy says how often and how fast, and nothing about routes',
    rejection:             'a refusal is written as a failure',
    verification:          'nobody but the specialist says that the work is done',
    review:                'nobody but the specialist says that the work is done',
    record:                'a writeback record has no key',
    progress:              'there is no key for progress',
    body:                  'a JSON file has no text beside its keys',
    result:                'the evidence is the artifact and its validation',
    'result.submitted_at': 'only creation, start and end have a time',
    'result.metadata':     'it is written as metadata and read as metrics',
    'result.next_steps':   'they are written as next_steps of the handoff',
  },
}))

const stem = (path: string | undefined): string | undefined => (path === undefined ? undefined : stemOf(path))
