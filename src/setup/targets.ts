import { GUIDE_SECTION } from './guide-section.ts'
import {
  type Hook,
  hooksPart,
  type Part,
  sectionPart,
  serverPart,
  settingPart,
  together,
  tomlServerPart,
} from './part.ts'

export interface TargetOptions {
  /** The name that the agent goes by here. */
  readonly agent: string
  /** With the tools of document 003 that make work provable. */
  readonly proof: boolean
  /** How often the stop hook refuses in one session; the hook's own number unless said. */
  readonly refusals?: number | undefined
}

/** A program that agents run in, and the files of a project that connect it. */
interface AgentTarget {
  /** The name an agent of this program has unless another is given. */
  readonly agent: string
  readonly server: {
    readonly file: string
    readonly key?: string
    readonly extra?: { readonly type: string }
  }
  readonly hooks?: {
    readonly file: string
    /** The file is not read without it. */
    readonly version?: number
    /** How long a hook may take, in the program's own unit; absent where hooks stand alone and not in groups. */
    readonly patience?: number
    /** The program's own words for the events, with Baton's. */
    readonly events: Readonly<Record<string, string>>
  }
  /** The file of the agent's instructions. */
  readonly guide: string
  /** The step that the person still has to do in the program itself. */
  readonly afterwards: string
}

const PATIENCE_S = 10
const STOPS = { SessionStart: 'session-start', Stop: 'stop', SubagentStop: 'subagent-stop' }

const AGENT_TARGETS = {
  'claude-code': {
    agent: 'claude',
    server: { file: '.mcp.json' },
    hooks: {
      file: '.claude/settings.json',
      patience: PATIENCE_S,
      events: { ...STOPS, PreCompact: 'pre-compact', TaskCompleted: 'task-completed' },
    },
    guide: 'CLAUDE.md',
    afterwards: 'start claude in this folder and approve the server baton when it asks',
  },
  codex: {
    agent: 'codex',
    server: { file: '.codex/config.toml' },
    hooks: {
      file: '.codex/hooks.json',
      patience: PATIENCE_S,
      events: { ...STOPS, PreCompact: 'pre-compact' },
    },
    guide: 'AGENTS.md',
    afterwards: 'start codex in this folder, trust the project, and approve the hooks with /hooks',
  },
  gemini: {
    agent: 'gemini',
    server: { file: '.gemini/settings.json' },
    hooks: {
      file: '.gemini/settings.json',
      // Gemini CLI counts in milliseconds.
      patience: PATIENCE_S * 1_000,
      events: { SessionStart: 'session-start', AfterAgent: 'after-agent', PreCompress: 'pre-compress' },
    },
    guide: 'GEMINI.md',
    afterwards: 'start gemini in this folder and trust it when it asks',
  },
  cursor: {
    agent: 'cursor',
    server: { file: '.cursor/mcp.json' },
    hooks: {
      file: '.cursor/hooks.json',
      version: 1,
      events: { sessionStart: 'session-start', stop: 'stop', preCompact: 'pre-compact' },
    },
    guide: 'AGENTS.md',
    afterwards: 'switch the server baton on in Cursor: Settings, MCP',
  },
  vscode: {
    agent: 'copilot',
    server: { file: '.vscode/mcp.json', key: 'servers', extra: { type: 'stdio' } },
    guide: 'AGENTS.md',
    afterwards: 'open .vscode/mcp.json in VS Code and press Start above the server',
  },
} as const satisfies Record<string, AgentTarget>

export type AgentTargetName = keyof typeof AGENT_TARGETS
export const AGENT_TARGET_NAMES = Object.keys(AGENT_TARGETS) as readonly AgentTargetName[]
export const targetOf = (name: AgentTargetName): AgentTarget => AGENT_TARGETS[name]

/** Baton's part of each file, the server's first. */
export function fileParts(name: AgentTargetName, options: TargetOptions): readonly Part[] {
  const { server, hooks, guide } = targetOf(name)
  const args = ['mcp', '--agent', options.agent, ...(options.proof ? ['--tools', 'default,proof'] : [])]
  const started = { command: 'baton', args }
  const parts = [
    server.file.endsWith('.toml')
      ? tomlServerPart(server.file, started)
      : serverPart(server.file, server.key ?? 'mcpServers', started, server.extra),
    ...(hooks?.version ? [settingPart(hooks.file, 'version', hooks.version)] : []),
    ...(hooks ? [hooksPart(hooks.file, hooksOf(name, hooks, options))] : []),
    sectionPart(guide, GUIDE_SECTION),
  ]
  return Array.from(
    Map.groupBy(parts, ({ file }) => file),
    ([file, group]) => together(file, group),
  )
}

/** Groups of hooks for each event are the form of Claude Code, which Codex and Gemini CLI have taken over. */
function hooksOf(
  program: string,
  { events, patience: timeout }: NonNullable<AgentTarget['hooks']>,
  { agent, refusals }: TargetOptions,
): readonly Hook[] {
  return Object.entries(events).map(([event, word]) => {
    const count = refusals === undefined || !/stop|after-agent/.test(word) ? '' : ` --refusals ${refusals}`
    const command = `baton hook ${word} --agent ${agent} --for ${program}${count}`
    const entry = timeout === undefined ? { command } : { hooks: [{ type: 'command', command, timeout }] }
    return { event, starts: `baton hook ${word}`, entry }
  })
}
