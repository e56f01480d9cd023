import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { BatonError } from '../../domain/errors.ts'
import { invoke, type Operation } from '../../operations/operation.ts'
import type { Service } from '../../service/service.ts'
import type { McpEndpoint } from '../mcp/http.ts'
import { answer } from './answer.ts'
import { authorise, type Caller, callerOf, toCall } from './auth.ts'
import { guard, protect } from './guards.ts'
import { holding } from './holding.ts'
import { inputOf } from './input.ts'
import type { Fields, Log } from './log.ts'
import { addLogin } from './login.ts'
import { Answered } from './metrics.ts'
import { addObserving } from './observing.ts'
import { problemResponse, toProblem } from './problem.ts'
import { type Rate, RateLimit } from './rate.ts'
import { isReady } from './ready.ts'
import { showStatus } from './status.ts'
import { addWeb } from './web.ts'

export interface HttpAppOptions {
  readonly service: Service
  readonly operations: readonly Operation[]
  /** The values of `Host` that are answered; see `allowedHosts`. */
  readonly hosts: ReadonlySet<string>
  /** The server listens on this machine only, so its status page may be seen without a token. */
  readonly local: boolean
  readonly log: Log
  /** Where the built dashboard is; without it there is a plain page of numbers. */
  readonly web?: string | undefined
  /** Ends when the server stops: whoever waits is answered then. */
  readonly stopping?: AbortSignal
  /** How long a wait is held at most. */
  readonly holdMs?: number
  readonly rate?: Rate
  readonly heartbeatMs?: number
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

/** Every operation over HTTP, with the two health checks and the dashboard. */
export function createHttpApp(options: HttpAppOptions): Hono<Env> {
  const { service, operations, log } = options
  const app = new Hono<Env>()
  const answered = new Answered()
  const limit = new RateLimit(options.rate)
  app.use(tell(log, answered), protect, guard(options.hosts))

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    if (await isReady(service)) return c.json({ status: 'ready' })
    throw new BatonError('unavailable', 'the store does not answer')
  })
  if (options.web === undefined) app.get('/', (c) => showStatus(c.req.raw, options))
  else addWeb(app, options.web)
  const admit = async (c: Context<Env>, operation: string): Promise<Caller> => {
    const told = c.get('told')
    told.operation = operation
    const caller = await callerOf(service, c.req.raw.headers)
    told.actor = caller.actor.name
    limit.take(caller.token)
    return caller
  }
  // Who the token stands for; a caller that is told its own name needs no scope.
  app.get('/v1/whoami', async (c) => {
    const { actor, scopes } = await admit(c, 'whoami')
    return c.json({ actor, scopes })
  })
  addLogin(app, service)
  addObserving(app, {
    service,
    operations,
    answered,
    stopping: options.stopping,
    ...(options.heartbeatMs !== undefined && { heartbeatMs: options.heartbeatMs }),
    admit,
  })
  const mcp = mcpEndpoint(options)
  app.all('/mcp', async (c) => {
    const caller = await admit(c, 'mcp')
    return (await mcp()).fetch(c.req.raw, caller)
  })
  for (const op of operations)
    app.on(op.http.method, op.http.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
      const caller = await admit(c, op.name)
      authorise(op, caller)
      const call = toCall(caller, c.req.raw.headers)
      const input = await inputOf(op, c.req.raw, c.req.param())
      const bounds = { caller: c.req.raw.signal, stopping: options.stopping, ms: options.holdMs }
      return answer(op, c.req.raw, await invoke(op, holding(service, bounds), call, input))
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

/** Most servers are never asked over MCP, so it is loaded by the first request. */
function mcpEndpoint({ service, log, stopping }: HttpAppOptions): () => Promise<McpEndpoint> {
  let made: Promise<McpEndpoint> | undefined
  const make = async (): Promise<McpEndpoint> => {
    const { createEndpoint } = await import('../mcp/http.ts')
    const onFailure = (error: unknown, operation: string) =>
      log('error', 'failure', { operation, error: error instanceof Error ? error.stack : String(error) })
    const endpoint = createEndpoint({ service, stopping, onFailure })
    stopping?.addEventListener('abort', () => void endpoint.close(), { once: true })
    return endpoint
  }
  return () => {
    made ??= make()
    return made
  }
}

function tell(log: Log, answered: Answered): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now()
    const told: Told = {}
    c.set('told', told)
    await next()
    answered.note(told.operation ?? 'other', c.res.status, performance.now() - started)
    if (c.res.status === 200 && HEALTH.includes(c.req.path)) return
    const ms = Math.round(performance.now() - started)
    log('info', 'request', { method: c.req.method, ...told, status: c.res.status, ms })
  }
}

function causeOf(error: Error): Fields {
  return error.cause instanceof Error ? { cause: error.cause.message } : {}
}
