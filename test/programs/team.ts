import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { MODEL_URL, Model, type Step } from './model.ts'
import { type ProgramName, programOf } from './programs.ts'
import { trustedAt } from './run.ts'
import { Stage, type Tools } from './stage.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/run-team')
const PROGRAMS = ['claude', 'codex', 'gemini'] as const satisfies readonly ProgramName[]
const REQUEST = '{"request": "Limit requests to 100 a minute"}'

/** The example team with the programs that its `baton.yaml` names: planner, person, coder, reviewer, person. */
export async function runTeam(tools: Tools): Promise<void> {
  using stage = new Stage('claude', tools)
  for (const program of PROGRAMS) await stage.setupOf(program)
  const variables = Object.assign({}, ...PROGRAMS.map((program) => programOf(program).env(MODEL_URL)))
  cpSync(EXAMPLE, stage.repo, { recursive: true })
  const { runners } = parse(readFileSync(join(EXAMPLE, 'baton.yaml'), 'utf8'))
  for (const runner of Object.values<{ command: string[]; env?: string[] }>(runners)) {
    runner.env = Object.keys(variables)
    // Which model it takes by itself depends on the account.
    if (runner.command[0] === 'gemini') runner.command.splice(1, 0, '-m', 'gemini-2.5-pro')
  }
  writeFileSync(join(stage.repo, 'baton.yaml'), JSON.stringify({ runners }))
  stage.git('add', '.')
  stage.git('commit', '-qm', 'A team')
  trustedAt(stage, ['trust'], 'Let this take effect?')
  await stage.baton('workflow', 'start', 'team', '--as', 'maria', '--input', REQUEST)

  const model = await Model.start()
  const handIn = (id: string, words: object): readonly Step[] => [
    { tool: 'handoff_submit', args: { id, ...words } },
    'Handed in.',
  ]
  const committed = () => stage.git('rev-parse', '--short', 'baton/coder/team-1-code').trim()
  const commit = async () => {
    const at = join(stage.repo, '.worktrees/coder/team-1-code')
    writeFileSync(join(at, 'limit.txt'), '100\n')
    stage.git('-C', at, 'add', '.')
    stage.git('-C', at, 'commit', '-qm', 'Limit requests to 100 a minute')
  }
  const evidence = [
    { deliverable: 'A commit on the branch', evidence: 'limit.txt on baton/coder/team-1-code' },
  ]
  model.play('You are planner. Baton', handIn('team-1.plan', { note: 'Plan: limit.txt holds the limit.' }))
  const [submit, last] = handIn('team-1.code', { evidence, note: 'The limit stands in limit.txt.' })
  const coded = model.play('You are coder. Baton', [{ meanwhile: commit, next: submit! }, last!])
  const reviewed = model.play(
    'You are reviewer. Baton',
    handIn('team-1.review', { note: 'The limit is 100.' }),
  )
  try {
    await runOnce(stage, variables)
    assert.deepEqual((await stepsOf(stage)).slice(0, 2), ['planner gate', 'coder waiting'])
    trustedAt(stage, ['decide', 'team-1.plan.gate', 'approve', '--comment', 'Go on'], '[y/N]')
    await runOnce(stage, variables)
  } finally {
    model.close()
  }
  const done = ['planner completed', 'coder completed', 'reviewer completed', 'human active']
  assert.deepEqual(await stepsOf(stage), done)
  assert.match(coded[0]?.text ?? '', /limit\.txt holds the limit/)
  assert.match(reviewed[0]?.text ?? '', /limit\.txt on baton\/coder\/team-1-code/)
  assert.equal(stage.git('show', `${committed()}:limit.txt`), '100\n')
  const { usage } = JSON.parse(await stage.baton('report', 'metrics', '--json'))
  assert.equal(usage.attempts, 3)
  console.log(`the team came to the person at its end; reported: ${JSON.stringify(usage)}`)
}

async function runOnce(stage: Stage, variables: Readonly<Record<string, string>>): Promise<void> {
  const env = { ...stage.variables, ...variables }
  const runner = spawn(stage.batonFile, ['run', '--once'], { cwd: stage.repo, env, stdio: 'inherit' })
  const [code] = await once(runner, 'exit')
  assert.equal(code, 0)
}

async function stepsOf(stage: Stage): Promise<readonly string[]> {
  const { steps } = JSON.parse(await stage.baton('workflow', 'status', 'team-1', '--json'))
  return steps.map(({ agent, state }: { agent: string; state: string }) => `${agent} ${state}`)
}
