import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type StateReport, verifyStates } from '../../../../archive/state-verify.ts'
import { verifyChains } from '../../../../archive/store-verify.ts'
import { type Context, foldersOf } from '../../../../compose/open.ts'
import { demandKept } from '../../../../compose/own-store.ts'
import { version } from '../../../../compose/version.ts'
import { loadConfig, readSettings } from '../../../../config/file.ts'
import type { Agent } from '../../../../domain/agent.ts'
import { BatonError, ERROR_CODES } from '../../../../domain/errors.ts'
import { OPEN_STATES } from '../../../../domain/lifecycle.ts'
import { newestCheckpoint } from '../../../../service/audit/checkpoints.ts'
import { doubtsIn } from '../../../../service/audit/doubts.ts'
import type { Store } from '../../../../service/service.ts'
import { runningServer } from '../../../../workspace/server-note.ts'
import { findWorkspace, lookedAt, type Workspace, workspaceAround } from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { flag, isOn } from '../../input/args.ts'
import { oneLine, plainText } from '../../screen/plain-text.ts'
import { withProgress } from '../../screen/progress.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'
import { demandAnchors } from '../audit/anchor.ts'

export interface DoctorResult {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** Of the error that kept the check from being made. */
  readonly code?: string
}

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Checks this machine, the workspace, its settings, the store, every chain of the log and the live folders.',
  flags: [
    flag(
      'bundle',
      'A report to hand on, as JSON: versions, counts and findings, without names, texts and secrets',
    ),
  ],
  examples: ['baton doctor', 'baton doctor --json', 'baton doctor --bundle > report.json'],
  async run(shell, args) {
    const findings: DoctorResult[] = [nodeVersion()]
    const isNamed = (shell.store ?? shell.io.env.store) !== undefined
    const workspace = await attempt(findings, 'workspace', async () => {
      const found = await findWorkspace(shell.io.cwd, shell.io.env)
      // A store that is named needs no folder.
      if (found || !isNamed)
        findings.push(workspaceResult(found, workspaceAround(shell.io.cwd, shell.io.env)))
      return found
    })
    if (workspace?.configFile !== undefined)
      await attempt(findings, 'settings', () => settings(findings, workspace, shell))
    if (workspace || isNamed)
      await attempt(findings, 'store', async () => {
        const context = await storeAndLog(findings, shell)
        findings.push(...serverResult(context, shell.io.env.uid))
        await attempt(findings, 'agents', async () => findings.push(...(await agentsResult(context))))
        await attempt(findings, 'folders', () => folders(findings, context))
      })
    const ok = findings.every((finding) => finding.ok)
    if (isOn(args, 'bundle')) shell.print(JSON.stringify(await reportOf(shell, findings), undefined, 2))
    else printResults(shell, ok, findings)
    return ok ? 0 : ERROR_CODES.unmet.exit
  },
}

function printResults(shell: Shell, ok: boolean, findings: readonly DoctorResult[]): void {
  shell.answer({ ok, checks: findings }, () =>
    shell.screen.fields(
      findings.map(({ name, ok: fine, detail }): [string, string] => [
        `${fine ? shell.screen.tick : shell.screen.cross} ${name}`,
        shell.hint(plainText(detail)),
      ]),
    ),
  )
}

/** A check that could not be made is a finding too. */
async function attempt<T>(
  findings: DoctorResult[],
  name: string,
  check: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof BatonError)) throw error
    findings.push({ name, ok: false, detail: error.message, code: error.code })
    return undefined
  }
}

/** The problem that a check has found, else the sentence that says that all is well. */
const resultOf = (name: string, problem: string | undefined, fine: string): DoctorResult => ({
  name,
  ok: !problem,
  detail: problem || fine,
})

function nodeVersion(): DoctorResult {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > 22 || (major === 22 && minor >= 18)
  return { name: 'node', ok, detail: `${process.version}${ok ? '' : '; install Node 24'}` }
}

/** A repository within another one, such as a submodule, does not use the workspace around it. */
function workspaceResult(workspace: Workspace | undefined, around: string | undefined): DoctorResult {
  const use = `use that one with BATON_WORKSPACE=${around}`
  const none = around
    ? `none in this repository, which lies within the workspace of ${around}; ${use}, or make one here with: baton init`
    : 'none here or above; make one with: baton init'
  const isSecond = around !== undefined && around !== workspace?.root
  const second = `; a second workspace lies around it in ${around} and shares nothing with it; ${use}`
  const problem = workspace ? folderProblem(workspace.dir) : none
  return resultOf('workspace', problem, `${workspace?.root}${isSecond ? second : ''}`)
}

function serverResult({ service, workspace }: Context, uid: number | undefined): DoctorResult[] {
  const { location } = service.deps.store.info
  const server = workspace && runningServer(workspace.dir, uid)
  if (!server) return []
  const wrong = `${server.url} was started here and serves ${server.store}, not this store; stop it and start: baton serve`
  return [resultOf('server', server.store === location ? undefined : wrong, server.url)]
}

/** Open work of a name that was removed, or that the list in `baton.yaml` does not have. */
async function agentsResult({ service: { deps } }: Context): Promise<readonly DoctorResult[]> {
  const { agents: listed } = deps.policy
  const isListed = ({ name, kind }: Agent) => !listed || kind === 'human' || Object.hasOwn(listed, name)
  const gone = (await deps.store.agents()).filter((agent) => agent.removed || !isListed(agent))
  const open = gone.map(({ name }) => deps.store.handoffs({ to: name, state: OPEN_STATES }, { limit: 1 }))
  const [first] = (await Promise.all(open)).flatMap(({ items }) => items)
  if (!first) return []
  const { id, to } = first
  const detail = `${to} is not in the list of agents and has open work, such as ${id}. Add ${to} to the list, or run: baton reassign ${id} --to <agent>`
  return [{ name: 'agents', ok: false, detail }]
}

function folderProblem(dir: string): string | undefined {
  const mode = statSync(dir, { throwIfNoEntry: false })?.mode
  if (mode === undefined) return undefined
  if ((mode & 0o022) !== 0) return `${dir} can be written by other users; run: chmod go-w ${dir}`
  if (existsSync(join(dir, '.gitignore'))) return undefined
  return `${dir} has no .gitignore, so git would take it in; run: baton init`
}

async function settings(findings: DoctorResult[], workspace: Workspace, shell: Shell): Promise<void> {
  const file = workspace.configFile!
  const { trustState } = await import('../../../../workspace/trust.ts')
  const { trusted, waiting } = await trustState(workspace, await readSettings(file), shell.io.env)
  const problem = waiting.length > 0 ? `${file}: ${waiting.join(' and ')} wait for: baton trust` : undefined
  findings.push(resultOf('settings', problem, `${file}${trusted ? ', trusted' : ''}`))
}

async function storeAndLog(findings: DoctorResult[], shell: Shell): Promise<Context> {
  const context = await shell.openLocal({ write: false })
  const { store } = context.service.deps
  const { engine, location, schema, readOnly, changesLog } = store.info
  findings.push({
    name: 'store',
    ok: context.isOurs,
    detail: `${location} (${engine === 'sqlite' ? 'SQLite, durable on commit' : 'PostgreSQL'}, schema ${schema}${readOnly ? ', read-only for you' : ''})${context.isOurs ? '' : '; it was not made by you, and its tokens and keys wait for: baton trust'}`,
  })
  if (changesLog)
    findings.push({
      name: 'rights',
      ok: true,
      detail:
        'this role may also change and delete entries of the log; for a role that may not, run: baton store grants <role>',
    })
  const report = await withProgress(shell, (tell) =>
    verifyChains(store, {
      tell: (what, done, of) => tell(`${what}: ${done} of ${of}`),
      signal: shell.io.lasting(),
    }),
  )
  const [first] = report.broken
  const broken =
    first &&
    `${count(report.broken.length, 'chain')} of ${report.streams} broken; the first is ${first.stream} at entry ${first.at}: ${first.reason}. Keep the store as it is and look at a backup`
  const verified = `${count(report.streams, 'chain')} with ${count(report.entries, 'entry', 'entries')} verified`
  findings.push(resultOf('log', broken, verified))
  await attempt(findings, 'key', () => demandKept(shell.io.env, context.service.deps))
  await attempt(findings, 'checkpoint', async () => {
    await newestCheckpoint(context.service.deps)
    await demandAnchors(shell, context)
  })
  await attempt(findings, 'rows', async () => findings.push(rowsResult(await verifyStates(store))))
  findings.push(await callersResult(store, shell))
  const [wrong] = await store.miscounted()
  const miscounted =
    wrong &&
    `the count of ${wrong.end} is ${wrong.kept}, and ${count(wrong.rows, 'row')} are there: the store was changed outside Baton. Keep it as it is and look at a backup`
  findings.push(resultOf('counts', miscounted, 'kept counts are those of the rows'))
  return context
}

/** Every row against what the log commits to. */
function rowsResult({ bound, unbound, wrong }: StateReport): DoctorResult {
  const [first] = wrong
  const older = unbound > 0 ? `; the log binds ${count(unbound, 'older row')} with the next step` : ''
  const problem =
    first &&
    `${count(wrong.length, 'finding')} against the log, the first: ${oneLine(first)}. Keep the store as it is and look at a backup; see all: baton audit verify`
  return resultOf('rows', problem, `${count(bound, 'row')} as the log says${older}`)
}

/** Entries since a person last looked whose caller is in doubt. */
async function callersResult(store: Store, { io }: Shell): Promise<DoctorResult> {
  const { doubts } = await doubtsIn(store, lookedAt(io.env, store.info.origin))
  const [first] = doubts
  const problem =
    first &&
    `${count(doubts.length, 'entry', 'entries')} whose caller is in doubt, the first: ${oneLine(first)}. After a look a person runs: baton trust`
  return resultOf('callers', problem, 'no caller is in doubt')
}

/** The folders have a doctor of their own, who tells it all and mends it; a look that only reads makes nothing for them. */
async function folders(findings: DoctorResult[], context: Context): Promise<void> {
  if (context.service.deps.store.info.readOnly) return
  const options = await foldersOf(context)
  if (!options || !existsSync(join(options.dir, 'folders.db'))) return
  const { examineFolders } = await import('../../../../folders/doctor.ts')
  const found = await examineFolders(options)
  const drift = found.filter(({ isNote }) => !isNote)
  const [first] = drift
  const content =
    found.length === 0
      ? 'live folders and engine agree'
      : `nothing to repair in the live folders; ${count(found.length, 'note')}, see: baton folders doctor`
  const problem =
    first &&
    `${count(drift.length, 'finding')}, the first at ${oneLine(first.path)}: ${oneLine(first.message)}; see: baton folders doctor`
  findings.push(resultOf('folders', problem, content))
}

/** Findings whose words name nobody and no place, when all is well. */
const NAMELESS = new Set(['node', 'rights', 'log', 'rows', 'callers', 'counts'])

/**
 * The report for a person who helps: versions, numbers and findings. Names of agents, titles, texts, paths,
 * addresses and values of settings stay here.
 */
const reportOf = async (shell: Shell, findings: readonly DoctorResult[]): Promise<unknown> => ({
  baton: version(),
  node: process.version,
  system: `${process.platform} ${process.arch}`,
  checks: findings.map(({ name, ok, detail, code }) => ({
    name,
    ok,
    code,
    ...(ok && NAMELESS.has(name) && { detail }),
  })),
  ...(await numbers(shell)),
  settings: await settingNames(shell),
  coding_agent: shell.io.env.codingAgent !== undefined,
})

async function numbers(shell: Shell): Promise<object> {
  try {
    const { service } = await shell.openLocal({ write: false })
    const { store } = service.deps
    const { engine, schema, readOnly } = store.info
    const { handoffs, tasks, entries } = await store.counts()
    return {
      store: { engine, schema, read_only: readOnly },
      counts: { handoffs, tasks, agents: (await store.agents()).length, entries },
    }
  } catch {
    // The findings already say what is wrong with the store.
    return {}
  }
}

async function settingNames(shell: Shell): Promise<readonly string[]> {
  try {
    const file = (await findWorkspace(shell.io.cwd, shell.io.env))?.configFile
    if (file === undefined) return []
    return Object.keys(await loadConfig(file))
  } catch {
    return []
  }
}
