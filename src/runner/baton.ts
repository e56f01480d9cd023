/// <reference lib="esnext.disposable" preserve="true" />
import { BatonError } from '../domain/errors.ts'
import { demandSeconds } from '../domain/wait-limits.ts'
import type { Event } from '../service/events.ts'
import { BatonAgent } from './baton-agent.ts'
import { asGiven, type DefinedWork, demandName, isDefined } from './define-work.ts'
import type { AgentLink, AgentOptions, EventOptions, Link } from './link.ts'
import type { AfterSchema, BeforeSchema, Schema, StandardSchema } from './schema.ts'
import {
  type CloseOptions,
  type Specialist,
  type SpecialistOptions,
  startSpecialist,
  type WorkerOptions,
} from './specialist.ts'
import type { DefinedHandler, Handler } from './work.ts'

/** An open workspace. */
export class Baton {
  readonly #link: Link
  readonly #specialists = new Set<Specialist>()
  readonly #ended = new AbortController()
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
    const link = this.#open().as(demandName(name), options)
    const wait: AgentLink['wait'] = (ref, given) =>
      link.wait(ref, { ...given, signal: this.#until(given.signal) })
    return new BatonAgent({ ...link, wait })
  }

  /**
   * Receives handoffs in this process: takes what is offered to `name` by priority and then age, checks the
   * input, runs the handler, checks the output and hands it in. An exception becomes a failure, and the work is
   * tried again where its retry rule says so. Resolves when it is listening.
   *
   * The handler of a defined work answers its output:
   *
   * ```ts
   * await baton.work(userCard, async (work) => ({ files: [`${work.input.name}.tsx`] }))
   * ```
   *
   * The handler of a name answers an object with the output and everything else that the handoff asks for:
   *
   * ```ts
   * const specialist = await baton.work(
   *   'form-specialist',
   *   { input: Requirement, output: Components, concurrency: 2 },
   *   async (work) => {
   *     const file = await work.artifact('react-components', { files: [`${work.input.name}.tsx`] })
   *     return { artifact: file, validation: { tests_passing: true, coverage_percentage: 87 } }
   *   },
   * )
   * ```
   */
  work<In extends StandardSchema, Out extends StandardSchema>(
    work: DefinedWork<In, Out>,
    handler: DefinedHandler<AfterSchema<In>, BeforeSchema<Out>>,
  ): Promise<Specialist>
  work<In extends StandardSchema, Out extends StandardSchema>(
    work: DefinedWork<In, Out>,
    options: WorkerOptions,
    handler: DefinedHandler<AfterSchema<In>, BeforeSchema<Out>>,
  ): Promise<Specialist>
  work<In extends Schema = Schema, Out extends Schema = Schema>(
    name: string,
    options: SpecialistOptions<In, Out>,
    handler: Handler<AfterSchema<In>, BeforeSchema<Out>>,
  ): Promise<Specialist>
  work(work: DefinedWork | string, second: unknown, third?: unknown): Promise<Specialist> {
    // Arguments of a program without types are judged where the worker starts.
    if (!isDefined(work)) return this.#start(work, second as SpecialistOptions, third as Handler)
    const [options, handler] = third === undefined ? [{}, second] : [second as WorkerOptions, third]
    const { to, input, output } = work
    const answer = handler as DefinedHandler
    const full: Handler = async (each) => ({ output: await answer(each) })
    return this.#start(
      to,
      { ...options, input, output: asGiven(output) },
      typeof answer === 'function' ? full : answer,
    )
  }

  /** Another name of `work`, as the queue format calls a receiver. */
  get specialist(): Baton['work'] {
    return this.work
  }

  async #start(name: string, options: SpecialistOptions, handler: Handler): Promise<Specialist> {
    const specialist = await startSpecialist(this.#open(), demandName(name), options, handler)
    this.#specialists.add(specialist)
    const forget = () => this.#specialists.delete(specialist)
    specialist.done.then(forget, forget)
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
   * for await (const event of baton.events({ handoff: sent.id, since: '0' })) {
   *   console.log(event.act, event.by)
   *   if (event.state === 'completed') break
   * }
   * ```
   */
  events(options: EventOptions = {}): AsyncGenerator<Event> {
    return this.#open().events({ ...options, signal: this.#until(options.signal) })
  }

  /** Ends with a caller's own signal, and when this Baton has been closed: nothing waits on for ever. */
  #until(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([this.#ended.signal, signal]) : this.#ended.signal
  }

  /**
   * Closes the specialists, giving their handlers up to `timeout_s` seconds (30) to finish, and then the store. Waits
   * that are still open reject. Closing twice is fine.
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
    await Promise.all([...this.#specialists].map((specialist) => specialist.close(options)))
    // Handlers that are given time to finish may wait themselves.
    this.#ended.abort(closed())
    await this.#link.close()
  }

  #open(): Link {
    if (this.#closed) throw closed()
    return this.#link
  }
}

const closed = () => new BatonError('unavailable', 'this Baton was closed; open it again with openBaton')
