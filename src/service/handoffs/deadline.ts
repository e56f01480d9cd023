import type { Agent } from '../../domain/agent.ts'
import { type AckOverrides, ackDeadline } from '../../domain/handoffs/deadlines.ts'
import type { Handoff, HandoffType } from '../../domain/handoffs/handoff.ts'
import type { Home } from '../../domain/home.ts'
import { kindOf } from '../../domain/policy.ts'
import type { ServiceDeps } from '../deps.ts'
import type { Step } from './moves.ts'

/** A home's deadlines by the policy. Returns, and native work for a person, wait without one. */
export function overridesFor(
  deps: ServiceDeps,
  home: Home,
  name: string,
  to: Agent | undefined,
  type: HandoffType,
): AckOverrides {
  const own = deps.policy.deadlines[home] ?? {}
  const isPerson = kindOf(deps.policy, name, to) === 'human'
  const free = type === 'return' || (home === 'native' && isPerson)
  return free ? { ...own, offeredMs: 'none' } : own
}

/** The acceptance deadline of a handoff that is offered now, as a change to it. */
export function offerDeadline(step: Step, handoff: Handoff): Pick<Handoff, 'ack_deadline'> {
  const { to, home, type } = handoff
  const overrides = overridesFor(step.deps, home, to, step.view.agent(to), type)
  const at = ackDeadline(handoff.home, 'offered', step.at, overrides)
  return at === undefined ? {} : { ack_deadline: at }
}
