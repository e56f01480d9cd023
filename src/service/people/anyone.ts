import { isForAnyone } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { ensureAgents } from '../agents/agents.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'

/** A caller who takes on work for any person is stored as a person: people have no lease. */
export async function knowTaker(deps: ServiceDeps, call: Call, uid: string): Promise<void> {
  if (call.actor.kind !== 'human') return
  const offered = await deps.store.handoff(uid)
  if (offered && isForAnyone(offered)) await ensureAgents(deps, call, [call.actor.name], 'human')
}

/** Work for any person belongs to the first who takes it on, declines it or asks about it. */
export function takenUp(step: Step, offered: Handoff): Handoff {
  const { actor, deps } = step
  if (actor.kind !== 'human' || actor.name === offered.to || !isForAnyone(offered)) return offered
  const theirs = { ...offered, to: actor.name }
  // A workflow has to know who does its step.
  deps.follow?.(step, offered, theirs)
  return theirs
}
