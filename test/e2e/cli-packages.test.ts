import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, baton, quick } from '../support/program/command.ts'

/** A repository with one commit, and a file that was made after it. */
function repository(t: TestContext) {
  const cwd = folders(t).repository('shop')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd,
      stdio: 'pipe',
    })
  writeFileSync(join(cwd, 'README.md'), '# Shop\n')
  git('add', '.')
  git('commit', '-m', 'first')
  mkdirSync(join(cwd, 'docs'))
  writeFileSync(join(cwd, 'docs/plan.md'), '# Plan\n')
  return { cwd }
}

const SEND = [
  'send',
  '--as=architecture',
  '--to=security-check',
  '--home=package',
  '--title=Review the API',
  '--summary=API architecture defined, needs security review',
  '--deliverable=Risk report on proposed architecture',
]

describe('a package on the command line', () => {
  it('[S4-32] [S4-33] names the files that git knows and the sender forgot', async (t) => {
    const where = repository(t)

    const forgot = await baton(where, ...SEND, '--check-files', 'HEAD')
    const { warnings } = await ask<{ warnings: object[] }>(
      where,
      ...SEND,
      '--check-files',
      'HEAD',
      '--artifact',
      'docs/plan.md',
    )

    assert.equal(forgot.code, 0)
    assert.match(forgot.stderr, /docs\/plan\.md was changed and is not among the artifacts/)
    assert.deepEqual(warnings, [])
    const wrong = await quick(where, ...SEND, '--check-files', 'nowhere')
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [2, '✗ --check-files: git knows no commit or branch nowhere\n'],
    )
  })

  it('[S4-40] [S4-47] is begun in the words of its receiver and not before', async (t) => {
    const where = repository(t)
    await ask(where, ...SEND)
    const accept = ['accept', '@', '--as=security-check']

    const bare = await quick(where, ...accept)
    const begun = await baton(where, ...accept, '--understood', 'List the risks of the API')

    assert.equal(bare.code, 8)
    assert.match(
      bare.stderr,
      /say the task in your own words, as understood\.task; for example: baton accept HO-/,
    )
    assert.match(begun.stdout, /is yours, in progress/)
    const shown = await ask<{ acknowledgment: Record<string, unknown> }>(
      where,
      'show',
      '@',
      '--as=architecture',
    )
    assert.deepEqual(shown.acknowledgment.understanding, ['List the risks of the API'])
  })

  it('[S4-50] [S4-52] goes back to its sender while something in it is unclear', async (t) => {
    const where = repository(t)
    await ask(where, ...SEND, '--constraint', 'Do it quickly', '--artifact', 'docs/plan.md')
    const accept = ['accept', '@', '--as=security-check', '--understood', 'List the risks of the API']

    const unclear = await baton(where, ...accept)
    await ask(where, 'answer', '@', 'Within two days', '--as=architecture')
    const begun = await quick(where, ...accept)

    assert.match(unclear.stderr, /Constraint 'quickly' not measurable/)
    assert.match(unclear.stdout, /has a question for architecture; it waits for the answer/)
    assert.doesNotMatch(unclear.stderr, /next: baton submit/)
    assert.match(begun.stdout, /is yours, in progress/)
    assert.match(begun.stderr, /next: baton submit/)
  })
})
