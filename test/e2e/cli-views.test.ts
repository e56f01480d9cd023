import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, onTerminal, quick, type Where } from '../support/program/command.ts'

const project = (t: TestContext): Where => ({ cwd: folders(t).repository('project') })

async function escalated(t: TestContext): Promise<Where> {
  const where = project(t)
  const title = [
    '--title',
    'Which storage',
    '--summary',
    'Both ways work and were measured; one has to be chosen.',
  ]
  await ask(
    where,
    'send',
    '--to',
    'human',
    '--type',
    'escalation',
    ...title,
    '--as',
    'planner',
    ...['--deliverable', 'Validated choice', '--option', 'A=fast', '--option', 'B=robust'],
  )
  const decided = onTerminal(where, ['decide', '1', 'B', '--comment', 'We can wait'], {
    steps: [['[y/N]', 'y\n']],
  })
  assert.equal(decided.code, 0, decided.shown)
  return where
}

describe('what people are shown', () => {
  it('has the limits of agents as they are enforced, also those of baton.yaml', async (t) => {
    const where = project(t)
    const limits = '{ limits: { incoming: 3 } }'
    writeFileSync(resolve(where.cwd, 'baton.yaml'), `agents:\n  codex: ${limits}\n  pm: {}\n  grok: {}\n`)
    await ask(where, 'agent', 'add', 'pm', '--max-outgoing', '2')

    const { stdout } = await quick(where, 'agent', 'list')
    const { items } = await ask<{ items: { name: string; limits: object }[] }>(where, 'agent', 'list')

    const shown = stdout.split('\n').map((line) => line.split('\t'))
    assert.deepEqual(
      ['codex', 'grok', 'pm'].map((name) => shown.find(([first]) => first === name)?.[3]),
      ['∞ out, 3 in', '10 out, 5 in', '2 out, ∞ in'],
    )
    assert.deepEqual(
      items.map(({ name, limits }) => [name, limits]).filter(([name]) => name !== 'tester'),
      [
        ['codex', { incoming: 3 }],
        ['grok', { outgoing: 10, incoming: 5 }],
        ['pm', { outgoing: 2 }],
      ],
    )
  })

  it('has the decision of a person, and calls it one', async (t) => {
    const where = await escalated(t)
    const { stdout } = await quick(where, 'show', '1', '--as', 'planner')

    assert.match(stdout, /^Decision\s+D-HO-\d+-\d+: robust \(We can wait\)/m)
    assert.match(stdout, /^Decided\s+by \S+/m)
    assert.doesNotMatch(stdout, /✗|Verified/)
  })

  it('does not ask for a confirmation of what is decided already', async (t) => {
    const where = await escalated(t)
    const { code, shown } = onTerminal(where, ['decide', '1', 'A'])

    assert.equal(code, 5, shown)
    assert.match(shown, /is completed already; there is nothing left to decide/)
    assert.doesNotMatch(shown, /\[y\/N\]/)
  })

  it('says of an artifact that its file is not there', async (t) => {
    const where = project(t)
    const { code, stderr } = await quick(where, 'artifact', 'put', 'nofile', '--as', 'planner')

    assert.equal(code, 0)
    assert.match(stderr, /there is no file nofile here/)
  })

  it('says nothing of a baton.yaml that names the dialect already', async (t) => {
    const where = project(t)
    for (const dialect of ['markdown', 'markdown', 'queue']) {
      const { code, stderr } = await quick(where, 'init', '--dialect', dialect)

      assert.equal(code, 0)
      assert.equal(/for this format write: dialect: queue/.test(stderr), dialect === 'queue', stderr)
    }
  })

  it('shows options in examples as it lists them', async () => {
    const { stdout } = await quick({ cwd: '/' }, 'wait', '--help')

    assert.match(stdout, /baton wait HO-2026-001 --timeout 10m/)
  })

  it("can export what the README's own example has sent, as the example of export says", async (t) => {
    const where = project(t)
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/generated/operations.md'), 'utf8')
    const to = /^baton export HO-2026-001 --to (\w+)$/m.exec(page)?.[1] ?? ''
    await ask(
      where,
      'send',
      '--to',
      'codex',
      '--title',
      'Add rate limiting',
      ...['--summary', 'API needs limits before launch; plan agreed in standup'],
      ...['--deliverable', 'Middleware in src/', '--criterion', 'npm test passes'],
    )

    assert.equal((await quick(where, 'export', '001', '--to', to)).code, 0, to)
  })
})
