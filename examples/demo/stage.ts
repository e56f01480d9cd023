import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Baton, BatonAgent, Handoff } from '../../src/index.ts'

/** How often somebody looks for what they wait for. */
const LOOK_MS = 250

/** Where one agent of the demo stands: its own process, its own way into the workspace. */
export class Stage {
  readonly baton: Baton
  readonly me: BatonAgent
  readonly folder: string
  /** Raised when whoever started the demo is gone. */
  readonly signal: AbortSignal
  /** How long a pause is: 1 as people can follow it, 0 none at all. */
  readonly #pace: number
  readonly #say: (text: string) => void

  constructor(options: {
    readonly baton: Baton
    readonly name: string
    readonly folder: string
    readonly pace: number
    readonly signal: AbortSignal
    readonly say: (text: string) => void
  }) {
    this.baton = options.baton
    this.me = options.baton.as(options.name)
    this.folder = options.folder
    this.signal = options.signal
    this.#pace = options.pace
    this.#say = options.say
  }

  say(text: string): void {
    this.#say(text)
  }

  /** Work takes time. */
  work(seconds: number): Promise<void> {
    return sleep(seconds * 1_000 * this.#pace, undefined, { signal: this.signal })
  }

  /** Looks again and again until there is something. */
  async until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      await sleep(LOOK_MS, undefined, { signal: this.signal })
    }
  }

  /** The next handoff that waits for this agent and fits. */
  inbox(fits: (handoff: Handoff) => boolean): Promise<Handoff> {
    return this.until(async () => (await this.me.inbox({ limit: 50 })).items.find(fits))
  }

  /** Whole or not at all: others read while this writes. */
  write(path: string, text: string): void {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    const aside = join(this.folder, `.${Date.now()}-${this.me.name}`)
    writeFileSync(aside, text)
    renameSync(aside, file)
  }
}
