import type { Handoff } from '../domain/handoffs/handoff.ts'
import { demandValue } from './define-work.ts'
import type { AgentLink, Outcome, WaitOptions } from './link.ts'
import type { StandardSchema } from './schema.ts'
import { warnOfOwnWait } from './warnings.ts'

/** A handoff that was sent. */
export class SentHandoff<Output = unknown> {
  readonly #link: AgentLink
  readonly #output: StandardSchema | undefined
  /** As it was when it was sent. */
  readonly handoff: Handoff
  /** Problems that the receiver may stumble over; the handoff was sent all the same. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[]

  constructor(
    link: AgentLink,
    sent: { readonly handoff: Handoff; readonly warnings: SentHandoff['warnings'] },
    output?: StandardSchema,
  ) {
    this.#link = link
    this.#output = output
    this.handoff = sent.handoff
    this.warnings = sent.warnings
  }

  /** The id that people see, for example HO-2026-001. */
  get id(): string {
    return this.handoff.id
  }

  /** The only key. */
  get uid(): string {
    return this.handoff.uid
  }

  /**
   * Waits for the end and answers what was handed in. Throws `HandoffFailedException` when it ended in any other
   * way than completed, and `HandoffTimeoutException` when nothing final happened in time.
   *
   * ```ts
   * const { output } = await sent.wait({ timeout_s: 60 })
   * ```
   */
  wait(options: WaitOptions = {}): Promise<Outcome & { readonly output: Output }> {
    warnOfOwnWait(this.handoff)
    const schema = this.#output
    // Not async: thousands may be open at once, and each would keep one more promise.
    const outcome = this.#link.wait(this.handoff, options)
    // The schema is what makes the type of the output true.
    return (schema ? outcome.then(checkedBy(schema)) : outcome) as ReturnType<typeof this.wait>
  }
}

const checkedBy = (schema: StandardSchema) => async (outcome: Outcome) => ({
  ...outcome,
  output: await demandValue('Output', schema, outcome.output),
})
