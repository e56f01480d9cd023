import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { AuditReport } from '../../src/git/reverts.ts'
import { ask, baton, quick, refusal, type Where } from '../support/program/command.ts'
import { aProject, finished, SUMMARY, worked } from '../support/program/project.ts'

const BRANCH = 'feature/p0-1-1-package-setup'

async function audit(where: Where) {
  const { code, stdout } = await quick(where, 'task', 'audit', '--json')
  return { exit: code, ...(JSON.parse(stdout) as AuditReport) }
}
const next = async (where: Where) =>
  (await ask<{ items: { id: string }[] }>(where, 'next')).items.map(({ id }) => id)
const suspectsOf = ({ suspects }: AuditReport) => suspects.map(({ task }) => task)

describe('work that was merged and taken back', () => {
  it('[S3-87] [S3-88] is suspected by its missing files and its revert, and nothing is changed', async (t) => {
    const project = await aProject(t)
    await finished(project)
    const waiting = await audit(project.where)
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)
    const merged = await audit(project.where)
    project.git('revert', '--no-edit', '--mainline', '1', 'HEAD')

    const found = await audit(project.where)
    const { code, stdout } = await baton(project.where, 'task', 'audit')

    assert.deepEqual(
      [waiting.exit, waiting.suspects, waiting.waiting],
      [0, [], [{ task: 'P0.1.1', branch: BRANCH }]],
    )
    assert.deepEqual([merged.exit, merged.suspects, merged.waiting], [0, [], []])
    const [suspect] = found.suspects
    assert.deepEqual([found.exit, suspect?.task, suspect?.missing], [1, 'P0.1.1', ['src/index.js']])
    assert.equal(suspect?.reverted_by, project.git('rev-parse', 'HEAD').trim())
    assert.match(found.recent_reverts[0]?.subject ?? '', /^Revert "Merge branch/)
    assert.equal(code, 1)
    assert.match(stdout, /^! P0\.1\.1 Package setup: suspected, /)
    const { task } = await ask<{ task: { status: string } }>(project.where, 'task', 'get', 'P0.1.1')
    assert.equal(task.status, 'done')
  })

  it('[S3-89] [S3-90] [S3-92] is opened again by the proposed command, and what depends on it waits', async (t) => {
    const project = await aProject(t)
    await finished(project)
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)
    project.git('revert', '--no-edit', '--mainline', '1', 'HEAD')
    const before = await next(project.where)

    const [suspect] = (await audit(project.where)).suspects
    const [, , ...words] = [...(suspect?.reinstate ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain!,
    )
    const record = await ask<{ shape: string; notes: string }>(
      project.where,
      'thought',
      'record',
      ...words.slice(1),
      '--as',
      'codex',
    )

    assert.deepEqual(before, ['P0.1.2'])
    assert.deepEqual([record.shape, record.notes], ['reinstatement', 'Previous PR reverted, task reinstated'])
    assert.deepEqual(await next(project.where), ['P0.1.1'])
    assert.deepEqual((await audit(project.where)).suspects, [])
  })

  it('[S3-91] [S3-85] needs a record of its own when it is done again, in the place that was cleaned', async (t) => {
    const project = await aProject(t)
    await finished(project)
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)
    await ask(project.where, 'task', 'clean')
    project.git('revert', '--no-edit', '--mainline', '1', 'HEAD')
    await ask(
      project.where,
      'thought',
      'record',
      'P0.1.1',
      '--status',
      'todo',
      '--notes',
      'Previous PR reverted, task reinstated',
      '--as',
      'codex',
    )

    const again = await ask<{ branch: string }>(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')
    const early = await refusal(
      project.where,
      'task',
      'update',
      'P0.1.1',
      '--status',
      'done',
      '--as',
      'claude',
    )

    assert.equal(again.branch, BRANCH)
    assert.equal(early.message, 'Writeback required: thought_record must be recorded before task completion.')
  })

  it('is known by a squashed commit too, and no longer suspected when the revert was taken back', async (t) => {
    const project = await aProject(t)
    await finished(project)
    project.git('merge', '--quiet', '--squash', BRANCH)
    project.git('commit', '--quiet', '--message', 'task: P0.1.1 — Package setup (#7)')
    const squashed = await audit(project.where)
    project.git('revert', '--no-edit', 'HEAD')
    const reverted = await audit(project.where)
    project.git('revert', '--no-edit', 'HEAD')
    const back = await audit(project.where)

    assert.deepEqual([suspectsOf(squashed), suspectsOf(reverted), suspectsOf(back)], [[], ['P0.1.1'], []])
  })

  it('is no longer suspected when it was done again', async (t) => {
    const project = await aProject(t)
    await finished(project)
    const squash = (branch: string) => {
      project.git('merge', '--quiet', '--squash', branch)
      project.git('commit', '--quiet', '--message', 'task: P0.1.1 — Package setup')
    }
    squash(BRANCH)
    project.git('revert', '--no-edit', 'HEAD')
    await ask(
      project.where,
      'thought',
      'record',
      'P0.1.1',
      '--status',
      'todo',
      '--notes',
      'Previous PR reverted',
      '--as',
      'codex',
    )
    await ask(project.where, 'task', 'start', 'P0.1.1', '--as', 'codex', '--slug', 'again')
    const again = project.at('codex/p0-1-1-again')
    again.git('revert', '--no-edit', 'HEAD')
    again.git('commit', '--quiet', '--amend', '--message', 'task: P0.1.1 — Package setup')
    await ask(again.where, 'task', 'finish', 'P0.1.1', '--as', 'codex', '--summary', SUMMARY)
    const waiting = await audit(project.where)
    squash('feature/p0-1-1-again')

    const redone = await audit(project.where)

    assert.deepEqual([suspectsOf(waiting), suspectsOf(redone)], [[], []])
    assert.deepEqual([waiting.waiting.length, redone.waiting.length], [1, 0])
  })

  it('[S3-87] is only suspected when a file has gone for another reason', async (t) => {
    const project = await aProject(t)
    await finished(project)
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)
    project.git('mv', 'src/index.js', 'src/main.js')
    project.git('commit', '--quiet', '--message', 'rename')

    const { suspects } = await audit(project.where)

    assert.deepEqual([suspects[0]?.missing, suspects[0]?.reverted_by], [['src/index.js'], undefined])
    assert.match((await quick(project.where, 'task', 'audit')).stdout, /suspected/)
  })
})

describe('the log of a task', () => {
  it('[S3-98] [S3-107] reads as its history: what happened, what was recorded, what was taken back', async (t) => {
    const project = await aProject(t)
    await finished(project)
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)
    project.git('revert', '--no-edit', '--mainline', '1', 'HEAD')
    const revert = project.git('rev-parse', '--short=10', 'HEAD').trim()

    const { code, stdout } = await baton(project.where, 'task', 'log', 'P0.1.1')

    assert.equal(code, 0)
    const acts = stdout.split('\n').flatMap((line) => /\t([\w.]+\t[a-z ]+)$/.exec(line)?.[1] ?? [])
    assert.deepEqual(acts, [
      'task.create\ttodo',
      'task.start\tin progress',
      'thought_record\tin progress',
      'task.done\tdone',
    ])
    assert.match(stdout, new RegExp(`Records\\n .*claude.*${BRANCH} at [0-9a-f]{10}.*\\n${SUMMARY}`))
    assert.match(stdout, new RegExp(`Taken back by\\n${revert}\\tRevert "Merge`))
  })
})

describe('the worktrees of tasks', () => {
  it('[S3-85] [S3-104] are removed with their branches when they are done, merged and clean, and no others', async (t) => {
    const project = await aProject(t)
    const work = await worked(project)
    const underWay = await ask<{ items: { reason: string }[] }>(project.where, 'task', 'clean')
    await ask(work.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')
    const unmerged = await ask<{ items: { reason: string }[] }>(project.where, 'task', 'clean')
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)
    work.write('notes.txt', 'not committed')
    const dirty = await ask<{ items: { reason: string }[] }>(project.where, 'task', 'clean')
    work.git('clean', '--quiet', '--force')
    const dry = await ask<{ items: { removed: boolean }[] }>(project.where, 'task', 'clean', '--dry-run')
    const isStillThere = existsSync(work.where.cwd)
    const done = await ask<{ items: { removed: boolean }[] }>(project.where, 'task', 'clean')

    assert.deepEqual(
      [underWay, unmerged, dirty].map(({ items }) => items.map(({ reason }) => reason)),
      [['P0.1.1 is in progress'], ['it is not merged'], ['notes.txt is not committed']],
    )
    assert.deepEqual([dry.items[0]?.removed, isStillThere], [true, true])
    assert.deepEqual([done.items[0]?.removed, existsSync(work.where.cwd)], [true, false])
    assert.equal(project.git('branch', '--list', 'feature/*'), '')
  })

  it('are forgotten with their branches when they were deleted by hand, and the others still go', async (t) => {
    const project = await aProject(t)
    const work = await finished(project)
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)
    await ask(project.where, 'task', 'start', 'P0.1.2', '--as', 'claude')
    rmSync(work.where.cwd, { recursive: true })
    rmSync(project.at('claude/p0-1-2-linter').where.cwd, { recursive: true })

    const { items } = await ask<{ items: { task: string; removed: boolean; reason?: string }[] }>(
      project.where,
      'task',
      'clean',
    )

    assert.deepEqual(
      items.map(({ task, removed, reason }) => [task, removed, reason]),
      [
        ['P0.1.1', true, undefined],
        ['P0.1.2', false, 'P0.1.2 is in progress'],
      ],
    )
    assert.equal(project.git('branch', '--list', 'feature/p0-1-1*'), '')
  })

  it('stay when they are not Baton’s, and go when their branch was squashed', async (t) => {
    const project = await aProject(t)
    const work = await finished(project)
    project.git('merge', '--quiet', '--squash', BRANCH)
    project.git('commit', '--quiet', '--message', 'task: P0.1.1 — Package setup (#7)')
    project.git('worktree', 'add', '--quiet', '-b', 'feature/p0-1-1-mine', '../mine', 'main')

    const { items } = await ask<{ items: { folder: string; removed: boolean }[] }>(
      project.where,
      'task',
      'clean',
    )

    assert.deepEqual(
      items.map(({ folder, removed }) => [folder, removed]),
      [[work.where.cwd, true]],
    )
    assert.ok(existsSync(`${project.root}/../mine`))
  })
})
