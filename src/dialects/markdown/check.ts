import type { State } from '../../domain/lifecycle.ts'
import { DEFAULT_LIMITS } from '../../domain/limits.ts'
import type { GradedProblem } from '../../domain/problem.ts'
import { vagueWord } from '../../domain/texts/measurable.ts'
import type { Draft } from '../draft.ts'
import { keyOfField } from '../table/derive.ts'
import { handoffId, isTaskId, originalOf, parseName, stemOf } from './names.ts'
import { statusFor } from './status.ts'
import { TABLE } from './table.ts'

/** A problem with a key of the front matter; the caller knows where that stands. */
export interface KeyProblem extends GradedProblem {
  readonly key: string
  /** Elements below the key, for example the number of a deliverable. */
  readonly below?: readonly (string | number)[]
}

/** What is wrong with a document that could be read. None of it needs anything but the document and its path. */
export function* checkMarkdown(draft: Draft, path?: string): Generator<KeyProblem> {
  const { task } = draft
  const message = `"${task}" is not a task id of this format; write BPRD-YYYY-NNNN, for example BPRD-2026-0042.`
  if (task !== undefined && !isTaskId(task))
    yield { severity: 'error', code: 'task_form', message, key: 'related_task' }
  yield* checkId(draft, path)
  if (path !== undefined) yield* checkPlace(path, draft.state)
  yield* checkTimes(draft)
  yield* checkDeliverables(draft)
  for (const [i, criterion] of (draft.package?.criteria ?? []).entries()) {
    const vague = vagueWord(criterion)
    const why = `"${vague}" cannot be measured; say what is counted or which check passes.`
    if (vague !== undefined) yield warning('vague_criterion', 'verification_criteria', why, i)
  }
  yield* checkAcknowledgment(draft)
}

const warning = (code: string, key: string, message: string, ...below: (string | number)[]): KeyProblem => ({
  severity: 'warning',
  code,
  message,
  key,
  below,
})

/** The id names what the other keys say; the file is called after the id. */
function* checkId(draft: Draft, path: string | undefined): Generator<KeyProblem> {
  const { id, from, to, task, created_at } = draft
  if (id === undefined) return
  const warn = (code: string, message: string): KeyProblem => warning(code, 'handoff_id', message)
  if (path !== undefined && originalOf(stemOf(path)) !== id)
    yield warn(
      'name_differs',
      `The file is called ${stemOf(path)}, but its id is ${id}; rename the file to ${id}.md.`,
    )
  const name = parseName(id, new Set([...Object.keys(DEFAULT_LIMITS), ...[from ?? [], to ?? []].flat()]))
  if (!name.ok) {
    const wanted =
      from && to && task && isTaskId(task) && created_at && handoffId({ from, to, task, created_at })
    const form = wanted || 'handoff-{from_agent}-{to_agent}-{related_task}-{YYYYMMDD}'
    if (name.reason !== 'ambiguous')
      yield warn('id_form', `"${id}" is not of the form of an id; write ${form}.`)
    return
  }
  const said = { from, to, task, date: created_at?.slice(0, 10).replaceAll('-', '') }
  for (const [part, value] of Object.entries(said)) {
    const named = name.parts[part as keyof typeof said]
    const key = part === 'date' ? 'created_at' : keyOfField(TABLE, part)
    if (value !== undefined && value !== null && value !== named)
      yield warn('id_contradicts', `The id names ${named}, but ${key} says ${value}; make them agree.`)
  }
}

const PROHIBITED: readonly RegExp[] = [
  /(?:^|\/)_agents\/(?:[^/]+\/)?_handoffs\//,
  /(?:^|\/)research\/[^/]+\/processed\//,
]
const WITHIN = /(?:^|\/)_handoffs\/(.*)$/s

export const isProhibited = (path: string): boolean => PROHIBITED.some((place) => place.test(path))

/** Whether a handoff may stand where it stands. A path without a folder says nothing. */
export function checkPlace(path: string, state: State | undefined): KeyProblem[] {
  if (!path.includes('/')) return []
  const status = state && statusFor(state)
  const isEnd = status === 'Complete' || status === 'Expired' || status === 'Rejected'
  const home = isEnd ? '_handoffs/archived/{YYYY}/{MM}/' : '_handoffs/active/'
  const misplaced = (why: string) => [warning('wrong_place', 'status', `${why}; move it to ${home}.`)]
  if (isProhibited(path)) return misplaced('Handoffs are not allowed in this folder')
  const within = WITHIN.exec(path)?.[1]
  if (within === undefined) return misplaced('Handoffs belong into _handoffs/ at the root of the repository')
  const isActive = /^active\/[^/]+$/.test(within)
  const isArchived = /^archived\/\d{4}\/(?:0[1-9]|1[0-2])\/[^/]+$/.test(within)
  if (!isActive && !isArchived) return misplaced('Handoffs are kept in active/ or archived/{YYYY}/{MM}/')
  if (status === undefined || isArchived === isEnd) return []
  return misplaced(`A handoff that is ${status} does not belong into ${isActive ? 'active' : 'archived'}/`)
}

/** Pairs of times of which the first cannot be the later one. */
const ORDER: readonly (readonly [keyof Draft, keyof Draft])[] = [
  ['created_at', 'updated_at'],
  ['created_at', 'ack_deadline'],
  ['created_at', 'accepted_at'],
  ['created_at', 'ended_at'],
  ['accepted_at', 'ended_at'],
]

function* checkTimes(draft: Draft): Generator<KeyProblem> {
  for (const [before, after] of ORDER) {
    const [a, b] = [draft[before], draft[after]]
    if (typeof a !== 'string' || typeof b !== 'string' || !isLater(a, b)) continue
    const [earlier, later] = [before, after].map((each) => keyOfField(TABLE, each)) as [string, string]
    yield warning('time_order', later, `${later} (${b}) is before ${earlier} (${a}); one of them is wrong.`)
  }
}

/** Midnight is mostly a day without a time: then only the days are compared. */
function isLater(a: string, b: string): boolean {
  const isDay = a.endsWith('T00:00:00Z') || b.endsWith('T00:00:00Z')
  return isDay ? a.slice(0, 10) > b.slice(0, 10) : Date.parse(a) > Date.parse(b)
}

/** Every deliverable is covered once by a check that verified it and says by what. */
function* checkDeliverables({ state, package: pack, verification }: Draft): Generator<KeyProblem> {
  const deliverables = (pack?.deliverables ?? []).map((text) => text.trim())
  const seen = new Set<string>()
  for (const [i, text] of deliverables.entries()) {
    const message = `"${text.slice(0, 60)}" stands twice in deliverables; one check would cover both. Remove one.`
    if (seen.has(text)) yield warning('duplicate_deliverable', 'deliverables', message, i)
    seen.add(text)
  }
  const checks = verification?.deliverable_checks ?? []
  const [severity, key] = [state === 'completed' ? 'error' : 'warning', 'verification_record'] as const
  const covered = checks
    .filter(({ status, evidence }) => status === 'verified' && evidence.trim() !== '')
    .map(({ deliverable }) => deliverable.trim())
  for (const text of checks.length === 0 ? [] : seen) {
    const message = `"${text.slice(0, 60)}" is not verified; add a check with status: verified and its evidence.`
    if (!covered.includes(text)) yield { severity, code: 'deliverable_unchecked', message, key }
  }
  for (const [i, { deliverable }] of checks.entries()) {
    const message = `"${deliverable.slice(0, 60)}" is not among the deliverables; write it as it stands there.`
    if (deliverables.length > 0 && !seen.has(deliverable.trim()))
      yield warning('deliverable_unknown', key, message, 'deliverable_checks', i)
  }
}

function* checkAcknowledgment({ state, to, accepted_by, accepted_at }: Draft): Generator<KeyProblem> {
  const message = `acknowledged_by is ${accepted_by}, but only the receiver ${to} can acknowledge.`
  if (accepted_by !== undefined && to && accepted_by !== to)
    yield warning('acknowledged_by_other', 'acknowledged_by', message)
  const empty =
    'status is Complete, but acknowledged_at is empty; nothing is complete that was not acknowledged.'
  if (state === 'completed' && accepted_at === undefined)
    yield warning('complete_unacknowledged', 'acknowledged_at', empty)
}

/** Why nobody could finish what a file says is Acknowledged: completion asks who acknowledged it, and when. */
export function acknowledgmentGap({ state, to, accepted_by, accepted_at }: Draft): string | undefined {
  if (state !== 'accepted') return undefined
  const missing = [
    ...(accepted_by === undefined ? [['acknowledged_by', to ?? 'the receiver']] : []),
    ...(accepted_at === undefined ? [['acknowledged_at', 'the time, such as 2026-02-21T15:00:00Z']] : []),
  ]
  if (missing.length === 0) return undefined
  const names = missing.map(([key]) => key).join(' and ')
  const fix = missing.map(([key, value]) => `${key}: ${value}`).join(' and ')
  return `it is Acknowledged, but ${names} ${missing.length > 1 ? 'are' : 'is'} empty; write ${fix}, or status: Active`
}
