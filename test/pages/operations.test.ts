// Types every example of docs/generated/operations.md, which `--help` shows too.
import assert from 'node:assert/strict'
import { chmodSync, cpSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { shellWords } from '../support/documents/guide-commands.ts'
import { ask, cleanEnv, type Where } from '../support/program/command.ts'
import { blocksOf, typedLines } from './page.ts'
import { commandIn, onShell } from './shell.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const STAND_INS = join(import.meta.dirname, 'stand-ins')
const PAGE = readFileSync(join(ROOT, 'docs/generated/operations.md'), 'utf8')

const SENT =
  'send --to codex --title "Add rate limiting" --summary "API needs limits" --deliverable "Middleware in src/"'
const TAKEN = [SENT, 'accept @ --as codex']
const ASKED = [...TAKEN, 'ask @ "Which endpoints are public?" --as codex']
const HANDED_IN = [...TAKEN, 'submit @ --as codex --evidence "Middleware in src/=src/limit.ts"']
const SEVEN = [...Array.from({ length: 7 }, () => SENT), 'reject 7 -m "no access" --as codex']
const RETURNED = [
  'init --dialect package',
  'send --as planner --to codex --type delegation --title "Plan" --summary "A plan of two steps" --deliverable "Code"',
  'accept @ --as codex --understood "Limit the public API"',
  'handoff complete @ --as codex',
  'accept @ --as planner --understood "The limits are there"',
]
const TASK = ['task create P0.1.1 --title "Set up the package"']
const STARTED = [...TASK, 'task start P0.1.1 --as claude']
const WORK = '--branch feature/p0-1-1-package-setup --commit-sha abc123def456789abcdef456789abcdef456789a'
const RECORDED = `thought record P0.1.1 ${WORK} --test smoke.test.ts --summary "Set it up"`
/** The record becomes one that no entry of the log names. */
const PAST_THE_TOOLS =
  "UPDATE record SET uid = '0198f000-0000-7000-8000-000000000001', doc = json_set(doc, '$.uid', '0198f000-0000-7000-8000-000000000001')"
const DONE = [
  ...STARTED,
  `task complete P0.1.1 ${WORK} --test smoke.test.ts --summary "Set it up" --as claude`,
]
const SESSION = ['audit session-start --as codex']
const SEALED = [...SESSION, ...TASK, `${RECORDED} --as codex`]
const RUN = ['workflow start feature --as lead']
const OPTIONS =
  '--type escalation --title "Which approach?" --option A="fast, debt" --option B="robust, long"'

/** What each line of an operation needs before it, or all of them together. */
const BEFORE: Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>> = {
  agent_remove: ['agent add codex'],
  artifact_get: [...TAKEN, 'artifact put request.json --handoff @ --as codex'],
  artifact_put: TAKEN,
  audit_checkpoint: [SENT],
  audit_key: [SENT],
  audit_log: [SENT],
  audit_proof: [SENT],
  audit_redact: HANDED_IN,
  audit_verify_chain: SESSION,
  document_export: [[SENT], DONE],
  gate_decide: [
    ['send --as planner --to human --type gate --title "Check it" --validate "The scope"'],
    [SENT, SENT, SENT, `send --as estimation --to human ${OPTIONS}`],
  ],
  handoff_accept: [[SENT], [SENT], [SENT]],
  handoff_amend: [SENT],
  handoff_answer: ASKED,
  handoff_ask: TAKEN,
  handoff_cancel: [SENT],
  handoff_claim: ['send --to react-specialist --title "Card"'],
  handoff_comment: [SENT],
  handoff_complete: RETURNED,
  handoff_fail: TAKEN,
  handoff_get: [SENT],
  handoff_heartbeat: TAKEN,
  handoff_list: [SENT],
  handoff_reassign: [SENT],
  handoff_reject: [SENT],
  handoff_release: TAKEN,
  handoff_resend: [SEVEN, SEVEN],
  handoff_retry: [...TAKEN, 'fail @ -m "down" --as codex'],
  handoff_running: TAKEN,
  handoff_send: [[], ['create --to codex --title "Add rate limiting"']],
  handoff_submit: TAKEN,
  handoff_verify: [HANDED_IN, HANDED_IN],
  handoff_wait: [...HANDED_IN, 'verify @ --pass'],
  handoff_waive: [`${SENT} --check "npm test"`],
  merkle_finalize: SEALED,
  merkle_root: [...SEALED, 'merkle finalize --as codex'],
  notice_ack: [SENT, 'reject @ -m "no access" --as codex', 'inbox'],
  task_brief: [...TASK, 'task create P0.1.2 --title "Set up the linter"'],
  task_complete: STARTED,
  task_create: TASK,
  task_escalate: [...STARTED, 'agent add lead --role pm'],
  task_get: TASK,
  task_log: TASK,
  task_plan: ['task create P1.4 --title "Set up the package"'],
  task_reopen: DONE,
  task_start: TASK,
  task_update: STARTED,
  thought_attest: [...TASK, RECORDED, PAST_THE_TOOLS],
  thought_list: TASK,
  thought_record: STARTED,
  workflow_cancel: RUN,
  workflow_picture: RUN,
  workflow_resume: RUN,
  workflow_status: RUN,
}

/** What stands on the page for an id that Baton makes, and where the last line before answers it. */
const IDS: Readonly<Record<string, (answer: never) => string>> = {
  '0199…': ({ uid }: { uid: string }) => uid,
  '3f9a2c': ({ notices: [notice] }: { notices: readonly { uid: string }[] }) => notice!.uid,
}

interface Example {
  readonly name: string
  readonly before: readonly string[]
  readonly lines: readonly string[]
}

const examples: readonly Example[] = PAGE.split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const name = /^\w+/.exec(section)![0]
    const lines = blocksOf(section).flatMap(typedLines)
    const before = BEFORE[name] ?? ['init']
    return Array.isArray(before[0])
      ? lines.map((line, i) => ({ name: `${name}: ${line}`, before: before[i] as string[], lines: [line] }))
      : [{ name, before: before as string[], lines }]
  })

describe('the examples of operations.md work as they are typed', { concurrency: 4 }, () => {
  for (const { name, before, lines } of examples)
    it(name, async (t) => {
      const { where, type } = await project(t)
      let last: unknown
      for (const line of before)
        if (line.startsWith('UPDATE')) inStore(where, line)
        else last = await ask(where, ...shellWords(line))
      const known = Object.entries(IDS).filter(([id]) => lines.some((line) => line.includes(id)))
      const typed = known.reduce(
        (all, [id, idIn]) => all.map((line) => line.replaceAll(id, idIn(last as never))),
        lines,
      )

      const { code, shown } = await type(typed)

      assert.equal(code, 0, shown)
    })
})

/** A project with what the examples speak of: documents, task prompts, a report and a workflow. */
async function project(t: TestContext) {
  const place = folders(t)
  const shop = place.repository('shop')
  cpSync(join(ROOT, 'examples/documents'), shop, { recursive: true })
  const documents: Readonly<Record<string, string>> = {
    'report.md': 'documents/summary.md',
    'reports/1.md': 'documents/summary.md',
    'handoff.md': 'documents/_handoffs/active/handoff-grok-claude-BPRD-2026-0042-20261118.md',
    'handoff.yaml': 'documents/package.yaml',
    'docs/plan.md': 'documents/README.md',
    'workflows/feature.yaml': 'workflows/feature.yaml',
  }
  for (const [name, sample] of Object.entries(documents))
    cpSync(join(ROOT, 'examples', sample), join(shop, name))
  cpSync(join(STAND_INS, 'agent'), place.path('bin/agent'))
  const where: Where = { cwd: shop }
  chmodSync(place.file('bin/baton', commandIn(ROOT)), 0o755)
  const env = {
    ...cleanEnv(where),
    PATH: [place.path('bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    GIT_CONFIG_NOSYSTEM: '1',
  }
  return {
    where,
    type: (lines: readonly string[]) => {
      const year = String(new Date().getFullYear())
      const typed = lines.map((line) => line.replaceAll('HO-2026-', `HO-${year}-`))
      return onShell({ script: place.file('typed.sh', ['set -e', ...typed].join('\n')), cwd: shop, env })
    },
  }
}

function inStore({ cwd }: Where, statement: string): void {
  const store = new DatabaseSync(join(cwd, '.baton/baton.db'))
  store.exec(statement)
  store.close()
}
