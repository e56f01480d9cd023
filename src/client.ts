import type { Actor } from './domain/actor.ts'
import { BatonError } from './domain/errors.ts'
import type { OperationName } from './operations/index.ts'
import { ROUTES } from './operations/routes.ts'
import { Baton } from './runner/baton.ts'
import type { EventOptions } from './runner/link.ts'
import type { OperationInput, OperationOutput } from './runner/operation-types.ts'
import type { Event } from './service/events.ts'
import { type ClientOptions, createRemote, type RemoteCallOptions } from './transports/http/client/remote.ts'
import { type RemoteLinkOptions, remoteLink } from './transports/http/client/remote-link.ts'

/**
 * Opens a workspace at a server, as `openBaton` of `batonpass` does, and without an engine: for Node, Bun, Deno, workers
 * and browsers. Schemas are those of zod or any other library with the Standard Schema interface.
 */
export async function openBaton(address: string, options: Pick<RemoteLinkOptions, 'token'>): Promise<Baton> {
  const why =
    'batonpass/client takes schemas of zod and the like; for JSON Schemas import openBaton from batonpass'
  const compile = () => Promise.reject(new BatonError('invalid_input', why))
  return new Baton(await remoteLink({ url: address, token: options.token, compile }))
}

/** Every operation of a server as a function, typed by its input and answer, and what happens there. */
export type Client = {
  readonly [Name in OperationName]: (
    input: OperationInput<Name>,
    options?: RemoteCallOptions,
  ) => Promise<OperationOutput<Name>>
} & {
  /** The agent that the token stands for. */
  whoami(): Promise<Actor>
  /** Events, each once and in order; a broken connection is made anew. */
  events(options?: EventOptions): AsyncGenerator<Event>
}

/**
 * The operations of a Baton server by their names, for programs that need no more.
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
  const calls = Object.keys(ROUTES).map((name) => [
    name,
    (input: Readonly<Record<string, unknown>>, given?: RemoteCallOptions) =>
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
export type { Handoff } from './domain/handoffs/handoff.ts'
export type { BatonAgent } from './runner/baton-agent.ts'
export { type DefinedWork, defineWork, type RequestOptions } from './runner/define-work.ts'
export type { CallOptions, Outcome, WaitOptions } from './runner/link.ts'
export type * from './runner/operation-types.ts'
export type { SentHandoff } from './runner/sent-handoff.ts'
export type { Specialist, SpecialistOptions } from './runner/specialist.ts'
export type { Work, WorkResult } from './runner/work.ts'
export type { Baton, ClientOptions, Event, EventOptions }
/** @deprecated The name is now `Event`. */
export type Happening = Event
