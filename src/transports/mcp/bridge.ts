import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { present } from '../../domain/present.ts'
import { framesOf } from '../http/client/event-source.ts'
import { baseOf, parsed, toRefusal } from '../http/client/remote.ts'
import { rest } from '../http/client/rest.ts'
import { MAX_MESSAGE_BYTES } from './stdio.ts'

export interface BridgeOptions {
  /** The server, and the tools of it. */
  readonly url: string
  readonly tools: string | undefined
  readonly token: string
  /** The session of the agent; asked for by the first call of a tool. */
  readonly instance: (meta: unknown) => string
  /** Ends the connection. */
  readonly signal: AbortSignal
}

/** A request or a notification, as far as the way to the server needs it. */
interface Sent {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly uri?: string
    readonly requestId?: string | number
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'
const COME_BACK_MS = 1_000
/** An error inside the server, in the numbers of JSON-RPC. */
const INTERNAL = -32_603

/** Passes the messages of one agent on to a server, and its answers back, until either side ends. */
export async function bridgeMcp({ url, tools, token, instance, signal }: BridgeOptions): Promise<void> {
  const address = new URL('mcp', baseOf(url))
  if (tools !== undefined) address.searchParams.set('tools', tools)
  const wire = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES })
  const over = new AbortController()
  const calls = new Map<string | number, AbortController>()
  const subscribed = new Map<string, string>()
  let [hello, session, own]: (string | undefined)[] = []
  let begun: Promise<void> | undefined
  let isListening = false

  const ask = async (
    method: 'GET' | 'POST' | 'DELETE',
    ended: AbortSignal,
    body?: string,
    said: Sent = {},
  ) => {
    const { name, uri } = said.params ?? {}
    const response = await fetch(address, {
      method,
      headers: {
        ...{ accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` },
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...present({ 'baton-instance': own, 'mcp-session-id': session, 'mcp-method': said.method }),
        ...present({
          'mcp-protocol-version': said.params?._meta?.[PROTOCOL_VERSION] as string,
          'mcp-name': name ?? uri,
        }),
      },
      ...present({ body }),
      // A redirect could otherwise pass the token on.
      redirect: 'manual',
      signal: AbortSignal.any([over.signal, ended]),
    })
    session = response.headers.get('mcp-session-id') ?? session
    return response
  }
  const isStream = ({ headers }: Response) => headers.get('content-type')?.startsWith('text/event-stream')
  /** Answers whether the answer to this request was among the messages. */
  const pass = async (response: Response, id?: Sent['id']) => {
    let isAnswered = false
    for await (const { data } of framesOf(response)) {
      if (!data) continue
      const told = JSON.parse(data)
      isAnswered ||= told.id === id && told.method === undefined
      await wire.send(told)
    }
    return isAnswered
  }
  /** Hears what the server says by itself to a session of a 2025 client. */
  const listen = async () => {
    for (; !over.signal.aborted; await rest(COME_BACK_MS, over.signal)) {
      const used = session
      const hear = async (response: Response) => {
        if (response.status === 404) await beginAgain(used)
        if (isStream(response)) await pass(response)
      }
      await ask('GET', over.signal)
        .then(hear)
        .catch(() => undefined)
    }
  }
  /**
   * A server that was started again knows no sessions: the client's first message and its subscriptions begin another
   * one, once for all calls that were refused.
   */
  const beginAgain = (used: string | undefined) => {
    if (session !== used) return begun
    session = undefined
    const first = [hello, '{"jsonrpc":"2.0","method":"notifications/initialized"}', ...subscribed.values()]
    begun = (async () => {
      for (const body of first) await (await ask('POST', over.signal, body)).text()
    })().catch((error: unknown) => {
      session = used
      throw error
    })
    return begun
  }
  const answer = async (message: JSONRPCMessage) => {
    const said = message as Sent
    const body = JSON.stringify(message)
    const ended = new AbortController()
    if (said.id !== undefined) calls.set(said.id, ended)
    if (said.method === 'tools/call') own ??= instance(said.params?._meta)
    if (said.method === 'notifications/cancelled') calls.get(said.params?.requestId ?? '')?.abort()
    try {
      await begun?.catch(() => undefined)
      const used = session
      let response = await ask('POST', ended.signal, body, said)
      if (response.status === 404 && used !== undefined && hello !== undefined) {
        await beginAgain(used)
        response = await ask('POST', ended.signal, body, said)
      }
      if (said.method === 'initialize') hello = body
      const { uri = '' } = said.params ?? {}
      if (said.method === 'resources/unsubscribe') subscribed.delete(uri)
      if (said.method === 'resources/subscribe') {
        subscribed.set(uri, body)
        if (!isListening) void listen()
        isListening = true
      }
      if (isStream(response)) {
        if (await pass(response, said.id)) return
        throw new Error('the answer broke off')
      }
      const told = parsed(await response.text())
      if (Object(told).jsonrpc === undefined) throw toRefusal(response.status, told, address)
      await wire.send(told as JSONRPCMessage)
    } catch (error) {
      const message = `Baton at ${address.origin}: ${reasonOf(error)}`
      if (said.id !== undefined && said.method !== undefined && !ended.signal.aborted)
        await wire.send({ jsonrpc: '2.0', id: said.id, error: { code: INTERNAL, message } })
    } finally {
      if (said.id !== undefined) calls.delete(said.id)
    }
  }
  await new Promise<void>((resolve) => {
    wire.onclose = resolve
    wire.onmessage = (message) => void answer(message).catch(() => undefined)
    signal.addEventListener('abort', () => void wire.close(), { once: true })
    void wire.start()
  })
  if (session !== undefined) await ask('DELETE', AbortSignal.timeout(COME_BACK_MS)).catch(() => undefined)
  over.abort()
}

const reasonOf = (error: unknown): string =>
  String(Object((error as Error).cause).code ?? (error as Error).message)
