import { BatonError } from '../../../domain/errors.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'] as const
const ANY_ADDRESS = ['0.0.0.0', '::', '']

/** A browser sends one of these when no other site had a hand in the request. */
const OWN_SITES = ['same-origin', 'none']

/** They stand on every answer. */
export const PROTECTING: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/**
 * The values of `Host` under which a server may be reached: this machine's own names and the address it is bound
 * to, with the right port, and the configured names with the port, with their own port or without one.
 */
export function allowedHosts(host: string, port: number, names: readonly string[] = []): ReadonlySet<string> {
  const bound = ANY_ADDRESS.includes(host) ? [] : [host.includes(':') ? `[${host}]` : host]
  const allowed = new Set<string>()
  for (const name of [...LOOPBACK, ...bound]) {
    allowed.add(`${name}:${port}`)
    if (port === 80) allowed.add(name)
  }
  for (const name of names.map((each) => each.trim().toLowerCase())) {
    allowed.add(name)
    if (!/:\d+$/.test(name)) allowed.add(`${name}:${port}`)
  }
  return allowed
}

/** Puts the protecting headers on an answer, a refusal too; an answer may state a stricter or wider policy. */
export function protect(response: Response): Response {
  for (const [name, value] of Object.entries(PROTECTING))
    if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}

/** Whether somebody followed a link of another site to a page here, in a window of its own. */
export function isVisit({ method, headers, url }: Request, hosts: ReadonlySet<string>): boolean {
  return (
    method === 'GET' &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-dest') === 'document' &&
    !OWN_SITES.includes(headers.get('sec-fetch-site') ?? 'none') &&
    headers.get('origin') === null &&
    hosts.has(headers.get('host')?.toLowerCase() ?? '') &&
    hosts.has(new URL(url).host) &&
    !new URL(url).pathname.startsWith('/v1/')
  )
}

/** Refuses what a web page of another site sends, and names that only seem to be this machine. */
export function refuseForeign(request: Request, hosts: ReadonlySet<string>): void {
  const reason = foreign(request, hosts)
  if (reason !== undefined) throw new BatonError('not_allowed', reason)
}

function foreign(request: Request, hosts: ReadonlySet<string>): string | undefined {
  const host = request.headers.get('host')?.toLowerCase() ?? ''
  // A request line may name a host of its own, which then counts instead of the header.
  if (
    !hosts.has(host) ||
    (!request.url.startsWith(`http://${host}/`) && !hosts.has(new URL(request.url).host))
  )
    return `this server is not called ${JSON.stringify(host.slice(0, 200))}; use its own address, or start it with --allow-host NAME`
  const origin = request.headers.get('origin')
  const isOwn = origin === null || origin === `http://${host}` || origin === `https://${host}`
  const isOwnSite = OWN_SITES.includes(request.headers.get('sec-fetch-site') ?? 'none')
  return isOwn && isOwnSite ? undefined : 'requests from web pages of other sites are refused'
}
