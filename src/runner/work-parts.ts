import { BatonError } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { isEnd } from '../domain/lifecycle.ts'
import { present } from '../domain/present.ts'
import type { OperationInput } from './calls.ts'
import { type DefinedWork, handoffOf, isDefined, type RequestOptions } from './define-work.ts'
import type { AgentLink, CallOptions, Outcome, WaitOptions } from './link.ts'
import { SentHandoff } from './sent-handoff.ts'

export interface WorkPartsOptions {
  readonly link: AgentLink
  readonly handoff: Handoff
  /** Aborted when the work is lost or the worker stops. */
  readonly signal: AbortSignal
}

/** A handler's delegations and questions. Both find what an earlier run of the handler began. */
export class WorkParts {
  readonly #options: WorkPartsOptions
  #delegated = 0

  constructor(options: WorkPartsOptions) {
    this.#options = options
  }

  /** Takes a handoff and options, or a defined work, its input and options. */
  async delegate(
    given: OperationInput<'handoff_create'> | DefinedWork,
    second: unknown = {},
    third: RequestOptions = {},
  ): Promise<Outcome> {
    const { link, handoff, signal } = this.#options
    this.#delegated += 1
    const { timeout_s, ...plain } = second as CallOptions & WaitOptions
    const options = isDefined(given) ? third : { ...plain, ...present({ wait_s: timeout_s }) }
    const { key = `part-${this.#delegated}-of-${handoff.uid}`, wait_s, signal: own, ...fields } = options
    const input = isDefined(given) ? await handoffOf(given, second, fields) : given
    const usual = input.home === undefined && input.review === undefined ? ({ home: 'queue' } as const) : {}
    const part = { ...usual, ...input, type: 'delegation' as const, parent: handoff.uid }
    const sent = { handoff: await this.#send(part, key), warnings: [] }
    return new SentHandoff(link, sent, isDefined(given) ? given.output : undefined).wait({
      ...present({ timeout_s: wait_s }),
      signal: AbortSignal.any([signal, ...(own ? [own] : [])]),
    })
  }

  /** The part of an earlier run, unless it ended badly or was another one. */
  async #send(part: OperationInput<'handoff_create'>, key: string): Promise<Handoff> {
    const { link, handoff } = this.#options
    const send = async (as: string) => (await link.call('handoff_send', part, { key: as })).handoff
    const first = await send(key).catch((error: unknown) => {
      if (error instanceof BatonError && error.code === 'conflict') return undefined
      throw error
    })
    const isOver = !first || (isEnd(first.state) && first.state !== 'completed')
    return isOver ? send(`${key}-attempt-${handoff.attempt}`) : first
  }

  async ask(question: string): Promise<string> {
    const { link, handoff, signal } = this.#options
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
}
