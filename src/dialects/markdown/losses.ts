import { valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { seconds } from './render.ts'
import { statusFor } from './status.ts'

const NO_KEY = 'the format has no key for it'
const IN_BODY = 'only as text in the body'
const SECONDS = 'times are written to the second'

/** Why no key says a field. Those that do not depend on the rest of the draft. */
// biome-ignore format: read as a table
const MARKDOWN_LOSSES: Readonly<Record<string, string>> = {
  uid: NO_KEY, type: NO_KEY, from_phase: NO_KEY, to_phase: NO_KEY, phase: NO_KEY, from_step: NO_KEY,
  to_step: NO_KEY, project: NO_KEY, priority: NO_KEY, in_reply_to: NO_KEY, started_at: NO_KEY,
  timeout_s: NO_KEY, retry_count: NO_KEY, retry: NO_KEY, retry_available: NO_KEY, not_before: NO_KEY,
  on_failure: NO_KEY, input_schema: NO_KEY, output_schema: NO_KEY, expected_output: NO_KEY, gate: NO_KEY,
  acknowledgment: NO_KEY, record: NO_KEY, workflow: NO_KEY, metrics: NO_KEY, depends_on: NO_KEY,
  next_steps: NO_KEY, progress: NO_KEY, from_role: IN_BODY, to_role: IN_BODY,
  'package.data': NO_KEY, 'package.decisions': IN_BODY, 'package.artifacts': IN_BODY,
  'package.open_questions': IN_BODY, 'package.constraints': IN_BODY, 'package.input': NO_KEY,
  'package.checks': NO_KEY, 'package.validation_request': NO_KEY, 'result.output': NO_KEY,
  'result.artifacts': NO_KEY, 'result.validation': NO_KEY, 'result.schema_compliance': NO_KEY,
  'result.checks': NO_KEY, 'result.metadata': NO_KEY, 'result.next_steps': NO_KEY,
  'result.submitted_at': NO_KEY, 'verification.note': NO_KEY,
  created_at: SECONDS, updated_at: SECONDS, accepted_at: SECONDS, ack_deadline: SECONDS,
  'rejection.at': SECONDS, 'verification.verified_at': SECONDS,
  id: 'the id names sender, receiver, task and day',
  'package.links': 'only a meeting and a skill have keys',
  'verification.verified_by': 'the key is null until the end',
}

export function markdownLossReason(field: string, draft: Draft): string | undefined {
  const { state, ended_at, package: pack } = draft
  switch (field) {
    case 'state':
      return state && `written as ${statusFor(state)}`
    case 'ended_at':
      return isFiner(ended_at) ? SECONDS : `no key for it in ${state ?? 'no state'}`
    case 'error':
      return state === 'failed' ? 'only its message, as a reason' : NO_KEY
    case 'to_reason':
      return pack?.purpose === undefined ? 'written as purpose' : NO_KEY
    case 'package.summary':
      return pack?.context === undefined ? 'written as context' : IN_BODY
  }
  const reason = MARKDOWN_LOSSES[field]
  return reason === SECONDS && !isFiner(valueAt(draft, field.split('.'))) ? undefined : reason
}

const isFiner = (time: unknown): boolean => typeof time === 'string' && seconds(time) !== time
