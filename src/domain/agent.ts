import * as z from 'zod'

/** One word for each sender or receiver: lower case, no `@`. Surfaces take `@Codex` and hand on `codex`. */
export const AgentName = z
  .string()
  .transform((text) => text.trim().replace(/^@/, '').toLowerCase())
  .pipe(
    z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, {
      error:
        'an agent name is letters, digits, dots, dashes or underscores, for example codex or @react-specialist',
    }),
  )
  .describe('Agent name, for example codex')
export type AgentName = string

export const AGENT_KINDS = ['agent', 'human', 'orchestrator', 'specialist', 'pool'] as const
export type AgentKind = (typeof AGENT_KINDS)[number]

export const AGENT_ROLES = ['chief', 'verifier', 'delegator', 'pm'] as const
export type AgentRole = (typeof AGENT_ROLES)[number]

export const Limit = z.int().min(0).max(1_000_000)

export const Agent = z.object({
  name: z.string(),
  kind: z.enum(AGENT_KINDS),
  roles: z.array(z.enum(AGENT_ROLES)),
  capabilities: z.array(z.string()),
  limits: z.object({ outgoing: Limit.optional(), incoming: Limit.optional() }),
  removed: z.boolean(),
  rev: z.int(),
  created_at: z.string(),
})
export type Agent = z.infer<typeof Agent>

/** How the caller was recognised; every log entry holds it. */
export const AUTHS = ['tty', 'token', 'os-user', 'file', 'engine'] as const
export type Auth = (typeof AUTHS)[number]

/** Who is calling. It comes from the transport, never from the input. */
export interface Actor {
  readonly name: AgentName
  /** One running process or session of the agent; what is held is held by agent and instance. */
  readonly instance?: string
  readonly kind: AgentKind
  readonly auth: Auth
}

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
