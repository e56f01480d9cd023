import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { ThoughtRecord } from '../../src/domain/tasks/task.ts'
import { folders, git } from '../support/documents/folders.ts'
import { ask, baton, quick, refusal, trusted, type Where } from '../support/program/command.ts'
import { aProject, finished, promptsPage, SUMMARY, worked } from '../support/program/project.ts'

const PAGE = 'docs/guides/implementation/task-prompts/p0.1-infrastructure.md'
const BRANCH = 'feature/p0-1-1-package-setup'

interface Dossier {
  readonly task: { readonly status: string; readonly progress: number }
  readonly records: readonly ThoughtRecord[]
}
const dossier = (where: Where, id = 'P0.1.1') => ask<Dossier>(where, 'task', 'get', id)
const codesOf = (details: Record<string, unknown>) =>
  (details.points as { code: string }[]).map(({ code }) => code)

describe('finished work', () => {
  it('[S3-06] [S3-101] is checked, pushed, recorded and done in one command', async (t) => {
    const project = await aProject(t, { npm: true })
    const work = await worked(project)

    const { code, stdout, stderr } = await baton(work.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')

    assert.equal(code, 0, stderr)
    assert.match(stdout, /^✓ P0\.1\.1 is done, and its record is written; merge is permitted\n/)
    assert.match(stderr, new RegExp(`next: baton merge-check ${BRANCH}`))
    const { task, records } = await dossier(project.where)
    const head = work.git('rev-parse', 'HEAD').trim()
    assert.deepEqual([task.status, task.progress, records.length], ['done', 100, 1])
    const [record] = records
    assert.deepEqual(
      [record?.branch, record?.commit_sha, record?.summary, record?.blockers],
      [BRANCH, head, SUMMARY, []],
    )
    assert.deepEqual(record?.files_changed, [PAGE, 'src/index.js'])
    assert.deepEqual(record?.tests_run, ['npm test', 'npm run lint'])
    assert.equal(git(project.remote, 'rev-parse', BRANCH).trim(), head)
  })

  it('is neither checked nor pushed for an agent in whose hands it is not', async (t) => {
    const project = await aProject(t)
    const work = await worked(project)

    const refused = await refusal(project.where, 'task', 'finish', 'P0.1.1', '--as', 'codex')

    assert.equal(refused.exit, 4)
    assert.match(
      refused.message,
      /claude works on P0\.1\.1; only claude, its sender, a person or the role pm can change or record it/,
    )
    assert.ok(!existsSync(join(work.where.cwd, 'ran.txt')))
    assert.equal(git(project.remote, 'branch', '--list', 'feature/*'), '')
    await ask(project.where, 'agent', 'add', 'grok', '--role', 'pm')
    await ask(project.where, 'task', 'finish', 'P0.1.1', '--as', 'grok')
    assert.equal((await dossier(project.where)).task.status, 'done')
  })

  it('of another leaves nothing in the log when it is refused, whoever asked', async (t) => {
    const project = await aProject(t)
    const work = await worked(project)
    work.write('fail-test', '')
    work.git('add', '--all')
    work.git('commit', '--quiet', '--amend', '--no-edit')
    await ask(project.where, 'agent', 'add', 'grok', '--role', 'pm')
    const known = async () => [
      (await ask<{ entries: number }>(project.where, 'store', 'info')).entries,
      (await dossier(project.where)).task,
    ]
    const before = await known()

    const refused = []
    for (const caller of [['--as', 'codex'], ['--as', 'grok'], []])
      refused.push((await refusal(project.where, 'task', 'finish', 'P0.1.1', ...caller)).code)

    assert.deepEqual(refused, ['not_allowed', 'unmet', 'unmet'])
    assert.deepEqual(await known(), before)
  })

  it('[S3-01] runs lint only after the tests have passed', async (t) => {
    const project = await aProject(t, { npm: true })
    const work = await worked(project)
    work.write('fail-test', '')
    work.git('add', '--all')
    work.git('commit', '--quiet', '--amend', '--no-edit')

    const { exit, message, details } = await refusal(work.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')

    assert.deepEqual([exit, codesOf(details)], [8, ['command_failed']])
    assert.match(message, /- npm test: exit code 1/)
    assert.equal(readFileSync(join(work.where.cwd, 'ran.txt'), 'utf8'), 'test ')
  })

  it('[S3-02] [S3-03] [S3-06] is refused with every point that is missing, and nothing is recorded or pushed', async (t) => {
    const project = await aProject(t, { npm: true })
    const work = await worked(project)
    work.write(PAGE, promptsPage(' '))
    work.write('fail-lint', '')
    work.git('add', '--all')
    work.git('commit', '--quiet', '--message', 'some work')
    work.write('forgotten.js', '')

    const { exit, message, details } = await refusal(work.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')

    assert.equal(exit, 8)
    assert.deepEqual(codesOf(details), [
      'not_committed',
      'checklist_open',
      'commit_message',
      'no_summary',
      'command_failed',
    ])
    for (const fix of [
      /forgotten\.js is not committed; commit it/,
      /line 15: npm test passes/,
      /write: task: P0\.1\.1 — Package setup, with: git commit --amend/,
      /add --summary/,
      /npm run lint: exit code 1/,
    ])
      assert.match(message, fix)
    const { task, records } = await dossier(project.where)
    assert.deepEqual([task.status, records], ['in_progress', []])
    assert.equal(git(project.remote, 'branch', '--list', 'feature/*'), '')
  })

  it('[S3-04] [S3-07] is found from the main checkout, takes a plain hyphen with a warning, and is nothing on another branch', async (t) => {
    const project = await aProject(t)
    const early = await refusal(project.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')
    const work = await worked(project)
    work.git('commit', '--quiet', '--amend', '--message', 'task: P0.1.1 - Package setup')

    const { code, stderr } = await baton(
      project.where,
      'task',
      'finish',
      'P0.1.1',
      '--as',
      'claude',
      '--summary',
      SUMMARY,
    )

    assert.ok(codesOf(early.details).includes('branch_of_another_task'))
    assert.match(
      early.message,
      /main is checked out, not a branch of P0\.1\.1 \(feature\/p0-1-1-…\); make one with: baton task start P0\.1\.1/,
    )
    assert.equal(existsSync(join(project.root, 'ran.txt')), false)
    assert.equal(code, 0, stderr)
    assert.match(stderr, /a plain hyphen stands for the em dash/)
    assert.equal((await refusal(project.where, 'task', 'finish', 'P0.1.1')).code, 'wrong_state')
  })

  it('stands on the records of what it depends on, and keeps its blockers', async (t) => {
    const project = await aProject(t)
    const before = await finished(project)
    const [first] = (await dossier(project.where)).records
    const base = `--base=${BRANCH}`
    await ask(project.where, 'task', 'start', 'P0.1.2', '--as', 'codex', base)
    const work = project.at('codex/p0-1-2-linter')
    work.write('eslint.config.js', '')
    work.git('add', '--all')
    work.git('commit', '--quiet', '--message', 'task: P0.1.2 — Linter')
    const blocker = { type: 'peer-dep', package: 'zod', issue: 'too old', resolution: 'pinned' }

    await ask(
      work.where,
      'task',
      'finish',
      'P0.1.2',
      '--as',
      'codex',
      base,
      '--summary',
      SUMMARY,
      '--test',
      'tsc',
      '--blocker',
      JSON.stringify(blocker),
    )

    const [record] = (await dossier(project.where, 'P0.1.2')).records
    assert.deepEqual(record?.related_thought_records, [first?.uid])
    assert.deepEqual(record?.files_changed, ['eslint.config.js'])
    assert.deepEqual(
      [record?.blockers, record?.tests_run],
      [[blocker], ['sh check.sh test', 'sh check.sh lint', 'tsc']],
    )
    assert.ok(before)
  })

  it('[S3-01] runs the commands of a baton.yaml only when it is trusted', async (t) => {
    const project = await aProject(t)
    const work = await worked(project)

    const refused = await refusal({ cwd: work.where.cwd }, 'task', 'finish', 'P0.1.1', '--as', 'claude')
    const ran = existsSync(join(work.where.cwd, 'ran.txt'))
    const done = await ask<{ tests_run: string[] }>(work.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')

    assert.deepEqual([codesOf(refused.details), ran], [['not_trusted'], false])
    assert.match(refused.message, /run only after: baton trust/)
    assert.deepEqual(done.tests_run, ['sh check.sh test', 'sh check.sh lint'])
    assert.equal(readFileSync(join(work.where.cwd, 'ran.txt'), 'utf8'), 'test lint ')
  })
})

describe('finished work in a repository without task prompts', () => {
  const BRANCH_OF_P1 = 'feature/p1-set-up'

  /** Work on P1 that is committed in the words of its author, in a package with these scripts and settings. */
  async function plain(t: TestContext, scripts: object, settings = '') {
    const root = folders(t).repository('shop')
    const where = { cwd: root, env: { HOME: dirname(root) } }
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'shop', scripts }))
    if (settings !== '') writeFileSync(join(root, 'baton.yaml'), settings)
    git(root, 'add', '--all')
    git(root, 'commit', '--quiet', '--message', 'package')
    await ask(where, 'task', 'create', 'P1', '--title', 'Set up')
    await ask(where, 'task', 'start', 'P1', '--as', 'claude')
    const cwd = join(root, '.worktrees/claude/p1-set-up')
    git(cwd, 'commit', '--quiet', '--allow-empty', '--message', 'It is set up')
    return { where: { ...where, cwd }, root }
  }
  const FINISH = ['task', 'finish', 'P1', '--as', 'claude', '--summary', 'It is set up.']

  for (const [has, scripts, run] of [
    ['no script', {}, []],
    ['the script that npm init writes', { test: 'echo "Error: no test specified" && exit 1' }, []],
    ['tests and no lint', { test: 'true' }, ['npm test']],
  ] as const)
    it(`is checked by ${has}, recorded and may be merged`, async (t) => {
      const { where } = await plain(t, scripts)

      const early = await refusal(where, 'task', 'update', 'P1', '--status', 'done', '--as', 'claude')
      const unmerged = await quick(where, 'merge-check', BRANCH_OF_P1, '--json')
      const done = await ask<{ tests_run: string[] }>(where, ...FINISH)

      assert.match(early.message, /^Writeback required/)
      assert.deepEqual(
        JSON.parse(unmerged.stdout).reasons.map(({ code }: { code: string }) => code),
        ['writeback_missing'],
      )
      assert.deepEqual(done.tests_run, run)
      assert.equal((await quick(where, 'merge-check', BRANCH_OF_P1, '--run')).code, 0)
    })

  it('fails with its own tests', async (t) => {
    const { where } = await plain(t, { test: 'false' })
    assert.deepEqual(codesOf((await refusal(where, ...FINISH)).details), ['command_failed'])
  })

  it('needs a checklist and a commit message of the form where the settings say task-records', async (t) => {
    const { where } = await plain(t, { test: 'true', lint: 'true' }, 'tasks: {rules: task-records}\n')
    const refused = await refusal(where, ...FINISH)
    assert.deepEqual(codesOf(refused.details), ['prompts_missing', 'commit_message'])
  })

  it('needs neither in a repository with prompts, once a person trusts tasks.rules', async (t) => {
    const settings = 'tasks: {rules: repository}\n'
    const { where, root } = await plain(t, {}, settings)
    const page = 'docs/guides/implementation/task-prompts/p1.md'
    mkdirSync(join(root, dirname(page)), { recursive: true })
    writeFileSync(join(root, page), '# nothing\n')
    git(root, 'add', '--all')
    git(root, 'commit', '--quiet', '--message', 'prompts')

    const refused = await refusal(where, ...FINISH)
    trusted({ ...where, cwd: root })
    await ask(where, ...FINISH)

    assert.ok(codesOf(refused.details).includes('prompts_missing'))
    assert.equal((await quick(where, 'merge-check', BRANCH_OF_P1)).code, 0)
    assert.equal((await quick({ cwd: where.cwd }, 'merge-check', BRANCH_OF_P1)).code, 1)
  })
})

describe('the prompt of a task', () => {
  it('[S3-61] [S3-62] is printed ready to paste', async (t) => {
    const project = await aProject(t)

    const { code, stdout } = await baton(project.where, 'task', 'prompt', 'P0.1.2')
    const found = await ask<{ path: string; extractions: string[] }>(
      project.where,
      'task',
      'prompt',
      'P0.1.1',
    )
    await ask(project.where, 'task', 'create', 'P9.9.9', '--title', 'Unknown')

    assert.deepEqual([code, stdout], [0, 'Set up the linter.\n'])
    assert.deepEqual(
      [found.path, found.extractions],
      [PAGE, ['docs/reference/extractions/task-pipeline-algorithm.md']],
    )
    assert.equal((await refusal(project.where, 'task', 'prompt', 'P9.9.9')).exit, 3)
  })
})
