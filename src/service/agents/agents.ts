import { type AgentKind, ANYONE, newAgent } from '../../domain/actor.ts'
import type { Agent } from '../../domain/agent.ts'
import { kindOf } from '../../domain/policy.ts'
import { present } from '../../domain/present.ts'
import type { Token, View } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { adminStream, logRecord } from '../log-record.ts'
import { refuse, write } from '../write.ts'

export interface AgentInput {
  readonly name: string
  readonly kind?: AgentKind | undefined
  readonly roles?: Agent['roles'] | undefined
  readonly capabilities?: readonly string[] | undefined
  readonly max_outgoing?: number | undefined
  readonly max_incoming?: number | undefined
}

/** The agents and people that can send and receive. */
export class Agents {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  async list(): Promise<readonly Agent[]> {
    const stored = await this.#deps.store.agents()
    const known = new Set(stored.map((agent) => agent.name))
    const listed = Object.keys(this.#deps.policy.agents ?? {})
      .filter((name) => !known.has(name))
      .map((name) => listedAgent(this.#deps, name, this.#deps.now().toISOString()))
    return [...stored.filter((agent) => !agent.removed), ...listed].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Adds an agent or changes what is said of it. */
  async add(call: Call, input: AgentInput): Promise<Agent> {
    // Else an agent could make itself a person and pass its own gate.
    if ((input.kind === 'human' || input.roles?.length) && call.actor.kind !== 'human')
      refuse('not_allowed', `only a person can say who is a person or which roles somebody has`, {
        actor: call.actor.name,
        agent: input.name,
      })
    if ((input.max_outgoing ?? input.max_incoming) !== undefined && call.actor.kind !== 'human')
      refuse('not_allowed', 'only a person can set how much an agent may hold', {
        actor: call.actor.name,
        agent: input.name,
      })
    return this.#put(call, 'agent_add', input.name, input, (before, at) => {
      if (input.kind !== undefined && input.kind !== 'human') {
        this.#keepPerson(call, input.name, before)
        if (input.name === ANYONE)
          refuse('invalid_input', `${ANYONE} stands for every person; give the agent another name`, {
            agent: input.name,
          })
      }
      return {
        ...(before ?? newAgent(input.name, kindOf(this.#deps.policy, input.name), at)),
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
      if (!before || before.removed) refuse('not_found', `there is no agent ${name}`, { agent: name })
      this.#keepPerson(call, name, before)
      return { ...before, removed: true }
    })
  }

  /** Else an agent could take away whoever is to decide its gate. */
  #keepPerson({ actor }: Call, name: string, before: Agent | undefined): void {
    if (actor.kind !== 'human' && kindOf(this.#deps.policy, name, before) === 'human')
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
    const { store } = this.#deps
    const tokens = (await store.tokens()).filter((token) => token.agent === name && !token.revoked_at)
    return write(this.#deps, call, {
      op,
      input,
      reads: { agents: [name], streams: [adminStream(this.#deps)] },
      decide: (view, at) => {
        const before = view.agent(name)
        const agent = { ...change(before, at), rev: (before?.rev ?? 0) + 1 }
        putAgent(this.#deps, view, call, agent, op === 'agent_add' ? 'agent.add' : 'agent.remove', at)
        // Also when it comes back: 0.1.0 left the tokens of a removed agent as they were.
        if (agent.removed || before?.removed)
          for (const token of tokens)
            putToken(this.#deps, view, call, { ...token, revoked_at: at }, 'token.revoke', at)
        return agent
      },
      subject: (agent) => ({ uid: agent.name, rev: agent.rev }),
      reload: async (subject) => (await store.agents()).find((agent) => agent.name === subject),
    })
  }
}

/**
 * The rows of these agents. A name nobody has used yet is added, unless `baton.yaml` lists the agents: then it
 * is refused with the known names. `kind` is what a new name is taken for.
 */
export async function ensureAgents(
  deps: ServiceDeps,
  call: Call,
  names: readonly string[],
  kind?: AgentKind,
): Promise<ReadonlyMap<string, Agent>> {
  const known = knownAgents(deps)
  const unknown = await unknownAgents(deps, call, names)
  if (unknown.length > 0)
    for (const agent of await addAll(deps, call, unknown, kind)) known.set(agent.name, agent)
  for (const name of names)
    if (known.get(name)?.removed) {
      // Another process may have added it again.
      const fresh = (await deps.store.agents()).find((agent) => agent.name === name)
      if (fresh) known.set(name, fresh)
      if (known.get(name)?.removed)
        refuse('not_found', `agent ${name} was removed; add it again with: baton agent add ${name}`, {
          agent: name,
        })
    }
  return known
}

/** Which of these names nobody has used yet; refused where `baton.yaml` lists the agents and not them. */
export async function unknownAgents(
  deps: ServiceDeps,
  call: Call,
  names: readonly string[],
): Promise<readonly string[]> {
  const known = knownAgents(deps)
  const missing = [...new Set(names)].filter((name) => !known.has(name))
  if (missing.length === 0) return []
  for (const agent of await deps.store.agents()) known.set(agent.name, agent)
  const unknown = missing.filter((name) => !known.has(name))
  for (const name of unknown) refuseUnlisted(deps, call, name)
  return unknown
}

/** Adds agents within a unit that has read them and the stream of the administration. */
export function addAgents(
  deps: ServiceDeps,
  view: View,
  call: Call,
  names: readonly string[],
  given?: AgentKind,
): readonly Agent[] {
  return names.map((name) => {
    const at = deps.now().toISOString()
    const kind = name === call.actor.name ? call.actor.kind : given
    const agent = view.agent(name) ?? listedAgent(deps, name, at, kind)
    if (!view.agent(name)) putAgent(deps, view, call, agent, 'agent.add', at)
    return agent
  })
}

/**
 * Somebody handed to this name before anybody knew that it is a person's. From its own first call on it counts
 * as one: people have no lease.
 */
export async function knowPerson(deps: ServiceDeps, call: Call): Promise<void> {
  const { name, kind } = call.actor
  const known = knownAgents(deps)
  if (kind !== 'human' || known.get(name)?.kind === 'human' || deps.policy.agents?.[name]?.kind) return
  for (const agent of await deps.store.agents()) known.set(agent.name, agent)
  if (known.get(name)?.kind !== 'agent') return
  const person = await deps.store.transact({
    reads: { agents: [name], streams: [adminStream(deps)] },
    at: deps.now().toISOString(),
    decide: (view) => {
      const before = view.agent(name)
      if (before?.kind !== 'agent') return before
      const next: Agent = { ...before, kind, rev: before.rev + 1 }
      putAgent(deps, view, call, next, 'agent.add', deps.now().toISOString())
      return next
    },
  })
  if (person) known.set(name, person)
}

function refuseUnlisted(deps: ServiceDeps, call: Call, name: string): void {
  const listed = deps.policy.agents
  // The name that stands for every person need not be listed.
  if (!listed || Object.hasOwn(listed, name) || name === ANYONE) return
  if (name === call.actor.name && call.actor.kind === 'human') return
  const names = Object.keys(listed).sort()
  refuse('not_found', `unknown agent ${name}; baton.yaml lists ${names.join(', ')}`, {
    agent: name,
    known: names,
  })
}

function addAll(
  deps: ServiceDeps,
  call: Call,
  names: readonly string[],
  given?: AgentKind,
): Promise<readonly Agent[]> {
  return deps.store.transact({
    reads: { agents: names, streams: [adminStream(deps)] },
    at: deps.now().toISOString(),
    decide: (view) => addAgents(deps, view, call, names, given),
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

function putAgent(deps: ServiceDeps, view: View, call: Call, agent: Agent, act: string, at: string): void {
  view.putAgent(agent)
  view.append({
    stream: adminStream(deps),
    subject: agent.name,
    record: logRecord(act, call.actor, { id: agent.name, k: 'agent', rev: agent.rev }, at),
  })
}

export function putToken(
  deps: ServiceDeps,
  view: View,
  call: Call,
  token: Token,
  act: string,
  at: string,
): void {
  view.putToken(token)
  view.append({
    stream: adminStream(deps),
    subject: token.agent,
    record: logRecord(act, call.actor, { id: token.uid, k: 'agent', rev: 1 }, at),
  })
}

/** Names seen by this process: agents are never deleted, so a name that was there is still there. */
const caches = new WeakMap<ServiceDeps, Map<string, Agent>>()

export function knownAgents(deps: ServiceDeps): Map<string, Agent> {
  let known = caches.get(deps)
  if (!known) {
    known = new Map()
    caches.set(deps, known)
  }
  return known
}
