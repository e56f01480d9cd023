import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { LogEntry, Service } from '../../service/service.ts'
import { LOOK_AGAIN_MS } from '../../service/waits.ts'
import { rest } from '../http/client/rest.ts'

/** Something happened to what these addresses show; the inboxes of these agents may look different. */
export interface Change {
  readonly uris: readonly string[]
  readonly agents: readonly string[]
}

const ENTRY_PAGE = 200

/** Follows the store while somebody listens, and costs nothing while nobody does. */
export class Changes {
  readonly #service: Service
  readonly #listeners = new Set<(change: Change) => void>()
  #following: AbortController | undefined
  #begun = Promise.withResolvers<void>()

  constructor(service: Service) {
    this.#service = service
  }

  /** Calls back with each change from here on, until the answered function is called. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    if (!this.#following) {
      this.#following = new AbortController()
      this.#begun = Promise.withResolvers()
      this.#follow(this.#following.signal).catch(() => undefined)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#following?.abort()
      this.#following = undefined
    }
  }

  /** Settles when whatever happens from then on is told. */
  ready(): Promise<void> {
    return this.#begun.promise
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store } = this.#service.deps
    let wake: () => void = () => undefined
    const unsubscribe = store.subscribe(() => wake())
    signal.addEventListener('abort', () => wake(), { once: true })
    let cursor: string | undefined
    try {
      while (!signal.aborted) {
        const woken = new AbortController()
        wake = () => woken.abort()
        // A store that is away comes back: what happened meanwhile is after the cursor.
        const page = await store.changes(cursor, ENTRY_PAGE).catch(() => undefined)
        cursor = page?.cursor ?? cursor
        if (cursor !== undefined) this.#begun.resolve()
        for (const entry of page?.entries ?? []) if (!signal.aborted) await this.#tell(entry)
        if (page?.entries.length === ENTRY_PAGE) continue
        await rest(LOOK_AGAIN_MS, woken.signal)
      }
    } finally {
      unsubscribe()
      this.#begun.resolve()
    }
  }

  async #tell(entry: LogEntry): Promise<void> {
    const change = await this.#changeOf(entry).catch(() => undefined)
    if (change) for (const listener of this.#listeners) listener(change)
  }

  async #changeOf({ subject }: LogEntry): Promise<Change | undefined> {
    const { store } = this.#service.deps
    const handoff = await store.handoff(subject)
    if (handoff) return ofHandoff(handoff)
    const task = (await store.task(subject))?.task
    return task && { uris: ['brief', 'record'].map((kind) => address(kind, task.id)), agents: [] }
  }
}

/** The URI of a resource. */
export const address = (kind: string, id: string): string => `baton://${kind}/${encodeURIComponent(id)}`
export const INBOX = 'baton://inbox'

function ofHandoff({ id, uid, from, to, waiting_for }: Handoff): Change {
  const agents = [...new Set([from, to, waiting_for ?? to])]
  return { uris: [address('handoff', id), address('handoff', uid)], agents }
}
