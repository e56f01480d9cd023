import { type Refusal, refusalOf } from './errors.ts'

/** How many open handoffs an agent may have sent and may hold. Absent: no limit. */
export interface AgentLimits {
  readonly outgoing?: number | undefined
  readonly incoming?: number | undefined
}

/** Input of `checkLimits`: the open handoffs of both sides before the new one is made. */
export interface LimitCheck {
  readonly from: string
  readonly to: string
  /** Open handoffs that `from` has sent. */
  readonly outgoing: number
  /** Open handoffs that `to` has received. */
  readonly incoming: number
  readonly limits: { readonly from?: AgentLimits | undefined; readonly to?: AgentLimits | undefined }
}

// biome-ignore format: read as a table
const TABLE = {
  grok:       { outgoing: 10, incoming: 5 },
  claude:     { outgoing: 5,  incoming: 10 },
  abacus:     { outgoing: 5,  incoming: 10 },
  perplexity: { outgoing: 3,  incoming: 15 },
  gemini:     { outgoing: 5,  incoming: 10 },
} satisfies Record<string, AgentLimits>

/** Document 000's table, by agent name. It has no prototype: an agent may be called `constructor`. */
export const DEFAULT_LIMITS: Readonly<Record<string, AgentLimits>> = Object.freeze(
  Object.assign(Object.create(null), TABLE),
)

/** Whether one more handoff fits. The sender's limit comes first; the texts are document 000's own. */
export function checkLimits(check: LimitCheck): { readonly ok: true } | Refusal {
  const { from, to, outgoing, incoming, limits } = check
  return (
    exceeded(from, 'outgoing', outgoing, limits.from?.outgoing) ??
    exceeded(to, 'incoming', incoming, limits.to?.incoming) ?? { ok: true }
  )
}

function exceeded(agent: string, side: 'outgoing' | 'incoming', count: number, limit: number | undefined) {
  if (limit === undefined || count < limit) return undefined
  const message = `${agent} has ${count} active ${side} handoffs (max: ${limit})`
  return refusalOf('limit_exceeded', message, { agent, side, count, limit })
}
