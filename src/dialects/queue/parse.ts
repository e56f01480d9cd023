import { percentOf } from '../../domain/handoffs/guards.ts'
import { present } from '../../domain/present.ts'
import { type PlacedProblem, placedProblem } from '../../domain/problem.ts'
import type { Interpretation } from '../dialect.ts'
import { type Data, isData, keysOf, own, put, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf, placedAt } from '../fields.ts'
import { readRows } from '../table/read.ts'
import { leftOver } from '../table/write.ts'
import type { Source } from '../text/source.ts'
import { isMapping } from '../text/tree.ts'
import { findWord, STATE_WORDS, type Words } from '../text/words.ts'
import { artifactOf } from './artifact.ts'
import { checkNative } from './check.ts'
import { contextProblems } from './context-files.ts'
import {
  FOLDER_OF,
  FORM_OF,
  type HandoffForm,
  isHandoffId,
  type QueueForm,
  type QueuePlace,
  type QueueStatus,
  queuePlace,
  queueState,
  retryIsLeft,
  SIDES,
  STATUS_OF,
  STATUS_WORDS,
  stemOf,
} from './names.ts'
import { queueTable } from './table.ts'
import { nativeOf } from './write.ts'

/** What says by itself that a mapping is a handoff of another format. */
const FOREIGN = ['handoff', 'acknowledgment', 'commit_sha', 'branch', 'handoffs']

/** A `task_id` is document 003's, unless a key beside it is none of its. */
const NOT_OF_TASKS = ['handoff_id', 'source', 'target', 'from_agent', 'to_agent']

export function formOf(source: Source): QueueForm | undefined {
  if (source.kind === 'markdown') return undefined
  const { value } = source
  const place = source.kind === 'json' ? queuePlace(source.path) : {}
  if (place.kind === 'context') return 'context'
  if (place.status !== undefined) return FORM_OF[place.status]
  if (!isData(value)) return place.kind === 'artifact' && source.kind === 'json' ? 'artifact' : undefined
  if (hasAgents(value)) return formByStatus(value)
  if (place.kind === 'artifact' || isArtifact(value)) return 'artifact'
  if (typeof value.handoff_id === 'string' && isHandoffId(value.handoff_id)) return formByStatus(value)
  if (source.kind !== 'json') return undefined
  return isBoard(value) ? 'board' : isFlat(value) ? formByStatus(value) : undefined
}

export function interpret(source: Source, form: string): Interpretation {
  if (form === 'context') return { diagnostics: contextProblems(source) }
  if (form === 'artifact') return { diagnostics: artifactOf(source).diagnostics }
  return form === 'board' ? { diagnostics: boardProblems(source) } : handoffIn(source, form)
}

const hasAgents = (value: Data): boolean =>
  ['source', 'target'].some((side) => own(own(value, side), 'agent_id') !== undefined)

const isArtifact = (value: Data): boolean =>
  typeof value.artifact_id === 'string' && typeof value.artifact_type === 'string'

/** The agents as plain texts, as many tools write them. */
const isFlat = (value: Data): boolean =>
  SIDES.source.some((key) => typeof own(value, key) === 'string') &&
  SIDES.target.some((key) => typeof own(value, key) === 'string') &&
  !FOREIGN.some((key) => Object.hasOwn(value, key)) &&
  (!Object.hasOwn(value, 'task_id') || NOT_OF_TASKS.some((key) => Object.hasOwn(value, key)))

function formByStatus(value: Data): HandoffForm {
  const written = own(value, 'status') ?? own(value, 'state')
  const found = typeof written === 'string' ? findWord(STATUS_WORDS, written)?.word : undefined
  if (found !== undefined) return FORM_OF[STATUS_OF[queueState(found)]]
  if (isData(own(value, 'error'))) return 'failure'
  return Object.hasOwn(value, 'output') ? 'response' : 'request'
}

function handoffIn(source: Source, form: string): Interpretation {
  const root = fieldsOf(source)
  if (!root) return { diagnostics: [placedProblem('error', 'not_an_object', NO_OBJECT, source.locate([]))] }
  const place = queuePlace(source.path)
  const state = readState(root, place)
  const status = state && STATUS_OF[state]
  // Somebody moved it there and wrote nothing into it: that is a failure too.
  const isBare = place.status === 'failed' && place.mark === undefined && !root.has('error')
  const draft = completed({ ...readHandoff(root, status, isBare), ...present({ state }) }, source, root)
  const stem = place.kind === 'handoff' ? place.stem : undefined
  const found = status && place.mark === undefined ? FORM_OF[status] : (form as HandoffForm)
  const native = nativeOf(draft)
  if (status === undefined) delete native.status
  // What is read from elsewhere would be written there, and is not there yet.
  if (!root.has('input')) delete native.input
  for (const { severity, code, message, path } of checkNative(native, { form: found, stem })) {
    const there = placedAt(path, root.places)
    // What stands there but could not be read was reported when it was read.
    if (code === 'missing_field' && valueAt(source.value, there) !== undefined) continue
    if (isBare && path[0] === 'timestamp_failed') continue
    root.report(severity, code, message, ...there)
  }
  return { draft, diagnostics: root.diagnostics, places: root.places }
}

/** The suffix behind `.json` and the folder are the truth; the status field is what the writer meant. */
function readState(root: Fields, { mark, status: folder }: QueuePlace): Draft['state'] {
  const word = root.word(STATUS_WORDS, 'status', 'state')
  const written = word && queueState(word)
  const placed = mark ?? folder
  if (placed === undefined) return written
  if (written === undefined) return queueState(placed)
  if (STATUS_OF[written] === placed) return written
  const place = mark ? 'the ending of the file name' : `the folder ${FOLDER_OF[placed]}/`
  const message = `status is "${word}", but ${place} says ${placed}, which counts; write "status": "${placed}"`
  root.report('warning', 'status_folder_mismatch', message, root.has('status') ? 'status' : 'state')
  return queueState(placed)
}

/** Adds the keys that no field of the draft has a place for. */
function completed(draft: Draft, source: Source, root: Fields): Draft {
  const extra = leftOver(source.value, nativeOf(draft), root.places) ?? {}
  keepApart(extra, source.value, draft)
  return keysOf(extra).length > 0 ? { ...draft, extra } : draft
}

/** Two values that are worked out where the document does not say them, and kept where it does. */
function keepApart(extra: Data, found: unknown, { result, ended_at: ended }: Draft): void {
  const artifact = valueAt(found, ['output', 'artifact_id'])
  const path = result?.artifacts?.[0]?.path
  if (path !== undefined && artifact !== undefined && artifact !== stemOf(path))
    put(extra, 'output', { ...(own(extra, 'output') as Data | undefined), artifact_id: artifact })
  const failed = valueAt(found, ['error', 'timestamp'])
  if (failed !== undefined && failed !== ended)
    put(extra, 'error', { ...(own(extra, 'error') as Data | undefined), timestamp: failed })
}

const NO_OBJECT = 'a queue file is one JSON object; write {"handoff_id": "…", …}'

/** Keys by which an entry is known. */
const ENTRY_KEYS = ['status', 'current_task', 'brief_note', 'details_link', 'handoff_file']
/** Words that say that an agent has nothing in hand. */
const IDLE = ['idle', 'available', 'free', 'ready', 'none', 'standby']

/** One file that says what every agent has in hand: an index, not a handoff. */
function isBoard(value: unknown): boolean {
  const agents = own(value, 'agents')
  return isData(agents) && Object.values(agents).some(isEntry) && !Array.isArray(own(value, 'handoffs'))
}

const isEntry = (value: unknown): boolean =>
  isData(value) && ENTRY_KEYS.some((key) => Object.hasOwn(value, key))

/** Says that this is a board, and which of its statuses nobody knows. */
function boardProblems(source: Source): readonly PlacedProblem[] {
  const root = fieldsOf(source)
  const agents = root?.below('agents')
  const found = own(source.value, 'agents')
  const names = isData(found) ? Object.keys(found).filter((name) => isEntry(own(found, name))) : []
  const states = names.map((name) => {
    const fields = agents?.below(name)
    return fields && boardState(fields)
  })
  const busy = states.filter((state) => state !== undefined).length
  const message = `this is a status board of ${names.length} agents (${busy} with work), not one handoff; read its entries one by one`
  const board = placedProblem('info', 'status_board', message, source.locate(['agents'], 'key'))
  return [board, ...(root?.diagnostics ?? [])]
}

function boardState(fields: Fields): Draft['state'] {
  const written = fields.text('status')
  if (written === undefined || IDLE.includes(written.toLowerCase())) return undefined
  const found = findWord(STATE_WORDS, written)
  const message = `status "${written}" is not a known status; write idle, in_progress, blocked or completed`
  if (!found) fields.report('warning', 'unknown_status', message, 'status')
  return found?.word
}

type Result = NonNullable<Draft['result']>

const REPORT_WORDS: Words<'passed' | 'failed'> = {
  name: 'validation_status',
  words: ['passed', 'failed'],
  // biome-ignore format: read as a table
  synonyms: {
    pass: 'passed', ok: 'passed', success: 'passed', valid: 'passed', fail: 'failed', error: 'failed', invalid: 'failed',
  },
}

/** Everything but the state, which the file's place has a say in. */
function readHandoff(root: Fields, status: QueueStatus = 'pending', isBare = false): Draft {
  const { error: said, result, ...draft } = readRows(queueTable(), root, FORM_OF[status])
  const error = readError(root, said, isBare)
  const validation = readReport(root, error !== undefined)
  return present({
    ...draft,
    accepted_by: draft.started_at === undefined ? undefined : (draft.to ?? undefined),
    retry_available: readAvailable(root, draft),
    result: result || validation ? { ...result, ...present({ validation }) } : undefined,
    error,
  })
}

/** Nothing is available after the last retry, whatever the file says. */
function readAvailable(root: Fields, { retry_available: said, retry_count: count, retry }: Draft) {
  if (!said || count === undefined || retryIsLeft(count, retry?.max)) return said
  const message = `retry_available is true, but ${count} of ${retry?.max ?? 3} retries are made; write false`
  root.report('warning', 'retry_exhausted', message, 'retry_available')
  return false
}

/** An error without a code counts, and so does a file in `failed/` without an error; keys beside an absent one do not. */
function readError(root: Fields, said: Partial<NonNullable<Draft['error']>> = {}, isBare = false) {
  const found = root.value('error')
  const isSaid = isMapping(found) || said.message !== undefined
  if (!isSaid && !isBare) return undefined
  const how = isSaid ? 'error has no code and' : 'error is missing; the file lies in failed/, so it'
  const message = `${how} counts as PROCESSING_ERROR; write {"code": "PROCESSING_ERROR", "message": "…"}`
  if (said.code === undefined) root.report('warning', 'error_without_code', message, 'error')
  const report = root.value('validation')
  const inside = isMapping(found) ? found.details : undefined
  const list = isMapping(report) && Array.isArray(report.errors) ? report.errors : inside
  const details = Array.isArray(list)
    ? list.map((each) => (isMapping(each) ? each : { error: textOrJson(each) }))
    : undefined
  return {
    ...said,
    code: said.code ?? 'PROCESSING_ERROR',
    message: said.message?.trim() ? said.message : isSaid ? 'its error has no message' : BARE,
    ...present({ details }),
  }
}

const BARE = 'it was moved to failed/ without an error'

/** The report on an output. What was wrong with an input has the same key and belongs to the error. */
function readReport(root: Fields, failed: boolean): Result['validation'] {
  const found = root.value('validation')
  const fields = isMapping(found) ? root.below('validation') : undefined
  if (!isMapping(found) || !fields) return undefined
  const { status: _status, errors, ...others } = found
  const isInput = failed && Array.isArray(errors)
  if (isInput && Object.keys(others).length === 0) return undefined
  const report = present({
    status: isInput ? undefined : fields.word(REPORT_WORDS, 'status'),
    ...others,
    errors: isInput ? undefined : errors,
    tests_passing: fields.boolean('tests_passing'),
    typescript_errors: fields.number('typescript_errors'),
    eslint_warnings: fields.number('eslint_warnings'),
    coverage_percentage: percentIn(fields, 'coverage_percentage'),
  })
  return Object.keys(report).length > 0 ? report : undefined
}

/** A number; people put it between quotes with a percent sign. */
function percentIn(fields: Fields, key: string): number | undefined {
  const written = fields.value(key)
  const percent = typeof written === 'string' && /[%,]/.test(written) ? percentOf(written) : undefined
  if (percent === undefined) return fields.number(key)
  fields.report('warning', 'number_as_text', `${key} is a number; write ${percent} without quotes`, key)
  return percent
}

const textOrJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
