import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import * as front from './index.ts'
import { openBaton } from './index.ts'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-open-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a program in a folder, without the variables of whoever runs the tests. */
function runIn(t: TestContext, folder: string, program: string, home = newFolder(t)) {
  const file = pathToFileURL(join(import.meta.dirname, 'index.ts')).href
  const text = `import { openBaton } from ${JSON.stringify(file)}\n${program}`
  const env = { PATH: process.env.PATH, HOME: home }
  const args = ['--input-type=module', '-e', text]
  return spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
}

describe('the front door', () => {
  it('has these names and no others', () => {
    assert.deepEqual(Object.keys(front).toSorted(), [
      'BatonError',
      'ERROR_CODES',
      'HandoffFailedException',
      'HandoffLimitExceeded',
      'HandoffTimeoutException',
      'PHASES',
      'STATUSES',
      'defineWork',
      'openBaton',
      'validateHandoff',
    ])
  })

  it('[S2-34] [S2-23] has the validator of document 002 and its two lists of words', () => {
    const block = { phase: front.PHASES[3], from: '@planner', to: '@codex', status: front.STATUSES[2] }

    assert.deepEqual([front.PHASES.length, front.STATUSES.length], [8, 6])
    assert.equal(front.validateHandoff(block), true)
    assert.throws(() => front.validateHandoff({ ...block, to: 'codex' }), {
      name: 'Error',
      message: 'Agent name must start with @: codex',
    })
  })
})

describe('openBaton', () => {
  it('opens a file, relative to the folder it is given, and finds there what was left', async (t) => {
    const cwd = newFolder(t)
    const first = await openBaton({ store: 'work/baton.db', cwd })
    const sent = await first.as('planner').send({ to: 'codex', title: 'Limits' })
    await first.close()

    const second = await openBaton({ store: join(cwd, 'work/baton.db') })
    const { items } = await second.as('codex').inbox()
    await second.close()

    assert.deepEqual(
      items.map(({ uid }) => uid),
      [sent.uid],
    )
  })

  it('opens one of many workspaces of a PostgreSQL database', async () => {
    const store = process.env.TEST_POSTGRES_URL
    assert.ok(store, 'TEST_POSTGRES_URL is not set: run the tests with node scripts/test.mjs')
    const open = (name: string) => openBaton({ store, workspace: `front-${process.pid}-${name}` })
    const [one, other] = await Promise.all([open('one'), open('other')])

    const sent = await one.as('planner').send({ to: 'codex', title: 'Limits' })

    assert.equal((await one.as('codex').inbox()).items.length, 1)
    await assert.rejects(other.as('codex').get(sent.uid), { code: 'not_found' })
    await Promise.all([one.close(), other.close()])
  })

  it('says what a store can be when it is none', async () => {
    await assert.rejects(openBaton({ store: 'mysql://localhost/x' }), {
      code: 'invalid_input',
      message: /mysql.*file path or postgres/,
    })
  })

  it('keeps the rules it is given, and takes the kind of an agent from them', async () => {
    const baton = await openBaton({
      store: ':memory:',
      policy: { agents: { planner: {}, maria: { kind: 'human' } } },
    })
    const planner = baton.as('planner')

    await assert.rejects(planner.send({ to: 'codex', title: 'x' }), {
      code: 'not_found',
      message: /unknown agent codex/,
    })
    const sent = await planner.send({ to: 'maria', title: 'Look at it' })
    await baton.as('maria').accept(sent.id)

    assert.equal((await planner.get(sent.id)).handoff.lease_until, undefined)
    await baton.close()
  })

  it('finds the workspace around a folder with the rules of its baton.yaml, as the command does', async (t) => {
    const root = newFolder(t)
    spawnSync('git', ['init', '--quiet'], { cwd: root })
    writeFileSync(join(root, 'baton.yaml'), 'agents:\n  planner: {}\n  codex: {}\n')
    const below = join(root, 'src/deep')
    mkdirSync(below, { recursive: true })

    const { stdout, stderr } = runIn(
      t,
      below,
      `const baton = await openBaton()
       const planner = baton.as('planner')
       await planner.send({ to: 'codex', title: 'Limits' })
       const refused = await planner.send({ to: 'gemini', title: 'x' }).catch((error) => error.code)
       console.log(refused, (await baton.as('codex').inbox()).items.length)
       await baton.close()`,
    )

    assert.deepEqual({ stdout, stderr }, { stdout: 'not_found 1\n', stderr: '' })
    assert.ok(existsSync(join(root, '.baton')))
  })

  it('warns when it leaves out what an untrusted baton.yaml sets', (t) => {
    const root = newFolder(t)
    spawnSync('git', ['init', '--quiet'], { cwd: root })
    writeFileSync(join(root, 'baton.yaml'), 'store: postgres://somewhere/else\n')

    const { stderr } = runIn(t, root, `await (await openBaton()).close()`)

    assert.match(stderr, /BatonWarning: .*baton\.yaml sets store.*baton trust/)
  })

  it('says how to make a workspace where there is none', (t) => {
    // The search ends at the home: the folder for temporary files may lie in a repository.
    const home = newFolder(t)
    const program = `await openBaton().catch((error) => console.log(error.code, error.message))`
    const { status, signal, stdout, stderr } = runIn(t, home, program, home)

    assert.deepEqual({ status, signal, stderr }, { status: 0, signal: null, stderr: '' })
    assert.match(stdout, /baton init/)
  })

  it('runs declared checks in the folder it is given, and no command', async (t) => {
    const cwd = newFolder(t)
    writeFileSync(join(cwd, 'limit.ts'), '')
    const baton = await openBaton({ store: ':memory:', cwd })
    const codex = baton.as('codex')
    const sent = await baton.as('planner').send({
      to: 'codex',
      title: 'Limits',
      home: 'queue',
      checks: [
        { kind: 'file_exists', path: 'limit.ts' },
        { kind: 'command', command: 'touch ran' },
      ],
    })
    await codex.accept(sent.id)

    await assert.rejects(codex.submit(sent.id, { output: true }), {
      code: 'unmet',
      message: `${sent.id} cannot be completed yet: check command exits 0: "touch ran" was not run: list it under checks.commands in baton.yaml, then: baton trust; a person can waive it with: baton handoff waive ${sent.id} "touch ran"`,
    })

    assert.deepEqual(
      sent.warnings.map(({ code }) => code),
      ['check_not_run'],
    )
    assert.equal(existsSync(join(cwd, 'ran')), false)
    await baton.close()
  })
})
