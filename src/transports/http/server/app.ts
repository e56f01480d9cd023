import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Context, Hono, type HonoRequest } from 'hono'
import { getPath } from 'hono/utils/url'
import { BatonError } from '../../../domain/errors.ts'
import { once } from '../../../domain/once.ts'
import { present } from '../../../domain/present.ts'
import { invoke, type Operation } from '../../../operations/operation.ts'
import type { Service } from '../../../service/service.ts'
import type { McpEndpoint } from '../../mcp/http.ts'
import { isOfStore, lengthOf, problemResponse, toProblem } from '../../shared/problem.ts'
import { escapeHtml, plainPage } from '../pages/plain-page.ts'
import { addWeb, missingPage } from '../pages/web.ts'
import { authorise, type Caller, callerOf, toCall } from './auth.ts'
import { isVisit, protect, refuseForeign } from './guards.ts'
import { inputOf } from './input.ts'
import type { Log, LogFields } from './log.ts'
import { addLogin } from './login.ts'
import { Answered } from './metrics.ts'
import { addObserverRoutes, type ObserverOptions } from './observer-routes.ts'
import { OpenLimit, type Rate, RateLimit } from './rate.ts'

/** How long the store may take to answer. */
const READY_MS = 2_000

export interface HttpAppOptions
  extends Pick<ObserverOptions<Env>, 'service' | 'operations' | 'stopping' | 'heartbeatMs'> {
  /** The values of `Host` that are answered; see `allowedHosts`. */
  readonly hosts: ReadonlySet<string>
  readonly log: Log
  /** Which requests have a line in the log: all, none, or one in so many. */
  readonly requestLog?: 'on' | 'off' | number | undefined
  /** The folder of the built dashboard; absent where it was not built. */
  readonly web?: string | undefined
  /** How long a wait is held at most. */
  readonly holdMs?: number
  readonly rate?: Rate
  /** The address of the repository's remote on the web. */
  readonly repository?: string | undefined
  /** The path below which all of it stands, for example `/w/shop`. */
  readonly below?: string
}

export interface HttpApp {
  fetch(request: Request): Promise<Response>
}

/** The log's view of a request: never its path, query or headers, which may hold text of callers. */
interface Told {
  operation?: string
  actor?: string
  code?: string
}
interface Env {
  Bindings: { told: Told }
}

/** Says who is calling and counts it. */
type Admit = (context: Context<Env>, operation: string) => Promise<Caller>

/** A request that takes longer is always told, unless it waits for others. */
const SLOW_MS = 1_000
const WAITS = new Set(['handoff_wait', 'mcp'])

/** Monitors ask for these every few seconds: worth a line only when the check fails. */
const HEALTH = /^https?:\/\/[^/]*\/(?:healthz|readyz)(?:\?|$)/

/** Every operation over HTTP, with the two health checks and the dashboard. */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { hosts, log, requestLog = 'on' } = options
  const each = requestLog === 'on' ? 1 : requestLog === 'off' ? Number.POSITIVE_INFINITY : requestLog
  let asked = 0
  const answered = new Answered()
  const failed = (error: unknown, told: Told): Response => {
    const { code } = toProblem(error)
    told.code = code
    if (code === 'internal' || isOfStore(error)) log('error', 'failure', { ...told, ...toldOf(error) })
    return problemResponse(error)
  }
  const app = routes(options, answered, failed)
  const respond = async (request: Request, told: Told): Promise<Response> => {
    try {
      if (isVisit(request, hosts)) return doorPage(request)
      refuseForeign(request, hosts)
      return await app.fetch(request, { told })
    } catch (error) {
      return failed(error, told)
    }
  }
  return {
    async fetch(request) {
      const started = performance.now()
      const told: Told = {}
      const response = protect(await respond(request, told))
      const { status } = response
      const ms = performance.now() - started
      answered.note(told.operation ?? 'other', status, ms)
      const isSlow = ms > SLOW_MS && !WAITS.has(told.operation ?? '')
      const isDue = ++asked % each === 0 && !HEALTH.test(request.url)
      if (status >= 400 || isSlow || isDue)
        log(status >= 500 ? 'error' : isSlow ? 'warn' : 'info', 'request', {
          method: request.method,
          ...told,
          status,
          ms: Math.round(ms),
        })
      return response
    },
  }
}

function routes(
  options: HttpAppOptions,
  answered: Answered,
  failed: (error: unknown, told: Told) => Response,
): Hono<Env> {
  const { service, below = '' } = options
  const app = new Hono<Env>({ getPath: (request) => getPath(request).slice(below.length) })
  const limit = new RateLimit(options.rate)
  const open = new OpenLimit()
  const admit: Admit = async ({ req, env: { told } }, operation) => {
    told.operation = operation
    const caller = await callerOf(service, req.raw.headers)
    told.actor = caller.actor.name
    limit.take(caller.token)
    return caller
  }
  addOperations(app, options, admit, open)
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    if (await isReady(service)) return c.json({ status: 'ready' })
    throw new BatonError('unavailable', 'the store does not answer')
  })
  if (options.web !== undefined) addWeb(app, options.web)
  // The caller that the token stands for; to be told its own name it needs no scope.
  app.get('/v1/whoami', async (c) => {
    const { actor, scopes } = await admit(c, 'whoami')
    return c.json({ actor, scopes, ...present({ repository: options.repository }) })
  })
  // A browser keeps one session for the whole host, so it is of the server's own workspace.
  if (below === '') addLogin(app, service)
  addObserverRoutes(app, { ...options, answered, open, admit })
  const mcp = mcpEndpoint(options, open)
  app.all('/mcp', async (c) => {
    const caller = await admit(c, 'mcp')
    return (await mcp()).fetch(c.req.raw, caller)
  })
  app.notFound(async (c) => {
    const page = options.web === undefined ? undefined : await missingPage(c.req.raw, options.web)
    return page ?? nothingThere(app, c.req)
  })
  app.onError((error, c) => failed(error, c.env.told))
  return app
}

/** The refusal of an address, or of a method where the address takes others. */
function nothingThere(app: Hono<Env>, { method, path }: HonoRequest): Response {
  const allow = ['GET', 'POST'].filter((each) => app.router.match(each, path)[0].length > 0).join(', ')
  const way = allow === '' ? '' : `; use ${allow}`
  const error = new BatonError('not_found', `there is no ${method} at this address${way}`)
  return problemResponse(error, allow === '' ? {} : { status: 405, headers: { allow } })
}

function addOperations(app: Hono<Env>, options: HttpAppOptions, admit: Admit, open: OpenLimit): void {
  const { service, stopping, holdMs: ms } = options
  for (const op of options.operations)
    app.on(op.http.method, op.http.path.replace(/\{(\w+)\}/, ':$1'), async (c) => {
      const request = c.req.raw
      const caller = await admit(c, op.name)
      authorise(op, caller)
      const hold = { caller: request.signal, stopping, ms }
      const call = { ...toCall(caller, request.headers), hold }
      const input = await inputOf(op, request, c.req.param())
      const end = open.take(caller.token, 'calls')
      const answer = await invoke(op, service, call, input).finally(end)
      return toResponse(op, request, answer)
    })
}

/**
 * The answer of an operation. A read carries a tag of its bytes: a caller that has them already gets a few bytes. The
 * revision of a handoff or task stands in its `rev`, for `If-Match`.
 */
function toResponse(op: Operation, request: Request, value: unknown): Response {
  const body = JSON.stringify(value)
  const headers = { 'content-type': 'application/json', ...lengthOf(body) }
  if (op.effect !== 'read') return new Response(body, { headers })
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const known = request.headers
    .get('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag)) return new Response(null, { status: 304, headers: { etag } })
  return new Response(body, { headers: { ...headers, etag } })
}

/** Most servers are never asked over MCP, so it is loaded by the first request. */
const mcpEndpoint = (
  { service, log, stopping }: HttpAppOptions,
  open: OpenLimit,
): (() => Promise<McpEndpoint>) =>
  once(async () => {
    const { createEndpoint } = await import('../../mcp/http.ts')
    const onFailure = (error: unknown, operation: string) =>
      log('error', 'failure', { operation, error: error instanceof Error ? error.stack : String(error) })
    const endpoint = createEndpoint({ service, open, stopping, onFailure })
    stopping?.addEventListener('abort', () => void endpoint.close(), { once: true })
    return endpoint
  })

function toldOf(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) }
  return {
    error: error.stack ?? error.message,
    ...(error.cause instanceof Error && { cause: error.cause.message }),
  }
}

/** Whether the store answers in time and would take a write. */
function isReady({ deps: { store } }: Service): Promise<boolean> {
  const answer = store.ping().then(
    () => true,
    () => false,
  )
  return Promise.race([answer, pause(READY_MS, false, { ref: false })])
}

/**
 * For somebody who followed a link of another site, such as one in a mail that is read in the browser: a refusal with
 * the way on. What stood behind the `#` of the link is left out: another site must not log anybody in.
 */
function doorPage(request: Request): Response {
  const { pathname, search } = new URL(request.url)
  const way = escapeHtml(`/${(pathname + search).replace(/^[/\\]+/, '')}`)
  return plainPage(
    'one more click',
    `<header><h1>One more click</h1></header>
<p>A link on another site brought you here. Other sites cannot open pages of Baton; you can:</p>
<section><a href="${way}">Open this page</a></section>`,
    { status: 403, style: 'a { color: var(--good); font-weight: 600 }' },
  )
}
