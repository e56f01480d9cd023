import { present } from '../../domain/present.ts'
import { placedProblem } from '../../domain/problem.ts'
import type { Interpretation } from '../dialect.ts'
import { type Data, isData, keysOf, own, put, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf, placedAt } from '../fields.ts'
import { leftOver } from '../table/write.ts'
import type { Source } from '../text/source.ts'
import { findWord } from '../text/words.ts'
import { artifactOf } from './artifact.ts'
import { boardProblems, isBoard } from './board.ts'
import { checkNative } from './check.ts'
import { contextProblems } from './context-files.ts'
import {
  FOLDER_OF,
  FORM_OF,
  type HandoffForm,
  isHandoffId,
  type QueueForm,
  type QueuePlace,
  queuePlace,
  queueState,
  SIDES,
  STATUS_OF,
  STATUS_WORDS,
  stemOf,
} from './names.ts'
import { readHandoff } from './read.ts'
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
  if (hasId(value)) return formByStatus(value)
  if (source.kind !== 'json') return undefined
  return isBoard(value) ? 'board' : isFlat(value) ? formByStatus(value) : undefined
}

export function interpret(source: Source, form: string): Interpretation {
  switch (form) {
    case 'context':
      return { diagnostics: contextProblems(source) }
    case 'artifact':
      return { diagnostics: artifactOf(source).diagnostics }
    case 'board':
      return { diagnostics: boardProblems(source) }
    default:
      return handoffIn(source, form)
  }
}

const hasAgents = (value: Data): boolean =>
  ['source', 'target'].some((side) => own(own(value, side), 'agent_id') !== undefined)

const hasId = ({ handoff_id: id }: Data): boolean => typeof id === 'string' && isHandoffId(id)

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
