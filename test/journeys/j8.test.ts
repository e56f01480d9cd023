import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import type { Verification } from '../../src/audit/levels/index.ts'
import { folders } from '../support/documents/folders.ts'
import { python } from '../support/log/python-verifier.ts'
import { ask, quick, type Where } from '../support/program/command.ts'

/** A project in which work was handed over, with an export of its log. */
async function audited(t: TestContext) {
  const made = folders(t)
  const where: Where = { cwd: made.repository('project'), env: { BATON_HOME: made.folder('home') } }
  const send = [
    'send',
    '--to',
    'codex',
    '--title',
    'Add rate limiting',
    '--summary',
    'Limits before launch; the plan is agreed',
  ]
  await ask(where, ...send, '--deliverable', 'Middleware', '--criterion', 'npm test passes', '--as', 'ana')
  await ask(where, 'accept', '@', '--as', 'codex')
  const exported = await ask<{ folder: string; entries: number; vkey: string }>(
    where,
    'audit',
    'export',
    '--out',
    'log/',
  )
  return { where, made, exported, log: join(where.cwd, 'log') }
}

describe('the auditor', () => {
  it('[S3-33] exports the log, verifies it, and later that it went on from there', async (t) => {
    const { where, exported, log, made } = await audited(t)
    const seen = made.path('last-month.checkpoint')
    copyFileSync(join(log, 'checkpoint'), seen)
    await ask(where, 'submit', '@', '--evidence', 'Middleware=src/limit.ts', '--as', 'codex')
    await ask(where, 'audit', 'export', '--out', 'log/')

    const { code, stdout } = await quick(
      where,
      'audit',
      'verify',
      'log/',
      '--seen',
      seen,
      '--vkey',
      exported.vkey,
    )

    assert.equal(code, 0, stdout)
    assert.deepEqual(
      stdout.split('\n').flatMap((line) => /^([✓✗–?]) (L\d)/.exec(line)?.slice(1, 3).join(' ') ?? []),
      ['✓ L0', '✓ L1', '✓ L2', '– L3', '– L4', '✓ L5', '✓ L6'],
    )
    assert.match(stdout, /Not proven:\n {2}L0 does not prove that/)
    assert.match(python(['verify.py', log, '--seen', seen]), /^✓ L0.*\n✓ L1.*\n✓ L2.*\n✓ L5/)
  })

  it('[S3-38] finds a letter that was changed, names its place, and answers with 1', async (t) => {
    const { where, log } = await audited(t)
    const file = join(log, 'disclosures.jsonl')
    const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n')
    writeFileSync(
      file,
      [
        first.replace(/(.)(","entry)/, (_, letter, end) => `${letter === 'A' ? 'B' : 'A'}${end}`),
        ...rest,
      ].join('\n'),
    )

    const { code, stdout } = await quick(where, 'audit', 'verify', 'log/', '--json')

    const { verdict, levels } = JSON.parse(stdout) as Verification
    assert.deepEqual([code, verdict], [1, 'tampered'])
    assert.equal(levels[5]?.first_bad?.where, 'disclosures.jsonl line 1')
    assert.match(
      (await quick(where, 'audit', 'verify', 'log/')).stdout,
      /^✗ L5 disclosures +disclosures.jsonl line 1: it opens no digest/m,
    )
  })

  it('[S3-38] finds what somebody changed in the database itself', async (t) => {
    const { where } = await audited(t)
    const db = new DatabaseSync(join(where.cwd, '.baton', 'baton.db'))
    const edit =
      "UPDATE entry SET body = CAST(replace(CAST(body AS TEXT), 'codex', 'gemini') AS BLOB) WHERE act = ?"
    assert.equal(db.prepare(edit).run('handoff.accept').changes, 1)
    db.close()
    await quick(where, 'audit', 'export', '--out', 'log/')

    const { code, stdout } = await quick(where, 'audit', 'verify', 'log/', '--json')

    const { levels } = JSON.parse(stdout) as Verification
    assert.equal(code, 1)
    assert.equal(levels[1]?.verdict, 'failed')
  })

  it('is told apart from a wrong log whether it cannot be verified or was asked for wrongly', async (t) => {
    const { where, made } = await audited(t)
    const empty = made.folder('empty')
    const codeOf = async (...args: readonly string[]) => (await quick(where, 'audit', 'verify', ...args)).code

    assert.equal(await codeOf(empty), 2)
    assert.equal(await codeOf('nowhere/'), 3)
    assert.equal(await codeOf('--seen', 'checkpoint'), 3)
    assert.equal(await codeOf('log/', 'log/'), 3)
    assert.equal(await codeOf('log/', '--seen', 'nowhere'), 3)
    assert.equal(await codeOf('log/', '--vkey', 'nonsense'), 3)
    assert.equal(await codeOf('log/', '--policy', join('log', 'vkey')), 3)
  })

  it('does not write over a folder that holds something else', async (t) => {
    const { where } = await audited(t)

    const { code, stderr } = await quick(where, 'audit', 'export', '--out', '.')

    assert.notEqual(code, 0)
    assert.match(
      stderr,
      /is not an export of a log \(it holds \.baton\); name a new folder or an older export/,
    )
  })
})
