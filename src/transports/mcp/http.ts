import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  InMemoryServerEventBus,
  isLegacyRequest,
  type McpServerFactory,
  type ServerContext,
  type ServerEvent,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { BatonError } from '../../domain/errors.ts'
import type { Operation } from '../../operations/operation.ts'
import { authorise, type Caller, grants } from '../http/server/auth.ts'
import type { OpenLimit } from '../http/server/rate.ts'
import { Changes, INBOX } from './changes.ts'
import { createMcpServer } from './server.ts'
import type { World } from './tool-call.ts'
import { parseToolset } from './tools.ts'

/** MCP over streamable HTTP, at one address. */
export interface McpEndpoint {
  /** Answers a request of this caller, whose token was looked at before. */
  fetch(request: Request, caller: Caller): Promise<Response>
  close(): Promise<void>
}

/** The endpoint over a workspace: tools, resources and prompts for whoever the token stands for. */
export function createEndpoint({
  service,
  open,
  ...rest
}: Omit<World, 'admit' | 'may' | 'around' | 'enter'> & { readonly open: OpenLimit }): McpEndpoint {
  const changes = new Changes(service)
  const callerOf = (context: ServerContext) => callerIn(context.http?.authInfo?.extra)
  const admit = (op: Operation, context: ServerContext) => {
    const caller = callerOf(context)
    authorise(op, caller)
    return caller.actor
  }
  const enter = (context: ServerContext) => open.take(callerOf(context).token, 'calls')
  const may: World['may'] = (scope, context) => grants(callerOf(context).scopes, scope)
  const world: World = { service, admit, may, enter, ...rest }
  const endpoint = createWire(({ requestInfo, authInfo }) => {
    const toolset = toolsetOf(requestInfo)
    return createMcpServer({ world, toolset, changes, agent: callerIn(authInfo?.extra).actor.name })
  }, new ChangeBus(changes))
  return {
    ...endpoint,
    fetch: async (request, caller) => {
      // Refused before anything is made of it.
      toolsetOf(request)
      if (!isListening(request)) return endpoint.fetch(request, caller)
      const end = open.take(caller.token, 'event streams')
      try {
        return withEnd(await endpoint.fetch(request, caller), end)
      } catch (error) {
        end()
        throw error
      }
    },
  }
}

/** Calls back when the server has ended the stream and when the client has left it. */
function withEnd(response: Response, end: () => void): Response {
  const { readable, writable } = new TransformStream()
  const ended = response.body?.pipeTo(writable) ?? Promise.resolve()
  void ended.catch(() => undefined).finally(end)
  return response.body ? new Response(readable, response) : response
}

/** Whether it asks to hear of changes: a session by GET, a request of 2026 by its method. */
const isListening = ({ method, headers }: Request): boolean =>
  method === 'GET' || headers.get('mcp-method') === 'subscriptions/listen'

const toolsetOf = (request: Request | undefined) =>
  parseToolset(request && (new URL(request.url).searchParams.get('tools') ?? undefined))

function callerIn(extra: Record<string, unknown> | undefined): Caller {
  const caller = extra?.caller as Caller | undefined
  if (!caller) throw new BatonError('unauthenticated', 'nobody is known to be calling')
  return caller
}

interface McpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly agent: string
  usedAt: number
}

/** Sessions that nobody ends are many in the end: the one that was used least recently goes. */
const MOST_SESSIONS = 1_000

/**
 * Both protocols on one address: 2026-07-28, where each request stands alone, and the sessions of 2025 clients. A
 * session belongs to the agent that began it; for anyone else it is not there.
 */
export function createWire(makeServer: McpServerFactory, bus = new InMemoryServerEventBus()): McpEndpoint {
  const modern = createMcpHandler(makeServer, { legacy: 'reject', bus })
  const sessions = new Map<string, McpSession>()

  const begin = async (request: Request, caller: Caller): Promise<Response> => {
    const agent = caller.actor.name
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, agent, usedAt: performance.now() })
        if (sessions.size > MOST_SESSIONS) void oldest(sessions)?.transport.close()
      },
    })
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
    }
    const authInfo = asAuthInfo(caller)
    const server = await makeServer({ era: 'legacy', requestInfo: request, authInfo })
    await server.connect(transport)
    const response = await transport.handleRequest(request, { authInfo })
    if (transport.sessionId === undefined) await transport.close()
    return response
  }

  return {
    async fetch(request, caller) {
      const authInfo = asAuthInfo(caller)
      if (!(await isLegacyRequest(request))) return modern.fetch(request, { authInfo })
      const id = request.headers.get('mcp-session-id')
      if (id === null) return begin(request, caller)
      const session = sessions.get(id)
      if (session?.agent !== caller.actor.name) return noSession()
      session.usedAt = performance.now()
      return session.transport.handleRequest(request, { authInfo })
    },
    async close() {
      await modern.close()
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()))
    },
  }
}

/** The token itself is nobody's business from here on. */
const asAuthInfo = (caller: Caller) => ({
  token: '',
  clientId: caller.actor.name,
  scopes: [...caller.scopes],
  extra: { caller },
})

const oldest = (sessions: ReadonlyMap<string, McpSession>): McpSession | undefined =>
  [...sessions.values()].sort((a, b) => a.usedAt - b.usedAt)[0]

const noSession = (): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null },
    { status: 404 },
  )

/** Follows the store while a stream is open that wants to hear of changes. */
class ChangeBus extends InMemoryServerEventBus {
  readonly #changes: Changes
  #stop: (() => void) | undefined

  constructor(changes: Changes) {
    super()
    this.#changes = changes
  }

  override subscribe(listener: (event: ServerEvent) => void): () => void {
    const unsubscribe = super.subscribe(listener)
    this.#stop ??= this.#changes.listen(({ uris, agents }) => {
      // Only its connection knows whose inbox a stream means, so each one is told and looks.
      for (const uri of agents.length > 0 ? [...uris, INBOX] : uris)
        this.publish({ kind: 'resource_updated', uri })
    })
    return () => {
      unsubscribe()
      if (this.listenerCount > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }
}
