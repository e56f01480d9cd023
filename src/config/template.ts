import type { Home } from '../domain/home.ts'
import { DEFAULT_LIMITS } from '../domain/limits.ts'
import { DEFAULT_POLICY } from '../domain/policy.ts'

/** A `baton.yaml` to begin with: what the dialect needs is set, all else is there to be uncommented. */
export function startConfig(dialect: Home): string {
  const isMarkdown = dialect === 'markdown'
  const live = LIVE_PATHS[dialect]
  const isSet: Readonly<Record<string, boolean>> = {
    dialect: dialect !== 'native',
    agents: isMarkdown,
    verification: isMarkdown,
    folders: live !== undefined,
  }
  const folder = live === undefined ? (['markdown', '_handoffs'] as const) : ([dialect, live] as const)
  const sections = sectionsOf(dialect, isMarkdown ? documentAgents() : AGENTS, folder).split('\n\n')
  return [HEAD, ...sections.map((section) => `${settingSection(section, isSet)}\n`)].join('\n')
}

/** Prose starts with a capital letter, a setting with a small one: so both can be told apart when uncommenting. */
function settingSection(section: string, isSet: Readonly<Record<string, boolean>>): string {
  const [prose, ...lines] = section.split('\n')
  const isOn = isSet[lines[0]!.split(':')[0]!]
  return [`# ${prose}`, ...lines.map((line) => (isOn ? line : `# ${line}`))].join('\n')
}

/** The path of each format's folder. */
export const LIVE_PATHS: Readonly<Partial<Record<Home, string>>> = {
  markdown: '_handoffs',
  queue: '.',
  package: '.',
}

const HEAD = `# yaml-language-server: $schema=.baton/config.schema.json
# Settings of this Baton workspace. Every one is optional; remove the # to set it.
`

const AGENTS = `agents:
  codex:
    kind: agent # or human, orchestrator, specialist, pool
    roles: [verifier] # chief, verifier, delegator, pm
    capabilities: [typescript]
    limits:
      outgoing: 5
      incoming: 10
  maria:
    kind: human # takes effect only after: baton trust`

/** The five agents of document 000 with its limits. */
const documentAgents = (): string =>
  Object.entries(DEFAULT_LIMITS).reduce(
    (text, [name, { outgoing, incoming }]) =>
      `${text}\n  ${name}:\n    limits:\n      outgoing: ${outgoing}\n      incoming: ${incoming}`,
    'agents:',
  )

/** Each section: a line for people, and the setting. */
const sectionsOf = (dialect: Home, agents: string, [kind, path]: readonly [string, string]): string =>
  `The format of handoffs that do not name one: native, markdown, queue, block, writeback or package.
dialect: ${dialect}

Agents that can send and receive. When agents are listed, no other agent can; people always can.
${agents}

How many open handoffs agents without limits of their own may have sent and received.
default_limits:
  outgoing: 20
  incoming: 20

Verifiers of handoffs in the markdown format; the chief verifies when the verifier is the receiver.
verification:
  verifiers: [${DEFAULT_POLICY.verifiers.join(', ')}]
  chief: ${DEFAULT_POLICY.chief}

How long handoffs wait, by format: 90s, 15m, 4h, 2d or none.
deadlines:
  native:
    accept: 24h
  markdown:
    draft: 1h
    accept: 4h

Allowed senders and receivers; * stands for everyone.
routes:
  - from: '*'
    to: [codex, maria]

How many handoffs may follow from one.
depth_limit: ${DEFAULT_POLICY.depthLimit}

Folders of handoff files that are kept in step with the workspace, both ways.
folders:
  - dialect: ${kind}
    path: ${path}

A team's own format: a known one with other keys, words and folders.
formats:
  masters:
    base: queue
    keys: { from_master: source.agent_id, to_master: target.agent_id }
    states: { pending_pickup: pending }
    folders: { inbox: handoffs/pending }

The rule for a person who does not answer (wait). Takes effect only after: baton trust
people:
  remind: 1d
  silence:
    policy: escalate
    after: 2d
    to: maria

Webhooks and mail for people when something waits for them. Takes effect only after: baton trust
notify:
  - name: ops
    webhook: https://hooks.example.com/baton
    secret_env: BATON_HOOK_SECRET

The store of the workspace, if not in .baton. Takes effect only after: baton trust
store: postgres://localhost/baton
workspace: my-project

Workspaces that baton serve answers by name. Takes effect only after: baton trust
workspaces:
  shop: postgres://db1.example.com/baton

Commands that declared checks may run. Takes effect only after: baton trust
checks:
  commands:
    - npm test

Demands of task finish: task-records, or repository for its own tests only. Takes effect only after: baton trust
tasks:
  rules: repository

Programs that baton run starts. Takes effect only after: baton trust
runners:
  claude: { worktree: true, timeout: 30m }
  linter: { command: [./scripts/lint.sh] }

How baton serve uses the store, waits and logs. Takes effect only after: baton trust
server:
  pools: { writes: 2, reads: 4, slow_reads: 2 }
  timeouts: { request: 60s, query: 30s, slow_read: 10s, slow_budget: 15s }
  keep_alive: 75s
  log_level: info
  request_log: on # off, or 100 for one request in 100

Name of this installation in the origin of its log.
install: baton.example.com`
