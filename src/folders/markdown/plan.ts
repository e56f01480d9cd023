import type { Draft } from '../../dialects/draft.ts'
import { acknowledgmentGap } from '../../dialects/markdown/check.ts'
import { statusFor } from '../../dialects/markdown/status.ts'
import { ROWS } from '../../dialects/markdown/table.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { MARKDOWN_TRANSITIONS } from '../../domain/handoffs/markdown-status.ts'
import { isEnd } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { OperationName } from '../../operations/index.ts'
import { amendmentOf, askedFields, has } from '../amendment.ts'
import type { ForeignChange, Plan, PlannedCall } from '../folder.ts'

type Step = NonNullable<(typeof ROWS)[number]['step']>

/** The calls that take what a file says of a step. */
const TAKERS: Readonly<Record<Step, readonly OperationName[]>> = {
  send: ['handoff_send'],
  accept: ['handoff_accept'],
  reject: ['handoff_reject', 'handoff_cancel'],
  submit: ['handoff_submit', 'handoff_verify'],
  verify: ['handoff_verify'],
}

/** The row of a field, of the first part of a field, or of the field that it is part of. */
const rowFor = (field: string): (typeof ROWS)[number] | undefined =>
  ROWS.find(({ fields: [own] }) => own === field) ??
  ROWS.find(({ fields: [own = ''] }) => own.startsWith(`${field}.`) || field.startsWith(`${own}.`))

/** A new file begins a handoff only as its sender would. */
export function refusesNew(draft: Draft, path: string): string | undefined {
  const { id, state } = draft
  if (id !== undefined && !path.endsWith(`/${id}.md`))
    return `its handoff_id is ${id}, so the file must be called ${id}.md`
  if (state === 'draft' || state === 'offered') return undefined
  const gap = acknowledgmentGap(draft)
  if (gap !== undefined) return `a new handoff begins as Created or Active; ${gap}`
  const status = state === undefined ? 'without a status' : statusFor(state)
  return `a new handoff begins as Created or Active, and this one is ${status}; to import finished work use: baton import`
}

/** What an author's version asks for. Whatever no operation can do is refused, never dropped. */
export function plan(change: ForeignChange): Plan {
  const { handoff, file, path, place } = change
  const fields = markdownAsked(change)
  const author = authorOf(change, fields)
  const no = (reason: string): Plan => ({ ok: false, author, reason })
  const status = statusFor(handoff.state)
  if (isEnd(handoff.state) && fields.size > 0)
    return no(`it is ${status} since ${handoff.ended_at}; a handoff that has ended is not changed`)
  // The engine says the same already, so the file asks for nothing, wherever it lies.
  if (isEnd(handoff.state)) return { ok: true, author, calls: [] }
  if (path !== place && !isArchiving(change, fields))
    return no(`its place is ${place}; a handoff moves when its status changes, not by hand`)
  const amended = [...fields].filter((field) => rowFor(field)?.live === 'amend')
  const calls = [...amendmentOf(change, amended)]

  const isVerified = fields.has('verification') || (fields.has('state') && file.state === 'completed')
  if (isVerified && !change.accept.has('verification'))
    return no(`a file cannot verify; its verifier uses: baton verify ${handoff.id}`)
  const stepped = fields.has('state') ? markdownStep(change) : []
  if (typeof stepped === 'string') return no(stepped)
  calls.push(...stepped)
  if (has(fields, 'result') && file.state !== 'completed') calls.push(...handIn(handoff, file))
  if (isVerified && file.state !== 'completed') calls.push(verdict(handoff, file))

  const isTaken = (field: string): boolean => {
    const { live, step } = rowFor(field) ?? {}
    const isStepped = step !== undefined && calls.some(({ op }) => TAKERS[step].includes(op))
    return field === 'state' || live === 'amend' || isStepped
  }
  const fixed = [...fields].filter((field) => !isTaken(field))
  if (fixed.length > 0) {
    const named = [...new Set(fixed.map((field) => rowFor(field)?.key ?? field.replace('package.', '')))]
    const when = calls.length > 0 ? ' by this step' : ''
    return no(`${named.join(', ')} cannot be changed in the file${when}`)
  }
  return { ok: true, author, calls }
}

/** Without text that the engine has no field for, and values that it sets itself with a step. */
const markdownAsked = (change: ForeignChange): ReadonlySet<string> =>
  askedFields(change, (path) => {
    const field = path.join('.')
    const live = ['body', 'extra'].includes(String(path[0])) ? 'author' : rowFor(field)?.live
    return live === 'author' || live === 'follows'
  })

/** Document 000 ends a handoff by a status and a move to the archive; the move alone asks for nothing. */
const isArchiving = ({ file, path }: ForeignChange, fields: ReadonlySet<string>): boolean =>
  fields.has('state') && isEnd(file.state ?? 'draft') && /^archived\/\d{4}\/\d{2}\//.test(path)

/** Whoever the changed part is for; the document has no other place for an author. */
function authorOf({ handoff, file }: ForeignChange, fields: ReadonlySet<string>): string {
  if (fields.has('state')) {
    if (file.state === 'accepted') return file.accepted_by ?? handoff.to
    if (file.state === 'completed') return file.verification?.verified_by || handoff.to
    if (file.state === 'rejected') return file.rejection?.by ?? handoff.to
    return handoff.from
  }
  if (has(fields, 'verification')) return file.verification?.verified_by || handoff.to
  if (fields.has('accepted_by')) return file.accepted_by ?? handoff.to
  return has(fields, 'result') || fields.has('ack_notes') ? handoff.to : handoff.from
}

function markdownStep({ handoff, base, file }: ForeignChange): readonly PlannedCall[] | string {
  const call = (actor: string, op: OperationName, input = {}): PlannedCall => ({
    actor,
    op,
    input: { id: handoff.uid, ...input },
  })
  const by = file.rejection?.by
  const why = file.rejection?.message?.trim()
  switch (file.state) {
    case 'offered':
      return base.state === 'draft' ? [call(handoff.from, 'handoff_send')] : noWay(base, file)
    case 'accepted':
      return [call(file.accepted_by ?? handoff.to, 'handoff_accept', present({ notes: file.ack_notes }))]
    case 'rejected':
      if (!why) return 'it is Rejected without a reason; add rejection_reason'
      if (by === handoff.from) return [call(by, 'handoff_cancel', { reason: why })]
      return [
        call(by ?? handoff.to, 'handoff_reject', {
          reason: why,
          reason_type: file.rejection?.type ?? 'other',
        }),
      ]
    case 'completed':
      return [...handIn(handoff, file), verdict(handoff, file)]
    case 'expired':
      if (file.rejection?.type === 'cancelled' && base.state === 'draft')
        return [call(handoff.from, 'handoff_cancel', { reason: why || 'cancelled' })]
      return `it has not expired: its time ends at ${handoff.ack_deadline ?? 'no fixed moment'}`
    default:
      return noWay(base, file)
  }
}

function noWay(base: Draft, file: Draft): string {
  const [from, to] = [base.state, file.state].map((state) =>
    state === undefined ? 'no status' : statusFor(state),
  )
  const ways = base.state === undefined ? [] : MARKDOWN_TRANSITIONS[statusFor(base.state)]
  const next = ways.length > 0 ? `from there it goes to ${ways.join(' or ')}` : 'that is its end'
  return `the markdown format has no step from ${from} to ${to}; ${next}`
}

/** Work that is handed in with the file; where the receiver wrote none, what the verifier looked at. */
function handIn(handoff: Handoff, { result, verification }: Draft): readonly PlannedCall[] {
  if (handoff.state !== 'accepted' && handoff.state !== 'in_progress') return []
  const checks = verification?.deliverable_checks ?? []
  const evidence =
    result?.evidence ?? checks.map(({ deliverable, evidence: said }) => ({ deliverable, evidence: said }))
  return [
    {
      actor: handoff.to,
      op: 'handoff_submit',
      input: {
        id: handoff.uid,
        ...(evidence.length > 0 && { evidence }),
        ...present({ note: result?.note }),
      },
    },
  ]
}

function verdict(handoff: Handoff, { verification, result }: Draft): PlannedCall {
  const checks = verification?.deliverable_checks ?? []
  return {
    actor: verification?.verified_by || handoff.to,
    op: 'handoff_verify',
    input: {
      id: handoff.uid,
      pass: verification?.pass ?? true,
      ...(checks.length > 0 && { checks }),
      ...present({ note: result?.note }),
    },
  }
}
