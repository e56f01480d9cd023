import { BatonError, onRefusal } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Package } from '../domain/handoffs/package.ts'
import { isEnd } from '../domain/lifecycle.ts'
import { present } from '../domain/present.ts'
import { jsonProblem } from '../domain/texts/json-problem.ts'
import { sentenceOf } from '../service/schema/schema-problems.ts'
import { type DefinedWork, handoffOf, isDefined, type RequestOptions } from './define-work.ts'
import type { AgentLink, CallOptions, Claimed, HandoffContent, Outcome, WaitOptions } from './link.ts'
import type { OperationInput, OperationName, OperationOutput } from './operation-types.ts'
import type { CheckValue } from './schema.ts'
import { SentHandoff } from './sent-handoff.ts'
import { asHandler } from './warnings.ts'
import {
  answerProblem,
  type Handler,
  outputOf,
  refOf,
  type StoredArtifact,
  toStoredFile,
  type Work,
} from './work.ts'
import { type Failing, toFailing, toWritable, WorkFailed, WorkKept } from './work-failure.ts'
import { isAway, isLost, isUnusable, WorkLease } from './work-lease.ts'

export interface AttemptOptions {
  readonly link: AgentLink
  /** Absent: any input will do. */
  readonly checkInput?: CheckValue | undefined
  /** Absent: any output will do. */
  readonly checkOutput?: CheckValue | undefined
  readonly handler: Handler
  /** Aborted when the specialist cannot wait for the handler any longer. */
  readonly stopped: AbortSignal
  /** Whether the specialist could take one more handoff now. */
  readonly hasFreeSlot: () => boolean
  /** Called when the end is about to be written, unless checks that may take minutes come first. */
  readonly onEnding?: () => void
}

type Submission = Omit<OperationInput<'handoff_submit'>, 'id' | 'attempt'>
type Produced =
  | { readonly submission: Submission }
  | { readonly failing: Failing }
  | { readonly released: string }
  | { readonly kept: true }

const AGAIN_MS = 1_000
const UNTOLD = 'the work failed, and the reason could not be written down'

/**
 * Runs the handler on a handoff that was just claimed and hands in what it answers, or why it failed. Whatever
 * is written carries the attempt: a specialist that has lost the work writes nothing.
 */
export class Attempt {
  readonly #options: AttemptOptions
  readonly #handoff: Handoff
  readonly #content: HandoffContent | undefined
  readonly #lost = new AbortController()
  #hasChecks = false
  /** Data that the handler stored, for the check against the output schema. */
  readonly #stored = new Map<string, unknown>()

  constructor(options: AttemptOptions, { handoff, content }: Claimed) {
    this.#options = options
    this.#handoff = handoff
    this.#content = content
  }

  async run(): Promise<void> {
    try {
      // A delegation of this specialist has come back: its sender has the result, and no handler is needed.
      if (this.#handoff.type !== 'return') await this.#work()
      else await this.#insist(() => this.#call('handoff_complete', { id: this.#handoff.uid }))
    } catch (error) {
      // A store that went away for good ends the lease, and with it the attempt; so does losing it to another.
      if (!isLost(error) && !isAway(error)) throw error
    }
  }

  async #work(): Promise<void> {
    let working = true
    const holding = new WorkLease({
      link: this.#options.link,
      handoff: this.#handoff,
      beat: async () => (await this.#call('handoff_heartbeat', this.#named({}))).handoff,
      onLost: (reason) => {
        if (working) this.#lost.abort(reason)
      },
    })
    try {
      const produced = await this.#produce()
      working = false
      holding.unwatch()
      // The lease is kept meanwhile: acceptance checks may take longer than it lasts.
      if (this.#lost.signal.aborted || 'kept' in produced) return
      if (!this.#hasChecks) this.#options.onEnding?.()
      await this.#handIn(produced)
    } finally {
      holding.release()
    }
  }

  async #produce(): Promise<Produced> {
    const { link, checkInput, handler, stopped, hasFreeSlot } = this.#options
    const { package: travels, verifications } =
      this.#content ?? (await this.#insist(() => link.content(this.#handoff.uid)))
    const last = verifications.at(-1)
    this.#hasChecks = Boolean(travels.checks?.length)
    try {
      stopped.throwIfAborted()
      const input = await checkInput?.(travels.input)
      if (input?.ok === false)
        return failing('SCHEMA_VALIDATION_FAILED', sentenceOf('Input', input.problems), input.problems)
      const work = this.#workOf(travels, input ? input.value : travels.input)
      const refusal = last?.pass === false ? { refusal: last.note ?? '' } : {}
      const { id } = this.#handoff
      const answer = await unlessAborted(
        asHandler({ name: link.name, id, hasFreeSlot }, () => handler({ ...work, ...refusal })),
        stopped,
      )
      return await this.#check(answer ?? {})
    } catch (error) {
      if (stopped.aborted) return { released: `${link.name} was stopped before the work was done` }
      return error instanceof WorkKept ? { kept: true } : { failing: toFailing(error) }
    }
  }

  #workOf(travels: Package, input: unknown): Work {
    const { link, stopped } = this.#options
    const signal = AbortSignal.any([this.#lost.signal, stopped])
    return {
      handoff: this.#handoff,
      package: travels,
      input,
      attempt: this.#handoff.attempt,
      signal,
      artifact: (name, data) => this.#store(name, data),
      ...delegatingFor(link, this.#handoff, signal),
      progress: async (percent) => {
        await this.#call('handoff_heartbeat', this.#named({ progress: percent }))
      },
      fail: (code, message, details) => {
        throw new WorkFailed({ code, message, ...(details && { details }) })
      },
    }
  }

  async #store(name: string, data: unknown): Promise<StoredArtifact> {
    const file = toStoredFile(this.#handoff, name, data)
    const wanted = await this.#options.link.artifactPath(this.#handoff, name)
    const isJson = wanted !== undefined && !(data instanceof Uint8Array)
    const { path, bytes } = { ...file, ...(isJson && { path: wanted }) }
    const stored = await this.#call('artifact_put', {
      path,
      type: name,
      role: 'output',
      handoff: this.#handoff.uid,
      content: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
    })
    // Document 001 calls an artifact by the name of its file.
    const id = wanted === undefined ? stored.uid : path.replace(/^.*\/|\.json$/g, '')
    this.#stored.set(id, data)
    return { id, path, type: name, ...(stored.sha256 !== undefined && { sha256: stored.sha256 }) }
  }

  async #check(answer: Exclude<Awaited<ReturnType<Handler>>, void>): Promise<Produced> {
    const { checkOutput } = this.#options
    const fault = answerProblem(answer)
    if (fault !== undefined) return failing('VALIDATION_FAILED', `Output validation failed: ${fault}`)
    const { artifact, validation, ...rest } = answer
    let output = answer.output
    if (checkOutput) {
      const value = output === undefined && artifact ? this.#stored.get(artifact.id) : output
      if (value === undefined)
        return failing(
          'VALIDATION_FAILED',
          'Output validation failed: there is neither an output nor an artifact of work.artifact to check',
        )
      const checked = await checkOutput(value)
      if (!checked.ok)
        return failing('VALIDATION_FAILED', sentenceOf('Output', checked.problems), checked.problems)
      if (output !== undefined) output = checked.value
    }
    const submission = {
      ...rest,
      output: output ?? (artifact && outputOf(artifact)),
      ...(artifact && { artifacts: [...(rest.artifacts ?? []), refOf(artifact)] }),
      ...(validation && { validation: { status: 'passed', ...validation } }),
      ...(checkOutput && { schema_compliance: 'valid' }),
    }
    const odd = jsonProblem(submission)
    if (odd) return failing('VALIDATION_FAILED', `Output validation failed: ${odd.field} ${odd.what}`)
    return { submission: JSON.parse(JSON.stringify(submission)) }
  }

  async #handIn(produced: Exclude<Produced, { readonly kept: true }>): Promise<void> {
    // Work that a verifier gave back is handed in again in the same attempt, from a later revision.
    const { uid, attempt, rev } = this.#handoff
    const key = `attempt-${attempt}-of-${uid}-from-${rev}`
    if ('released' in produced) return this.#release(produced.released, key)
    const reason =
      'failing' in produced
        ? produced.failing
        : await this.#insist(() => this.#call('handoff_submit', this.#named(produced.submission), key)).then(
            () => undefined,
            refusalOf,
          )
    if (reason) await this.#report(reason, key)
  }

  /** Gives the work back without a failure. A format that has no such step gets the failure. */
  async #release(reason: string, key: string): Promise<void> {
    await this.#call('handoff_release', this.#named({ reason }), key).catch(async (error: unknown) => {
      if (!(error instanceof BatonError) || error.code !== 'wrong_state') throw error
      await this.#report({ code: 'PROCESSING_ERROR', message: reason }, key)
    })
  }

  /** The reason as it can be written. Where even that is refused, the attempt ends all the same, without it. */
  async #report(reason: Failing, key: string): Promise<void> {
    const fail = ({ details, ...said }: Failing, as: string) =>
      this.#insist(() =>
        this.#call(
          'handoff_fail',
          this.#named({ ...said, ...(details && { details: details.map((item) => ({ ...item })) }) }),
          as,
        ),
      )
    await fail(toWritable(reason), key).catch(async (error: unknown) => {
      if (isLost(error) || isAway(error) || isUnusable(error)) throw error
      await fail({ code: reason.code, message: UNTOLD }, `${key}-without-its-reason`)
    })
  }

  #named<T extends object>(input: T): T & { readonly id: string; readonly attempt: number } {
    return { ...input, id: this.#handoff.uid, attempt: this.#handoff.attempt }
  }

  #call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    key?: string,
  ): Promise<OperationOutput<Name>> {
    return this.#options.link.call(name, input, key === undefined ? {} : { key })
  }

  /** Asks again while the store is away; the key makes that harmless. */
  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask()
      } catch (error) {
        if (!isAway(error) || this.#options.stopped.aborted) throw error
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    }
  }
}

const failing = (code: string, message: string, details?: Failing['details']): Produced => ({
  failing: { code, message, ...(details && { details }) },
})

/** Why what was handed in did not pass. What is not about the work itself is thrown on. */
function refusalOf(error: unknown): Failing {
  if (isLost(error) || isAway(error) || isUnusable(error)) throw error
  if (!(error instanceof BatonError)) return toFailing(error)
  const unmet = error.code === 'unmet' ? (error.details.unmet as Failing['details']) : undefined
  return { code: 'VALIDATION_FAILED', message: error.message, ...(unmet && { details: unmet }) }
}

/** The handler's answer, or the reason of the signal if that comes first. */
async function unlessAborted<T>(answer: Promise<T> | T, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    return await Promise.race([answer, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** A handler's delegations and questions. Both find what an earlier run of the handler began. */
function delegatingFor(
  link: AgentLink,
  handoff: Handoff,
  signal: AbortSignal,
): Pick<Work, 'delegate' | 'ask'> {
  let delegated = 0
  /** The part of an earlier run, unless it ended badly or was another one. */
  const send = async (part: OperationInput<'handoff_create'>, key: string): Promise<Handoff> => {
    const sentAs = async (as: string) => (await link.call('handoff_send', part, { key: as })).handoff
    const first = await sentAs(key).catch(onRefusal(undefined, 'conflict'))
    const isOver = !first || (isEnd(first.state) && first.state !== 'completed')
    return isOver ? sentAs(`${key}-attempt-${handoff.attempt}`) : first
  }
  /** Takes a handoff and options, or a defined work, its input and options. */
  const delegate = async (
    given: OperationInput<'handoff_create'> | DefinedWork,
    second: unknown = {},
    third: RequestOptions = {},
  ): Promise<Outcome> => {
    delegated += 1
    const { timeout_s, ...plain } = second as CallOptions & WaitOptions
    const options = isDefined(given) ? third : { ...plain, ...present({ wait_s: timeout_s }) }
    const { key = `part-${delegated}-of-${handoff.uid}`, wait_s, signal: own, ...fields } = options
    const input = isDefined(given) ? await handoffOf(given, second, fields) : given
    const usual = input.home === undefined && input.review === undefined ? ({ home: 'queue' } as const) : {}
    const part = { ...usual, ...input, type: 'delegation' as const, parent: handoff.uid }
    const sent = { handoff: await send(part, key), warnings: [] }
    return new SentHandoff(link, sent, isDefined(given) ? given.output : undefined).wait({
      ...present({ timeout_s: wait_s }),
      signal: AbortSignal.any([signal, ...(own ? [own] : [])]),
    })
  }
  const ask = async (question: string): Promise<string> => {
    const look = async () => {
      const { thread } = await link.call('handoff_get', { id: handoff.uid })
      const asked = thread.findLastIndex(({ kind, text }) => kind === 'question' && text === question)
      return { asked, answer: thread.slice(asked + 1).find(({ kind }) => kind === 'answer')?.text }
    }
    const { asked, answer } = await look()
    if (asked !== -1 && answer !== undefined) return answer
    if (asked === -1) await link.call('handoff_ask', { id: handoff.uid, question })
    const said = await link.until({ handoff: handoff.uid }, async () => (await look()).answer, signal)
    signal.throwIfAborted()
    return said ?? ''
  }
  // The overloads of the interface are one function here.
  return { delegate: delegate as Work['delegate'], ask }
}
