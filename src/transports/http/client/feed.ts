import type { AgentLink, Subject } from '../../../runner/link.ts'
import type { Event } from '../../../service/events.ts'
import type { Remote } from './remote.ts'
import { rest } from './rest.ts'

/** With a stream of events a look without one is for what no event names; without a stream there is nothing else. */
const LOOK_AGAIN_MS = 10_000
const LOOK_BLINDLY_MS = 1_000

interface Waiting {
  readonly about: Subject
  wake(): void
}

/** Wakes everything in this process that waits for changes around one agent, by one stream of events. */
export class Feed {
  readonly #remote: Remote
  readonly #agent: string
  readonly #waiting = new Set<Waiting>()
  #stream: AbortController | undefined
  /** Whether the stream is open. */
  #hears = false

  constructor(remote: Remote, agent: string) {
    this.#remote = remote
    this.#agent = agent
  }

  until: AgentLink['until'] = async (about, look, signal) => {
    let wake: AbortController
    let woken = false
    const waiting: Waiting = {
      about,
      wake: () => {
        woken = true
        wake?.abort()
      },
    }
    // Added before the first look: a change between look and sleep must not be missed.
    this.#waiting.add(waiting)
    this.#listen()
    try {
      for (;;) {
        signal.throwIfAborted()
        woken = false
        const found = await look()
        if (found !== undefined) return found
        wake = new AbortController()
        if (!woken)
          await rest(this.#hears ? LOOK_AGAIN_MS : LOOK_BLINDLY_MS, AbortSignal.any([signal, wake.signal]))
      }
    } finally {
      this.#waiting.delete(waiting)
      if (this.#waiting.size === 0) this.close()
    }
  }

  close(): void {
    this.#stream?.abort()
    this.#stream = undefined
    this.#hears = false
  }

  #listen(): void {
    if (this.#stream) return
    const stream = new AbortController()
    this.#stream = stream
    // A token that may not hear of events looks every second instead.
    void this.#follow(stream.signal).catch(() => undefined)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const onState = (open: boolean) => {
      if (signal.aborted) return
      this.#hears = open
      // Something may have happened while nobody listened.
      if (open) for (const waiting of this.#waiting) waiting.wake()
    }
    for await (const event of this.#remote.events({ agent: this.#agent, signal, onState }))
      for (const waiting of this.#waiting) if (concerns(event, waiting.about)) waiting.wake()
  }
}

const concerns = ({ subject, kind }: Event, about: Subject): boolean =>
  'handoff' in about ? subject === about.handoff : kind === 'handoff'
