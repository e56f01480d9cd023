import { kindOf, limitsOf } from '../domain/policy.ts'
import { present } from '../domain/present.ts'
import { type FlowAnswer, FlowReport, type FlowWindow } from '../domain/reports/flow.ts'
import type { Agents } from './agents/agents.ts'
import type { ServiceDeps } from './deps.ts'
import type { Inbox } from './handoffs/inbox.ts'

const HANDOFF_PAGE = 500
/** Ten reads by key at most, whatever the history holds. */
const MAX_HANDOFFS = 5_000

interface Parts {
  readonly deps: Pick<ServiceDeps, 'now' | 'policy'>
  readonly looking: Pick<Inbox, 'list' | 'counts'>
  readonly agents: Pick<Agents, 'list'>
}

/**
 * Reads handoffs from the newest on until a page has nothing of the window in it. One that was made long before and
 * ended in the window is found while it is among the newest that are looked at.
 */
export async function flowReport({ deps, looking, agents }: Parts, window: FlowWindow): Promise<FlowAnswer> {
  const report = new FlowReport(window, deps.now())
  const whole = await readInto(report, looking)
  const [known, counts] = await Promise.all([agents.list(), looking.counts()])
  const rows = new Map(known.map((agent) => [agent.name, agent]))
  const flow = report.toFlow(rows.keys())
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
    whole,
  }
}

async function readInto(report: FlowReport, looking: Parts['looking']): Promise<boolean> {
  let seen = 0
  for (let cursor: string | undefined; ; ) {
    const page = await looking.list({}, { limit: HANDOFF_PAGE, cursor })
    const counted = page.items.filter((handoff) => report.add(handoff)).length
    seen += page.items.length
    if (page.next === undefined || counted === 0) return true
    if (seen >= MAX_HANDOFFS) return false
    cursor = page.next
  }
}
