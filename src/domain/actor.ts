import type { Agent, AgentName } from './agent.ts'

export const AGENT_KINDS = ['agent', 'human', 'orchestrator', 'specialist', 'pool'] as const
export type AgentKind = (typeof AGENT_KINDS)[number]

export const AGENT_ROLES = ['chief', 'verifier', 'delegator', 'pm'] as const
export type AgentRole = (typeof AGENT_ROLES)[number]

/** A name of an agent as it is stored: `AgentName` without its schema, which short commands do not load. */
export const AGENT_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** A name as it is stored: surfaces take `@Codex` and hand on `codex`. */
export const toAgentName = (text: string): string => text.trim().replace(/^@/, '').toLowerCase()

export const AGENT_NAME_RULE =
  'an agent name is letters, digits, dots, dashes or underscores, for example codex or @react-specialist'

/** The receiver's name that stands for every person: the first who answers counts. */
export const ANYONE = 'human'

/** How the caller was recognised; every log entry holds it. */
export const AUTHS = ['tty', 'token', 'os-user', 'file', 'engine'] as const
export type Auth = (typeof AUTHS)[number]

/** The caller. It comes from the transport, never from the input. */
export interface Actor {
  readonly name: AgentName
  /** One running process or session of the agent; what is held is held by agent and instance. */
  readonly instance?: string
  readonly kind: AgentKind
  readonly auth: Auth
  /** Why it is in doubt that the caller is the one it says; every entry of the caller holds it. */
  readonly doubt?: string
  /** The caller that brought a text which claims to be this agent's; the log names the caller as the one who acted. */
  readonly broughtBy?: Actor
}

/** A person who was seen: at a terminal, or with a token of their own. */
export const isSeenPerson = ({ kind, auth }: Actor): boolean =>
  kind === 'human' && (auth === 'tty' || auth === 'token')

/** The engine itself, when it settles what is due. */
export const ENGINE: Actor = { name: 'baton', kind: 'orchestrator', auth: 'engine' }

export const newAgent = (name: string, kind: AgentKind, at: string): Agent => ({
  name,
  kind,
  roles: [],
  capabilities: [],
  limits: {},
  removed: false,
  rev: 1,
  created_at: at,
})

/** Held by another session of the same agent, which finishes it. Work taken without a session is everybody's. */
export const isElsewhere = (
  { agent, instance }: { readonly agent: string; readonly instance?: string | undefined },
  held: { readonly holder?: string | undefined; readonly instance?: string | undefined },
): boolean =>
  held.holder === agent && instance !== undefined && held.instance !== undefined && held.instance !== instance

/** The holder as one text: each instance of an agent is a holder of its own. */
export const holderKey = (agent: string, instance?: string): string =>
  instance === undefined ? agent : `${agent}#${instance}`
