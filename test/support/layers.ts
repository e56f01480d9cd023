/** One folder of `src/`: its duty, and which other folders and packages it may import. */
export interface Layer {
  readonly duty: string
  readonly imports: readonly string[]
  /** Set for the pure layers only: the packages they may name. They read no clock, chance or environment. */
  readonly packages?: readonly string[]
}

/** The row of the files that stand in `src/` itself. */
export const ENTRIES = '*.ts'

/** The layer table. `test/layers.test.ts` holds the code to it, and CONTRIBUTING.md shows it. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  domain: {
    duty: 'the rules, pure: states and transitions, limits, deadlines, retries, guards, chains, debts, orders; schemas and types',
    imports: [],
    packages: ['zod'],
  },
  audit: {
    duty: "the log's form, pure: canonical JSON, entry, chain, disclosure, tree, signed notes, signatures; `levels/` is the verifier",
    imports: [],
    packages: [],
  },
  crypto: {
    duty: 'hashes and random bytes, without loading node:crypto into a short command',
    imports: ['audit'],
  },
  dialects: {
    duty: 'the five formats, pure: `text/` takes a text apart and edits it in place; each dialect has a folder with its mapping table; `read`, `convert`, `rewrite`; one suite of laws',
    imports: ['domain'],
    packages: ['zod', 'yaml', 'markdown-it'],
  },
  pictures: {
    duty: 'drawings of workflows, pure: layout, SVG, Mermaid',
    imports: ['domain'],
    packages: [],
  },
  storage: {
    duty: '`store.ts` is the port and `store.contract.ts` its promises; `working-set.ts` decides in memory; `group-commit.ts` shares a transaction; `sqlite/` and `postgres/` are the engines',
    imports: ['domain', 'audit', 'crypto'],
  },
  service: {
    duty: 'the use cases: load, decide, store; settling, waiting, acceptance checks. The only layer that orders I/O. Of the storage it names the port alone',
    imports: ['domain', 'audit', 'crypto', 'dialects', 'storage'],
  },
  operations: {
    duty: 'every operation, defined once for all surfaces',
    imports: ['domain', 'audit', 'dialects', 'pictures', 'service'],
  },
  git: {
    duty: 'worktrees, merge checks, reverts, hooks, the pre-commit check; the only place that reads `.git` or starts git',
    imports: ['domain', 'dialects', 'operations', 'service', 'setup'],
  },
  folders: {
    duty: 'live folders: files and engine kept in step both ways; a folder for each kind',
    imports: ['domain', 'dialects', 'operations', 'service'],
  },
  migrate: {
    duty: 'brings handoffs of the first markdown version to the second',
    imports: ['domain', 'dialects', 'git', 'setup'],
  },
  notify: { duty: 'messages to the outside: webhooks, mail', imports: ['domain', 'service'] },
  runner: {
    duty: 'the interface of programs: `Baton`, its agents and workers; `link.ts` is the port to a workspace here or at a server',
    imports: ['domain', 'operations', 'service'],
  },
  setup: {
    duty: 'connects agent programs: edits of their files as data, shown, applied, undone',
    imports: ['domain', 'dialects'],
  },
  config: {
    duty: '`baton.yaml` and the environment: schema, checks, defaults; the only reader of the environment',
    imports: ['domain', 'dialects', 'notify'],
  },
  programs: {
    duty: 'starts the programs of agents when work arrives: process and guard, brief, answer, worktree',
    imports: ['domain', 'service', 'git', 'runner', 'config'],
  },
  workspace: {
    duty: "finds and makes a workspace; identity, trust, keys and files of the user's home",
    imports: ['domain', 'audit', 'dialects', 'service', 'git', 'folders', 'setup', 'config'],
  },
  archive: {
    duty: 'export and verification of logs; backup, copy and verification of stores',
    imports: ['domain', 'audit', 'service', 'storage'],
  },
  compose: {
    duty: 'the composition root: chooses an engine, opens a workspace with its live folders',
    imports: ['domain', 'service', 'storage', 'folders', 'git', 'notify', 'config', 'workspace'],
  },
  transports: {
    duty: '`cli/`, `http/`, `mcp/`, `hooks/`: thin, without rules of their own; `shared/` holds what several of them use',
    imports: [
      'domain',
      'operations',
      'service',
      'folders',
      'git',
      'migrate',
      'runner',
      'programs',
      'setup',
      'config',
      'workspace',
      'archive',
      'compose',
    ],
  },
  [ENTRIES]: {
    duty: 'the public entries of the package; no folder imports them',
    imports: [
      'domain',
      'dialects',
      'operations',
      'service',
      'folders',
      'runner',
      'config',
      'compose',
      'transports',
    ],
  },
}

/** Every import of a file outside of `src/`. The demo is an example and a command too. */
export const OUTSIDE: readonly string[] = [
  'transports/cli/commands/index.ts imports ../../../../examples/demo/demo.ts',
]
