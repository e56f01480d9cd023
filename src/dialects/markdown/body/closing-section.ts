import type { State } from '../../../domain/lifecycle.ts'
import { present } from '../../../domain/present.ts'
import { isData } from '../../difference.ts'
import type { Draft } from '../../draft.ts'
import type { Fields } from '../../fields.ts'
import { readAgent } from '../agents.ts'
import type { Reading } from '../reading.ts'
import { readStatus, statusFor } from '../status.ts'

type Verification = NonNullable<Draft['verification']>

/** How a handoff ended: completion, verification, rejection, and what the receiver gave back. */
export function readClosing(reading: Reading, said: State | 'archived' | undefined) {
  const completedAt = reading.time('completed_at')
  const rejection = rejectionOf(reading, said)
  const state = said === 'archived' ? archived(reading, completedAt, rejection) : said
  const back = handbackOf(reading, state)
  const isRejected = state !== undefined && statusFor(state) === 'Rejected'
  const message =
    'status is Rejected, but completed_at is set. Remove completed_at, or set status: Complete and open a new handoff.'
  if (isRejected && completedAt !== undefined)
    reading.report('warning', 'rejected_after_completion', message, reading.positionOf('completed_at'))
  const ended_at = isRejected ? (rejection?.at ?? completedAt) : (completedAt ?? back.ended_at)
  // The `reason` of refused work is not a note on its completion.
  const isRefused = state === 'rejected' || state === 'cancelled'
  const notes = isRefused ? reading.top?.text('completion_notes') : reading.frontText('completion_notes')
  const result = present({ note: notes ?? back.note, evidence: evidenceOf(reading.top) })
  return present({
    state,
    ended_at,
    rejection,
    result: Object.keys(result).length > 0 ? result : undefined,
    verification: verificationOf(reading, ended_at),
    record: back.branch === undefined ? undefined : { branch: back.branch },
  })
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
  const name = top.text('rejected_by')
  const by = name === undefined ? undefined : (readAgent(name)?.name ?? undefined)
  const where = present({ by, at: top.time('rejected_at') })
  if (isData(top.value('rejection_reason'))) {
    const below = top.below('rejection_reason')!
    const type = below.text('type') ?? 'other'
    return { type, message: below.text('message', 'reason', 'text') ?? type, ...where }
  }
  const isRefused = said === 'rejected' || said === 'cancelled'
  const message = top.text('rejection_reason', ...(isRefused ? ['reason'] : []))
  if (message === undefined && Object.keys(where).length === 0) return undefined
  return { type: message === 'skill_gap' ? message : 'other', message: message ?? '', ...where }
}

/** A list of deliverables with their evidence, or a mapping from one to the other. */
function evidenceOf(top: Fields | undefined): NonNullable<Draft['result']>['evidence'] {
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
    const deliverable = typeof each === 'string' ? undefined : each.text('deliverable', 'item')
    if (typeof each === 'string' || deliverable === undefined) return []
    return [{ deliverable, evidence: each.text('evidence', 'proof') ?? '' }]
  })
}

function verificationOf(reading: Reading, endedAt: string | undefined): Verification | undefined {
  const { top } = reading
  const verified_by = reading.agent('completion_verified_by')?.name ?? undefined
  const record = isData(top?.value('verification_record')) ? top?.below('verification_record') : undefined
  const sometime = verified_by === undefined ? undefined : (endedAt ?? reading.frontTime('updated_at'))
  const verified_at = record?.time('verified_at') ?? sometime
  const checks = record ? checksOf(record) : []
  if (verified_at === undefined || (verified_by === undefined && !record)) return undefined
  const pass = checks.every(({ status }) => status === 'verified')
  return { verified_at, verified_by: verified_by ?? '', pass, deliverable_checks: checks }
}

function checksOf(record: Fields): Verification['deliverable_checks'] {
  return (record.each('deliverable_checks', 'checks') ?? []).flatMap((each) => {
    if (typeof each === 'string') return []
    const warn = (code: string, message: string, ...path: string[]) =>
      each.report('warning', code, message, ...path)
    const deliverable = each.text('deliverable')
    const status = each.text('status') ?? ''
    if (deliverable === undefined) {
      warn('check_without_deliverable', 'This check names no deliverable; add `deliverable: …`.')
      return []
    }
    // A guard rests on this word, so nothing that only looks like it counts.
    const isVerified = status === 'verified'
    const message = `"${status.slice(0, 60)}" does not count as verified; write verified or refused.`
    if (!isVerified && status !== 'refused') warn('check_status', message, 'status')
    const evidence = each.text('evidence') ?? ''
    return [{ deliverable, status: isVerified ? ('verified' as const) : ('refused' as const), evidence }]
  })
}

/** Some keep the way back in the same front matter, under `handback:`. */
function handbackOf(reading: Reading, state: State | undefined) {
  const { top, places } = reading
  const back = isData(top?.value('handback')) ? top?.below('handback') : undefined
  if (!back) return {}
  const status = back.text('status')
  const read = status === undefined ? undefined : readStatus(status)
  const message = `handback says status ${JSON.stringify(status)}, but the handoff's is ${state}, which was taken; make them agree.`
  if (read?.kind === 'state' && state !== undefined && read.state !== state)
    back.report('warning', 'status_contradicts', message, 'status')
  for (const [key, name] of Object.entries({ completed_at: 'completed_at', completion_notes: 'notes' }))
    if (back.has(name) && !reading.hasFront(key)) places.set(key, ['handback', name])
  const ended = back.time('completed_at')
  return {
    ended_at: state === 'completed' ? ended : undefined,
    note: back.text('notes'),
    branch: back.text('branch'),
  }
}
