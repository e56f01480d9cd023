import type { Draft } from '../../dialects/draft.ts'
import { archivedAt } from '../../dialects/package/files/session.ts'
import { PACKAGE_TABLE } from '../../dialects/package/table.ts'
import { fieldsThat } from '../../dialects/table/derive.ts'
import { present } from '../../domain/present.ts'
import { inWords } from '../../domain/texts/visible.ts'
import { amendmentOf, askedFields, fixedIn, has } from '../amendment.ts'
import type { ForeignChange, Plan, PlannedCall } from '../folder.ts'

/** Text that the engine has no field for: it stays as the author wrote it. */
const FREE: ReadonlySet<string> = new Set(['body', 'extra', ...fieldsThat(PACKAGE_TABLE, 'author')])
/** Set by the engine with the step that they belong to; what an author wrote there is replaced. */
const FOLLOWS: ReadonlySet<string> = new Set(['updated_at', ...fieldsThat(PACKAGE_TABLE, 'follows')])
const AMENDED = fieldsThat(PACKAGE_TABLE, 'amend')

/** A new file begins a handoff only as its sender would. */
export function refusesNew(draft: Draft, path: string): string | undefined {
  const { id, state } = draft
  const named = archivedAt(path)?.id
  if (id !== undefined && id !== named) return `its id is ${id}, so the file must be called ${id}.yaml`
  const isAnswered = draft.acknowledgment !== undefined || draft.gate?.response !== undefined
  if ((state === undefined || state === 'offered' || state === 'needs_input') && !isAnswered) return undefined
  return 'a new package begins as pending and without an answer; to take over what was done elsewhere use: baton import'
}

/** What an author's version asks for. Whatever no operation can do is refused, never dropped. */
export function plan(change: ForeignChange): Plan {
  const { handoff, path, place, accept } = change
  const fields = packageAsked(change)
  const author = authorOf(change, fields)
  const no = (reason: string): Plan => ({ ok: false, author, reason })
  if (path !== place) return no(`its place is ${place}; a package stays in its session under its id`)
  const isDecided = has(fields, 'gate.response')
  if (isDecided && !accept.has('gate'))
    return no(`a file cannot decide a gate; a person uses: baton decide ${handoff.id}`)
  const amended = AMENDED.filter((field) => fields.has(field))
  const calls = [...amendmentOf(change, amended)]
  if (isDecided) calls.push(decision(change))
  const isAnswered = has(fields, 'acknowledgment') || fields.has('accepted_by') || fields.has('ack_notes')
  if (isAnswered) calls.push(acknowledgment(change))
  const stepped = fields.has('state') && !isDecided ? packageStep(change, isAnswered) : []
  if (typeof stepped === 'string') return no(stepped)
  calls.push(...stepped)
  const covered = new Set([
    ...['state', ...amended],
    ...(isDecided ? ['gate.response', 'gate'] : []),
    ...(isAnswered ? ['acknowledgment', 'accepted_by', 'ack_notes'] : []),
  ])
  const fixed = fixedIn(fields, covered)
  if (fixed.length > 0)
    return no(
      `${fixed.map((field) => field.replace('package.', '')).join(', ')} cannot be changed in the file`,
    )
  return { ok: true, author, calls }
}

const packageAsked = (change: ForeignChange): ReadonlySet<string> =>
  askedFields(change, (path) => FREE.has(String(path[0])) || FOLLOWS.has(path.join('.')))

/** Whoever the changed part is for; an answer names its author. */
function authorOf({ handoff, file }: ForeignChange, fields: ReadonlySet<string>): string {
  if (has(fields, 'gate.response')) return file.gate?.response?.by ?? handoff.to
  if (has(fields, 'acknowledgment') || fields.has('accepted_by')) return file.accepted_by ?? handoff.to
  if (fields.has('state')) return file.state === 'cancelled' ? handoff.from : handoff.to
  return handoff.from
}

function decision({ handoff, file }: ForeignChange): PlannedCall {
  const { decision: choice, by, comment } = file.gate?.response ?? {}
  return {
    actor: by ?? handoff.to,
    op: 'gate_decide',
    input: { id: handoff.uid, choice, ...present({ comment }) },
  }
}

/** Document 004's acknowledgment: the task in the receiver's words, or what is not clear. */
function acknowledgment({ handoff, file }: ForeignChange): PlannedCall {
  const said = file.acknowledgment ?? {}
  const [task, ...constraints] = said.understanding ?? []
  const isClear = said.understood === undefined || said.understood === 'yes'
  const understood = !isClear
    ? 'partial'
    : task === undefined
      ? undefined
      : { task, ...(constraints.length > 0 && { constraints }) }
  return {
    actor: file.accepted_by ?? handoff.to,
    op: 'handoff_accept',
    input: {
      id: handoff.uid,
      ...present({ understood }),
      ...(said.questions?.length && { questions: said.questions }),
      ...(said.blockers?.length && { blockers: said.blockers }),
      ...(isClear && { start: said.starting ?? true }),
      ...present({ from: said.from, notes: file.ack_notes }),
    },
  }
}

function packageStep({ handoff, file }: ForeignChange, isAnswered: boolean): readonly PlannedCall[] | string {
  const { uid: id, to, from } = handoff
  const isForPerson = handoff.type === 'gate' || handoff.type === 'escalation'
  switch (file.state) {
    case 'accepted':
    case 'in_progress':
    case 'needs_input':
      // Followed from the acknowledgment beside it.
      return isAnswered ? [] : 'write an acknowledgment beside the package; the status follows from it'
    case 'completed':
      if (isForPerson) return `it waits for a person; use: baton decide ${handoff.id}`
      return [{ actor: to, op: 'handoff_submit', input: { id } }]
    case 'rejected':
      return [{ actor: to, op: 'handoff_reject', input: { id, reason: reasonIn(file, 'rejected') } }]
    case 'failed':
      return [{ actor: to, op: 'handoff_fail', input: { id, message: reasonIn(file, 'failed') } }]
    case 'cancelled':
      return [{ actor: from, op: 'handoff_cancel', input: { id, reason: reasonIn(file, 'cancelled') } }]
    default:
      return `a package does not go from ${inWords(handoff.state)} to ${file.state ?? 'no status'} by hand`
  }
}

/** What the author says of it in the one place that document 004 has for it. */
const reasonIn = ({ acknowledgment: said, ack_notes: notes }: Draft, word: string): string =>
  notes?.trim() || said?.blockers?.join('; ') || `${word} in the file`
