import * as z from 'zod'
import { STATES, type State } from '../lifecycle.ts'
import type { AnswerOf } from '../once.ts'
import { addMs } from './deadlines.ts'
import type { Handoff } from './handoff.ts'
import type { Content } from './package.ts'

/** Ended work is in the way for a week; then it is history. */
const IN_THE_WAY_MS = 7 * 24 * 3_600_000

export const Stuck = () =>
  z.object({
    id: z.string(),
    title: z.string(),
    state: z.enum(STATES),
    with: z.string().describe('The one whose move it is, or who had it last'),
    since: z.string(),
    why: z.string().describe('Why it does not move'),
    /** The command that moves it on. */
    next: z.string(),
  })
export type Stuck = AnswerOf<typeof Stuck>

type StuckWords = readonly [
  why: (handoff: Handoff, said?: Content) => string | undefined,
  next: (handoff: Handoff) => string,
]
const retryIt = ({ id }: Handoff) => `baton retry ${id}`
const resendIt = ({ id }: Handoff) => `baton resend ${id}`
const questionIn = (said: Content | undefined) =>
  said?.thread.findLast(({ kind }) => kind === 'question')?.text
const failedChecks = (said: Content | undefined) =>
  (said?.result?.checks ?? []).filter(({ ok }) => ok === false).map(({ name }) => name)
const isQuestion = ({ need }: Handoff) => need === 'clarification'

const STUCK = {
  blocked: [({ blocked_on }) => blocked_on, ({ id }) => `baton reassign ${id} --to <agent>`],
  needs_input: [
    (handoff, said) =>
      isQuestion(handoff) ? (questionIn(said) ?? 'a question is not answered') : 'a decision is awaited',
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
const REVIEW: StuckWords = [
  (_, said) => `check failed: ${failedChecks(said).join(', ')}`,
  ({ id }) => `baton verify ${id} --fail -m "…"`,
]

/** Handoffs that do not move by themselves, as a person has to know them; `said` holds the contents by uid. */
export function stuckAmong(
  handoffs: readonly Handoff[],
  now: string,
  said: ReadonlyMap<string, Content | undefined> = new Map(),
): Stuck[] {
  return handoffs
    .filter(
      ({ uid, state, superseded_by, ended_at }) =>
        superseded_by === undefined &&
        (state !== 'in_review' || failedChecks(said.get(uid)).length > 0) &&
        (ended_at === undefined || addMs(ended_at, IN_THE_WAY_MS) > now),
    )
    .map((handoff) => {
      const { id, title, state, to, waiting_for, updated_at, silence_at, ack_deadline } = handoff
      // Nobody may have looked for days after the deadline.
      const since = (state === 'expired' ? (silence_at ?? ack_deadline) : undefined) ?? updated_at
      const [say, next] = state === 'in_review' ? REVIEW : (STUCK[state as keyof typeof STUCK] as StuckWords)
      const why = say(handoff, said.get(handoff.uid)) ?? 'no reason was given'
      return { id, title, state, with: waiting_for ?? to, since, why, next: next(handoff) }
    })
}
