import type { DraftProblem, Native } from '../dialect.ts'
import { type Data, keysOf, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { isMapping, setOwn, valueAt } from '../text/tree.ts'
import { CARRIED, carriedIn } from './carried.ts'
import { retryIsLeft } from './check.ts'
import { namedArtifact } from './handed-in.ts'
import {
  FORM_OF,
  type HandoffForm,
  KEYS,
  PHASES_OF,
  type QueueStatus,
  REQUIRED,
  STATUS_OF,
  stemOf,
} from './names.ts'

/** What to supply where a required key has no value, and what for. */
// biome-ignore format: read as a table
const ASKED: Readonly<Record<string, readonly [field: string, reason: string]>> = {
  'handoff_id':           ['id', 'the file is named after it, for example hoff-001-1705147200000'],
  'timestamp':            ['created_at', 'a request says when it was made'],
  'timestamp_completed':  ['ended_at', 'a response says when the work was completed'],
  'timestamp_failed':     ['ended_at', 'a failure says when the work failed'],
  'source.agent_id':      ['from', 'a request names its sender'],
  'source.phase':         ['from_phase', 'a number, 6 to 12 for an orchestrator'],
  'source.agent_type':    ['from_role', 'orchestrator or specialist'],
  'target.agent_id':      ['to', 'a request names its receiver; there is no word for nobody'],
  'target.phase':         ['to_phase', 'a number, 13 to 16 for a specialist'],
  'target.agent_type':    ['to_role', 'orchestrator or specialist'],
  'input.schema':         ['input_schema', 'the schema of the input, for example react-specialist.input.schema.json'],
  'output.artifact_path': ['result.artifacts', 'a response names the artifact that was produced'],
  'error.code':           ['error', 'a failure says what went wrong: a code and a message'],
}

export function toNative(draft: Draft): Native {
  const missing = missingIn(draft)
  if (missing.length > 0) return { ok: false, missing }
  const value = withData(nativeOf(draft), formFor(draft))
  return { ok: true, value }
}

/** Strict JSON with two spaces and a newline at the end. */
export const print = ({ value }: { readonly value: Readonly<Data> }): string =>
  `${JSON.stringify(value, undefined, 2)}\n`

/** Several states have one word here: what waits for an answer was started, or it was not. */
export function queueStatus(draft: Draft): QueueStatus {
  if (draft.state === undefined) return 'pending'
  if (draft.state === 'needs_input' && draft.started_at === undefined) return 'pending'
  return STATUS_OF[draft.state]
}

export const formFor = (draft: Draft): HandoffForm => FORM_OF[queueStatus(draft)]

/** All that the draft says, in the document's keys and order, whether or not it is enough. */
export function nativeOf(draft: Draft): Data {
  const status = queueStatus(draft)
  const form = FORM_OF[status]
  const values: Data = {
    handoff_id: draft.id,
    status,
    ...timesOf(draft, status),
    execution_time_seconds: durationIn(draft),
    source: sideOf(draft.from, draft.from_phase, draft.from_role),
    target: sideOf(draft.to, draft.to_phase, draft.to_role),
    context: contextOf(draft),
    input: inputOf(draft),
    expected_output: expectedOf(draft),
    timeout_seconds: draft.timeout_s,
    priority: draft.priority,
    ...retryOf(draft, form),
    output: outputOf(draft),
    validation: validationOf(draft),
    metadata: metadataOf(draft),
    error: errorOf(draft, form),
    recovery_actions: draft.error?.recovery_actions,
    next_steps: draft.next_steps ?? draft.result?.next_steps,
  }
  return keysInOrder(withExtra(stripped(values), draft.extra ?? {}), KEYS[form])
}

/** Document 001 spells the end of the work in two ways; both are written, with one value. */
function timesOf(draft: Draft, status: QueueStatus): Data {
  const started = status === 'pending' ? draft.started_at : (draft.started_at ?? draft.accepted_at)
  return {
    timestamp: draft.created_at,
    started_at: started,
    ...(status === 'completed' && { timestamp_completed: draft.ended_at, completed_at: draft.ended_at }),
    ...(status === 'failed' && { timestamp_failed: draft.ended_at, failed_at: draft.ended_at }),
  }
}

function sideOf(agent: string | null | undefined, phase?: number, role?: string): Data | undefined {
  const agentId = typeof agent === 'string' ? `@${agent}` : undefined
  return orAbsent({ agent_id: agentId, phase, agent_type: role })
}

function contextOf(draft: Draft): Data | undefined {
  const artifact = draft.depends_on?.find((id) => id.startsWith('artifact-'))
  const own = { project_id: draft.project, task_id: draft.task, tech_stack_artifact_id: artifact }
  return orAbsent({ ...stripped(own), ...without(draft.package?.data ?? {}, Object.keys(own)) })
}

function inputOf(draft: Draft): Data | undefined {
  const input = draft.package?.input
  const carried = carriedIn(draft)
  const hasRoom = input === undefined || isMapping(input)
  const data = carried && hasRoom ? { ...(isMapping(input) ? input : {}), [CARRIED]: carried } : input
  return orAbsent({ schema: draft.input_schema, data })
}

/** A request always has data, if only an empty object: specialists read it without asking. */
function withData(native: Data, form: HandoffForm): Data {
  const input = own(native, 'input')
  if (form !== 'request' || !isMapping(input) || own(input, 'data') !== undefined) return native
  return { ...native, input: { ...input, data: {} } }
}

function expectedOf({ expected_output: expected = {}, output_schema: schema }: Draft): Data | undefined {
  const { artifact_type: type, destination, ...rest } = expected
  return orAbsent({ artifact_type: type, schema: schema ?? own(expected, 'schema'), destination, ...rest })
}

function retryOf(draft: Draft, form: HandoffForm): Data {
  const { retry = {}, retry_count, not_before, state } = draft
  const available = draft.retry_available ?? (state === 'retry_wait' ? true : undefined)
  const isFailure = form === 'failure'
  const hasPolicy = !isFailure || retry.delay_s !== undefined || retry.multiplier !== undefined
  return {
    retry_policy: hasPolicy
      ? orAbsent({
          max_retries: retry.max,
          retry_delay_seconds: retry.delay_s,
          backoff_multiplier: retry.multiplier,
        })
      : undefined,
    retry_available: available && isRetryLeft(retry_count, retry.max),
    retry_count,
    max_retries: isFailure ? retry.max : undefined,
    not_before,
  }
}

const isRetryLeft = (count: number | undefined, max: number | undefined): boolean =>
  count === undefined || retryIsLeft(count, max)

function outputOf({ result, extra }: Draft): Data | undefined {
  const artifact = namedArtifact(result?.artifacts)
  return orAbsent({
    artifact_id: valueAt(extra, ['output', 'artifact_id']) ?? (artifact && stemOf(artifact.path)),
    artifact_path: artifact?.path,
    artifact_type: artifact?.type,
    schema_compliance: result?.schema_compliance,
    data: result?.output,
  })
}

/** One key with two meanings: the report on an output, or what was wrong with an input. */
function validationOf({ result, error }: Draft): Data | undefined {
  if (error?.details === undefined) return result?.validation
  const { status: _status, ...report } = result?.validation ?? {}
  return { status: 'failed', ...report, errors: error.details }
}

function metadataOf({ metrics = {}, result }: Draft): Data | undefined {
  const lifted = durationIn({ metrics }) === undefined ? [] : ['execution_time_seconds']
  return orAbsent({ ...result?.metadata, ...without(metrics, lifted) })
}

/** A number has a key of its own; anything else under that name is metadata like the rest. */
function durationIn({ metrics }: Draft): number | undefined {
  const took = own(metrics, 'execution_time_seconds')
  return typeof took === 'number' ? took : undefined
}

function errorOf(draft: Draft, form: HandoffForm): Data | undefined {
  const error = draft.error ?? (form === 'failure' ? errorFor(draft) : undefined)
  if (!error) return undefined
  const at = valueAt(draft.extra, ['error', 'timestamp']) ?? draft.ended_at
  return {
    code: error.code,
    message: error.message,
    ...stripped({ severity: error.severity, timestamp: at }),
  }
}

/** Ends that document 001 has no word for are failures (REQUIREMENTS 7.3). */
function errorFor({ state, rejection }: Draft): Draft['error'] {
  const severity = 'error'
  if (state === 'rejected' && rejection)
    return { code: 'PROCESSING_ERROR', message: `Rejected: ${rejection.message}`, severity }
  if (state === 'expired') return { code: 'TIMEOUT', message: 'Expired before it was accepted', severity }
  if (state === 'cancelled') {
    const why = rejection?.type === 'cancelled' ? `: ${rejection.message}` : ''
    return { code: 'PROCESSING_ERROR', message: `Cancelled by its sender${why}`, severity }
  }
  return undefined
}

function missingIn(draft: Draft): readonly DraftProblem[] {
  const native = nativeOf(draft)
  const needed = REQUIRED[formFor(draft)].filter((path) => valueAt(native, path) === undefined)
  return [...needed.map((path) => path.join('.')), ...otherRoles(native)].flatMap((key): DraftProblem[] => {
    const asked = ASKED[key]
    return asked === undefined ? [] : [{ field: asked[0], reason: asked[1] }]
  })
}

/** A role of another dialect, such as `Chief`, is no type of an agent. */
const otherRoles = (native: Data): readonly string[] =>
  ['source', 'target'].flatMap((side) => {
    const role = valueAt(native, [side, 'agent_type'])
    return typeof role !== 'string' || Object.hasOwn(PHASES_OF, role) ? [] : [`${side}.agent_type`]
  })

/** Puts kept keys where the draft's own fields left room. */
function withExtra(native: Data, extra: Readonly<Data>): Data {
  const result: Data = { ...native }
  for (const key of keysOf(extra)) {
    const [written, kept] = [own(native, key), own(extra, key)]
    if (written === undefined) setOwn(result, key, kept)
    else if (isMapping(written) && isMapping(kept) && written !== kept)
      setOwn(result, key, withExtra(written, kept))
  }
  return result
}

function keysInOrder(data: Data, keys: readonly string[]): Data {
  const result: Data = {}
  const known = keys.filter((key) => own(data, key) !== undefined)
  for (const key of [...known, ...without(data, known, 'names')]) setOwn(result, key, own(data, key))
  return result
}

function without(data: Readonly<Data>, keys: readonly string[]): Data
function without(data: Readonly<Data>, keys: readonly string[], what: 'names'): string[]
function without(data: Readonly<Data>, keys: readonly string[], what?: 'names'): Data | string[] {
  const names = keysOf(data).filter((key) => !keys.includes(key))
  if (what) return names
  const result: Data = {}
  for (const key of names) setOwn(result, key, own(data, key))
  return result
}

const stripped = (data: Readonly<Data>): Data => without(data, [])

function orAbsent(data: Readonly<Data>): Data | undefined {
  const result = stripped(data)
  return Object.keys(result).length > 0 ? result : undefined
}
