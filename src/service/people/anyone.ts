import { isForAnyone } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Needs } from '../../storage/store.ts'
import { ensureAgents } from '../agents/agents.ts'
import type { Step } from '../handoffs/moves.ts'

/** A caller who takes on work for any person is stored as a person: people have no lease. */
export const knowTaker = (step: Step, offered: Handoff): Needs | undefined =>
  step.actor.kind === 'human' && isForAnyone(offered)
    ? ensureAgents(step, [step.actor.name], 'human')
    : undefined

/** Work for any person belongs to the first who takes it on, declines it or asks about it. */
export function takenUp(step: Step, offered: Handoff): Handoff {
  const { actor, deps } = step
  if (actor.kind !== 'human' || actor.name === offered.to || !isForAnyone(offered)) return offered
  const theirs = { ...offered, to: actor.name }
  // A workflow has to know who does its step.
  deps.follow?.(step, offered, theirs)
  return theirs
}
