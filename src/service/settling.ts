import { ENGINE } from '../domain/actor.ts'
import { isPast, leaseMs, SECOND_MS } from '../domain/handoffs/deadlines.ts'
import { dueOf } from '../domain/handoffs/due.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { DueItem, Unit } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'
import { again, failed } from './handoffs/attempts.ts'
import { move, type Step } from './handoffs/moves.ts'
import { endSilence, remind } from './people/silence.ts'

/** Turns due handoffs into units. Each looks again before it acts, so two settling processes act once. */
export const settlingUnits =
  (deps: ServiceDeps) =>
  (due: readonly DueItem[], at: string): readonly Unit<unknown>[] =>
    due.map(({ uid }) => ({
      reads: { handoffs: [uid] },
      at,
      decide: (view) => {
        const handoff = view.handoff(uid)
        const now = handoff && dueOf(handoff)
        if (now && isPast(now.at, at)) settle({ deps, view, actor: ENGINE, at }, handoff, now.kind)
      },
    }))

function settle(step: Step, handoff: Handoff, kind: DueItem['kind']): Handoff {
  if (kind === 'expire') return move(step, handoff, 'expire')
  if (kind === 'retry') return again(step, handoff)
  if (kind === 'remind') return remind(step, handoff)
  if (kind === 'silence') return endSilence(step, handoff)
  const seconds = (leaseMs(handoff.home, handoff.timeout_s, false) ?? 0) / SECOND_MS
  return failed(
    step,
    handoff,
    {
      code: 'TIMEOUT',
      message: `${handoff.holder ?? handoff.to} was silent for ${seconds} seconds`,
      severity: 'error',
      recovery_actions: ['Increase timeout, retry'],
    },
    'time_out',
  )
}
