import type { Actor } from '../../../domain/actor.ts'
import {
  BatonError,
  ERROR_CODES,
  HandoffTimeoutException,
  invalidInput,
  timedOut,
  toError,
  unavailable,
} from '../../../domain/errors.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { orElse } from '../../../domain/once.ts'
import { present } from '../../../domain/present.ts'
import type { Trace } from '../../../domain/trace.ts'
import { DEFAULT_WAIT_S, HOLD_MS } from '../../../domain/wait-limits.ts'
import type { OperationName } from '../../../operations/index.ts'
import { ROUTES } from '../../../operations/routes.ts'
import type { Event } from '../../../service/events.ts'
import type { ProblemDetails } from '../../shared/problem.ts'
import { isLoopback } from '../server/guards.ts'
import { eventsOf, type RemoteEventOptions } from './event-source.ts'
import { rest } from './rest.ts'

export interface ClientOptions {
  /** Address of a server, `https://…`; plain http only on this machine. */
  readonly url: string
  /** Made with: baton token create --agent NAME */
  readonly token: string
  /** Which process of the agent this is: what one holds is not for its others. */
  readonly instance?: string | undefined
}

export interface RemoteOptions extends ClientOptions {
  readonly fetch?: typeof globalThis.fetch
}

export interface RemoteCallOptions {
  /** Makes a repeated call harmless. */
  readonly key?: string | undefined
  /** W3C trace context of the caller: a handoff that is sent keeps it. */
  readonly trace?: Trace | undefined
  /** The `rev` of the handoff or task that you have seen; another one by now is a conflict. */
  readonly rev?: number | undefined
  /** Ends the call or the waiting with its reason; what the server has begun may be done all the same. */
  readonly signal?: AbortSignal | undefined
}

/** With the time after which no answer is expected any more. */
type Given = RemoteCallOptions & { readonly answerMs?: number }

type RemoteInput = Readonly<Record<string, unknown>>

/** The operations of a server, asked for as if they ran here: same input, same answer, same errors. */
export interface Remote {
  call(name: OperationName, input: RemoteInput, options?: RemoteCallOptions): Promise<unknown>
  /** The agent that the token stands for. */
  whoami(): Promise<Actor>
  /** Events of the server, with a new connection whenever one breaks. */
  events(options?: RemoteEventOptions): AsyncGenerator<Event>
}

/** The server itself holds a wait for a minute; nothing else takes long. */
const ANSWER_MS = HOLD_MS + 15_000

export function createRemote(options: RemoteOptions): Remote {
  const base = baseOf(options.url)
  const { token } = options
  if (!/^[\w-]{1,200}$/.test(token))
    throw new BatonError('unauthenticated', 'the token is missing or broken; set BATON_TOKEN to one: baton_…')
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    ...present({ 'baton-instance': options.instance }),
  }
  const answers = { known: false }
  const send = (
    method: string,
    url: URL,
    body?: string,
    { key, trace, rev, signal, answerMs = ANSWER_MS }: Given = {},
  ): Promise<unknown> =>
    remoteAnswer(base, { answers, signal }, () =>
      (options.fetch ?? globalThis.fetch)(url, {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...present({ 'idempotency-key': key }),
          ...(rev !== undefined && { 'if-match': `"${rev}"` }),
          ...present({ traceparent: trace?.traceparent, tracestate: trace?.tracestate }),
        },
        ...present({ body }),
        // A redirect could otherwise pass the token on.
        redirect: 'manual',
        signal: within(Math.min(ANSWER_MS, answerMs), signal),
      }),
    )
  const ask: Ask = async (name, input, given) => {
    const { method, url, body } = toRequest(name, input, base)
    return send(method, url, body, given)
  }
  return {
    async call(name, input, given = {}) {
      return name === 'handoff_wait' ? waitOn(ask, answers, input, given) : ask(name, input, given)
    },
    async whoami() {
      // The first question of a session: an agent cannot begin before its answer.
      const asked = send('GET', new URL('v1/whoami', base), undefined, { answerMs: 8_000 })
      return ((await asked) as { actor: Actor }).actor
    },
    events: (given) =>
      eventsOf(async (query, last, signal) => {
        const response = await (options.fetch ?? globalThis.fetch)(new URL(`v1/events?${query}`, base), {
          headers: { ...headers, accept: 'text/event-stream', ...present({ 'last-event-id': last }) },
          redirect: 'manual',
          signal,
        })
        if (response.ok) return response
        throw toRefusal(response.status, parsed(await response.text()), base)
      }, given),
  }
}

/** The address of a server as requests need it; refuses one that a token must not go to. */
export function baseOf(address: string): URL {
  const url = URL.parse(address)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw invalidInput('BATON_URL is not the address of a server, for example https://baton.example.com')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw invalidInput(`a token is not sent to ${url.host} in the clear; use https://${url.host}`)
  url.search = ''
  url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/** The operation's fields where they belong: in the path, and then in the query or the body. */
function toRequest(name: OperationName, input: RemoteInput, base: URL) {
  if (!Object.hasOwn(ROUTES, name))
    throw new BatonError('not_found', `${name} is not an operation`, { operation: name })
  const [method = '', route = ''] = ROUTES[name].split(' ')
  const rest = { ...input }
  const path = route.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(rest[field] ?? '')
    // Dots alone are steps of a path, however they are written.
    if (value === '' || value === '.' || value === '..')
      throw invalidInput(`${field}: ${value === '' ? 'is missing' : `${value} is not an id`}`, {
        operation: name,
      })
    delete rest[field]
    return encodeURIComponent(value)
  })
  const url = new URL(path.slice(1), base)
  if (method === 'POST') return { method, url, body: JSON.stringify(rest) }
  for (const [field, value] of Object.entries(rest))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) url.searchParams.append(field, String(each))
  return { method, url }
}

async function remoteAnswer(
  base: URL,
  { answers, signal }: { readonly answers: { known: boolean }; readonly signal: AbortSignal | undefined },
  send: () => Promise<Response>,
): Promise<unknown> {
  let response: Response
  let text: string
  try {
    response = await send()
    text = await response.text()
  } catch (error) {
    signal?.throwIfAborted()
    answers.known ||= BROKEN_OFF.has(codeOf(error))
    throw unavailable(`Baton at ${base.origin} ${failureReason(error)}`, { url: base.origin }, error)
  }
  const body = parsed(text)
  const isAnswer = response.ok && body !== undefined
  answers.known ||= isAnswer || isProblem(body)
  if (isAnswer) return body
  throw toRefusal(response.status, body, base)
}

/** The error that a refusal of a server, or of a proxy before it, means. */
export function toRefusal(status: number, body: unknown, base: URL): BatonError {
  if (isProblem(body)) return toError(body.code, body.detail, body.details ?? {})
  return unavailable(
    `${base.origin} answered with status ${status} and not as Baton does; check that BATON_URL leads to a Baton server`,
    { url: base.origin, status },
  )
}

function within(ms: number, signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(Math.ceil(ms))
  return signal ? AbortSignal.any([timeout, signal]) : timeout
}

/** The connection was there: whoever held it is away now. */
const BROKEN_OFF: ReadonlySet<unknown> = new Set(['ECONNRESET', 'UND_ERR_SOCKET'])

const codeOf = (error: unknown): unknown =>
  (((error as Error).cause ?? error) as { readonly code?: unknown }).code

/** A refusal as Baton writes it; a proxy in front of it writes others. */
function isProblem(body: unknown): body is Pick<ProblemDetails, 'code' | 'detail'> & Partial<ProblemDetails> {
  const { code, detail } = (body ?? {}) as { code?: unknown; detail?: unknown }
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) && typeof detail === 'string'
}

function failureReason(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return 'did not answer in time; try again'
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return 'does not answer; start it with: baton serve, or correct BATON_URL'
  if (code === 'ENOTFOUND') return 'cannot be found; correct BATON_URL'
  return `cannot be reached${typeof code === 'string' ? ` (${code})` : ''}; check the network and BATON_URL`
}

/** Undefined where the text is not JSON. */
export const parsed = (text: string): unknown => orElse(() => JSON.parse(text), undefined)

/** The answer to one request: `left_s` while the server would wait on. */
interface Part {
  readonly done: boolean
  readonly left_s?: number
  readonly handoff: Handoff
}

type Ask = (name: OperationName, input: RemoteInput, given: Given) => Promise<unknown>

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4_000
/** How much later than at the deadline an answer may come in. */
const SLACK_MS = 5_000

/**
 * A wait that is longer than the server holds a request, or than the server lives, as several requests. It goes on
 * until its own deadline and ends there as a wait in process does; what will not pass is thrown at once.
 */
async function waitOn(
  ask: Ask,
  answers: { readonly known: boolean },
  input: RemoteInput,
  given: RemoteCallOptions,
): Promise<unknown> {
  const begun = performance.now()
  // The server refuses a timeout that is not a number.
  let whole = Number.isFinite(input.timeout_s) ? Number(input.timeout_s) : undefined
  const leftMs = () => Math.max(0, (whole ?? DEFAULT_WAIT_S) * 1_000 - (performance.now() - begun))
  let part = input
  for (let pause = FIRST_PAUSE_MS; ; ) {
    try {
      // A caller without a timeout gets the handoff's own, once a request has been broken off.
      if (whole === undefined && part !== input) {
        const { handoff } = (await ask('handoff_get', { id: input.id }, given)) as Pick<Part, 'handoff'>
        whole = handoff.timeout_s ?? DEFAULT_WAIT_S
      }
      if (part !== input) part = { ...input, timeout_s: leftMs() / 1_000 }
      // Given up when no answer can come any more.
      const answerMs = whole === undefined ? Number.POSITIVE_INFINITY : leftMs() + SLACK_MS
      const answer = (await ask('handoff_wait', part, { ...given, answerMs })) as Part
      if (answer.done) return answer
      whole ??= answer.handoff.timeout_s ?? DEFAULT_WAIT_S
      if (answer.left_s === undefined) throw timedOut(answer.handoff.id, whole, answer.handoff)
      part = { ...input }
    } catch (error) {
      given.signal?.throwIfAborted()
      // A server that never answered is not away for a while: its address may be wrong.
      if (error instanceof HandoffTimeoutException || !isPassing(error) || !answers.known) throw error
      // The last look was at the deadline.
      if (part.timeout_s === 0) throw timedOut(input.id, whole ?? DEFAULT_WAIT_S, {}, error)
      part = { ...input }
      await rest(Math.min(pause, leftMs()), given.signal)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }
}

const isPassing = (error: unknown): boolean => error instanceof BatonError && error.retry
