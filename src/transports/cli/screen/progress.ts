import { isOn } from '../input/args.ts'
import type { Output } from '../io.ts'
import type { Shell } from '../shell.ts'

/** A terminal is redrawn at most this often: more is flicker and costs time. */
const REDRAW_MS = 80

/** One line on a terminal that tells how far long work is, and is gone when it ends. Silent when piped. */
export class Progress {
  readonly #output: Output
  readonly #isShown: boolean
  #drawnAt = 0
  #isDrawn = false

  constructor({ io, args }: Shell) {
    this.#output = io.stderr
    this.#isShown = io.stderr.isTTY === true && !isOn(args, 'quiet')
  }

  tell(text: string): void {
    const now = performance.now()
    if (!this.#isShown || now - this.#drawnAt < REDRAW_MS) return
    this.#drawnAt = now
    this.#isDrawn = true
    this.#output.write(`\r\u001b[K… ${text}`)
  }

  end(): void {
    if (this.#isDrawn) this.#output.write('\r\u001b[K')
    this.#isDrawn = false
  }
}
