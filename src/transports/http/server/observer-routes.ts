import type { Context, Env, Hono } from 'hono'
import { BatonError } from '../../../domain/errors.ts'
import type { Operation } from '../../../operations/operation.ts'
import type { Service } from '../../../service/service.ts'
import { referencePage } from '../pages/reference-page.ts'
import { type Caller, callerOf, grants } from './auth.ts'
import { eventStream } from './events.ts'
import { type Answered, LoopLag, metricsText } from './metrics.ts'
import { openApi } from './openapi.ts'
import type { OpenLimit } from './rate.ts'

export interface ObserverOptions<E extends Env> {
  readonly service: Service
  readonly operations: readonly Operation[]
  readonly answered: Answered
  /** Ends when the server stops: a client that waits is answered then. */
  readonly stopping?: AbortSignal | undefined
  readonly heartbeatMs?: number
  readonly open: OpenLimit
  /** Identifies the caller, counts it and tells the log. */
  readonly admit: (context: Context<E>, operation: string) => Promise<Caller>
}

const SCOPE = 'report:read'

/** Adds the routes beside the operations: events, numbers, and the description of the surface. */
export function addObserverRoutes<E extends Env>(app: Hono<E>, options: ObserverOptions<E>): void {
  const { service, operations, answered, admit, open } = options
  const standing = new Standing()
  const lag = new LoopLag()
  app.get('/v1/events', async (c) => {
    const { headers } = c.req.raw
    // A token that may read handoffs may hear of them.
    const scopes = c.req.query('kind') === 'handoff' ? [SCOPE, 'handoff:read'] : [SCOPE]
    const { token } = demandScope(await admit(c, 'events'), scopes)
    const isGood = () =>
      standing.of(`${scopes} ${token}`, async () => grantsOne(await callerOf(service, headers), scopes))
    const onEnd = open.take(token, 'event streams')
    try {
      return await eventStream(await service.events(), c.req.raw, { ...options, isGood, onEnd })
    } catch (error) {
      onEnd()
      throw error
    }
  })
  app.get('/metrics', async (c) => {
    demandScope(await admit(c, 'metrics'))
    return c.body(await metricsText(service, { answered, open, lag }), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    })
  })
  // The description of the surface is not a secret of a workspace: it is the same everywhere.
  let described: string | undefined
  app.get('/v1/openapi.json', (c) => {
    described ??= JSON.stringify(openApi(operations))
    return c.body(described, 200, { 'content-type': 'application/json; charset=utf-8' })
  })
  // The dashboard has its own page at the first address.
  for (const path of ['/docs', '/v1/docs']) app.get(path, () => referencePage(operations))
}

const grantsOne = (caller: Caller, scopes: readonly string[]): boolean =>
  scopes.some((scope) => grants(caller.scopes, scope))

function demandScope(caller: Caller, scopes: readonly string[] = [SCOPE]): Caller {
  if (grantsOne(caller, scopes)) return caller
  throw new BatonError('not_found', 'there is nothing here that this token may see')
}

const LOOK_AGAIN_MS = 1_000
const MOST_TOKENS = 10_000

/** Whether tokens are still good: asked for every event of every stream, looked up once a second for each token. */
class Standing {
  readonly #known = new Map<string, { readonly at: number; readonly isGood: Promise<boolean> }>()

  of(token: string, look: () => Promise<boolean>): Promise<boolean> {
    const known = this.#known.get(token)
    const now = performance.now()
    if (known && now - known.at < LOOK_AGAIN_MS) return known.isGood
    if (this.#known.size >= MOST_TOKENS) this.#known.clear()
    const isGood = look().catch((error: unknown) => {
      // A store that is away for a moment says nothing about a token.
      return !(error instanceof BatonError && error.code === 'unauthenticated')
    })
    this.#known.set(token, { at: now, isGood })
    return isGood
  }
}
