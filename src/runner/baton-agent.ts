import { keyProblem } from '../domain/call-key.ts'
import { BatonError } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import {
  type DefinedSendOptions,
  type DefinedWork,
  handoffOf,
  isDefined,
  type RequestOptions,
} from './define-work.ts'
import type { AgentLink, CallOptions, Outcome, WaitOptions } from './link.ts'
import type {
  AcceptInput,
  AcceptOutput,
  AnswerOutput,
  AskOutput,
  CancelInput,
  CancelOutput,
  ClaimOutput,
  FailInput,
  FailOutput,
  GetOutput,
  InboxInput,
  InboxOutput,
  OperationInput,
  OperationName,
  OperationOutput,
  RejectInput,
  RejectOutput,
  RetryOutput,
  SendInput,
  SubmitInput,
  SubmitOutput,
  VerifyInput,
  VerifyOutput,
} from './operation-types.ts'
import type { AfterSchema, BeforeSchema, StandardSchema } from './schema.ts'
import { SentHandoff } from './sent-handoff.ts'

/**
 * Baton as one agent sees it. Every method is an operation of the same name on the other surfaces and obeys the
 * same rules; `call` reaches the ones without a method.
 */
export class BatonAgent {
  readonly #link: AgentLink

  constructor(link: AgentLink) {
    this.#link = link
  }

  get name(): string {
    return this.#link.name
  }

  /**
   * Hands work to another agent or a person.
   *
   * ```ts
   * const sent = await planner.send({
   *   to: 'codex',
   *   title: 'Add rate limiting',
   *   summary: 'The API needs limits before launch; the plan was agreed in the standup',
   *   deliverables: ['Middleware in src/'],
   *   criteria: ['npm test passes'],
   * })
   * ```
   */
  send<In extends StandardSchema, Out extends StandardSchema>(
    work: DefinedWork<In, Out>,
    input: BeforeSchema<In>,
    options?: DefinedSendOptions,
  ): Promise<SentHandoff<AfterSchema<Out>>>
  send(input: SendInput, options?: CallOptions): Promise<SentHandoff>
  async send(
    given: SendInput | DefinedWork,
    second?: unknown,
    third: DefinedSendOptions = {},
  ): Promise<SentHandoff> {
    if (!isDefined(given))
      return new SentHandoff(this.#link, await this.call('handoff_send', given, second as CallOptions))
    const { key, ...fields } = third
    const sent = await this.call('handoff_send', await handoffOf(given, second, fields), present({ key }))
    return new SentHandoff(this.#link, sent, given.output)
  }

  /**
   * Sends defined work, waits for its end and answers its output.
   *
   * ```ts
   * const { files } = await planner.request(userCard, { name: 'UserCard' })
   * ```
   */
  async request<In extends StandardSchema, Out extends StandardSchema>(
    work: DefinedWork<In, Out>,
    input: BeforeSchema<In>,
    options: RequestOptions = {},
  ): Promise<AfterSchema<Out>> {
    const { wait_s, signal, ...more } = options
    const sent = await this.send(work, input, more)
    return (await sent.wait(present({ timeout_s: wait_s, signal }))).output
  }

  /**
   * The work that waits for this agent: handoffs to take, finish, verify or answer, and unseen notices.
   *
   * ```ts
   * const { items, notices } = await codex.inbox()
   * ```
   */
  inbox(input: InboxInput = {}): Promise<InboxOutput> {
    return this.call('handoff_inbox', input)
  }

  /**
   * One handoff with its package, what was handed in, questions and answers, attempts and timeline.
   *
   * ```ts
   * const { package: travels, timeline } = await planner.get(sent.id)
   * ```
   */
  get(id: string): Promise<GetOutput> {
    return this.call('handoff_get', { id })
  }

  /**
   * Takes on a handoff that was offered to this agent, and starts unless told otherwise.
   *
   * ```ts
   * await codex.accept(sent.id)
   * ```
   */
  accept(id: string, input: AcceptInput = {}, options: CallOptions = {}): Promise<AcceptOutput> {
    return this.call('handoff_accept', { ...input, id }, options)
  }

  /**
   * Declines a handoff, or gives accepted work back. The sender is told why.
   *
   * ```ts
   * await builder.reject(declined.id, { reason: 'I have no access to the billing service' })
   * ```
   */
  reject(id: string, input: RejectInput, options: CallOptions = {}): Promise<RejectOutput> {
    return this.call('handoff_reject', { ...input, id }, options)
  }

  /**
   * Takes the next handoff offered to this agent, by priority and then age. Without one, `handoff` is absent.
   *
   * ```ts
   * const { handoff } = await builder.claim()
   * ```
   */
  claim(options: CallOptions = {}): Promise<ClaimOutput> {
    return this.call('handoff_claim', {}, options)
  }

  /**
   * Asks the sender something. The handoff waits for the answer.
   *
   * ```ts
   * await codex.ask(sent.id, 'Which endpoints are public?')
   * ```
   */
  ask(id: string, question: string, options: CallOptions = {}): Promise<AskOutput> {
    return this.call('handoff_ask', { id, question }, options)
  }

  /**
   * Answers a question about a handoff that this agent sent; the work goes on where it stopped.
   *
   * ```ts
   * await planner.answer(sent.id, 'Only those under /v1')
   * ```
   */
  answer(id: string, text: string, options: CallOptions = {}): Promise<AnswerOutput> {
    return this.call('handoff_answer', { id, text }, options)
  }

  /**
   * Hands in what was done, with evidence for every deliverable.
   *
   * ```ts
   * await codex.submit(sent.id, {
   *   evidence: [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }],
   *   note: '12 tests',
   * })
   * ```
   */
  submit(id: string, input: SubmitInput, options: CallOptions = {}): Promise<SubmitOutput> {
    return this.call('handoff_submit', { ...input, id }, options)
  }

  /**
   * Judges submitted work: a pass completes the handoff, a refusal gives it back with the reason.
   *
   * ```ts
   * await planner.verify(sent.id, { pass: true })
   * ```
   */
  verify(id: string, input: VerifyInput, options: CallOptions = {}): Promise<VerifyOutput> {
    return this.call('handoff_verify', { ...input, id }, options)
  }

  /**
   * Reports that the work cannot be done, with the reason. It is tried again where its retry rule says so.
   *
   * ```ts
   * await builder.fail(sent.id, { message: 'The build machine is down' })
   * ```
   */
  fail(id: string, input: FailInput, options: CallOptions = {}): Promise<FailOutput> {
    return this.call('handoff_fail', { ...input, id }, options)
  }

  /**
   * Offers a failed handoff again: the next attempt of the same handoff.
   *
   * ```ts
   * await planner.retry(sent.id)
   * ```
   */
  retry(id: string, options: CallOptions = {}): Promise<RetryOutput> {
    return this.call('handoff_retry', { id }, options)
  }

  /**
   * Takes back a handoff that this agent sent; whoever holds it is told.
   *
   * ```ts
   * await planner.cancel(sent.id, { reason: 'no longer needed' })
   * ```
   */
  cancel(id: string, input: CancelInput = {}, options: CallOptions = {}): Promise<CancelOutput> {
    return this.call('handoff_cancel', { ...input, id }, options)
  }

  /**
   * Waits for the end of any handoff, as `wait` of a sent one does.
   *
   * ```ts
   * const { handoff } = await planner.wait(sent.id, { timeout_s: 60 })
   * ```
   */
  wait(id: string, options: WaitOptions = {}): Promise<Outcome> {
    return this.#link.wait(id, options)
  }

  /**
   * Calls any operation by its name.
   *
   * ```ts
   * await planner.call('task_create', { id: 'P0.1.1', title: 'Set up the package' }, { key: 'setup' })
   * const { items } = await planner.call('task_next_actions', {})
   * ```
   */
  async call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: CallOptions = {},
  ): Promise<OperationOutput<Name>> {
    // A program without types may give null for nothing.
    const key = options?.key
    const fault = key === undefined ? undefined : keyProblem('key', key)
    if (fault !== undefined) throw new BatonError('invalid_input', fault, { field: 'key' })
    return this.#link.call(name, input, key === undefined ? {} : { key })
  }
}
