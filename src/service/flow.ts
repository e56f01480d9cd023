import { kindOf, limitsOf } from '../domain/policy.ts'
import { present } from '../domain/present.ts'
import { type FlowAnswer, type FlowWindow, flowOf } from '../domain/reports/flow.ts'
import type { Service } from './service.ts'

/** Handoffs of the window, all of them, counted by the store. */
export async function flowReport(
  { deps, looking, agents }: Service,
  window: FlowWindow,
): Promise<FlowAnswer> {
  const [{ tally, oldest }, known, counts] = await Promise.all([
    deps.store.flow(window, deps.now()),
    agents.list(),
    looking.counts(),
  ])
  const rows = new Map(known.map((agent) => [agent.name, agent]))
  const flow = flowOf(window, tally, oldest, rows.keys())
  return {
    ...flow,
    agents: flow.agents.map((agent) => {
      const { name } = agent
      const { outgoing: max_outgoing, incoming: max_incoming } = limitsOf(deps.policy, name, rows.get(name))
      return {
        ...agent,
        kind: kindOf(deps.policy, name, rows.get(name)),
        load: {
          ...(counts.agents[name] ?? { outgoing: 0, incoming: 0 }),
          ...present({ max_outgoing, max_incoming }),
        },
      }
    }),
  }
}
