import type { ServerResponse } from 'node:http'
import { BatonError } from '../../../domain/errors.ts'
import type { Service } from '../../../service/service.ts'
import { problemResponse } from '../../shared/problem.ts'
import { startWorkers } from '../workers/workers.ts'
import { createHttpApp, type HttpApp, type HttpAppOptions } from './app.ts'
import { unknownToken } from './auth.ts'
import { protect, refuseForeign } from './guards.ts'
import type { Log } from './log.ts'

/** Workspaces by name. */
export interface Workspaces {
  has(name: string): boolean
  /** From then on the store is the directory's to close. */
  open(name: string): Promise<Service>
}

export interface DirectoryOptions extends Omit<HttpAppOptions, 'service' | 'stopping' | 'below'> {
  readonly workspaces: Workspaces
  readonly log: Log
  /** How many may be open at once. */
  readonly most?: number
  /** A workspace that nobody has asked for so long is closed. */
  readonly idleMs?: number
}

interface OpenWorkspace {
  readonly opened: Promise<{ readonly app: HttpApp; readonly close: () => Promise<void> }>
  /** Requests that are not over, streams and waits among them. */
  users: number
  usedAt: number
}

/** Programs call these with a token. Pages and sessions are for the server's own workspace. */
const BELOW = /^https?:\/\/[^/]*\/w\/([\w.-]{1,64})\/(?:v1\/|mcp(?:\?|$)|metrics(?:\?|$))/
/** Each is looked at more seldom than a workspace that has a server of its own. */
const NAMED_TIMES = { settleMs: 2_000, deliverMs: 5_000, sequenceMs: 1_000, clearMs: 60_000 }

/**
 * Answers `/w/NAME/…` from the workspace of that name, everything else from the server's own. A workspace is opened by
 * the first request, with tokens, limits and background work of its own, and closed when nobody needs it any more.
 */
export class Directory {
  readonly #own: HttpApp
  readonly #options: DirectoryOptions
  readonly #most: number
  /** The one that was used longest ago comes first. */
  readonly #entries = new Map<string, OpenWorkspace>()
  readonly #closing = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout

  constructor(own: HttpApp, options: DirectoryOptions) {
    const { most = 64, idleMs = 300_000 } = options
    this.#own = own
    this.#options = options
    this.#most = most
    this.#timer = setInterval(() => this.#closeIdle(idleMs), Math.min(idleMs, 30_000)).unref()
  }

  async fetch(request: Request, outgoing: Pick<ServerResponse, 'once'>): Promise<Response> {
    const name = BELOW.exec(request.url)?.[1]
    if (name === undefined) return this.#own.fetch(request)
    try {
      refuseForeign(request, this.#options.hosts)
      // The answer to a bad token: names are not told to strangers.
      if (!this.#options.workspaces.has(name)) throw unknownToken()
      const entry = this.#entryOf(name)
      entry.users += 1
      outgoing.once('close', () => {
        entry.users -= 1
        entry.usedAt = performance.now()
      })
      return await (await entry.opened).app.fetch(request)
    } catch (error) {
      return protect(problemResponse(error))
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const name of this.#entries.keys()) this.#close(name)
    await Promise.all(this.#closing)
  }

  #entryOf(name: string): OpenWorkspace {
    const known = this.#entries.get(name)
    if (!known) this.#makeRoom()
    const entry = known ?? { opened: this.#open(name), users: 0, usedAt: performance.now() }
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    // A store that was away is tried again by the next request.
    if (!known) entry.opened.catch(() => this.#entries.get(name) === entry && this.#entries.delete(name))
    return entry
  }

  #makeRoom(): void {
    if (this.#entries.size < this.#most) return
    const [unused] = [...this.#entries].find(([, { users }]) => users === 0) ?? []
    if (unused === undefined)
      throw new BatonError('unavailable', `${this.#most} workspaces are in use at this server; try again`)
    this.#close(unused)
  }

  async #open(name: string): Promise<Awaited<OpenWorkspace['opened']>> {
    const service = await this.#options.workspaces.open(name)
    const log: Log = (level, event, fields) => this.#options.log(level, event, { workspace: name, ...fields })
    const stopping = new AbortController()
    const app = createHttpApp({
      ...this.#options,
      ...{ service, log, stopping: stopping.signal, below: `/w/${name}` },
    })
    const stopWorking = startWorkers(service, log, NAMED_TIMES)
    const close = async () => {
      stopping.abort()
      await stopWorking()
      await signRest(service).catch((error: Error) => log('warn', 'not signed', { reason: error.message }))
      await service.deps.store.close()
    }
    return { app, close }
  }

  #close(name: string): void {
    const { opened } = this.#entries.get(name)!
    this.#entries.delete(name)
    const closing = opened
      .then(({ close }) => close())
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #closeIdle(idleMs: number): void {
    const before = performance.now() - idleMs
    for (const [name, { users, usedAt }] of this.#entries)
      if (users === 0 && usedAt < before) this.#close(name)
  }
}

/** No worker looks at a closed workspace, so nothing stays behind unsigned. */
async function signRest(service: Service): Promise<void> {
  const audit = await service.audit()
  if ((await audit.unsigned()).entries > 0) await audit.checkpoint()
}
