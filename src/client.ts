import type { Actor } from './domain/actor.ts'
import { OPERATION_NAMES, type OperationName } from './operations/index.ts'
import type { OperationInput, OperationOutput } from './runner/calls.ts'
import type { EventOptions } from './runner/link.ts'
import type { Event } from './service/events.ts'
import { type RemoteCallOptions as CallOptions, createRemote } from './transports/http/client/remote.ts'

export interface ClientOptions {
  /** Address of a server, `https://…`; plain http only on this machine. */
  readonly url: string
  /** Made with: baton token create --agent NAME */
  readonly token: string
  /** Which process of the agent this is: what one holds is not for its others. */
  readonly instance?: string | undefined
}

/** Every operation of a server as a function, typed by its input and answer, and what happens there. */
export type Client = {
  readonly [Name in OperationName]: (
    input: OperationInput<Name>,
    options?: CallOptions,
  ) => Promise<OperationOutput<Name>>
} & {
  /** The agent that the token stands for. */
  whoami(): Promise<Actor>
  /** Events, each once and in order; a broken connection is made anew. */
  events(options?: EventOptions): AsyncGenerator<Event>
}

/**
 * A client of a Baton server.
 *
 * ```ts
 * import { createClient } from 'batonpass/client'
 *
 * const baton = createClient({ url: 'http://127.0.0.1:4180', token: 'baton_…' })
 * for await (const event of baton.events({ agent: 'codex' })) console.log(event.act, event.id)
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const remote = createRemote(options)
  const calls = Object.keys(OPERATION_NAMES).map((name) => [
    name,
    (input: Readonly<Record<string, unknown>>, given?: CallOptions) =>
      remote.call(name as OperationName, input, given),
  ])
  // Names and functions come from the list that the type is made of.
  return { ...Object.fromEntries(calls), whoami: remote.whoami, events: remote.events } as Client
}

export {
  BatonError,
  ERROR_CODES,
  type ErrorCode,
  HandoffFailedException,
  HandoffLimitExceeded,
  HandoffTimeoutException,
} from './domain/errors.ts'
export type { CallOptions, Event, EventOptions, OperationInput, OperationName, OperationOutput }
/** @deprecated The name is now `Event`. */
export type Happening = Event
