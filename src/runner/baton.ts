/// <reference lib="esnext.disposable" preserve="true" />
import { AgentName } from '../domain/agent.ts'
import { BatonError } from '../domain/errors.ts'
import type { Event } from '../service/events.ts'
import { demandSeconds } from '../service/wait.ts'
import { BatonAgent } from './baton-agent.ts'
import type { AgentOptions, EventOptions, Link } from './link.ts'
import type { AfterSchema, BeforeSchema, Schema } from './schema.ts'
import { type CloseOptions, type Specialist, type SpecialistOptions, startSpecialist } from './specialist.ts'
import type { Handler } from './work.ts'

/** An open workspace. */
export class Baton {
  readonly #link: Link
  readonly #specialists = new Set<Specialist>()
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined

  constructor(link: Link) {
    this.#link = link
  }

  /**
   * Baton as the agent of this name. In process nothing proves the name: one system user is one trust domain. At a
   * server it is the agent of a token.
   *
   * ```ts
   * const planner = baton.as('planner')
   * const codex = baton.as('codex', { instance: 'laptop' })
   * ```
   */
  as(name: string, options: AgentOptions = {}): BatonAgent {
    return new BatonAgent(this.#open().as(demandName(name), options))
  }

  /**
   * Receives handoffs in this process: takes what is offered to `name` by priority and then age, checks the
   * input, runs the handler, checks the output and hands it in. An exception becomes document 001's failure, and
   * the work is tried again where its retry rule says so. Resolves when it is listening.
   *
   * ```ts
   * const specialist = await baton.specialist(
   *   'react-specialist',
   *   { input: Requirement, output: Components, concurrency: 2 },
   *   async (work) => {
   *     const file = await work.artifact('react-components', { files: [`${work.input.name}.tsx`] })
   *     return { artifact: file, validation: { tests_passing: true, coverage_percentage: 87 } }
   *   },
   * )
   * ```
   */
  async specialist<In extends Schema = Schema, Out extends Schema = Schema>(
    name: string,
    options: SpecialistOptions<In, Out>,
    handler: Handler<AfterSchema<In>, BeforeSchema<Out>>,
  ): Promise<Specialist> {
    const world = { link: this.#open(), onEnd: (ended: Specialist) => void this.#specialists.delete(ended) }
    const specialist = await startSpecialist(world, demandName(name), options, handler)
    this.#specialists.add(specialist)
    // Closed while the schemas were read: it must not outlive the store.
    if (this.#closed) await specialist.close()
    this.#open()
    return specialist
  }

  /**
   * Tells what happens in the workspace, from now on or after a cursor. Each event comes once and in order. It ends
   * with its signal and with `close`.
   *
   * ```ts
   * for await (const event of baton.events({ handoff: sent.id })) {
   *   console.log(event.act, event.by)
   *   if (event.state === 'completed') break
   * }
   * ```
   */
  events(options: EventOptions = {}): AsyncGenerator<Event> {
    const signals = [this.#closing.signal, options.signal].filter((signal) => signal !== undefined)
    return this.#open().events({ ...options, signal: AbortSignal.any(signals) })
  }

  /**
   * Closes the specialists, giving their handlers up to `timeout_s` seconds (30) to finish, and then the store.
   * Closing twice is fine.
   *
   * ```ts
   * await baton.close()
   * ```
   */
  async close(options: CloseOptions = {}): Promise<void> {
    demandSeconds(options.timeout_s)
    this.#closed ??= this.#end(options)
    await this.#closed
  }

  /** `await using baton = await openBaton(…)` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #end(options: CloseOptions): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#specialists].map((specialist) => specialist.close(options)))
    await this.#link.close()
  }

  #open(): Link {
    if (this.#closed)
      throw new BatonError('unavailable', 'this Baton was closed; open it again with openBaton')
    return this.#link
  }
}

function demandName(name: string): string {
  const read = AgentName.safeParse(name)
  if (read.success) return read.data
  throw new BatonError('invalid_input', read.error.issues.map((issue) => issue.message).join('; '), { name })
}
