import { ANYONE } from './actor.ts'
import type { Agent, AgentKind, AgentRole } from './agent.ts'
import type { AckOverrides } from './handoffs/deadlines.ts'
import type { Home } from './home.ts'
import { type AgentLimits, DEFAULT_LIMITS } from './limits.ts'
import type { PeopleRules } from './people/silence.ts'

export interface ListedAgent {
  readonly kind?: AgentKind | undefined
  readonly roles?: readonly AgentRole[] | undefined
  readonly capabilities?: readonly string[] | undefined
  readonly limits?: AgentLimits | undefined
  /** Of document 001: 6 to 12 for orchestrators, 13 to 16 for specialists. */
  readonly phase?: number | undefined
}

/** The rules of a workspace that people set in `baton.yaml`. */
export interface Policy {
  /** When agents are listed, nobody else can send or receive. */
  readonly agents?: Readonly<Record<string, ListedAgent>>
  /** For agents that neither the list nor document 000's table names. */
  readonly defaultLimits: AgentLimits
  /** The verifiers of document 000's handoffs. */
  readonly verifiers: readonly string[]
  readonly chief: string
  readonly deadlines: Readonly<Partial<Record<Home, AckOverrides>>>
  readonly depthLimit: number
  /** Reminders and silence of people. Absent: they may take their time. */
  readonly people?: PeopleRules
  /** The allowed routes; `*` stands for everyone. Absent: all may hand to all. */
  readonly routes?: readonly { readonly from: string; readonly to: readonly string[] }[]
}

export const DEFAULT_POLICY: Policy = {
  defaultLimits: {},
  verifiers: ['perplexity'],
  chief: 'grok',
  deadlines: {},
  depthLimit: 16,
}

/**
 * Each side by itself: an agent's own limit, else the list's, else document 000's table, else the workspace's
 * default. Whoever changes one side leaves the other alone.
 */
export function limitsOf(policy: Policy, name: string, agent?: Agent): AgentLimits {
  const listed = policy.agents?.[name]?.limits
  const usual = DEFAULT_LIMITS[name] ?? policy.defaultLimits
  return {
    outgoing: agent?.limits.outgoing ?? listed?.outgoing ?? usual.outgoing,
    incoming: agent?.limits.incoming ?? listed?.incoming ?? usual.incoming,
  }
}

export const hasLimit = (limits: AgentLimits): boolean =>
  limits.outgoing !== undefined || limits.incoming !== undefined

export const kindOf = (policy: Policy, name: string, agent?: Agent): AgentKind =>
  agent?.kind ?? policy.agents?.[name]?.kind ?? (name === ANYONE ? 'human' : 'agent')

export const hasRole = (policy: Policy, role: AgentRole, name: string, agent?: Agent): boolean =>
  Boolean(agent?.roles.includes(role) || policy.agents?.[name]?.roles?.includes(role))

/** Whether the allow-list lets one hand to the other. */
export function mayRoute(policy: Policy, from: string, to: string): boolean {
  if (!policy.routes) return true
  return policy.routes.some(
    (r) => (r.from === '*' || r.from === from) && (r.to.includes('*') || r.to.includes(to)),
  )
}
