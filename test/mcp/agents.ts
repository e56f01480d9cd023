import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { BATON, cleanEnv, type Where } from '../support/program/command.ts'

/** What a client gets of a tool, as it came over the wire. */
export interface ToolReply {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
}

export interface CallExtras {
  readonly _meta?: Record<string, unknown>
}

/** What an agent can do, whichever client speaks for it. */
export interface Calls {
  /** The names of the tools that it is shown. */
  tools(): Promise<readonly string[]>
  /** Calls a tool and answers the reply, whatever it says. */
  reply(tool: string, input?: object, extras?: CallExtras): Promise<ToolReply>
  /** Calls a tool that must not refuse; answers its data. */
  call<T = Record<string, unknown>>(tool: string, input?: object, extras?: CallExtras): Promise<T>
  /** Calls a tool that must refuse; answers what it said. */
  refused(tool: string, input?: object): Promise<{ readonly code: string; readonly text: string }>
  close(): Promise<void>
}

/** One agent with its MCP client. */
export interface Agent extends Calls {
  readonly client: ClientV1 | ClientV2
  /** The process that answers it; absent over HTTP. */
  readonly pid: number | undefined
}

export type Protocol = 'v1' | 'v2' | 'v2 of 2026'
const INFO = { name: 'test', version: '1.0.0' }

/** The command itself, started by a client as agents start it. */
export async function overStdio(
  t: TestContext,
  where: Where,
  args: readonly string[],
  protocol: Protocol = 'v2',
): Promise<Agent> {
  const server = {
    command: process.execPath,
    args: [BATON, 'mcp', ...args],
    cwd: where.cwd,
    env: cleanEnv(where),
  }
  const transport = protocol === 'v1' ? new StdioV1(server) : new StdioV2(server)
  const agent = await connected(protocol, transport, () => transport.pid ?? undefined)
  t.after(() => agent.close())
  return agent
}

export async function overHttp(
  t: TestContext,
  url: string,
  token: string,
  protocol: Protocol = 'v2',
  headers: Readonly<Record<string, string>> = {},
): Promise<Agent> {
  const options = { requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } } }
  const transport = protocol === 'v1' ? new HttpV1(new URL(url), options) : new HttpV2(new URL(url), options)
  const agent = await connected(protocol, transport, () => undefined)
  t.after(() => agent.close())
  return agent
}

async function connected(
  protocol: Protocol,
  transport: unknown,
  pid: () => number | undefined,
): Promise<Agent> {
  if (protocol === 'v1') {
    const client = new ClientV1(INFO)
    await client.connect(transport as TransportV1)
    return toAgent(client, pid, (params) => client.callTool(params))
  }
  const mode = protocol === 'v2' ? 'legacy' : { pin: '2026-07-28' }
  const client = new ClientV2(INFO, { versionNegotiation: { mode } })
  await client.connect(transport as StdioV2)
  return toAgent(client, pid, (params) => client.callTool(params))
}

type CallTool = (params: {
  name: string
  arguments: Record<string, unknown>
  _meta?: Record<string, unknown>
}) => Promise<unknown>

export function toAgent(client: Agent['client'], pid: () => number | undefined, callTool: CallTool): Agent {
  return {
    client,
    get pid() {
      return pid()
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    ...judging(
      async (name, input = {}, extras = {}) =>
        (await callTool({ name, arguments: input as Record<string, unknown>, ...extras })) as ToolReply,
    ),
    close: () => client.close(),
  }
}

/** Calls whose replies are what the protocol and the server promise, refused or not. */
export function judging(reply: Calls['reply']): Pick<Calls, 'reply' | 'call' | 'refused'> {
  return {
    reply,
    async call<T>(tool: string, input?: object, extras?: CallExtras) {
      const { isError, content, structuredContent } = await reply(tool, input, extras)
      assert.ok(!isError, `${tool}: ${content[0]?.text}`)
      assert.deepEqual(JSON.parse(content[0]?.text ?? ''), structuredContent)
      return structuredContent as T
    },
    async refused(tool, input) {
      const { isError, content, structuredContent } = await reply(tool, input)
      assert.ok(isError, `${tool} was not refused: ${content[0]?.text}`)
      const error = structuredContent?.error as { code: string; message: string }
      const text = content[0]?.text ?? ''
      assert.equal(error.message, text)
      return { code: error.code, text }
    },
  }
}

/** `baton serve` in a process of its own; answers its address. */
export async function startServer(
  t: { after(clean: () => void): void },
  where: Where,
  ...args: readonly string[]
): Promise<string> {
  const child = spawn(process.execPath, [BATON, 'serve', '--port', '0', '--json', ...args], {
    cwd: where.cwd,
    env: cleanEnv(where),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'close').then(() => {
    throw new Error(`the server ended: ${errors}`)
  })
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer]
  ended.catch(() => undefined)
  return JSON.parse(String(line)).url
}
