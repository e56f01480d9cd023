import { sameData } from '../../dialects/difference.ts'
import type { Draft } from '../../dialects/draft.ts'
import { STATUS_OF } from '../../dialects/queue/names.ts'
import { queueTable } from '../../dialects/queue/table.ts'
import { keyOfField, liveOf } from '../../dialects/table/derive.ts'
import type { Live } from '../../dialects/table/row.ts'
import type { Result } from '../../domain/handoffs/package.ts'
import { present } from '../../domain/present.ts'
import { inWords } from '../../domain/texts/visible.ts'
import { amendmentOf, askedFields } from '../amendment.ts'
import type { ForeignChange, Plan, PlannedCall } from '../folder.ts'

/** The meaning of an edit, by the table of the format. */
const liveIn = (field: string): Live => liveOf(queueTable(), field)
/** Left to its author, or set by the engine with the step that it belongs to. */
const LEFT: readonly Live[] = ['author', 'follows']
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
  const amended = isStep ? [] : [...fields].filter((field) => liveIn(field) === 'amend')
  calls.push(...amendmentOf(change, amended))
  const fixed = [...fields].filter(
    (field) => liveIn(field) !== (isStep ? 'step' : 'amend') && !(field === 'state' && isSameFolder(change)),
  )
  if (fixed.some((field) => /^(?:result|error)(?:\.|$)/.test(field)) && !isStep)
    return no(
      'an answer counts when its file is moved: to completed/ with an output, to failed/ with an error',
    )
  if (fixed.length > 0) {
    const named = fixed.map((field) => /^package\.(.*)/.exec(field)?.[1] ?? keyOfField(queueTable(), field))
    return no(`${[...new Set(named)].join(', ')} cannot be changed in the file`)
  }
  return { ok: true, author, calls }
}

/** Several of the engine's states share a folder; to lie there asks for none of them. */
const isSameFolder = ({ file, handoff, now }: ForeignChange): boolean =>
  STATUS_OF[file.state ?? 'offered'] === STATUS_OF[now.state ?? handoff.state]

/** Where a file lies says its state too. */
function queueAsked(change: ForeignChange): ReadonlySet<string> {
  const fields = askedFields(change, (path) => LEFT.includes(liveIn(path.join('.'))))
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
      return [...(isOffered ? [pickUp] : []), failing(id, to, file.error!)]
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
export function failing(id: string, actor: string, error: NonNullable<Draft['error']>): PlannedCall {
  const { code, message, details, recovery_actions } = error
  const isCode = CODE.test(code)
  return {
    actor,
    op: 'handoff_fail',
    input: {
      id,
      code: isCode ? code : 'PROCESSING_ERROR',
      message: isCode ? message : `${code}: ${message}`,
      ...present({ details: details?.slice(0, 200), recovery_actions }),
    },
  }
}
