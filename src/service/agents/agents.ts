import { type AgentKind, ANYONE, newAgent } from '../../domain/actor.ts'
import type { Agent, AgentInput } from '../../domain/agent.ts'
import { kindOf, limitsOf } from '../../domain/policy.ts'
import { present } from '../../domain/present.ts'
import { type Append, type Needs, needs, type Token } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { adminStream, enter } from '../log-record.ts'
import { refuse, UseCases, write } from '../write.ts'

/** The agents and people that can send and receive. */
export class Agents extends UseCases {
  /** With the limits that are enforced, wherever they come from. */
  async list(): Promise<readonly Agent[]> {
    const { policy } = this.deps
    const stored = await this.deps.store.agents()
    const known = new Set(stored.map((agent) => agent.name))
    const listed = Object.keys(policy.agents ?? {})
      .filter((name) => !known.has(name))
      .map((name) => listedAgent(this.deps, name, this.deps.now().toISOString()))
    return [...stored.filter((agent) => !agent.removed), ...listed]
      .map((agent) => ({ ...agent, limits: present(limitsOf(policy, agent.name, agent)) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Adds an agent or changes what is said of it. */
  async add(call: Call, input: AgentInput): Promise<Agent> {
    // Else an agent could make itself a person and pass its own gate.
    const forPeople =
      input.kind === 'human' || input.roles?.length
        ? 'the kind or the roles of an agent'
        : (input.max_outgoing ?? input.max_incoming) !== undefined && 'how much an agent may hold'
    const { actor } = call
    if (forPeople && actor.kind !== 'human')
      refuse('not_allowed', `only a person can set ${forPeople}`, { actor: actor.name, agent: input.name })
    return this.#put(call, 'agent_add', input.name, input, (before, at) => {
      if (input.kind !== undefined && input.kind !== 'human') {
        this.#keepPerson(call, input.name, before)
        if (input.name === ANYONE)
          refuse('invalid_input', `${ANYONE} stands for every person; give the agent another name`, {
            agent: input.name,
          })
      }
      return {
        ...(before ?? newAgent(input.name, kindOf(this.deps.policy, input.name), at)),
        ...present({
          kind: input.kind,
          roles: input.roles,
          capabilities: input.capabilities && [...input.capabilities],
        }),
        limits: {
          ...before?.limits,
          ...present({ outgoing: input.max_outgoing, incoming: input.max_incoming }),
        },
        removed: false,
      }
    })
  }

  /** Nobody can hand to a removed agent any more, and its tokens end. Its history and its open handoffs stay. */
  remove(call: Call, name: string): Promise<Agent> {
    return this.#put(call, 'agent_remove', name, { name }, (before) => {
      if (!before || before.removed)
        refuse('not_found', `there is no agent ${name}; see: baton agent list`, { agent: name })
      this.#keepPerson(call, name, before)
      if (call.actor.kind !== 'human' && call.actor.name !== name)
        refuse('not_allowed', 'only a person can remove another agent', {
          actor: call.actor.name,
          agent: name,
        })
      return { ...before, removed: true }
    })
  }

  /** Else an agent could take away whoever is to decide its gate. */
  #keepPerson({ actor }: Call, name: string, before: Agent | undefined): void {
    if (actor.kind !== 'human' && kindOf(this.deps.policy, name, before) === 'human')
      refuse('not_allowed', `${name} is a person; only a person can change that`, {
        actor: actor.name,
        agent: name,
      })
  }

  async #put(
    call: Call,
    op: string,
    name: string,
    input: unknown,
    change: (before: Agent | undefined, at: string) => Agent,
  ): Promise<Agent> {
    const { store } = this.deps
    const tokens = (await store.tokens()).filter((token) => token.agent === name && !token.revoked_at)
    return write(this.deps, call, {
      op,
      input,
      reads: { agents: [name], streams: [adminStream(this.deps)] },
      decide: (step) => {
        const { view, at } = step
        const before = view.agent(name)
        const agent = { ...change(before, at), rev: (before?.rev ?? 0) + 1 }
        putAgent(step, agent, op === 'agent_add' ? 'agent.add' : 'agent.remove')
        // Also when it comes back: 0.1.0 left the tokens of a removed agent as they were.
        if (agent.removed || before?.removed)
          for (const token of tokens) putToken(step, { ...token, revoked_at: at }, 'token.revoke')
        return agent
      },
      subject: (agent) => ({ uid: agent.name, rev: agent.rev }),
      reload: async (subject) => (await store.agents()).find((agent) => agent.name === subject),
    })
  }
}

/** Whether the name is a person's or an agent's, as far as is known here. */
export const kindHere = async ({ policy, store }: ServiceDeps, name: string): Promise<AgentKind> =>
  kindOf(policy, name, await store.agent(name))

/** Agents as this process saw them last: a hint at what a unit will read. They are never deleted. */
const caches = new WeakMap<ServiceDeps, Map<string, Agent>>()

export function knownAgents(deps: ServiceDeps): Map<string, Agent> {
  const known = caches.get(deps) ?? new Map<string, Agent>()
  caches.set(deps, known)
  return known
}

/** Reads for `ensureAgents`. A name that may be new brings the log of the administration: the unit need not ask for it. */
export function agentReads(
  deps: ServiceDeps,
  names: readonly string[],
): { readonly agents: readonly string[]; readonly streams: readonly string[] } {
  const known = knownAgents(deps)
  return { agents: names, streams: names.every((name) => known.has(name)) ? [] : [adminStream(deps)] }
}

/**
 * Adds the names that nobody has used yet, so that a refused unit leaves no agent behind. Where `baton.yaml` lists the
 * agents, a name that is not listed is refused with the known names. `given` is the kind of a new name. Rows that the
 * unit has not read are answered: run it again with them.
 */
export function ensureAgents(step: Step, names: readonly string[], given?: AgentKind): Needs | undefined {
  const { deps, view, actor } = step
  if (!view.hasRead({ agents: names })) return needs({ agents: names })
  const unknown = [...new Set(names)].filter((name) => !view.agent(name))
  for (const name of unknown) refuseUnlisted(step, name)
  const admin = { streams: [adminStream(deps)] }
  if (unknown.length > 0 && !view.hasRead(admin)) return needs(admin)
  for (const name of unknown)
    putAgent(step, listedAgent(deps, name, step.at, name === actor.name ? actor.kind : given), 'agent.add')
  const known = knownAgents(deps)
  for (const name of names) known.set(name, view.agent(name)!)
  return undefined
}

/**
 * Somebody handed to this name before anybody knew that it is a person's. From its own first call on it counts
 * as one: people have no lease.
 */
export function knowPerson(step: Step): Needs | undefined {
  const { deps, view, actor } = step
  const known = view.agent(actor.name)
  if (actor.kind !== 'human' || known?.kind !== 'agent' || deps.policy.agents?.[actor.name]?.kind)
    return undefined
  const admin = { streams: [adminStream(deps)] }
  if (!view.hasRead(admin)) return needs(admin)
  putAgent(step, { ...known, kind: actor.kind, rev: known.rev + 1 }, 'agent.add')
  return undefined
}

/** Refuses a name that nobody has used and that `baton.yaml` does not list, where it lists the agents. */
export function refuseUnlisted({ deps, view, actor }: Step, name: string): void {
  const listed = view.agent(name) ? undefined : deps.policy.agents
  // The name that stands for every person need not be listed.
  if (!listed || Object.hasOwn(listed, name) || name === ANYONE) return
  if (name === actor.name && actor.kind === 'human') return
  const names = Object.keys(listed).sort()
  refuse('not_found', `unknown agent ${name}; baton.yaml lists ${names.join(', ')}`, {
    agent: name,
    known: names,
  })
}

function listedAgent(deps: ServiceDeps, name: string, at: string, kind?: AgentKind): Agent {
  const listed = deps.policy.agents?.[name]
  return {
    ...newAgent(name, listed?.kind ?? kind ?? kindOf(deps.policy, name), at),
    ...present({
      roles: listed?.roles && [...listed.roles],
      capabilities: listed?.capabilities && [...listed.capabilities],
    }),
  }
}

export function putAgent(step: Step, agent: Agent, act: string, fields?: Append['fields']): void {
  const { name, rev } = agent
  step.view.putAgent(agent)
  enter(step, act, { k: 'agent', id: name, rev, fields })
}

export function putToken(step: Step, token: Token, act: string): void {
  step.view.putToken(token)
  enter(step, act, { k: 'agent', id: token.uid, subject: token.agent })
}
