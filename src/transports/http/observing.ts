import type { Context, Env, Hono } from 'hono'
import { BatonError } from '../../domain/errors.ts'
import type { Operation } from '../../operations/operation.ts'
import type { Service } from '../../service/service.ts'
import { type Caller, callerOf, grants } from './auth.ts'
import { eventStream } from './events.ts'
import { type Answered, metricsText } from './metrics.ts'
import { openApi } from './openapi.ts'
import { referencePage } from './reference-page.ts'

export interface ObservingOptions<E extends Env> {
  readonly service: Service
  readonly operations: readonly Operation[]
  readonly answered: Answered
  readonly stopping?: AbortSignal | undefined
  readonly heartbeatMs?: number
  /** Tells the log who asked for what. */
  readonly told: (context: Context<E>, operation: string, caller: Caller) => void
}

/** What can be looked at beside the operations: events, numbers, and the description of the surface. */
export function addObserving<E extends Env>(app: Hono<E>, options: ObservingOptions<E>): void {
  const { service, operations, answered, told } = options
  app.get('/v1/events', async (c) => {
    const caller = await observer(service, c.req.raw.headers)
    told(c, 'events', caller)
    return eventStream(service.events, c.req.raw, options)
  })
  app.get('/metrics', async (c) => {
    const caller = await observer(service, c.req.raw.headers)
    told(c, 'metrics', caller)
    return c.body(await metricsText(service, answered), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    })
  })
  // What the surface looks like is no secret of a workspace: it is the same everywhere.
  let described: string | undefined
  app.get('/v1/openapi.json', (c) => {
    described ??= JSON.stringify(openApi(operations))
    return c.body(described, 200, { 'content-type': 'application/json; charset=utf-8' })
  })
  app.get('/docs', () => referencePage(operations))
}

async function observer(service: Service, headers: Headers): Promise<Caller> {
  const caller = await callerOf(service, headers)
  if (grants(caller.scopes, 'report:read')) return caller
  throw new BatonError('not_found', 'there is nothing here that this token may see')
}
