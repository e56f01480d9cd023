import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../../compose/open.ts'
import type { Actor } from '../../../domain/agent.ts'
import type { Policy } from '../../../domain/policy.ts'
import { present } from '../../../domain/present.ts'
import { loadOperation, type OperationName } from '../../../operations/index.ts'
import { invoke } from '../../../operations/operation.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import type { Event, EventFilter, FollowOptions } from '../../../service/events.ts'
import type { Together } from '../../../service/together.ts'
import type { Seats } from '../../../workspace/seat.ts'
import type { Io } from '../io.ts'

/** Answers operations: the store here, or a server. */
export interface Session {
  readonly policy: Policy
  /** Absent when a server answers. */
  readonly context?: Context
  /** The store or server, as seats name it. */
  readonly place: string
  /** The caller; a server is asked once. */
  actor(): Promise<Actor>
  call<Name extends OperationName>(
    name: Name,
    input: object,
    options?: SessionCallOptions,
  ): Promise<OperationOutput<Name>>
  /** Events, each once and in order, until the signal. */
  events(options: FollowOptions & Pick<EventFilter, 'kind'>): AsyncGenerator<Event>
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

/** The seats of an agent in a store or at a server. */
export async function seatsOf({ env, above }: Io, place: string, agent: string): Promise<Seats> {
  const { Seats } = await import('../../../workspace/seat.ts')
  return new Seats(env.home, place, agent, (await above?.()) ?? [])
}

export const storePlace = ({ service }: Context): string => {
  const { location, workspace } = service.deps.store.info
  return `${location} ${workspace}`
}

/** The folder for the notes and the news of an agent: in the workspace, or with the user's keys when a server keeps it. */
export async function notesFolder({ cwd, env }: Io): Promise<string> {
  const { findWorkspace } = await import('../../../workspace/find.ts')
  const dir = (await findWorkspace(cwd, env))?.dir
  const isThere = dir !== undefined && statSync(dir, { throwIfNoEntry: false })?.isDirectory()
  return isThere ? dir : join(env.home, '.baton')
}

/** The caller's instance, where this process belongs to a session of an agent that has a seat. */
export async function instanceOf(
  io: Io,
  place: string,
  caller: () => Actor | Promise<Actor>,
): Promise<string | undefined> {
  const { env } = io
  if (env.instance !== undefined || !existsSync(join(env.home, '.baton', 'seats'))) return env.instance
  const { name, kind } = await caller()
  return kind === 'human' ? undefined : (await seatsOf(io, place, name)).tied()
}

/** A session in the workspace of this machine. A person's name gives a coding agent none of a person's rights. */
export function localSession(context: Context, isAgent = false): Session {
  const caller: Actor =
    isAgent && context.actor.kind === 'human' ? { ...context.actor, kind: 'agent' } : context.actor
  return {
    policy: context.service.deps.policy,
    context,
    place: storePlace(context),
    actor: async () => context.actor,
    async call(name, input, { key, actor = caller, notSecret, together } = {}) {
      const call = { actor, ...present({ key, together }), ...(notSecret && { notSecret }) }
      return (await invoke(await loadOperation(name), context.service, call, input)) as never
    },
    events: async function* ({ kind, ...options }) {
      for await (const event of (await context.service.events()).follow(options))
        if (kind === undefined || kind === event.kind) yield event
    },
    close: () => context.close(),
  }
}
