import { stringify } from 'yaml'
import { ackDeadline } from '../../domain/handoffs/deadlines.ts'
import { MARKDOWN_STATUSES } from '../../domain/handoffs/markdown-status.ts'
import { isEnd } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { DraftProblem, Native } from '../dialect.ts'
import { own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { OLDER_READERS } from '../text/yaml/older-readers.ts'
import { handoffId, isTaskId } from './names.ts'
import { renderBody, seconds } from './render.ts'
import { KNOWN_KEYS } from './schema.ts'
import { statusFor } from './status.ts'

type Value = Record<string, unknown>

/** A draft in document 000's keys, in its order. Refused where a required key would stay empty. */
export function toNative(draft: Draft): Native {
  const missing = missingFrom(draft)
  if (missing.length > 0) return { ok: false, missing }
  return { ok: true, ...nativeParts(draft) }
}

/** The same without a refusal: what a document did not say is not in it. */
export function nativeParts(draft: Draft): { value: Value; body: string } {
  const value: Value = {}
  for (const [key, of] of Object.entries(VALUES)) {
    const found = of(draft)
    if (found !== undefined) put(value, key, found)
  }
  for (const key of Object.keys(draft.extra ?? {}))
    if (!KNOWN_KEYS.has(key)) put(value, key, own(draft.extra, key))
  return { value, body: draft.body ?? renderBody(asWritten(draft)) }
}

/** With what the front matter is given by rule, so that the body repeats that too. */
function asWritten(draft: Draft): Draft {
  const [ack_deadline, purpose] = [expiryOf(draft), purposeOf(draft)]
  return {
    ...draft,
    ...present({ ack_deadline }),
    ...(purpose !== undefined && { package: { ...draft.package, purpose } }),
  }
}

/** The text of a native value. Long lines stay whole, so that a change shows as one line. */
export function print(native: { readonly value: Value; readonly body?: string }): string {
  return `---\n${stringify(native.value, { lineWidth: 0, aliasDuplicateObjects: false, compat: OLDER_READERS })}---\n${native.body ?? ''}`
}

const time = (at: string | undefined): string | undefined => (at === undefined ? undefined : seconds(at))
const orNull = <T>(value: T | undefined): T | null => value ?? null

/** Every key in the document's order. Null where the document wants the key before it has a value. */
const VALUES: Readonly<Record<string, (draft: Draft) => unknown>> = {
  handoff_id: markdownId,
  from_agent: ({ from }) => from,
  to_agent: ({ to }) => to ?? undefined,
  related_task: ({ task }) => task,

  status: ({ state }) => (state === undefined ? undefined : statusFor(state)),
  created_at: ({ created_at }) => time(created_at),
  updated_at: ({ created_at, updated_at }) => time(updated_at ?? created_at),
  expires_at: expiryOf,
  target_completion: ({ target_completion }) => target_completion,

  title: ({ title }) => title,
  purpose: purposeOf,
  context: ({ package: pack }) => pack?.context ?? pack?.summary,
  deliverables: ({ package: pack }) => pack?.deliverables,
  verification_criteria: ({ package: pack }) => pack?.criteria,

  source_meeting: ({ package: pack }) => orNull(pack?.links?.meeting),
  skill_web_node: ({ package: pack }) => orNull(pack?.links?.skill),

  acknowledged_at: ({ accepted_at }) => orNull(time(accepted_at)),
  acknowledged_by: ({ accepted_by }) => orNull(accepted_by),
  acknowledgment_notes: ({ ack_notes }) => orNull(ack_notes),

  completed_at: ({ state, ended_at }) => orNull(state === 'completed' ? time(ended_at) : undefined),
  completion_verified_by: verifierOf,
  completion_notes: ({ result }) => orNull(result?.note),

  evidence: ({ result }) => result?.evidence,
  verification_record: verificationRecord,
  rejection_reason: rejectionReason,
  rejected_at: (draft) => time(draft.rejection?.at ?? (isRefused(draft) ? draft.ended_at : undefined)),
  rejected_by: ({ rejection }) => rejection?.by,
  supersedes: ({ supersedes }) => supersedes,
}

const isRefused = ({ state }: Draft): boolean => state !== undefined && statusFor(state) === 'Rejected'

/** An id of another dialect does not do: here it names the sender, the receiver, the task and the day. */
function markdownId({ id, from, to, task, created_at }: Draft): string | undefined {
  if (id !== undefined && /^handoff-/i.test(id)) return id
  if (from === undefined || !to || task === undefined || created_at === undefined) return id
  return handoffId({ from, to, task, created_at: seconds(created_at) })
}

function expiryOf({ ack_deadline, created_at, state }: Draft): string | undefined {
  if (ack_deadline !== undefined || created_at === undefined || Number.isNaN(Date.parse(created_at)))
    return time(ack_deadline)
  return time(ackDeadline('markdown', state === 'draft' ? 'draft' : 'offered', created_at))
}

function purposeOf({ package: pack, to_reason }: Draft): string | undefined {
  const deliverables = pack?.deliverables?.join('; ')
  return pack?.purpose ?? to_reason ?? (deliverables === '' ? undefined : deliverables)
}

/** Who refused work has verified no completion: the key is null until the end. */
function verifierOf({ state, verification }: Draft): string | null {
  const isGivenBack = verification?.pass === false && state !== undefined && !isEnd(state)
  return orNull((!isGivenBack && verification?.verified_by) || undefined)
}

function verificationRecord({ verification, ended_at }: Draft): Value | undefined {
  if (!verification) return undefined
  const { verified_at, deliverable_checks } = verification
  if (deliverable_checks.length === 0 && verified_at === ended_at) return undefined
  return { verified_at: seconds(verified_at), deliverable_checks }
}

/** A bare text is a reason of the type `other`. */
function rejectionReason({ state, rejection, error }: Draft): unknown {
  if (rejection) {
    const { type, message } = rejection
    if (type === 'other') return message === '' ? undefined : message
    return { type, message }
  }
  if (state === 'failed') return { type: 'failure', message: error?.message ?? 'failed' }
  return state === 'cancelled' ? { type: 'cancelled', message: 'cancelled' } : undefined
}

const REQUIRED: readonly (readonly [string, (draft: Draft) => unknown, string])[] = [
  ['from', ({ from }) => from, 'the agent who hands over'],
  ['to', ({ to }) => to, 'the one agent who receives; the format has no handoff to nobody'],
  ['task', ({ task }) => task !== undefined && isTaskId(task), 'the task as BPRD-YYYY-NNNN'],
  ['state', ({ state }) => state, `the status: ${MARKDOWN_STATUSES.join(', ')}`],
  ['created_at', ({ created_at }) => created_at, 'when it was made'],
  ['title', ({ title }) => title, 'the subject, in a few words'],
  ['package.purpose', purposeOf, 'why it is handed over'],
  ['package.context', VALUES.context!, 'facts for the receiver'],
  ['package.deliverables', ({ package: pack }) => pack?.deliverables?.length, 'the results to hand in'],
  ['package.criteria', ({ package: pack }) => pack?.criteria?.length, 'how it is verified'],
]

const missingFrom = (draft: Draft): DraftProblem[] =>
  REQUIRED.filter(([, of]) => !of(draft)).map(([field, , reason]) => ({ field, reason }))
