import { MOST_LIVE } from '../domain/handoffs/inputs.ts'

const EVERY_MS = 1_000
/** A program that prints nothing is still shown to run. */
const QUIET_MS = 10_000
/** Longer than any secret. */
const MARGIN = 16_384

/** Shows the newest output of a program while it runs, about once a second. One that ends sooner is not shown. */
export class LiveOutput {
  readonly #mask: (text: string) => string
  readonly #show: (log: string | false) => Promise<unknown>
  readonly #timer = setInterval(() => this.#send(), EVERY_MS)
  #tail = ''
  #isCut = false
  #isNew = true
  #sentAt = 0
  #sending: Promise<unknown> | undefined

  constructor(mask: (text: string) => string, show: (log: string | false) => Promise<unknown>) {
    this.#mask = mask
    this.#show = show
  }

  add(chunk: Buffer): void {
    const all = this.#tail + chunk.toString()
    this.#tail = all.length > 4 * MOST_LIVE ? all.slice(-2 * MOST_LIVE) : all
    this.#isCut ||= this.#tail !== all
    this.#isNew = true
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sending
    if (this.#sentAt > 0) await this.#show(false).catch(() => undefined)
  }

  #send(): void {
    if (this.#sending || (!this.#isNew && Date.now() - this.#sentAt < QUIET_MS)) return
    this.#isNew = false
    this.#sentAt = Date.now()
    // A store that is away is shown the next part.
    const sent = this.#show(this.#shown()).catch(() => undefined)
    this.#sending = sent.finally(() => {
      this.#sending = undefined
    })
  }

  /** Whole lines: half a secret would not be known as one, neither at the end nor where the beginning is gone. */
  #shown(): string {
    const end = Math.max(this.#tail.lastIndexOf('\n'), this.#tail.lastIndexOf('\r')) + 1
    const masked = this.#mask(this.#tail.slice(0, end))
    return masked.slice(Math.max(this.#isCut ? MARGIN : 0, masked.length - MOST_LIVE))
  }
}
