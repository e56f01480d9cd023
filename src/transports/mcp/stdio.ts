import type { ServerContext } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Actor } from '../../domain/actor.ts'
import type { Operation } from '../../operations/operation.ts'
import type { Service } from '../../service/service.ts'
import { personOnly } from '../../workspace/identity.ts'
import { Changes } from './changes.ts'
import { createMcpServer } from './server.ts'
import type { Around } from './tool-call.ts'
import type { Toolset } from './tools.ts'

export interface StdioOptions {
  readonly service: Service
  /** The caller of every call in this process; asked for by the first call. */
  readonly actor: (meta: unknown) => Actor
  readonly agent: string
  readonly toolset: Toolset
  /** The folder that the agent was started in, and the environment for git. */
  readonly folder: string
  readonly gitEnvironment: Readonly<Record<string, string | undefined>>
  /** Brings live folders and engine in step, where the workspace has any: before a write is judged and after it. */
  readonly catchUp?: (() => Promise<void>) | undefined
  /** Ends the connection. */
  readonly signal: AbortSignal
  /** For the person who started it; standard output belongs to the protocol. */
  readonly tell: (text: string) => void
}

/** A message may carry ten megabytes of a file in base64. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** Answers one agent over standard input and output until either ends. */
export async function serveMcp(options: StdioOptions): Promise<void> {
  const { service, agent, toolset, signal, tell } = options
  const stopping = new AbortController()
  const admit = (op: Operation, { mcpReq }: ServerContext): Actor => {
    const actor = options.actor(mcpReq._meta)
    if (op.peopleOnly) personOnly(actor, op.name)
    return actor
  }
  const world = {
    service,
    admit,
    around: inStep(options, inWorktrees(options)),
    stopping: stopping.signal,
    onFailure: (error: unknown, operation: string) => tell(`${operation}: ${storyOf(error)}`),
  }
  const changes = new Changes(service)
  const wire = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES })
  const handle = serveStdio(
    ({ era }) => createMcpServer({ world, toolset, changes, agent, sendsAll: era === 'modern' }),
    { transport: wire, onerror: (error) => tell(error.message) },
  )
  await new Promise<void>((resolve) => {
    const ended = wire.onclose
    wire.onclose = () => {
      ended?.()
      resolve()
    }
    signal.addEventListener('abort', () => void handle.close().finally(resolve), { once: true })
  })
  stopping.abort()
}

/** Files that others wrote are taken in before a write, and what it changed is in the files when it is answered. */
function inStep({ catchUp }: StdioOptions, around: Around): Around {
  if (!catchUp) return around
  return async (op, call, input, run) => {
    if (op.effect === 'read') return around(op, call, input, run)
    await catchUp()
    try {
      return await around(op, call, input, run)
    } finally {
      await catchUp()
    }
  }
}

/** An agent that claims a task in a repository gets a worktree too, as on the command line. */
function inWorktrees({ service, folder, gitEnvironment: env }: StdioOptions): Around {
  return async (op, call, input, run) => {
    if (op.name !== 'task_start' || typeof input.id !== 'string') return run()
    const { claimWithWorktree } = await import('./worktree.ts')
    return claimWithWorktree({ service, call, folder, env, task: input.id, claim: run })
  }
}

const storyOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
