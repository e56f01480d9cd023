import { present } from '../present.ts'
import type { OnFailure } from './block.ts'

/**
 * The agent that does the work again. `after_retries`: the same one, and `route_to` when no retry is left.
 * `each_failure`: `route_to` from the first failure on, for work whose failures another agent must mend.
 */
export const ROUTE_MODES = ['after_retries', 'each_failure'] as const
export type RouteMode = (typeof ROUTE_MODES)[number]

export interface FailureDecision {
  /** `retry`: the work stays open. `failed`: nobody tries again unless somebody decides so. */
  readonly status: 'retry' | 'failed'
  readonly notify?: string
  readonly retry?: { readonly agent: 'same' | (string & {}); readonly retry_count: number }
  readonly route_to?: string
  readonly escalate_to?: string
  /** For whoever handles the failure. */
  readonly context?: string
}

/** The receiver of an escalation when no delegator is known. */
const UNFILLED = 'delegator'

/**
 * Decides on one more failure of work that was retried `retry_count` times (A2-08). Escalation ends the
 * retrying, also when retries are left; without rules a failure is final and nobody hears of it.
 */
export function decideFailure(failure: {
  readonly retry_count: number
  readonly on_failure?: OnFailure | undefined
  readonly delegator?: string | undefined
  readonly mode?: RouteMode | undefined
}): FailureDecision {
  const { retry_count, on_failure: rules = {}, delegator = UNFILLED, mode = 'after_retries' } = failure
  const failures = retry_count + 1
  const escalated = rules.escalate_after !== undefined && failures >= rules.escalate_after
  const retries = !escalated && retry_count < (rules.retry ?? 0)
  const again = (mode === 'each_failure' ? rules.route_to : undefined) ?? 'same'
  return present({
    status: retries ? ('retry' as const) : ('failed' as const),
    notify: rules.notify,
    retry: retries ? { agent: again, retry_count: failures } : undefined,
    route_to: retries ? undefined : rules.route_to,
    escalate_to: escalated ? delegator : undefined,
    context: rules.context,
  })
}
