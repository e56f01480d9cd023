import { Hono, type MiddlewareHandler } from 'hono'
import { BatonError } from '../../domain/errors.ts'
import { invoke, type Operation } from '../../operations/operation.ts'
import type { Service } from '../../service/service.ts'
import { authorise, callerOf, toCall } from './auth.ts'
import { guard, protect } from './guards.ts'
import { holding } from './holding.ts'
import { inputOf } from './input.ts'
import type { Fields, Log } from './log.ts'
import { problemResponse, toProblem } from './problem.ts'
import { isReady } from './ready.ts'
import { showStatus } from './status.ts'

export interface HttpAppOptions {
  readonly service: Service
  readonly operations: readonly Operation[]
  /** The values of `Host` that are answered; see `allowedHosts`. */
  readonly hosts: ReadonlySet<string>
  /** The server listens on this machine only, so its status page may be seen without a token. */
  readonly local: boolean
  readonly log: Log
  /** Ends when the server stops: whoever waits is answered then. */
  readonly stopping?: AbortSignal
  /** How long a wait is held at most. */
  readonly holdMs?: number
}

/** What the log tells of a request: never its path, its query or its headers, which may hold what callers wrote. */
interface Told {
  operation?: string
  actor?: string
  code?: string
}
interface Env {
  Variables: { told: Told }
}

/** Asked every few seconds by whoever watches the server: worth a line only when the answer is no. */
const HEALTH = ['/healthz', '/readyz']

/** Every operation over HTTP, with the two health checks and a status page. */
export function createHttpApp(options: HttpAppOptions): Hono<Env> {
  const { service, operations, log } = options
  const app = new Hono<Env>()
  app.use(tell(log), protect, guard(options.hosts))

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    if (await isReady(service)) return c.json({ status: 'ready' })
    throw new BatonError('unavailable', 'the store does not answer')
  })
  app.get('/', (c) => showStatus(c.req.raw, options))
  // Who the token stands for; a caller that is told its own name needs no scope.
  app.get('/v1/whoami', async (c) => {
    const { actor, scopes } = await callerOf(service, c.req.raw.headers)
    Object.assign(c.get('told'), { operation: 'whoami', actor: actor.name })
    return c.json({ actor, scopes })
  })
  for (const op of operations)
    app.on(op.http.method, op.http.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
      const told = c.get('told')
      told.operation = op.name
      const caller = await callerOf(service, c.req.raw.headers)
      told.actor = caller.actor.name
      authorise(op, caller)
      const call = toCall(caller, c.req.raw.headers)
      const input = await inputOf(op, c.req.raw, c.req.param())
      const bounds = { caller: c.req.raw.signal, stopping: options.stopping, ms: options.holdMs }
      return c.json((await invoke(op, holding(service, bounds), call, input)) as object)
    })

  app.notFound((c) =>
    problemResponse(new BatonError('not_found', `there is no ${c.req.method} at this address`)),
  )
  app.onError((error, c) => {
    const { code } = toProblem(error)
    c.get('told').code = code
    if (code === 'internal')
      log('error', 'failure', { ...c.get('told'), error: error.stack ?? error.message, ...causeOf(error) })
    return problemResponse(error)
  })
  return app
}

function tell(log: Log): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now()
    const told: Told = {}
    c.set('told', told)
    await next()
    if (c.res.status === 200 && HEALTH.includes(c.req.path)) return
    const ms = Math.round(performance.now() - started)
    log('info', 'request', { method: c.req.method, ...told, status: c.res.status, ms })
  }
}

function causeOf(error: Error): Fields {
  return error.cause instanceof Error ? { cause: error.cause.message } : {}
}
