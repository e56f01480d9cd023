import type { State } from '../lifecycle.ts'
import { addMs } from './deadlines.ts'
import type { Handoff } from './handoff.ts'

/** Ended work is in the way for a week; then it is history. */
const IN_THE_WAY_MS = 7 * 24 * 3_600_000

export interface Stuck {
  readonly id: string
  readonly title: string
  readonly state: State
  /** The agent or the person whose move it is, or who had it last. */
  readonly with: string
  readonly since: string
  readonly why: string
  /** The command that moves it on. */
  readonly next: string
}

type StuckWords = readonly [why: (handoff: Handoff) => string | undefined, next: (handoff: Handoff) => string]
const retryIt = ({ id }: Handoff) => `baton retry ${id}`
const resendIt = ({ id }: Handoff) => `baton resend ${id}`
const isQuestion = ({ need }: Handoff) => need === 'clarification'

const STUCK = {
  blocked: [({ blocked_on }) => blocked_on, ({ id }) => `baton show ${id}`],
  needs_input: [
    (handoff) => (isQuestion(handoff) ? 'a question is not answered' : 'a decision is awaited'),
    (handoff) => (isQuestion(handoff) ? `baton answer ${handoff.id} "…"` : `baton decide ${handoff.id}`),
  ],
  retry_wait: [
    ({ not_before, error }) => `${error?.message ?? 'it failed'}; next try ${not_before}`,
    retryIt,
  ],
  failed: [({ error }) => error?.message, retryIt],
  expired: [() => 'nobody took it in time', resendIt],
  rejected: [({ rejection }) => rejection?.message, resendIt],
} as const satisfies Partial<Record<State, StuckWords>>

export const STUCK_STATES = Object.keys(STUCK) as (keyof typeof STUCK)[]

/** Handoffs that do not move by themselves, as a person has to know them. */
export function stuckAmong(handoffs: readonly Handoff[], now: string): Stuck[] {
  return handoffs
    .filter(
      ({ superseded_by, ended_at }) =>
        superseded_by === undefined && (ended_at === undefined || addMs(ended_at, IN_THE_WAY_MS) > now),
    )
    .map((handoff) => {
      const { id, title, state, to, waiting_for, updated_at } = handoff
      const [why, next]: StuckWords = STUCK[state as keyof typeof STUCK]
      const reason = why(handoff) ?? 'no reason was given'
      return {
        id,
        title,
        state,
        with: waiting_for ?? to,
        since: updated_at,
        why: reason,
        next: next(handoff),
      }
    })
}
