import { sameData } from '../../dialects/difference.ts'
import type { Draft } from '../../dialects/draft.ts'
import { STATUS_OF } from '../../dialects/queue/names.ts'
import type { Result } from '../../domain/handoffs/package.ts'
import { present } from '../../domain/present.ts'
import { inWords } from '../../domain/texts/visible.ts'
import { amendmentOf, askedFields, fixedIn } from '../amendment.ts'
import type { ForeignChange, Plan, PlannedCall } from '../folder.ts'

/** Keys by field, for whoever reads why a file was refused. */
// biome-ignore format: read as a table
const QUEUE_KEYS: Readonly<Record<string, string>> = {
  id: 'handoff_id', from: 'source.agent_id', to: 'target.agent_id', task: 'context.task_id', created_at: 'timestamp',
  timeout_s: 'timeout_seconds', result: 'output', state: 'status',
}
/** What an author may say without asking for anything: it stays as written. */
const FREE = new Set([
  ...['extra', 'metrics', 'next_steps', 'from_phase', 'to_phase', 'from_role', 'to_role', 'project'],
  ...['depends_on', 'input_schema', 'output_schema', 'expected_output'],
])
/** Set by the engine with the step that they belong to; what an author wrote there is replaced. */
const FOLLOWS = new Set([
  ...['accepted_at', 'accepted_by', 'started_at', 'ended_at', 'retry_count', 'retry_available', 'not_before'],
  ...['updated_at', 'retry'],
])
const AMENDED = ['input', 'data', 'summary', 'context', 'deliverables', 'criteria', 'constraints'] as const
const CODE = /^[A-Z][A-Z0-9_]{1,60}$/

/** A file in any of the four folders is taken as it stands: its author may have moved it before anybody looked. */
export function refusesNew({ id }: Draft): string | undefined {
  return id === undefined ? 'it has no handoff_id; the file is named after it' : undefined
}

/**
 * What an author's version asks for. The folder is the state: a file that was moved out of `pending/` was picked up,
 * one in `completed/` or `failed/` is the answer. Whatever no operation can do is refused, never dropped.
 */
export function plan(change: ForeignChange): Plan {
  const { handoff, file } = change
  const fields = queueAsked(change)
  const isStep = fields.has('state') && !isSameFolder(change)
  const author = isStep && file.state !== 'offered' ? handoff.to : handoff.from
  const no = (reason: string): Plan => ({ ok: false, author, reason })
  const calls = isStep ? queueStep(change) : []
  if (typeof calls === 'string') return no(calls)
  const amend = isStep ? {} : amendmentOf(file, fields, AMENDED)
  if (Object.keys(amend).length > 0)
    calls.push({ actor: handoff.from, op: 'handoff_amend', input: { id: handoff.uid, ...amend } })
  const covered = new Set([
    ...(isStep ? ['state', 'result', 'error', 'created_at'] : Object.keys(amend).map(packageField)),
    ...(isSameFolder(change) ? ['state'] : []),
  ])
  const fixed = fixedIn(fields, covered)
  if (fixed.some((field) => /^(?:result|error)(?:\.|$)/.test(field)) && !isStep)
    return no(
      'an answer counts when its file is moved: to completed/ with an output, to failed/ with an error',
    )
  if (fixed.length > 0) {
    const named = fixed.map((field) => QUEUE_KEYS[field.split('.')[0]!] ?? field.replace('package.', ''))
    return no(`${[...new Set(named)].join(', ')} cannot be changed in the file`)
  }
  return { ok: true, author, calls }
}

const packageField = (name: string): string => (name === 'title' ? name : `package.${name}`)

/** Several of the engine's states share a folder; to lie there asks for none of them. */
const isSameFolder = ({ file, handoff, now }: ForeignChange): boolean =>
  STATUS_OF[file.state ?? 'offered'] === STATUS_OF[now.state ?? handoff.state]

/** Where a file lies says its state too. */
function queueAsked(change: ForeignChange): ReadonlySet<string> {
  const fields = askedFields(change, ([name]) => FREE.has(String(name)) || FOLLOWS.has(String(name)))
  return sameData(change.file.state, change.now.state) ? fields : new Set([...fields, 'state'])
}

function queueStep({ handoff, base, file }: ForeignChange): PlannedCall[] | string {
  const { uid: id, to, from, state } = handoff
  const pickUp: PlannedCall = { actor: to, op: 'handoff_accept', input: { id } }
  const isOffered = state === 'offered' || state === 'accepted'
  switch (file.state) {
    case 'in_progress':
      if (isOffered) return [pickUp]
      // Baton moves the file before it commits the claim, and the work may be over before anybody looks at the file.
      if (base.state === 'offered') return []
      return `${handoff.id} is ${inWords(state)}; only a pending handoff can be picked up`
    case 'completed':
      return [...(isOffered ? [pickUp] : []), handIn(id, to, file)]
    case 'failed':
      return [...(isOffered ? [pickUp] : []), failing(id, to, file.error)]
    case 'offered':
      if (state === 'failed' || state === 'retry_wait')
        return [{ actor: from, op: 'handoff_retry', input: { id } }]
      return `${handoff.id} is ${inWords(state)}, so it cannot be moved back by hand. Its worker can fail it, or it times out`
    default:
      return `the queue format has no folder for ${file.state}`
  }
}

function handIn(id: string, actor: string, { result = {}, metrics = {}, next_steps }: Draft): PlannedCall {
  const { execution_time_seconds: _, ...metadata } = metrics
  const { checks: _checks, submitted_at: _at, ...given }: Result = result
  return {
    actor,
    op: 'handoff_submit',
    input: {
      id,
      ...given,
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...present({ next_steps }),
    },
    // An output that does not do is document 001's failure, so that whoever waits for it hears of it.
    orElse: (message) => failing(id, actor, { code: 'VALIDATION_FAILED', message }),
  }
}

/** A code that is none stays in the message. */
export function failing(id: string, actor: string, error: Draft['error']): PlannedCall {
  const { code, message, details, recovery_actions } = error ?? { code: 'PROCESSING_ERROR', message: '' }
  const isCode = CODE.test(code)
  const text =
    message.trim() || `it was moved to failed/ ${error ? 'and its error has no message' : 'without an error'}`
  return {
    actor,
    op: 'handoff_fail',
    input: {
      id,
      code: isCode ? code : 'PROCESSING_ERROR',
      message: isCode ? text : `${code}: ${text}`,
      ...present({ details: details?.slice(0, 200), recovery_actions }),
    },
  }
}
