import type { Service } from '../../../service/service.ts'
import { callerOf, grants } from '../server/auth.ts'
import { isLoopback } from '../server/guards.ts'
import { pageHeaders, plainPage, STYLE, statusPage } from './status-page.ts'

/** Set by proxies: who comes through one is not sitting at this machine. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

const HEADERS = pageHeaders(STYLE, 'img-src data:')

/** The page at `/`: numbers for whoever sits at this machine or has a token for them, a plain word for others. */
export async function showStatus(
  request: Request,
  { service, local }: { readonly service: Service; readonly local: boolean },
): Promise<Response> {
  const seen = (local && isHere(request)) || (await mayRead(service, request.headers))
  const page = seen ? statusPage(await serverStatus(service, request)) : plainPage()
  return new Response(page, { headers: HEADERS })
}

function isHere({ headers }: Request): boolean {
  const name = (headers.get('host') ?? '').replace(/:\d+$/, '')
  return isLoopback(name) && !FORWARDED.some((header) => headers.has(header))
}

async function mayRead(service: Service, headers: Headers): Promise<boolean> {
  if (!headers.has('authorization')) return false
  return grants((await callerOf(service, headers)).scopes, 'report:read')
}

export type ServerStatus = Awaited<ReturnType<typeof serverStatus>>

async function serverStatus(service: Service, request: Request) {
  const { engine, location, workspace } = service.deps.store.info
  return {
    ...(await service.looking.counts()),
    address: `http://${request.headers.get('host')}`,
    workspace,
    store: { engine, location },
    agents: (await service.agents.list()).length,
    hasTokens: (await (await service.tokens()).list()).some((token) => token.revoked_at === undefined),
  }
}
