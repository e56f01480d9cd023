import type { Context } from '../../../compose/open.ts'
import type { Actor } from '../../../domain/agent.ts'
import type { Policy } from '../../../domain/policy.ts'
import { present } from '../../../domain/present.ts'
import { loadOperation, type OperationName } from '../../../operations/index.ts'
import { invoke } from '../../../operations/operation.ts'
import type { OperationOutput } from '../../../runner/calls.ts'
import type { Event, FollowOptions } from '../../../service/events.ts'
import type { Together } from '../../../service/together.ts'

/** Answers operations: the store here, or a server. */
export interface Session {
  readonly policy: Policy
  /** Absent when a server answers. */
  readonly context?: Context
  /** The caller; a server is asked once. */
  actor(): Promise<Actor>
  call<Name extends OperationName>(
    name: Name,
    input: object,
    options?: SessionCallOptions,
  ): Promise<OperationOutput<Name>>
  /** Events, each once and in order, until the signal. */
  events(options: Omit<FollowOptions, 'since'> & { readonly since?: string }): AsyncGenerator<Event>
  close(): Promise<void>
}

export interface SessionCallOptions {
  readonly key?: string | undefined
  /** The caller after a person has answered at the terminal. */
  readonly actor?: Actor | undefined
  /** A person at the terminal says that a suspected secret is harmless. */
  readonly notSecret?: boolean
  /** The calls that this one is a part of; only in the workspace of this machine. */
  readonly together?: Together
}

/** A session in the workspace of this machine. A person's name gives a coding agent none of a person's rights. */
export function localSession(context: Context, isAgent = false): Session {
  const caller: Actor =
    isAgent && context.actor.kind === 'human' ? { ...context.actor, kind: 'agent' } : context.actor
  return {
    policy: context.service.deps.policy,
    context,
    actor: async () => context.actor,
    async call(name, input, { key, actor = caller, notSecret, together } = {}) {
      const call = { actor, ...present({ key, together }), ...(notSecret && { notSecret }) }
      return (await invoke(await loadOperation(name), context.service, call, input)) as never
    },
    events: async function* (options) {
      yield* (await context.service.events()).follow(options)
    },
    close: () => context.close(),
  }
}
