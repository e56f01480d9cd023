import { basename } from 'node:path'
import { parseDuration } from '../config/policy.ts'
import type { ANSWER_WAYS, BRIEF_WAYS, Runner } from '../config/runners.ts'

/** A program that Baton knows how to start without a terminal, with its cost and tokens in its output where it can say them. It hands in by calls, as `baton setup` connected it. */
interface KnownProgram {
  readonly command: readonly string[]
  /** Goes behind its command, also one of the settings. */
  readonly always?: readonly string[]
  /** The target of `baton setup` that connects it. */
  readonly setup: string
}

/** Codex gives a server one second to start, and begins without its tools then. It hands it no variable that is not listed. */
const CODEX_SERVER = [
  'required=true',
  'env_vars=["BATON_AGENT","BATON_INSTANCE","BATON_WORKSPACE","BATON_STORE","BATON_URL","BATON_TOKEN"]',
].flatMap((setting) => ['-c', `mcp_servers.baton.${setting}`])

/** By the name of the agent, and by the name of the program. */
// biome-ignore format: read as a table
export const KNOWN_PROGRAMS: Readonly<Record<string, KnownProgram>> = {
  claude:   { command: ['claude', '-p', '--output-format', 'stream-json', '--verbose'], setup: 'claude-code' },
  codex:    { command: ['codex', 'exec', '--json', '-'],                                setup: 'codex', always: CODEX_SERVER },
  gemini:   { command: ['gemini', '--output-format', 'stream-json'],                    setup: 'gemini' },
  copilot:  { command: ['copilot', '--allow-tool', 'baton'],                            setup: 'copilot' },
  opencode: { command: ['opencode', 'run', '--format', 'json'],                         setup: 'opencode' },
  qwen:     { command: ['qwen', '--output-format', 'stream-json'],                      setup: 'qwen' },
}

/** A runner with everything that its settings leave out. */
export interface ReadyRunner {
  readonly agent: string
  readonly command: readonly string[]
  readonly brief: (typeof BRIEF_WAYS)[number]
  readonly answer: (typeof ANSWER_WAYS)[number]
  readonly worktree: boolean
  readonly concurrency: number
  readonly timeoutMs: number
  readonly outputBytes: number
  readonly env: readonly string[]
  readonly from: readonly string[] | undefined
  readonly starts_per_hour: number
  /** The target of `baton setup` that connects the program; absent for a program that Baton does not know. */
  readonly setup?: string
}

/** The runner of an agent; undefined where neither its settings nor its name say what to start. */
export function readyRunner(agent: string, given: Runner | null): ReadyRunner | undefined {
  const { command = KNOWN_PROGRAMS[agent]?.command, ...rest } = given ?? {}
  if (command === undefined) return undefined
  const known = KNOWN_PROGRAMS[basename(command[0] ?? '')]
  return {
    agent,
    command: [...command, ...(known?.always ?? [])],
    brief: rest.brief ?? 'stdin',
    answer: rest.answer ?? (known ? 'calls' : 'exit'),
    worktree: rest.worktree ?? false,
    concurrency: rest.concurrency ?? 1,
    timeoutMs: parseDuration(rest.timeout ?? '1h'),
    outputBytes: (rest.output_kb ?? 5_000) * 1_000,
    env: rest.env ?? [],
    from: rest.from,
    starts_per_hour: rest.starts_per_hour ?? 60,
    ...(known && { setup: known.setup }),
  }
}
