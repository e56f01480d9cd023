import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isEnd, type State } from '../../src/domain/lifecycle.ts'
import { orElse } from '../../src/domain/once.ts'
import { programsAt, until } from '../support/program/runners.ts'
import { MODEL_URL, Model, type Step } from './model.ts'
import { type ProgramName, programOf } from './programs.ts'
import { Stage, type Tools } from './stage.ts'

const AGENTS = ['claude', 'codex', 'gemini'] as const satisfies readonly ProgramName[]
const HANDOFFS = 20
/** All programs together, on a busy machine. */
const PATIENCE_MS = 20 * 60_000
const RETRY = '{"max":2,"delay_s":0,"multiplier":1}'
const TERMINAL = resolve(import.meta.dirname, '../support/program/terminal.py')

interface Shown {
  readonly state: string
  readonly attempt: number
  readonly attempts: readonly { readonly usage?: { readonly input_tokens?: number } }[]
}

/** How the work goes: well, refused once, failed once, or failed each time. */
const KINDS = ['well', 'refused', 'retried', 'hopeless'] as const
const kindOf = (n: number) => KINDS[n % KINDS.length]!

/** 20 handoffs over three real programs that `baton run` starts; each must end as its title says. */
export async function runHandoffs(tools: Tools): Promise<void> {
  using stage = new Stage('claude', tools)
  const { variables, ids } = await sentTo(stage, RETRY)
  const model = await Model.start()
  for (const [n, id] of ids.entries()) model.play(`You hold ${id} already`, scriptOf(kindOf(n), id))
  const refused = new Set<string>()
  const env = { ...stage.variables, ...variables }
  const runner = spawn(stage.batonFile, ['run'], { cwd: stage.repo, env, stdio: 'inherit' })
  const ended = once(runner, 'exit')
  try {
    const end = Date.now() + PATIENCE_MS
    for (const open = new Set(ids); open.size > 0 && Date.now() < end && runner.exitCode === null; )
      for (const id of open) {
        const state = await stage.stateOf(id)
        if (state === 'completed' || state === 'failed') open.delete(id)
        if (state !== 'in_review') continue
        const isRefused = kindOf(ids.indexOf(id)) === 'refused' && !refused.has(id)
        if (isRefused) refused.add(id)
        const verdict = isRefused ? ['--fail', 'the header is missing'] : ['--pass']
        await stage.baton('verify', id, ...verdict, '--as', 'planner')
      }
  } finally {
    runner.kill('SIGINT')
    await ended
    model.close()
  }
  for (const [n, id] of ids.entries()) {
    const { handoff } = JSON.parse(await stage.baton('show', id, '--json')) as { handoff: Shown }
    const kind = kindOf(n)
    const expected = {
      well: ['completed', 1],
      refused: ['completed', 1],
      retried: ['completed', 2],
      hopeless: ['failed', 3],
    }[kind]
    assert.deepEqual(
      [handoff.state, handoff.attempt],
      expected,
      `${id} of ${AGENTS[n % 3]}, ${kind}: ${JSON.stringify(handoff.attempts)}`,
    )
    assert.equal(refused.has(id), kind === 'refused')
    for (const { usage } of handoff.attempts) assert.ok((usage?.input_tokens ?? 0) > 0, `usage of ${id}`)
  }
  const { usage } = JSON.parse(await stage.baton('report', 'metrics', '--json'))
  console.log(`${HANDOFFS} handoffs ended as they should; reported: ${JSON.stringify(usage)}`)
}

/**
 * The same 20 while the runner is killed so many times, and its programs as often, at any moment on the way: nothing is
 * lost, nothing is handed in twice, no process stays.
 */
export async function killOnTheWay(tools: Tools, times: number): Promise<void> {
  using stage = new Stage('claude', tools)
  const { variables, ids } = await sentTo(stage, '{"max":100,"delay_s":0,"multiplier":1}')
  const model = await Model.start()
  const isRefused = (n: number) => kindOf(n) === 'refused'
  const handedIn = new Map(ids.map((id) => [id, 0]))
  for (const id of ids)
    model.play(`You hold ${id} already`, ({ text }) => {
      const paper = (count: number) => `src/${id}-${count}.ts`
      if (text.includes(paper(handedIn.get(id)!))) return 'Handed in.'
      handedIn.set(id, handedIn.get(id)! + 1)
      const evidence = [{ deliverable: 'Middleware in src/', evidence: paper(handedIn.get(id)!) }]
      return { tool: 'handoff_submit', args: { id, evidence } }
    })
  const env = { ...stage.variables, ...variables }
  const start = () => spawn(stage.batonFile, ['run'], { cwd: stage.repo, env, stdio: 'ignore' })
  let runner = start()
  const leaders = () => programsAt(stage.repo).filter(isLeader)
  const states = async () =>
    new Map(await Promise.all(ids.map(async (id) => [id, await stage.stateOf(id)] as const)))
  const refused = new Set<string>()
  const verifyAll = async () => {
    for (const [id, state] of await states()) {
      if (state !== 'in_review') continue
      const isNow = isRefused(ids.indexOf(id)) && !refused.has(id)
      if (isNow) refused.add(id)
      const verdict = isNow ? ['--fail', 'the header is missing'] : ['--pass']
      await stage.baton('verify', id, ...verdict, '--as', 'planner')
    }
  }
  try {
    let open = HANDOFFS
    let release = model.hold()
    for (let kill = 0; kill < 2 * times; ) {
      // In some turns the model answers, so that programs are killed in every part of their work.
      const isFree = kill % 20 >= 18 && open > 3
      if (isFree) release()
      await until(() => leaders().length > 0)
      await pause(Math.random() * 3_000)
      const [leader] = leaders()
      if (leader === undefined) continue
      if (kill++ % 2 === 0) {
        const ended = once(runner, 'exit')
        runner.kill('SIGKILL')
        await ended
        await until(() => programsAt(stage.repo).length === 0)
        runner = start()
      } else {
        orElse(() => process.kill(leader, 'SIGKILL'), false)
        await until(() => !leaders().includes(leader))
      }
      if (!isFree) continue
      release = model.hold()
      await verifyAll()
      open = [...(await states()).values()].filter((state) => !isEnd(state as State)).length
      console.log(`${kill} of ${2 * times} kills: ${open} open`)
    }
    release()
    await until(async () => {
      await verifyAll()
      return [...(await states()).values()].every((state) => isEnd(state as State))
    })
  } finally {
    const ended = once(runner, 'exit')
    runner.kill('SIGINT')
    await ended
    model.close()
  }
  assert.deepEqual(programsAt(stage.repo), [])
  for (const [n, id] of ids.entries()) {
    const submits = (await actsOf(stage, id)).filter((act) => act === 'handoff.submit').length
    assert.deepEqual([await stage.stateOf(id), submits], ['completed', isRefused(n) ? 2 : 1], id)
  }
  console.log(
    `${HANDOFFS} handoffs ended once each with ${times} kills of the runner and ${times} of programs`,
  )
}

/** All that the log says about a handoff, which may have many attempts. */
async function actsOf(stage: Stage, id: string): Promise<readonly string[]> {
  const acts: string[] = []
  for (let more: readonly string[] = []; ; ) {
    const page = JSON.parse(await stage.baton('audit', 'log', '--about', id, '--json', ...more))
    acts.push(...page.items.map(({ act }: { act: string }) => act))
    if (page.next === undefined) return acts
    more = ['--cursor', page.next]
  }
}

/** Of a group of processes: the program that the runner started. */
const isLeader = (pid: number): boolean =>
  orElse(
    () =>
      Number(
        readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')[2],
      ) === pid,
    false,
  )

/** Sets up the three programs and sends the work that each of them will find. */
async function sentTo(stage: Stage, retry: string) {
  for (const agent of AGENTS) await stage.setupOf(agent)
  const variables = Object.assign({}, ...AGENTS.map((agent) => programOf(agent).env(MODEL_URL)))
  trustRunners(stage, variables)
  const ids: string[] = []
  for (let n = 0; n < HANDOFFS; n++) {
    const about = ['--summary', 'API needs limits before launch; the plan was agreed on']
    const wanted = ['--deliverable', 'Middleware in src/', '--retry', retry, '--json']
    const to = ['--as', 'planner', '--to', AGENTS[n % AGENTS.length]!, '--title', `Work ${kindOf(n)}`]
    ids.push(JSON.parse(await stage.baton('send', ...to, ...about, ...wanted)).handoff.id)
  }
  return { variables, ids }
}

/** The steps of the model in all runs for one handoff. */
function scriptOf(kind: (typeof KINDS)[number], id: string): readonly Step[] {
  const evidence = [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }]
  const done: readonly Step[] = [{ tool: 'handoff_submit', args: { id, evidence } }, 'Handed in.']
  const failed: readonly Step[] = [
    { tool: 'handoff_fail', args: { id, code: 'PROCESSING_ERROR', message: 'the compiler is down' } },
    'I give up.',
  ]
  switch (kind) {
    case 'well':
      return done
    case 'refused':
      return [...done, ...done]
    case 'retried':
      return [...failed, ...done]
    case 'hopeless':
      return [...failed, ...failed, ...failed]
  }
}

function trustRunners(stage: Stage, variables: Readonly<Record<string, string>>): void {
  const runner = { env: Object.keys(variables), timeout: '2m', starts_per_hour: 10_000 }
  const gemini = { ...runner, command: ['gemini', '-m', 'gemini-2.5-pro', '--output-format', 'stream-json'] }
  writeFileSync(
    join(stage.repo, 'baton.yaml'),
    JSON.stringify({ runners: { claude: runner, codex: runner, gemini } }),
  )
  trustedAt(stage, ['trust'], 'Let this take effect?')
}

/** A command that a person at a terminal says yes to. */
export function trustedAt(stage: Stage, command: readonly string[], question: string): void {
  const job = {
    ...{ argv: [stage.batonFile, ...command], cwd: stage.repo, columns: 80, rows: 24, seconds: 60 },
    ...{ env: stage.variables, steps: [[question, 'y\n']] },
  }
  const { stdout } = spawnSync('python3', [TERMINAL, JSON.stringify(job)], { encoding: 'utf8' })
  assert.equal(JSON.parse(stdout).code, 0, stdout)
}
