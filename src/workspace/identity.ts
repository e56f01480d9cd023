import type { Environment } from '../config/config.ts'
import { AGENT_NAME } from '../domain/actor.ts'
import type { Actor, AgentKind } from '../domain/agent.ts'
import { type BatonError, invalidInput, notAllowed } from '../domain/errors.ts'
import { present } from '../domain/present.ts'

export interface CallerOptions {
  /** The value of `--as`. */
  readonly as?: string | undefined
  readonly environment: Environment
  readonly isTerminal: boolean
}

/**
 * The caller, and how its name was found; `known` tells its kind. A coding agent has to say its name: otherwise its work would be
 * logged as the work of the person whose terminal it runs in.
 */
export function resolveActor(options: CallerOptions): { readonly actor: Actor; readonly why: string } {
  const { as, environment } = options
  const system = toAgentName(environment.user, environment.uid)
  if (as !== undefined) {
    const { actor, why } = named(readName(as, '--as'), 'named by --as')
    const said = environment.agent?.replace(/^@/, '').toLowerCase()
    if (said === undefined || said === actor.name) return { actor, why }
    return { actor: { ...actor, doubt: `BATON_AGENT named ${said.slice(0, 64)}` }, why }
  }
  if (environment.agent !== undefined)
    return named(readName(environment.agent, 'BATON_AGENT'), 'named by BATON_AGENT')
  if (environment.codingAgent !== undefined) throw agentWithoutName(options, environment.codingAgent)
  return {
    actor: { name: system, kind: 'human', auth: 'os-user' },
    why: 'the system user, because neither --as nor BATON_AGENT names someone else',
  }

  function named(name: string, why: string): { actor: Actor; why: string } {
    const kind = name === system ? 'human' : 'agent'
    return { actor: { name, kind, auth: 'os-user', ...present({ instance: environment.instance }) }, why }
  }
}

/** The same actor as the workspace knows it. The system user stays a person. */
export const known = (actor: Actor, kindOf: (name: string) => AgentKind): Actor =>
  actor.kind === 'human' ? actor : { ...actor, kind: kindOf(actor.name) }

/** The same actor after a person has answered at the terminal. */
export const confirmed = (actor: Actor): Actor => ({ ...actor, auth: 'tty' })

/** Refuses whoever is not known to be a person: the system user's name alone proves nobody's presence. */
export function personOnly(actor: Actor, operation: string, called = operation): void {
  const { name, kind, auth } = actor
  const why =
    kind !== 'human'
      ? `${name} is of kind ${kind}; ask a person to run it`
      : auth !== 'tty' && auth !== 'token'
        ? `nothing shows that ${name} is at the keyboard; run it at a terminal`
        : undefined
  const details = { operation, actor: name, kind, auth }
  if (why) throw notAllowed(`${called} is for people only, and ${why}`, details)
}

/** Reads a name as `AgentName` of the domain does, without loading its schema: every command comes by here. */
function readName(text: string, source: string): string {
  const name = text.trim().replace(/^@/, '').toLowerCase()
  if (AGENT_NAME.test(name)) return name
  throw invalidInput(
    `${source} is ${JSON.stringify(text)}: an agent name is letters, digits, dots, dashes or underscores, for example codex or @react-specialist`,
    { source, value: text },
  )
}

/** A system user's name as an agent name: `José`, `CORP\maria` and `build agent` are names of users too. */
export function toAgentName(user: string, uid?: number): string {
  const name = user
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 64)
  return name === '' ? `user${uid === undefined ? '' : `-${uid}`}` : name
}

function agentWithoutName({ isTerminal }: CallerOptions, variable: string): BatonError {
  const wayOut = isTerminal ? `, or unset ${variable} if you are a person` : ''
  return notAllowed(
    `${variable} shows that a coding agent is calling, and it did not say which: add --as <name> or set BATON_AGENT${wayOut}`,
    { variable },
  )
}
