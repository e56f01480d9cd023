import type { Calls } from '../mcp/agents.ts'
import type { World } from './world.ts'

export const GOALS = [
  'approve a gate',
  'verify its own work',
  'act as another',
  'widen its rights',
  'get a command run',
  'change history',
] as const
export const DOORS = [
  'CLI',
  'environment',
  'files',
  'settings',
  'git',
  'SQL',
  'MCP',
  'HTTP',
  'hooks',
] as const

/** A server and an MCP process over the world's store, both as an agent reaches them. */
export interface Live extends World {
  readonly mcp: Calls
  readonly url: string
  /** Answers status and body of a call. */
  http(path: string, body?: unknown, init?: HttpInit): Promise<string>
  /** Runs a hook of a coding agent with this input. */
  hook(event: string, input: object, ...args: readonly string[]): Promise<string>
  /** Exchanges a token for a session and calls with that. */
  session(token: string, path: string, body: unknown): Promise<string>
}

export interface HttpInit {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** One way for an agent's process to do more than it may. */
export interface Way {
  readonly goal: (typeof GOALS)[number]
  readonly door: (typeof DOORS)[number]
  readonly how: string
  /** The threat of docs/generated/threats.md that it belongs to. */
  readonly threat: string
  /** Does it; answers all that was said. */
  readonly go: (world: Live) => unknown
  /** It is refused in these words, and nothing but `adds` is new in the log. */
  readonly refused?: RegExp
  readonly adds?: readonly string[]
  /** It is a way into a file of SQLite, and there is none elsewhere. */
  readonly only?: 'sqlite'
  /** It is done, and `baton doctor` names it. */
  readonly found?: RegExp
}
