import type { Agent, AgentKind, AgentRole } from './agent.ts'
import type { AckOverrides } from './deadlines.ts'
import type { Home } from './home.ts'
import { type AgentLimits, DEFAULT_LIMITS } from './limits.ts'

export interface ListedAgent {
  readonly kind?: AgentKind | undefined
  readonly roles?: readonly AgentRole[] | undefined
  readonly capabilities?: readonly string[] | undefined
  readonly limits?: AgentLimits | undefined
}

/** The rules of a workspace that people set in `baton.yaml`. */
export interface Policy {
  /** When agents are listed, nobody else can send or receive. */
  readonly agents?: Readonly<Record<string, ListedAgent>>
  /** For agents that neither the list nor document 000's table names. */
  readonly defaultLimits: AgentLimits
  /** Who verifies document 000's handoffs. */
  readonly verifiers: readonly string[]
  readonly chief: string
  readonly deadlines: Readonly<Partial<Record<Home, AckOverrides>>>
  readonly depthLimit: number
  /** Who may hand to whom; `*` stands for everyone. Absent: all may. */
  readonly routes?: readonly { readonly from: string; readonly to: readonly string[] }[]
}

export const DEFAULT_POLICY: Policy = {
  defaultLimits: {},
  verifiers: ['perplexity'],
  chief: 'grok',
  deadlines: {},
  depthLimit: 16,
}

/** An agent's own limits, else the list's, else document 000's table, else the workspace's default. */
export function limitsOf(policy: Policy, name: string, agent?: Agent): AgentLimits {
  const own = agent?.limits
  if (own && (own.outgoing !== undefined || own.incoming !== undefined)) return own
  return policy.agents?.[name]?.limits ?? DEFAULT_LIMITS[name] ?? policy.defaultLimits
}

export const hasLimit = (limits: AgentLimits): boolean =>
  limits.outgoing !== undefined || limits.incoming !== undefined

export const kindOf = (policy: Policy, name: string, agent?: Agent): AgentKind =>
  agent?.kind ?? policy.agents?.[name]?.kind ?? (name === 'human' ? 'human' : 'agent')

export const hasRole = (policy: Policy, role: AgentRole, name: string, agent?: Agent): boolean =>
  Boolean(agent?.roles.includes(role) || policy.agents?.[name]?.roles?.includes(role))

/** Whether the allow-list lets one hand to the other. */
export function mayRoute(policy: Policy, from: string, to: string): boolean {
  if (!policy.routes) return true
  return policy.routes.some(
    (r) => (r.from === '*' || r.from === from) && (r.to.includes('*') || r.to.includes(to)),
  )
}
