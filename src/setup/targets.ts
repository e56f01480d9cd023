import { createHash } from 'node:crypto'
import { guideSection, SKILL_NAME, skillText } from './guide-section.ts'
import type { Mapping } from './json-edit.ts'
import {
  type Hook,
  hooksPart,
  IF_INSTALLED,
  ifNews,
  listPart,
  ownPart,
  type Part,
  sectionPart,
  serverPart,
  settingPart,
  together,
  tomlServerPart,
  valuePart,
} from './part.ts'
import { MARKDOWN_MARKS } from './section.ts'

export interface TargetOptions {
  /** The name that the agent goes by here. */
  readonly agent: string
  /** With the tools of document 003 that make work provable. */
  readonly proof: boolean
  /** How often the stop hook refuses in one session; the hook's own number unless said. */
  readonly refusals?: number | undefined
  /** For all projects of this person, in the home. */
  readonly user?: boolean
  /** The permission goes into a file of the project that everybody gets. */
  readonly shared?: boolean
  /** The root of the project. */
  readonly root: string
  /** The names of the tools that the server offers. */
  readonly tools: readonly string[]
}

/** The files that connect a program: of a project, or after `~/` of the person's home. */
interface SettingsFiles {
  readonly server: string
  readonly hooks?: string
  /** The agent's instructions. */
  readonly guide?: string
  /** The person's own settings; absent where nothing has to be written or nothing can be. */
  readonly permission?: string
}

/** A program that agents run in, and how it is connected. */
interface AgentTarget {
  readonly title: string
  /** The name an agent of this program has unless another is given. */
  readonly agent: string
  readonly project: SettingsFiles
  /** For all projects. */
  readonly user?: SettingsFiles
  /** The file of the project that can hold the permission for everybody. */
  readonly shared?: string
  /** The folder of its skills, in the project as in the home, where it is not the common one. */
  readonly skills?: string
  readonly server?: { readonly key?: string; readonly entry?: (command: string, args: string[]) => Mapping }
  readonly hooks?: {
    /** The file is not read without it. */
    readonly version?: number
    readonly entry: (command: string) => Mapping
    /** The program's own words for the events, with Baton's. */
    readonly events: Readonly<Record<string, string>>
  }
  readonly permission?: (file: string, options: TargetOptions) => readonly Part[]
  /** The permission holds in all projects, because the program knows no narrower one. */
  readonly isWide?: boolean
  /** How the program decides where no permission is written. */
  readonly unasked?: string
  /** The step that the person still has to do in the program itself. */
  readonly afterwards: string
}

const PATIENCE_S = 10
const STOPS = { SessionStart: 'session-start', Stop: 'stop', SubagentStop: 'subagent-stop' }
/** The form of Claude Code, which others have taken over. Gemini CLI counts in milliseconds. */
const grouped =
  (timeout = PATIENCE_S) =>
  (command: string): Mapping => ({ hooks: [{ type: 'command', command, timeout }] })
const allowed = (file: string, { tools }: TargetOptions): Part =>
  listPart(
    file,
    ['permissions', 'allow'],
    tools.map((tool) => `mcp__baton__${tool}`),
  )

const AGENT_TARGETS = {
  'claude-code': {
    title: 'Claude Code',
    agent: 'claude',
    project: {
      server: '.mcp.json',
      hooks: '.claude/settings.json',
      guide: 'CLAUDE.md',
      permission: '.claude/settings.local.json',
    },
    user: {
      server: '~/.claude.json',
      hooks: '~/.claude/settings.json',
      guide: '~/.claude/CLAUDE.md',
      permission: '~/.claude/settings.json',
    },
    shared: '.claude/settings.json',
    skills: '.claude/skills',
    // Otherwise the model gets the tools after a search for them, which is one more request.
    server: { entry: (command, args) => ({ command, args, alwaysLoad: true }) },
    hooks: {
      entry: grouped(),
      events: { ...STOPS, PreCompact: 'pre-compact', TaskCompleted: 'task-completed', PostToolUse: 'news' },
    },
    permission: (file, options) => [
      ...(options.user ? [] : [listPart(file, ['enabledMcpjsonServers'], ['baton'])]),
      allowed(file, options),
      ...(file.includes('.local.') ? [keptOut(file)] : []),
    ],
    afterwards: 'start claude here and trust the folder. Enter alone leaves Baton out',
  },
  codex: {
    title: 'Codex',
    agent: 'codex',
    project: { server: '.codex/config.toml', hooks: '.codex/hooks.json', guide: 'AGENTS.md' },
    user: { server: '~/.codex/config.toml', hooks: '~/.codex/hooks.json', guide: '~/.codex/AGENTS.md' },
    // Codex gives a server only the variables that its entry names. The hooks have all of them.
    server: {
      entry: (command, args) => ({
        ...{ command, args },
        env_vars: ['BATON_URL', 'BATON_TOKEN', 'BATON_STORE', 'BATON_WORKSPACE'],
      }),
    },
    hooks: { entry: grouped(), events: { ...STOPS, PreCompact: 'pre-compact', PostToolUse: 'news' } },
    unasked: 'Codex asks for no permission: the tools of Baton say that they destroy nothing',
    afterwards:
      'start codex in this folder, and trust the project and its hooks when it asks. Until then codex exec leaves Baton out and says nothing',
  },
  gemini: {
    title: 'Gemini CLI',
    agent: 'gemini',
    project: {
      server: '.gemini/settings.json',
      hooks: '.gemini/settings.json',
      guide: 'GEMINI.md',
      permission: '~/.gemini/policies/baton.toml',
    },
    user: {
      server: '~/.gemini/settings.json',
      hooks: '~/.gemini/settings.json',
      guide: '~/.gemini/GEMINI.md',
      permission: '~/.gemini/policies/baton.toml',
    },
    // Gemini CLI takes variables with TOKEN in their names out of the environment of a server.
    server: { entry: (command, args) => ({ command, args, env: { BATON_TOKEN: `\${BATON_TOKEN:-}` } }) },
    hooks: {
      entry: grouped(PATIENCE_S * 1_000),
      events: {
        SessionStart: 'session-start',
        AfterAgent: 'after-agent',
        PreCompress: 'pre-compress',
        AfterTool: 'news',
      },
    },
    permission: (file, { tools }) => [
      sectionPart(
        file,
        `[[rule]]\nmcpName = "baton"\ntoolName = ${JSON.stringify(tools)}\ndecision = "allow"\npriority = 100`,
        'the permission to use Baton',
      ),
    ],
    isWide: true,
    afterwards: 'start gemini in this folder and trust it when it asks',
  },
  copilot: {
    title: 'Copilot CLI',
    agent: 'copilot',
    project: {
      server: '.github/mcp.json',
      hooks: '.github/hooks/baton.json',
      guide: 'AGENTS.md',
      permission: '~/.copilot/permissions-config.json',
    },
    user: {
      server: '~/.copilot/mcp-config.json',
      hooks: '~/.copilot/hooks/baton.json',
      guide: '~/.copilot/copilot-instructions.md',
    },
    hooks: {
      version: 1,
      entry: (bash) => ({ type: 'command', bash, timeoutSec: PATIENCE_S }),
      events: {
        sessionStart: 'session-start',
        agentStop: 'stop',
        preCompact: 'pre-compact',
        postToolUse: 'news',
      },
    },
    permission: (file, { root, tools }) => [
      listPart(
        file,
        ['locations', root, 'tool_approvals'],
        tools.map((toolName) => ({ kind: 'mcp', serverName: 'baton', toolName })),
      ),
    ],
    unasked: 'Copilot CLI keeps permissions by folder; give them with baton setup copilot in each project',
    afterwards: 'start copilot in this folder and trust it when it asks',
  },
  opencode: {
    title: 'opencode',
    agent: 'opencode',
    project: { server: 'opencode.json', guide: 'AGENTS.md' },
    user: { server: '~/.config/opencode/opencode.json', guide: '~/.config/opencode/AGENTS.md' },
    server: {
      key: 'mcp',
      entry: (command, args) => ({ type: 'local', command: [command, ...args], enabled: true }),
    },
    unasked: 'opencode asks for no permission',
    afterwards: 'start opencode in this folder',
  },
  qwen: {
    title: 'Qwen Code',
    agent: 'qwen',
    skills: '.qwen/skills',
    server: { entry: (command, args) => ({ command, args, alwaysLoadTools: true }) },
    project: {
      server: '.qwen/settings.json',
      hooks: '.qwen/settings.json',
      guide: 'QWEN.md',
      permission: '~/.qwen/settings.json',
    },
    user: {
      server: '~/.qwen/settings.json',
      hooks: '~/.qwen/settings.json',
      guide: '~/.qwen/QWEN.md',
      permission: '~/.qwen/settings.json',
    },
    hooks: { entry: grouped(), events: { ...STOPS, PreCompact: 'pre-compact', PostToolUse: 'news' } },
    permission: (file, options) => [
      allowed(file, options),
      ...(options.user ? [] : [approvedServer('~/.qwen/mcpApprovals.json', options)]),
    ],
    isWide: true,
    afterwards: 'start qwen in this folder',
  },
  cursor: {
    title: 'Cursor',
    agent: 'cursor',
    project: {
      server: '.cursor/mcp.json',
      hooks: '.cursor/hooks.json',
      guide: 'AGENTS.md',
      permission: '~/.cursor/permissions.json',
    },
    user: {
      server: '~/.cursor/mcp.json',
      hooks: '~/.cursor/hooks.json',
      permission: '~/.cursor/permissions.json',
    },
    shared: '.cursor/permissions.json',
    hooks: {
      version: 1,
      entry: (command) => ({ command }),
      events: { sessionStart: 'session-start', stop: 'stop', preCompact: 'pre-compact' },
    },
    permission: (file, { tools }) => [
      listPart(
        file,
        ['mcpAllowlist'],
        tools.map((tool) => `baton:${tool}`),
      ),
    ],
    isWide: true,
    afterwards: 'switch the server baton on in Cursor: Settings, MCP',
  },
  vscode: {
    title: 'VS Code',
    agent: 'copilot',
    project: { server: '.vscode/mcp.json', guide: 'AGENTS.md' },
    server: { key: 'servers', entry: (command, args) => ({ type: 'stdio', command, args }) },
    unasked: 'VS Code asks at the first call of a tool: choose to allow it in this workspace',
    afterwards: 'open .vscode/mcp.json in VS Code and press Start above the server',
  },
} as const satisfies Record<string, AgentTarget>

export type AgentTargetName = keyof typeof AGENT_TARGETS
export const AGENT_TARGET_NAMES = Object.keys(AGENT_TARGETS) as readonly AgentTargetName[]
export const targetOf = (name: AgentTargetName): AgentTarget => AGENT_TARGETS[name]

/** The arguments of `baton` that start the server. */
const serverArgs = ({ agent, proof }: Pick<TargetOptions, 'agent' | 'proof'>): string[] => [
  ...['mcp', '--agent', agent],
  ...(proof ? ['--tools', 'default,proof'] : []),
]

/** The entry of the server in the settings of a program. */
export function serverEntry(name: AgentTargetName, options: Pick<TargetOptions, 'agent' | 'proof'>): Mapping {
  const args = serverArgs(options)
  return targetOf(name).server?.entry?.('baton', args) ?? { command: 'baton', args }
}

/** Baton's part of each file, the server's first. */
export function fileParts(name: AgentTargetName, options: TargetOptions): readonly Part[] {
  const { project, user, server = {}, hooks, skills = '.agents/skills' } = targetOf(name)
  const place = options.user ? user : project
  if (place === undefined) return []
  return byFile([
    place.server.endsWith('.toml')
      ? tomlServerPart(place.server, serverEntry(name, options))
      : serverPart(place.server, server.key ?? 'mcpServers', serverEntry(name, options)),
    ...(hooks?.version && place.hooks ? [settingPart(place.hooks, 'version', hooks.version)] : []),
    ...(hooks && place.hooks ? [hooksPart(place.hooks, hooksOf(name, options))] : []),
    ...(place.guide
      ? [sectionPart(place.guide, guideSection(options.proof), GUIDE_WHY, MARKDOWN_MARKS)]
      : []),
    ownPart(
      `${options.user ? '~/' : ''}${skills}/${SKILL_NAME}/SKILL.md`,
      skillText(),
      'a skill for the agent',
    ),
  ])
}

const GUIDE_WHY = 'instructions for the agent'

/** Everything that setup may have written, for all ways of giving the permission. */
export const allParts = (name: AgentTargetName, options: TargetOptions): readonly Part[] =>
  byFile([
    ...fileParts(name, options),
    ...permissionParts(name, { ...options, shared: false }),
    ...(options.user ? [] : permissionParts(name, { ...options, shared: true })),
  ])

/** The parts that let the agent use Baton's own tools without a question; none where the program needs none. */
export function permissionParts(name: AgentTargetName, options: TargetOptions): readonly Part[] {
  const { project, user, shared, permission } = targetOf(name)
  const file = options.shared ? shared : (options.user ? user : project)?.permission
  return file === undefined || permission === undefined ? [] : byFile(permission(file, options))
}

const byFile = (parts: readonly Part[]): readonly Part[] =>
  Array.from(
    Map.groupBy(parts, ({ file }) => file),
    ([file, group]) => together(file, group),
  )

/** One sentence on what the permission allows. */
export function allowsText(name: AgentTargetName, { agent, user, tools }: TargetOptions): string {
  const { title, isWide } = targetOf(name)
  const where = user || isWide ? 'in every project of yours' : 'in this project'
  return `${title} may use ${tools.length} tools of the server baton ${where} without asking you, as ${agent}. It allows nothing else.`
}

/** A personal file in a project is not committed by mistake. */
const keptOut = (file: string): Part =>
  sectionPart('.git/info/exclude', `/${file}`, 'keeps the permission out of git')

/** Qwen Code starts a server of a project only when its entry was approved: the record names the entry's hash. */
function approvedServer(file: string, options: TargetOptions): Part {
  const entry = Object.fromEntries(Object.entries(serverEntry('qwen', options)).sort())
  const hash = createHash('sha256').update(JSON.stringify(entry)).digest('hex')
  return valuePart(file, [options.root, 'baton'], { hash, status: 'approved' })
}

/** The hooks of a program, each with the command of Baton that answers it. */
export function hooksOf(name: AgentTargetName, { agent, refusals, user }: TargetOptions): readonly Hook[] {
  const { hooks } = targetOf(name)
  return Object.entries(hooks?.events ?? {}).map(([event, word]) => {
    const count = refusals === undefined || !/stop|after-agent/.test(word) ? '' : ` --refusals ${refusals}`
    const starts = `baton hook ${word}`
    // Only one event refuses by its exit code. A crash in any other must not be taken for a refusal.
    const mild = word === 'task-completed' ? '' : ' || exit 0'
    const first = word === 'news' ? `${IF_INSTALLED}${ifNews(agent)}` : IF_INSTALLED
    const command = `${first}${starts} --agent ${agent} --for ${name}${user ? ' --user' : ''}${count}${mild}`
    return { event, starts, entry: hooks!.entry(command) }
  })
}
