import * as z from 'zod'
import { AGENT_KINDS, AGENT_NAME, AGENT_NAME_RULE, AGENT_ROLES, toAgentName } from './actor.ts'
import { type InputOf, once } from './once.ts'

export {
  type Actor,
  AGENT_KINDS,
  AGENT_ROLES,
  type AgentKind,
  type AgentRole,
  AUTHS,
  type Auth,
  ENGINE,
  newAgent,
} from './actor.ts'

/** One word for each sender or receiver: lower case, no `@`. Surfaces take `@Codex` and hand on `codex`. */
export const AgentName = z
  .string()
  .transform(toAgentName)
  .pipe(z.string().regex(AGENT_NAME, { error: AGENT_NAME_RULE }))
  .describe('Agent name, for example codex')
export type AgentName = string

export const Limit = once(() => z.int().min(0).max(1_000_000))

export const Agent = once(() =>
  z.object({
    name: z.string(),
    kind: z.enum(AGENT_KINDS),
    roles: z.array(z.enum(AGENT_ROLES)),
    capabilities: z.array(z.string()),
    limits: z.object({ outgoing: Limit().optional(), incoming: Limit().optional() }),
    key: z
      .object({ id: z.string(), public: z.string(), since: z.string() })
      .optional()
      .describe('The public key that its records are signed with'),
    removed: z.boolean(),
    rev: z.int(),
    created_at: z.string(),
  }),
)
export type Agent = z.infer<ReturnType<typeof Agent>>

/** An agent as somebody adds or changes it. */
export const agentFields = () => ({
  name: AgentName,
  kind: z.enum(AGENT_KINDS).optional(),
  roles: z.array(z.enum(AGENT_ROLES)).optional(),
  capabilities: z.array(z.string().max(100)).max(100).optional(),
  max_outgoing: z.coerce.number().pipe(Limit()).optional(),
  max_incoming: z.coerce.number().pipe(Limit()).optional(),
})
export type AgentInput = InputOf<typeof agentFields>
