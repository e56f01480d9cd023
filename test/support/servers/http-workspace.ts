import type { TestContext } from 'node:test'
import type { AgentKind } from '../../../src/domain/actor.ts'
import { loadOperations } from '../../../src/operations/index.ts'
import type { Service } from '../../../src/service/service.ts'
import { createHttpApp, type HttpAppOptions } from '../../../src/transports/http/server/app.ts'
import { allowedHosts } from '../../../src/transports/http/server/guards.ts'
import { createLog, type Log } from '../../../src/transports/http/server/log.ts'
import type { ProblemDetails } from '../../../src/transports/shared/problem.ts'
import { openWorkspace, person, type Workspace, type WorkspaceOptions } from '../program/workspace.ts'

export interface HttpWorkspace extends Workspace {
  /** What the log was told, line by line. */
  readonly lines: string[]
  readonly log: Log
  /** A new token of this agent, which is added or becomes of this kind. */
  token(agent: string, scopes?: readonly string[], kind?: AgentKind): Promise<string>
  /** Asks the app in process, as `localhost:4180` unless a header or a whole address says otherwise. */
  request(path: string, init?: RequestInit): Promise<Response>
}

/** A workspace with the HTTP app over it. */
export async function openHttp(
  t: TestContext,
  options: WorkspaceOptions = {},
  changed: Partial<HttpAppOptions> = {},
): Promise<HttpWorkspace> {
  const workspace = await openWorkspace(t, options)
  const { service } = workspace
  const lines: string[] = []
  const log = createLog({ write: (line) => lines.push(line) }, workspace.clock.now)
  const hosts = allowedHosts('127.0.0.1', 4180)
  const app = createHttpApp({
    service,
    operations: await loadOperations(),
    hosts,
    log,
    ...changed,
  })
  return {
    ...workspace,
    lines,
    log,
    token: (agent, scopes, kind) => newToken(service, agent, scopes, kind),
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers)
      if (!headers.has('host')) headers.set('host', 'localhost:4180')
      const url = path.startsWith('/') ? `http://localhost:4180${path}` : path
      return app.fetch(new Request(url, { ...init, headers }))
    },
  }
}

export async function newToken(
  service: Service,
  agent: string,
  scopes: readonly string[] = ['*'],
  kind: AgentKind = 'agent',
): Promise<string> {
  await service.agents.add(person('maria'), { name: agent, kind })
  return (await (await service.tokens()).create(person('maria'), { agent, scopes })).secret
}

/** A JSON call with a token, as an agent makes it. */
export function post(token: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

export function get(token: string, headers: Record<string, string> = {}): RequestInit {
  return { headers: { ...bearer(token), ...headers } }
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** Status and code of a refusal, which must be written as all refusals are. */
export async function refusalOf(
  response: Response,
): Promise<{ status: number; code: string; problem: ProblemDetails }> {
  const problem = (await response.json()) as ProblemDetails
  const fields = ['type', 'title', 'status', 'detail', 'code', 'details', 'retry']
  if (
    response.headers.get('content-type') !== 'application/problem+json' ||
    problem.status !== response.status ||
    Object.keys(problem).join() !== fields.join()
  )
    throw new Error(`not a problem document: ${response.status} ${JSON.stringify(problem)}`)
  return { status: response.status, code: problem.code, problem }
}
