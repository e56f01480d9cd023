import assert from 'node:assert/strict'
import { copyFileSync, cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { it } from 'node:test'
import { parse } from 'yaml'
import { folders, git } from '../support/documents/folders.ts'
import { ask, baton, onTerminal, trusted, type Where } from '../support/program/command.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/run-team')
const REQUEST = '{"request": "Limit requests to 100 a minute"}'

const stepsOf = async (where: Where, run: string) =>
  (await ask<{ steps: { agent: string; state: string }[] }>(where, 'workflow', 'status', run)).steps.map(
    ({ agent, state }) => `${agent} ${state}`,
  )

// The commands of its README.md, with the stand-ins.
it('the example team takes a request over a gate to a person, as a workflow and by --then', async (t) => {
  const place = folders(t)
  const where: Where = { cwd: place.repository('team') }
  cpSync(EXAMPLE, where.cwd, { recursive: true })
  const real = parse(readFileSync(join(EXAMPLE, 'baton.yaml'), 'utf8'))
  copyFileSync(join(EXAMPLE, 'stand-ins.yaml'), join(where.cwd, 'baton.yaml'))
  git(where.cwd, 'add', '.')
  git(where.cwd, 'commit', '-qm', 'A team')
  trusted(where)
  const once = () => baton(where, 'run', '--once')
  await ask(where, 'workflow', 'start', 'team', '--as', 'maria', '--input', REQUEST)

  assert.equal((await once()).code, 0)
  assert.equal((await stepsOf(where, 'team-1'))[1], 'coder waiting')
  onTerminal(where, ['decide', 'team-1.plan.gate', 'approve', '--comment', 'Go on'], {
    steps: [['[y/N]', 'y\n']],
  })
  const then = [
    '--then',
    'coder',
    'Change it',
    '--then',
    'reviewer',
    'Review it',
    '--then',
    'human',
    'Release',
  ]
  const plan = ['--to', 'planner', '--title', 'Limit requests to 100 a minute']
  const chain = await ask<{ run: string }>(where, 'send', '--as', 'maria', ...plan, ...then)
  assert.equal((await once()).code, 0)

  const done = ['planner completed', 'coder completed', 'reviewer completed', 'human active']
  assert.deepEqual(await stepsOf(where, 'team-1'), done)
  assert.deepEqual(await stepsOf(where, chain.run), done)
  assert.deepEqual(Object.keys(real.runners), ['planner', 'coder', 'reviewer'])
})
