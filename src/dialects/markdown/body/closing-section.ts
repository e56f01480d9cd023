import type { VerificationRecord } from '../../../domain/handoffs/package.ts'
import type { State } from '../../../domain/lifecycle.ts'
import { present } from '../../../domain/present.ts'
import { isData } from '../../difference.ts'
import type { Draft } from '../../draft.ts'
import type { Fields } from '../../fields.ts'
import { readAgent } from '../agents.ts'
import type { Reading } from '../reading.ts'
import { readStatus, statusFor } from '../status.ts'

type Closing = Pick<Draft, 'state' | 'ended_at' | 'rejection' | 'result' | 'verification' | 'record'>
type Result = NonNullable<Draft['result']>
type Verification = NonNullable<Draft['verification']>
type DeliverableCheck = VerificationRecord['deliverable_checks'][number]

/** How a handoff ended: completion, verification, rejection, and what the receiver gave back. */
export function readClosing(reading: Reading, said: State | 'archived' | undefined): Closing {
  const completedAt = reading.time('completed_at')?.value
  const rejection = rejectionOf(reading, said)
  const state = said === 'archived' ? archived(reading, completedAt, rejection) : said
  const back = handbackOf(reading, state)
  const isRejected = state !== undefined && statusFor(state) === 'Rejected'
  if (isRejected && completedAt !== undefined)
    reading.report(
      'warning',
      'rejected_after_completion',
      `status is Rejected, but completed_at is set. Remove completed_at, or set status: Complete and open a new handoff.`,
      reading.positionOf('completed_at'),
    )
  const ended_at = isRejected ? (rejection?.at ?? completedAt) : (completedAt ?? back.ended_at)
  const result = resultOf(reading, back.note, state)
  const verification = verificationOf(reading, ended_at)
  return {
    ...present({ state, ended_at, rejection, result, verification }),
    ...(back.branch !== undefined && { record: { branch: back.branch } }),
  }
}

/** `Archived` is a folder; what it was before shows in the other keys. */
function archived(reading: Reading, completedAt: string | undefined, rejection: Draft['rejection']): State {
  const state = completedAt !== undefined ? 'completed' : rejection ? 'rejected' : 'expired'
  const message = `"Archived" is a folder and no status; read as ${state}, so write ${statusFor(state)}.`
  reading.report('warning', 'status_archived', message, reading.positionOf('status'))
  return state
}

/** A text, or a type and a message. A text that is exactly `skill_gap` is the type. */
function rejectionOf({ top }: Reading, said: State | 'archived' | undefined): Draft['rejection'] {
  if (!top) return undefined
  const by = agentOf(top, 'rejected_by')
  const at = top.time('rejected_at')
  const value = top.value('rejection_reason')
  const where = present({ by, at })
  if (isData(value)) {
    const below = top.below('rejection_reason')!
    const type = below.text('type') ?? 'other'
    return { type, message: below.text('message', 'reason', 'text') ?? type, ...where }
  }
  const names =
    said === 'rejected' || said === 'cancelled' ? ['rejection_reason', 'reason'] : ['rejection_reason']
  const text = top.text(...names)
  if (text !== undefined) return { type: text === 'skill_gap' ? text : 'other', message: text, ...where }
  return by === undefined && at === undefined ? undefined : { type: 'other', message: '', ...where }
}

function agentOf(fields: Fields, ...names: readonly string[]): string | undefined {
  const text = fields.text(...names)
  return text === undefined ? undefined : (readAgent(text)?.name ?? undefined)
}

function resultOf(reading: Reading, note: string | undefined, state: State | undefined): Result | undefined {
  const notes =
    state === 'rejected' || state === 'cancelled'
      ? reading.top?.text('completion_notes')
      : reading.frontText('completion_notes')?.value
  const evidence = evidenceOf(reading.top)
  const said = notes ?? note
  if (said === undefined && evidence === undefined) return undefined
  return present({ note: said, evidence })
}

/** A list of deliverables with their evidence, or a mapping from one to the other. */
function evidenceOf(top: Fields | undefined): Result['evidence'] {
  const value = top?.value('evidence')
  if (!top || value === undefined || value === null) return undefined
  if (isData(value) && !Object.hasOwn(value, 'deliverable')) {
    const below = top.below('evidence')!
    return Object.keys(value).flatMap((deliverable) => {
      const evidence = below.text(deliverable)
      return evidence === undefined || deliverable === '' ? [] : [{ deliverable, evidence }]
    })
  }
  return top.each('evidence')?.flatMap((each) => {
    if (typeof each === 'string') return []
    const deliverable = each.text('deliverable', 'item')
    return deliverable === undefined ? [] : [{ deliverable, evidence: each.text('evidence', 'proof') ?? '' }]
  })
}

function verificationOf(reading: Reading, endedAt: string | undefined): Verification | undefined {
  const { top } = reading
  const verified_by = reading.agent('completion_verified_by')?.value.name ?? undefined
  const record = isData(top?.value('verification_record')) ? top?.below('verification_record') : undefined
  const sometime = verified_by === undefined ? undefined : (endedAt ?? reading.frontTime('updated_at')?.value)
  const verified_at = record?.time('verified_at') ?? sometime
  const checks = record ? checksOf(record) : []
  if (verified_at === undefined || (verified_by === undefined && !record)) return undefined
  return {
    verified_at,
    verified_by: verified_by ?? '',
    pass: checks.every(({ status }) => status === 'verified'),
    deliverable_checks: checks,
  }
}

function checksOf(record: Fields): DeliverableCheck[] {
  return (record.each('deliverable_checks', 'checks') ?? []).flatMap((each) => {
    if (typeof each === 'string') return []
    const deliverable = each.text('deliverable')
    const status = each.text('status') ?? ''
    if (deliverable === undefined) {
      each.report(
        'warning',
        'check_without_deliverable',
        'This check names no deliverable; add `deliverable: …`.',
      )
      return []
    }
    // A guard rests on this word, so nothing that only looks like it counts.
    const isVerified = status === 'verified'
    if (!isVerified && status !== 'refused')
      each.report(
        'warning',
        'check_status',
        `"${status.slice(0, 60)}" does not count as verified; write verified or refused.`,
        'status',
      )
    return [
      { deliverable, status: isVerified ? 'verified' : 'refused', evidence: each.text('evidence') ?? '' },
    ]
  })
}

interface Handback {
  readonly ended_at?: string | undefined
  readonly note?: string | undefined
  readonly branch?: string | undefined
}

/** Some keep the way back in the same front matter, under `handback:`. */
function handbackOf(reading: Reading, state: State | undefined): Handback {
  const { top, places } = reading
  const back = isData(top?.value('handback')) ? top?.below('handback') : undefined
  if (!back) return {}
  const status = back.text('status')
  const read = status === undefined ? undefined : readStatus(status)
  if (read?.kind === 'state' && state !== undefined && read.state !== state)
    back.report(
      'warning',
      'status_contradicts',
      `handback says status ${JSON.stringify(status)}, but the handoff's is ${state}, which was taken; make them agree.`,
      'status',
    )
  if (back.has('completed_at') && !reading.hasFront('completed_at'))
    places.set('completed_at', ['handback', 'completed_at'])
  if (back.has('notes') && !reading.hasFront('completion_notes'))
    places.set('completion_notes', ['handback', 'notes'])
  const ended = back.time('completed_at')
  return {
    ended_at: state === 'completed' ? ended : undefined,
    note: back.text('notes'),
    branch: back.text('branch'),
  }
}
