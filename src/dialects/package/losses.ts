import type { Draft } from '../draft.ts'
import { isOwn } from './write.ts'

/** Why a package does not say a field of the draft. */
const PACKAGE_LOSSES: Readonly<Record<string, string>> = {
  to: 'a package always goes to somebody',
  state: 'the nearest status was written',
  accepted_at: 'the acknowledgment has one time',
  'acknowledgment.understanding': 'an acknowledgment that asks back does not say what was understood',
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
  'package.artifacts': 'created and changed files are listed with it',
  'package.data': 'created and changed files are listed with it',
  'package.deliverables': 'a package has one deliverable, so they were joined',
  'package.purpose': 'a package says it as to.reason or expectations.deliverable',
  'package.context': 'a package says it as context.summary where there is no other',
  'package.links': 'a package has no links; the meeting is listed as an artifact',
  'package.checks': 'a package has criteria in words and no checks',
}

/** A package read as such has a place for text. */
export const packageLossReason = (field: string, draft: Draft): string | undefined =>
  field === 'body' && isOwn(draft) ? undefined : PACKAGE_LOSSES[field]
