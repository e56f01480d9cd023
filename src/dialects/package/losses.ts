import type { Package } from '../../domain/handoffs/package.ts'
import type { Loss } from '../dialect.ts'
import { type Data, keysOf, own, sameData, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type PackageStatus, Statuses, stateOf } from './words.ts'

/** Why a package does not say a field, or `said` where it does. A new field of the draft has to be decided on here. */
const FIELDS: Readonly<Record<keyof Draft, string>> = {
  id: 'said',
  type: 'said',
  from: 'said',
  from_role: 'said',
  to_role: 'said',
  to_reason: 'said',
  from_step: 'said',
  to_step: 'said',
  title: 'said',
  task: 'said',
  project: 'said',
  priority: 'said',
  in_reply_to: 'said',
  created_at: 'said',
  accepted_by: 'said',
  ack_notes: 'said',
  package: 'said',
  workflow: 'said',
  gate: 'said',
  to: 'a package always goes to somebody',
  state: 'the nearest status was written',
  accepted_at: 'the acknowledgment has one time',
  acknowledgment: 'an acknowledgment that asks back does not say what was understood',
  uid: 'a package is known by its id',
  from_phase: 'a package counts steps, not phases',
  to_phase: 'a package counts steps, not phases',
  phase: 'a package counts steps, not phases',
  supersedes: 'a package does not say what it replaces',
  updated_at: 'a package has one time, when it was made',
  started_at: 'a package has one time, when it was made',
  ended_at: 'a package has one time, when it was made',
  not_before: 'a package has one time, when it was made',
  ack_deadline: 'a package has no deadline',
  target_completion: 'a package has no deadline',
  timeout_s: 'a package has no deadline',
  retry_count: 'a package is not retried but sent again',
  retry: 'a package is not retried but sent again',
  retry_available: 'a package is not retried but sent again',
  on_failure: 'a package is not retried but sent again',
  error: 'a package does not say how work failed',
  rejection: 'a package does not say why it was rejected',
  input_schema: 'a package names no schemas',
  output_schema: 'a package names no schemas',
  expected_output: 'a package expects a deliverable in words',
  result: 'a package lists the files of a result as artifacts and says nothing else of it',
  verification: 'a package does not say how work was verified',
  record: 'a package keeps it as context.data.record, its files as artifacts',
  metrics: 'a package has no metrics',
  depends_on: 'a package names steps of a workflow, not tasks',
  next_steps: 'a package names steps of a workflow, not tasks',
  progress: 'a package has no metrics',
  body: 'a package is data without text around it',
  extra: 'the keys are of another format',
}

/** The same for what travels: where in the native value it stands, or why it does not. */
const TRAVELS: Readonly<Record<keyof Package, readonly string[] | string>> = {
  summary: ['context', 'summary'],
  data: ['context', 'data'],
  input: ['context', 'input'],
  decisions: ['context', 'decisions'],
  artifacts: ['context', 'artifacts'],
  open_questions: ['context', 'open_questions'],
  criteria: ['expectations', 'success_criteria'],
  constraints: ['expectations', 'constraints'],
  validation_request: ['validation_request'],
  deliverables: 'a package has one deliverable, so they were joined',
  purpose: 'a package says it as to.reason or expectations.deliverable',
  context: 'a package says it as context.summary where there is no other',
  links: 'a package has no links; the meeting is listed as an artifact',
  checks: 'a package has criteria in words and no checks',
}

/** What of the draft a reader of the native value would not find. */
export function lossesOf(draft: Draft, value: Data, ours: boolean): readonly Loss[] {
  const losses: Loss[] = []
  for (const field of keysOf(draft) as (keyof Draft)[]) {
    if (field === 'package') losses.push(...lostTravels(draft.package ?? {}, own(value, 'handoff')))
    else if (isLost(field, draft, value, ours)) losses.push({ field, reason: FIELDS[field] })
  }
  return losses
}

function isLost(field: keyof Draft, draft: Draft, value: Data, ours: boolean): boolean {
  const isPartlyLost = Object.hasOwn(PARTLY, field) ? PARTLY[field] : undefined
  if (isPartlyLost) return isPartlyLost(draft, value)
  if (field === 'extra' || field === 'body') return !ours
  return FIELDS[field] !== 'said'
}

/** Fields that are said, but not always. */
const PARTLY: Partial<Record<keyof Draft, (draft: Draft, value: Data) => boolean>> = {
  to: ({ to }) => to === null,
  state: ({ state }, value) => {
    const status = valueAt(value, ['handoff', 'status'])
    return !Statuses.words.includes(status as PackageStatus) || stateOf(status as PackageStatus) !== state
  },
  accepted_at: ({ accepted_at, acknowledgment: said }) =>
    said?.understood === 'partial' ||
    said?.understood === 'no' ||
    (said?.at !== undefined && said.at !== accepted_at),
  acknowledgment: ({ acknowledgment: said }) =>
    (said?.understood === 'partial' || said?.understood === 'no') && said.understanding !== undefined,
}

function lostTravels(travels: Package, handoff: unknown): Loss[] {
  return (keysOf(travels) as (keyof Package)[]).flatMap((key): Loss[] => {
    const place = TRAVELS[key]
    const field = `package.${key}`
    if (typeof place !== 'string')
      return sameData(valueAt(handoff, place), own(travels, key))
        ? []
        : [{ field, reason: 'created and changed files are listed with it' }]
    const isSaid =
      (key === 'deliverables' && travels.deliverables?.length === 1) ||
      (key === 'context' && travels.summary !== undefined)
    return isSaid ? [] : [{ field, reason: place }]
  })
}
