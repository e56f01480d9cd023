import { ANYONE } from '../../domain/actor.ts'
import type { Agent, AgentKind } from '../../domain/agent.ts'
import { hasRole, kindOf } from '../../domain/policy.ts'
import { present } from '../../domain/present.ts'
import { meant } from '../../domain/workflow/check.ts'
import type { Workflow, WorkflowStep } from '../../domain/workflow/workflow.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { refuseRoute } from '../handoffs/admission.ts'
import type { DefinitionProblem, NamingField, ReadDefinition } from './definition.ts'

/** The agents of a workflow, one for each role. */
export interface Cast {
  /** The definition with an agent for every role. */
  readonly workflow: Workflow
  readonly problems: readonly DefinitionProblem[]
  /** Everybody who is named in it. */
  readonly names: readonly string[]
  /** Deciders of gates that are not known yet; the person who starts the run vouches for them. */
  readonly people: readonly string[]
  readonly delegator: string | undefined
  readonly kindsOf: (agentOf: (name: string) => Agent | undefined) => Readonly<Record<string, AgentKind>>
}

type Good = Extract<ReadDefinition, { ok: true }>

/** Finds the agents of a definition among those who are known here. */
export async function castOf(deps: ServiceDeps, call: Call, read: Good): Promise<Cast> {
  const { policy } = deps
  const stored = (await deps.store.agents()).filter(({ removed }) => !removed)
  const known = new Map(stored.map((agent) => [agent.name, agent]))
  const all = [...new Set([...Object.keys(policy.agents ?? {}), ...known.keys()])].sort()
  const parts = new Map(all.map((name) => [name, partsOf(policy, name, known.get(name))]))
  const problems: DefinitionProblem[] = []
  const people: string[] = []
  const report = (step: string, field: NamingField, code: string, message: string) =>
    problems.push({ line: 1, column: 1, ...read.places.get(step)?.[field], code, message })

  const steps = read.workflow.steps.map((step): WorkflowStep => {
    const { role = '' } = step
    const agent = step.agent ?? all.find((name) => parts.get(name)?.includes(role))
    if (agent === undefined) {
      const near = meant(role, [...new Set([...parts.values()].flat())].sort())
      const how = `give it to somebody with: baton agent add NAME --capability ${role}`
      report(
        step.id,
        'role',
        'unknown_agent',
        `nobody here has the role or capability ${role}${near}; ${how}`,
      )
    }
    for (const [field, name] of namedAgents(step, agent)) {
      if (isKnown(deps, call, name)) continue
      const near = meant(name, Object.keys(policy.agents ?? {}))
      report(step.id, field, 'unknown_agent', `baton.yaml lists no agent ${name}${near}`)
    }
    for (const [field, name] of deciders(step)) {
      if (kindOf(policy, name, known.get(name)) === 'human') continue
      const how = `write human, or ask a person to run: baton agent add ${name} --kind human`
      if (call.actor.kind === 'human' && !known.has(name) && !policy.agents?.[name]) people.push(name)
      else report(step.id, field, 'not_a_person', `only a person can decide a gate, not ${name}; ${how}`)
    }
    return { ...step, ...present({ agent }) }
  })
  const workflow = { ...read.workflow, steps }
  const named = steps.flatMap((step) => [...namedAgents(step, step.agent), ...deciders(step)])
  const names = [...new Set(named.map(([, name]) => name))]
  const delegator = all.find((name) => hasRole(policy, 'delegator', name, known.get(name)))
  const { actor } = call
  const everybody = [...new Set([...names, actor.name, ...(delegator === undefined ? [] : [delegator])])]
  const kindsOf: Cast['kindsOf'] = (agentOf) => {
    const kind = (name: string) => kindOf(policy, name, agentOf(name) ?? known.get(name))
    return Object.fromEntries(everybody.map((name) => [name, name === actor.name ? actor.kind : kind(name)]))
  }
  return { workflow, problems, names, people, delegator, kindsOf }
}

/** Checks every step against the routes in `baton.yaml` before the first is handed over. */
export function refuseCast(deps: ServiceDeps, by: string, { steps }: Workflow): void {
  for (const step of steps)
    for (const [field, name] of namedAgents(step, step.agent))
      if (field !== 'on_failure.notify') refuseRoute(deps, by, name)
}

type NamedAgents = readonly (readonly [field: NamingField, name: string])[]

const namedAgents = ({ on_failure }: WorkflowStep, agent: string | undefined): NamedAgents =>
  namedOf([
    ['agent', agent],
    ['on_failure.route_to', on_failure?.route_to],
    ['on_failure.notify', on_failure?.notify],
  ])

const deciders = ({ gate }: WorkflowStep): NamedAgents =>
  namedOf([
    ['gate.to', gate?.to],
    ['gate.silence.to', gate?.silence?.to],
  ])

const namedOf = (all: readonly (readonly [NamingField, string | undefined])[]): NamedAgents =>
  all.flatMap(([field, name]) => (name === undefined ? [] : [[field, name] as const]))

/** The name that stands for every person need not be listed. */
const isKnown = ({ policy }: ServiceDeps, call: Call, name: string): boolean =>
  !policy.agents || Object.hasOwn(policy.agents, name) || name === ANYONE || name === call.actor.name

/** Its roles and capabilities, by itself and by `baton.yaml`. */
const partsOf = (
  { agents }: ServiceDeps['policy'],
  name: string,
  agent: Agent | undefined,
): readonly string[] =>
  [agent, agents?.[name]].flatMap((each) => [...(each?.roles ?? []), ...(each?.capabilities ?? [])])
