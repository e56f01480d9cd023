import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { BatonError, unavailable } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import type { Trace } from '../domain/trace.ts'
import { type Address, addressFor, networkOf, type Resolve } from './addresses.ts'

export interface Webhook {
  readonly url: string
  /** The key that signs the body. */
  readonly secret: string
  readonly allowPrivate: boolean
  readonly timeoutMs?: number
  readonly resolve?: Resolve
  /** Certificates to trust beside the usual ones. */
  readonly ca?: string
}

export interface Posted {
  readonly id: string
  /** Seconds since 1970, as it is signed. */
  readonly at: number
  readonly body: string
  /** Goes along as the headers that it came in. */
  readonly trace?: Trace | undefined
}

const TIMEOUT_MS = 5_000

/** A receiver computes the same over id, time and body, and knows that the message is ours and not old. */
export const signatureOf = (secret: string, { id, at, body }: Posted): string =>
  `v1=${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('hex')}`

/** Posts a message. Any answer of 200 to 299 is a delivery; redirects are not followed and answers are not read. */
export async function postWebhook(hook: Webhook, posted: Posted): Promise<void> {
  const url = webhookUrl(hook.url)
  const address = await inTime(addressFor(url.hostname, hook), hook, url)
  const isLocal = networkOf(address) === 'private' && isLoopback(address)
  if (url.protocol === 'http:' && !isLocal)
    throw new BatonError('not_allowed', 'a webhook outside this machine needs https', { host: url.hostname })
  const status = await post(hook, url, address, posted)
  if (status < 200 || status > 299) throw unavailable(`${url.hostname} answered ${status}`, { status })
}

function webhookUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new BatonError('invalid_input', 'a webhook is an https address without a name or password in it')
  return url
}

/** Looking up a name can hang as well as a connection can. */
async function inTime<T>(work: Promise<T>, { timeoutMs = TIMEOUT_MS }: Webhook, url: URL): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new BatonError('timed_out', `${url.hostname} could not be looked up in time`)),
    timeoutMs,
  )
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const isLoopback = ({ address }: Address): boolean => address.startsWith('127.') || address === '::1'

function post(hook: Webhook, url: URL, address: Address, posted: Posted): Promise<number> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const call = send(
      {
        // The address that was judged, and not the name: it could mean another one by now.
        host: address.address,
        family: address.family,
        port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        agent: false,
        ...(isIP(bare) === 0 && { servername: bare }),
        ...present({ ca: hook.ca }),
        headers: {
          host: url.host,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(posted.body),
          'user-agent': 'baton',
          'baton-delivery': posted.id,
          'baton-timestamp': String(posted.at),
          'baton-signature': signatureOf(hook.secret, posted),
          'idempotency-key': posted.id,
          ...present({ traceparent: posted.trace?.traceparent, tracestate: posted.trace?.tracestate }),
        },
      },
      (response) => {
        resolve(response.statusCode ?? 0)
        // Nothing of the answer is wanted, and an endless one must not be read.
        response.destroy()
      },
    )
    const late = setTimeout(
      () => call.destroy(new BatonError('timed_out', `${url.hostname} did not answer in time`)),
      hook.timeoutMs ?? TIMEOUT_MS,
    )
    call.once('close', () => clearTimeout(late))
    call.once('error', (error) => reject(error instanceof BatonError ? error : unreachable(url, error)))
    call.end(posted.body)
  })
}

function unreachable({ hostname: host }: URL, error: Error): BatonError {
  const why = (error as NodeJS.ErrnoException).code ?? error.message
  return unavailable(`${host} could not be reached (${why})`, { host }, error)
}
