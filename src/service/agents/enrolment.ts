import { newAgent } from '../../domain/actor.ts'
import type { Agent } from '../../domain/agent.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { adminStream } from '../log-record.ts'
import { refuse, write } from '../write.ts'
import { putAgent } from './agents.ts'
import type { AgentKey } from './signature.ts'

/**
 * Gives an agent a key: from now on its records are signed with it, or show as unsigned. An agent may bring its own
 * first key; another in its place is for people to say.
 */
export function enrolKey(
  deps: ServiceDeps,
  call: Call,
  name: string,
  key: Pick<AgentKey, 'id' | 'public'>,
): Promise<Agent> {
  const { actor } = call
  return write(deps, call, {
    op: 'agent_key',
    input: { name, kid: key.id },
    reads: { agents: [name], streams: [adminStream(deps)] },
    decide: (step) => {
      const before = step.view.agent(name)
      if (before?.key?.id === key.id) return before
      if (before?.key && actor.kind !== 'human')
        refuse('not_allowed', `${name} has a key already; only a person can replace it`, { agent: name })
      if (actor.kind !== 'human' && actor.name !== name)
        refuse('not_allowed', `${actor.name} cannot give ${name} a key; ${name} or a person can`, {
          agent: name,
        })
      const agent: Agent = {
        ...(before ?? newAgent(name, 'agent', step.at)),
        rev: (before?.rev ?? 0) + 1,
        key: { id: key.id, public: key.public, since: step.at },
      }
      putAgent(step, agent, 'agent.key', { kid: key.id, public_key: key.public })
      return agent
    },
    subject: (agent) => ({ uid: agent.name, rev: agent.rev }),
    reload: async (subject) => (await deps.store.agents()).find((agent) => agent.name === subject),
  })
}
