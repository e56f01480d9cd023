import { GUIDE_SECTION } from './guide-section.ts'
import {
  type Hook,
  hooksPart,
  type McpServer,
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

export interface AgentTarget {
  /** The name an agent of this program has unless another is given. */
  readonly agent: string
  parts(options: TargetOptions): readonly Part[]
  /** The step that the person still has to do in the program itself. */
  readonly afterwards: string
}

/** Seconds that an agent waits for a hook; far more than one takes. */
const PATIENCE_S = 10

export const AGENT_TARGETS = {
  'claude-code': {
    agent: 'claude',
    parts: (options) => [
      serverPart('.mcp.json', 'mcpServers', serverOf(options)),
      hooksPart(
        '.claude/settings.json',
        grouped('claude-code', options, PATIENCE_S, [
          ['SessionStart', 'session-start'],
          ['Stop', 'stop'],
          ['SubagentStop', 'subagent-stop'],
          ['PreCompact', 'pre-compact'],
          ['TaskCompleted', 'task-completed'],
        ]),
      ),
      sectionPart('CLAUDE.md', GUIDE_SECTION),
    ],
    afterwards: 'start claude in this folder and approve the server baton when it asks',
  },
  codex: {
    agent: 'codex',
    parts: (options) => [
      tomlServerPart('.codex/config.toml', serverOf(options)),
      hooksPart(
        '.codex/hooks.json',
        grouped('codex', options, PATIENCE_S, [
          ['SessionStart', 'session-start'],
          ['Stop', 'stop'],
          ['SubagentStop', 'subagent-stop'],
          ['PreCompact', 'pre-compact'],
        ]),
      ),
      sectionPart('AGENTS.md', GUIDE_SECTION),
    ],
    afterwards: 'start codex in this folder, trust the project, and approve the hooks with /hooks',
  },
  gemini: {
    agent: 'gemini',
    parts: (options) => [
      together('.gemini/settings.json', [
        serverPart('.gemini/settings.json', 'mcpServers', serverOf(options)),
        hooksPart(
          '.gemini/settings.json',
          // Gemini CLI counts in milliseconds.
          grouped('gemini', options, PATIENCE_S * 1_000, [
            ['SessionStart', 'session-start'],
            ['AfterAgent', 'after-agent'],
            ['PreCompress', 'pre-compress'],
          ]),
        ),
      ]),
      sectionPart('GEMINI.md', GUIDE_SECTION),
    ],
    afterwards: 'start gemini in this folder and trust it when it asks',
  },
  cursor: {
    agent: 'cursor',
    parts: (options) => [
      serverPart('.cursor/mcp.json', 'mcpServers', serverOf(options)),
      together('.cursor/hooks.json', [
        settingPart('.cursor/hooks.json', 'version', 1),
        hooksPart('.cursor/hooks.json', [
          flat('sessionStart', 'session-start', options),
          flat('stop', 'stop', options),
          flat('preCompact', 'pre-compact', options),
        ]),
      ]),
      sectionPart('AGENTS.md', GUIDE_SECTION),
    ],
    afterwards: 'switch the server baton on in Cursor: Settings, MCP',
  },
  vscode: {
    agent: 'copilot',
    parts: (options) => [
      serverPart('.vscode/mcp.json', 'servers', serverOf(options), { type: 'stdio' }),
      sectionPart('AGENTS.md', GUIDE_SECTION),
    ],
    afterwards: 'open .vscode/mcp.json in VS Code and press Start above the server',
  },
} as const satisfies Record<string, AgentTarget>

export type AgentTargetName = keyof typeof AGENT_TARGETS
export const AGENT_TARGET_NAMES = Object.keys(AGENT_TARGETS) as readonly AgentTargetName[]
export const targetOf = (name: AgentTargetName): AgentTarget => AGENT_TARGETS[name]

function serverOf({ agent, proof }: TargetOptions): McpServer {
  return { command: 'baton', args: ['mcp', '--agent', agent, ...(proof ? ['--tools', 'default,proof'] : [])] }
}

/** The form of Claude Code, which Codex and Gemini CLI have taken over: groups of hooks for each event. */
function grouped(
  program: string,
  options: TargetOptions,
  timeout: number,
  events: readonly (readonly [event: string, word: string])[],
): readonly Hook[] {
  return events.map(([event, word]) => ({
    event,
    starts: `baton hook ${word}`,
    entry: { hooks: [{ type: 'command', command: commandOf(word, program, options), timeout }] },
  }))
}

function flat(event: string, word: string, options: TargetOptions): Hook {
  const command = commandOf(word, 'cursor', options)
  return { event, starts: `baton hook ${word}`, entry: { command } }
}

function commandOf(word: string, program: string, { agent, refusals }: TargetOptions): string {
  const count = refusals === undefined || !/stop|after-agent/.test(word) ? '' : ` --refusals ${refusals}`
  return `baton hook ${word} --agent ${agent} --for ${program}${count}`
}
