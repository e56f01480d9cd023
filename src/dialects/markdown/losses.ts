import { valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { reasonIn } from '../table/derive.ts'
import { seconds } from '../text/time.ts'
import { TIME } from './kinds.ts'
import { statusFor } from './status.ts'
import { TABLE } from './table.ts'

const TIMES: ReadonlySet<string> = new Set([
  ...TABLE.rows.flatMap(({ fields, as }) => (as.schema === TIME ? fields : [])),
  'verification.verified_at',
])

/** Why no key says a field, where that depends on the rest of the draft. */
export function markdownLossReason(field: string, draft: Draft): string | undefined {
  const { state, package: pack } = draft
  const value = valueAt(draft, field.split('.'))
  if (TIMES.has(field) && typeof value === 'string' && seconds(value) !== value)
    return 'times are written to the second'
  if (field === 'state') return state && `written as ${statusFor(state)}`
  if (field === 'ended_at') return `no key for it in ${state ?? 'no state'}`
  if (field === 'error' && state === 'failed') return 'only its message, as a reason'
  if (field === 'to_reason' && pack?.purpose === undefined) return 'written as purpose'
  if (field === 'package.summary' && pack?.context === undefined) return 'written as context'
  return field === 'body' ? undefined : reasonIn(TABLE, field, draft)
}
