import type { AgentKind } from '../domain/actor.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content, Result } from '../domain/handoffs/package.ts'
import type { Event, EventFilter } from '../service/events.ts'
import type { ValueProblem } from '../service/schema/schema-problems.ts'
import type { OperationInput, OperationName, OperationOutput } from './operation-types.ts'
import type { Schema, StandardSchema } from './schema.ts'

/** A workspace that programs work with, in this process or at a server. */
export interface Link {
  /** The way of one agent to the workspace. Throws where the caller cannot be that agent. */
  as(name: string, options?: AgentOptions): AgentLink
  /** Prepares a JSON Schema, or the file that holds one; answers the problems of a value. */
  compile(schema: Exclude<Schema, StandardSchema>): Promise<(value: unknown) => readonly ValueProblem[]>
  /** Events of the workspace from now on, or after a cursor, each once and in order. */
  events(options?: EventOptions): AsyncGenerator<Event>
  close(): Promise<void>
}

export interface AgentOptions {
  /** One running process or session of the agent; what is held is held by agent and instance. */
  readonly instance?: string
  /** The kind of agent; by default the one that the workspace's rules give its name, else `agent`. */
  readonly kind?: AgentKind
}

/** Everything that one agent can ask of a workspace. */
export interface AgentLink {
  readonly name: string
  readonly instance: string | undefined
  call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options?: CallOptions,
  ): Promise<OperationOutput<Name>>
  /**
   * Waits until the handoff is completed. Throws when it ended otherwise, and when time is up. A caller that has the
   * handoff gives it: it is not read before it has changed.
   */
  wait(ref: string | Handoff, options: WaitOptions): Promise<Outcome>
  /** Takes the next handoff that is offered to this agent, if any is. */
  claim(lease_s: number): Promise<Claimed | undefined>
  /** The handoff as it is now; undefined when it is gone. */
  handoff(uid: string): Promise<Handoff | undefined>
  content(uid: string): Promise<HandoffContent>
  /** The first handoffs for this agent, by priority and then age; `next` is present when there are more. */
  inbox(limit: number): Promise<{ readonly items: readonly Handoff[]; readonly next?: string | undefined }>
  /** The path that the handoff's file format wants for its artifact; undefined for other formats. */
  artifactPath(handoff: Handoff, type: string): Promise<string | undefined>
  /** Looks at once, and again whenever the subject may have changed, until `look` answers something. */
  until<T>(about: Subject, look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined>
}

/** The thing whose change a caller of `until` waits for: one handoff, or an agent's inbox. */
export type Subject = { readonly handoff: string } | { readonly agent: string }

export interface HandoffContent extends Pick<Content, 'package' | 'verifications'> {
  readonly thread?: Content['thread'] | undefined
}

/** A handoff that was claimed; without its content where that has to be asked for. */
export interface Claimed {
  readonly handoff: Handoff
  readonly content?: HandoffContent | undefined
}

export interface CallOptions {
  /**
   * Makes a repeated call harmless: the same key with the same input answers what the first call did. 1 to 200 visible
   * characters without spaces.
   */
  readonly key?: string
}

export interface EventOptions extends EventFilter {
  /** Begin after this cursor; `0` is the beginning of the log, absent means from now on. */
  readonly since?: string | undefined
  /** Ends the events. */
  readonly signal?: AbortSignal | undefined
}

export interface WaitOptions {
  /** Seconds; the handoff's own timeout unless said, else 300. */
  readonly timeout_s?: number
  /** Ends the waiting, not the handoff. */
  readonly signal?: AbortSignal
}

/** A completed handoff and what was handed in for it. */
export interface Outcome extends Result {
  readonly handoff: Handoff
}
