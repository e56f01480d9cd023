import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { BatonError, type ErrorCode, invalidInput } from '../../../domain/errors.ts'
import { once as onlyOnce } from '../../../domain/once.ts'
import { HOLD_MS } from '../../../domain/wait-limits.ts'
import { loadOperations } from '../../../operations/index.ts'
import type { Service, Token } from '../../../service/service.ts'
import { problemResponse } from '../../shared/problem.ts'
import { webFolder } from '../pages/web.ts'
import { startWorkers } from '../workers/workers.ts'
import { createHttpApp, type HttpAppOptions } from './app.ts'
import type { Directory, Workspaces } from './directory.ts'
import { greeting } from './greeting.ts'
import { allowedHosts, isLoopback } from './guards.ts'
import { createLog, type Log } from './log.ts'

export interface ServeOptions {
  readonly service: Service
  readonly host?: string
  /** 0 picks a free one. */
  readonly port?: number
  /** Names under which others reach this server, as they stand in `Host`: `baton.example.com`. */
  readonly allowedHosts?: readonly string[]
  readonly onReady?: (ready: Ready) => void
  /** Makes a code with which whoever started the server comes into the dashboard. */
  readonly loginCode?: (() => Promise<string>) | undefined
  readonly log?: Log
  readonly requestLog?: HttpAppOptions['requestLog']
  readonly times?: Partial<typeof TIMES>
  /** Runs beside the server until the signal, and ends before the store is closed. */
  readonly beside?: ((signal: AbortSignal, log: Log) => Promise<void>) | undefined
  /** Workspaces that are answered under `/w/NAME` beside the server's own. */
  readonly workspaces?: Workspaces | undefined
  /** The address of the repository's remote on the web. */
  readonly repository?: string | undefined
  /** Stops on SIGTERM and SIGINT unless false. */
  readonly signals?: boolean
}

export interface Ready {
  readonly url: string
  readonly host: string
  readonly port: number
  /** Address, workspace and what to do next, for people. */
  readonly text: string
}

/** A server that is up. `closed` settles when it has stopped, for whatever reason. */
export interface Running extends Ready {
  readonly closed: Promise<void>
  /** Stops accepting, lets calls in flight finish, closes the store. Calling it again changes nothing. */
  close(): Promise<void>
}

const TIMES = {
  /** A client that sends its headers or body byte by byte is cut off. */
  headersMs: 10_000,
  requestMs: 60_000,
  /** How often those two are looked at. */
  checkMs: 1_000,
  /** Longer than balancers keep an idle connection (60 s at nginx and ALB): they must close it first. */
  idleMs: 75_000,
  /** How long calls in flight may take when the server stops. */
  graceMs: 5_000,
  settleMs: 1_000,
  /** How often is looked for messages to send. */
  deliverMs: 2_000,
  /** How often is looked whether the log has grown. */
  sequenceMs: 250,
  /** How often old rows are looked for. */
  clearMs: 5 * 60_000,
  holdMs: HOLD_MS,
}

/** Starts the HTTP surface of a workspace. From then on the store is the server's to close. */
export async function serve(options: ServeOptions): Promise<Running> {
  const { service, host = '127.0.0.1', port = 4180, log = createLog(process.stderr) } = options
  const times = { ...TIMES, ...options.times }
  const names = options.allowedHosts ?? []
  const local = isLoopback(host)
  const operations = await loadOperations()
  // Asked for before the port is taken: a store that does not answer is found out here.
  const tokens = (await (await service.tokens()).list()).filter(isOfAgents).length
  const isEmpty = (await service.looking.list({}, { limit: 1 })).items.length === 0
  const stopping = new AbortController()
  // The port is a part of what the app checks and is known only when the server listens.
  let app: Pick<Directory, 'fetch'> | undefined
  const server = listener(times, (request, end) => app?.fetch(request, end) ?? problemResponse(STARTING))
  const bound = await listen(server, host, port)
  const { requestLog, repository } = options
  const shared = { operations, hosts: allowedHosts(host, bound, names), requestLog, holdMs: times.holdMs }
  const own = createHttpApp({
    ...{ ...shared, service, log, repository },
    ...{ web: webFolder(), stopping: stopping.signal },
  })
  const { workspaces } = options
  const directory =
    workspaces && new (await import('./directory.ts')).Directory(own, { ...shared, workspaces, log })
  app = directory ?? own
  const stopWorking = startWorkers(service, log, times)
  const beside = options.beside?.(stopping.signal, log)
  const { closed, close } = closing(async () => {
    log('info', 'stopping')
    stopping.abort()
    await drain(server, times.graceMs)
    await beside
    await directory?.close()
    await stopWorking()
    await service.deps.store.close()
    log('info', 'stopped')
  })
  if (options.signals !== false) closeOnSignal(close, closed)

  const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
  log('info', 'listening', { url })
  if (!local)
    log('warn', 'open to the network', { advice: 'let a proxy with TLS stand in front: tokens are secrets' })
  // On a machine that others reach, what is printed here may be read by others too.
  const code = local ? await options.loginCode?.() : undefined
  const named = names.length > 0
  const text = greeting(service.deps.store.info, { url, local, tokens, code, isEmpty, named })
  const ready = { url, host, port: bound, text }
  options.onReady?.(ready)
  return { ...ready, closed, close }
}

/** Codes with which people log in are nobody's way to call it. */
const isOfAgents = ({ revoked_at, scopes }: Token): boolean =>
  revoked_at === undefined && !scopes.includes('login')

const STARTING = new BatonError('unavailable', 'the server is starting; try again')

type Answer = (request: Request, outgoing: ServerResponse) => Response | Promise<Response>

function listener(times: typeof TIMES, answer: Answer): Server {
  return createServer(
    {
      headersTimeout: Math.min(times.headersMs, times.requestMs),
      requestTimeout: times.requestMs,
      connectionsCheckingInterval: times.checkMs,
      keepAliveTimeout: times.idleMs,
    },
    getRequestListener((request, { outgoing }) => answer(request, outgoing as ServerResponse), {
      overrideGlobalObjects: false,
      errorHandler: unanswered,
    }),
  )
}

/** The answer to a request that the app never saw, such as one with a broken request line or `Host`. */
function unanswered(error: unknown): Response {
  return problemResponse(
    error instanceof RequestError ? invalidInput('the request line or its Host is broken') : error,
  )
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw cannotListen(error, host, port)
  }
  return (server.address() as AddressInfo).port
}

const NOT_HERE = (host: string, port: number) =>
  ['invalid_input', `${host} port ${port} is not an address of this machine`] as const

/** Refusals of the system to listen, by its code. */
const REFUSALS: Readonly<Record<string, (host: string, port: number) => readonly [ErrorCode, string]>> = {
  EADDRINUSE: (host, port) => [
    'conflict',
    `port ${port} of ${host} is in use, maybe by another baton serve; stop it, or take another: baton serve --port ${port + 1}`,
  ],
  EACCES: (_, port) => [
    'not_allowed',
    `you may not listen on port ${port}; take one above 1023: baton serve --port 4180`,
  ],
  EADDRNOTAVAIL: NOT_HERE,
  ENOTFOUND: NOT_HERE,
  ERR_SOCKET_BAD_PORT: NOT_HERE,
}

function cannotListen(error: unknown, host: string, port: number): unknown {
  const refused = REFUSALS[(error as NodeJS.ErrnoException).code ?? '']?.(host, port)
  return refused ? new BatonError(...refused, { host, port }, error) : error
}

/** Stops accepting, and waits until the last answer is out or the time is up. */
async function drain(server: Server, graceMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that was busy when the server closed is idle later, and would be kept open.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const late = setTimeout(() => server.closeAllConnections(), graceMs)
  await ended
  clearInterval(idle)
  clearTimeout(late)
}

/** Runs the way down once, however often it is asked for. */
function closing(run: () => Promise<void>): Pick<Running, 'closed' | 'close'> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const close = onlyOnce(() => {
    const down = run()
    resolve(down)
    return down
  })
  // The caller that stopped the server learns of a failure from `close`.
  closed.catch(() => undefined)
  return { closed, close }
}

/** A second signal ends the process at once, as signals do. */
function closeOnSignal(close: () => Promise<void>, closed: Promise<void>): void {
  const names = ['SIGTERM', 'SIGINT'] as const
  const forget = () => {
    for (const name of names) process.off(name, stop)
  }
  const stop = () => {
    forget()
    close().catch(() => undefined)
  }
  for (const name of names) process.on(name, stop)
  closed.then(forget, forget)
}
