import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { AgentLink, Outcome, WaitOptions } from './link.ts'

/** A handoff that was sent. */
export class SentHandoff {
  readonly #link: AgentLink
  /** As it was when it was sent. */
  readonly handoff: Handoff
  /** Problems that the receiver may stumble over; the handoff was sent all the same. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[]

  constructor(
    link: AgentLink,
    sent: { readonly handoff: Handoff; readonly warnings: SentHandoff['warnings'] },
  ) {
    this.#link = link
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
  wait(options: WaitOptions = {}): Promise<Outcome> {
    return this.#link.wait(this.uid, options)
  }
}
