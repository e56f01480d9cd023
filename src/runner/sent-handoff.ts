import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Result } from '../domain/handoffs/package.ts'
import type { Service } from '../service/service.ts'

/** A completed handoff and what was handed in for it. */
export interface Outcome extends Result {
  readonly handoff: Handoff
}

export interface WaitOptions {
  /** Seconds; the handoff's own timeout unless said, else 300. */
  readonly timeout_s?: number
  /** Ends the waiting, not the handoff. */
  readonly signal?: AbortSignal
}

/** A handoff that was sent. */
export class SentHandoff {
  readonly #service: Service
  /** As it was when it was sent. */
  readonly handoff: Handoff
  /** Problems that the receiver may stumble over; the handoff was sent all the same. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[]

  constructor(
    service: Service,
    sent: { readonly handoff: Handoff; readonly warnings: SentHandoff['warnings'] },
  ) {
    this.#service = service
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
    return waitForOutcome(this.#service, this.uid, options)
  }
}

/** Waits for a handoff's end, and reads what was handed in. */
export async function waitForOutcome(service: Service, ref: string, options: WaitOptions): Promise<Outcome> {
  const handoff = await service.wait(ref, options)
  const content = await service.deps.store.content(handoff.uid)
  return { ...content?.result, handoff }
}
