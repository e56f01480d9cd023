import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders, git } from '../support/documents/folders.ts'
import { ask, baton, quick, refusal } from '../support/program/command.ts'
import { aProject } from '../support/program/project.ts'

interface Started {
  readonly status: string
  readonly owner: string
  readonly branch: string
  readonly worktree: string
}

const BRANCH = 'feature/p0-1-1-package-setup'
const next = async (where: { cwd: string }) =>
  (await ask<{ items: { id: string }[] }>(where, 'next')).items.map(({ id }) => id)

describe('a task that is started in a repository', () => {
  it('[S3-59] [S3-60] [S3-04] gets a branch and a worktree of its own', async (t) => {
    const project = await aProject(t)

    const started = await ask<Started>(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')

    assert.deepEqual(
      [started.status, started.owner, started.branch, started.worktree],
      ['in_progress', 'claude', BRANCH, '.worktrees/claude/p0-1-1-package-setup'],
    )
    const work = project.at('claude/p0-1-1-package-setup')
    assert.equal(work.git('branch', '--show-current').trim(), BRANCH)
    assert.equal(work.git('rev-parse', 'HEAD'), project.git('rev-parse', 'main'))
  })

  it('[S3-104] leaves nothing for git to show: the folder of worktrees ignores itself', async (t) => {
    const project = await aProject(t)
    await ask(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')

    assert.equal(readFileSync(join(project.root, '.worktrees/.gitignore'), 'utf8'), '*\n')
    assert.equal(project.git('status', '--porcelain'), '')
  })

  it('[S3-83] [S3-84] is refused to a second agent with the branch that already exists, and is offered no more', async (t) => {
    const project = await aProject(t)
    await ask(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')

    const second = await baton(project.where, 'task', 'start', 'P0.1.1', '--as', 'codex')

    assert.equal(second.code, 6)
    assert.match(
      second.stderr,
      new RegExp(`^✗ .*\\b${BRANCH} already exists; pick another with: baton next --as codex\\n$`),
    )
    assert.deepEqual(await next(project.where), [])
    assert.equal(existsSync(join(project.root, '.worktrees/codex')), false)
  })

  it('[S3-86] goes to one of many, whatever the slug', async (t) => {
    const project = await aProject(t)

    const race = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        quick(project.where, 'task', 'start', 'P0.1.1', '--as', `agent-${i}`, '--slug', `way-${i}`),
      ),
    )

    assert.deepEqual(race.map(({ code }) => code).sort(), [0, 6, 6, 6, 6, 6])
    assert.equal(project.git('branch', '--list', 'feature/*').trim().split('\n').length, 1)
  })

  it('[S3-83] is given back when its branch already exists', async (t) => {
    const project = await aProject(t)
    project.git('branch', BRANCH)

    const refused = await refusal(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')

    assert.equal(refused.exit, 6)
    assert.match(refused.message, new RegExp(`branch ${BRANCH} already exists`))
    assert.deepEqual(await next(project.where), ['P0.1.1'])
    const other = await ask<Started>(
      project.where,
      'task',
      'start',
      'P0.1.1',
      '--as',
      'codex',
      '--slug',
      'again',
    )
    assert.equal(other.branch, 'feature/p0-1-1-again')
  })

  it('[S3-83] is given back when its folder already exists', async (t) => {
    const project = await aProject(t)
    mkdirSync(join(project.root, '.worktrees/claude/p0-1-1-package-setup'), { recursive: true })

    const { message } = await refusal(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')

    assert.match(message, new RegExp(`folder of branch ${BRANCH}, already exists`))
    assert.deepEqual(await next(project.where), ['P0.1.1'])
  })

  it('is the caller’s again when the same call is repeated, with the same place', async (t) => {
    const project = await aProject(t)
    const first = await ask<Started>(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')
    const again = await ask<Started>(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')
    // As if the first call had died between the claim and the worktree.
    project.git('worktree', 'remove', join(project.root, first.worktree))
    project.git('branch', '-D', BRANCH)
    const third = await ask<Started>(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')

    assert.deepEqual([again.branch, again.worktree], [first.branch, first.worktree])
    assert.deepEqual([third.branch, third.owner], [first.branch, 'claude'])
  })

  it('gets its branch back, with all commits, when the worktree was deleted by hand', async (t) => {
    const project = await aProject(t)
    const first = await ask<Started>(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')
    const work = project.at('claude/p0-1-1-package-setup')
    work.git('commit', '--quiet', '--allow-empty', '--message', 'half of it')
    const commit = work.git('rev-parse', 'HEAD')
    rmSync(join(project.root, first.worktree), { recursive: true })

    const finish = await refusal(project.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')
    const again = await ask<Started>(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')
    const back = work.git('rev-parse', 'HEAD')
    rmSync(join(project.root, first.worktree), { recursive: true })
    await ask(project.where, 'task', 'update', 'P0.1.1', '--as', 'claude', '--status', 'todo')
    const other = await ask<Started>(project.where, 'task', 'start', 'P0.1.1', '--as', 'codex')

    assert.equal(finish.exit, 5)
    assert.match(finish.message, /was deleted; make it again with: baton task start P0\.1\.1 --as claude$/)
    assert.deepEqual([again.branch, again.worktree, back], [first.branch, first.worktree, commit])
    assert.deepEqual([other.branch, other.worktree], [first.branch, '.worktrees/codex/p0-1-1-package-setup'])
    assert.equal(project.at('codex/p0-1-1-package-setup').git('rev-parse', 'HEAD'), commit)
  })

  it('makes its worktree below the main one, also when it is started in another worktree', async (t) => {
    const project = await aProject(t)
    await ask(project.where, 'task', 'create', 'P9', '--title', 'Beside')
    await ask(project.where, 'task', 'start', 'P9', '--as', 'claude')

    const started = await ask<Started>(
      project.at('claude/p9-beside').where,
      'task',
      'start',
      'P0.1.1',
      '--as',
      'codex',
    )

    assert.equal(started.worktree, '.worktrees/codex/p0-1-1-package-setup')
    assert.ok(existsSync(join(project.root, started.worktree, '.git')))
  })

  it('is only claimed with --no-worktree, and where there is no repository or no commit', async (t) => {
    const project = await aProject(t)
    await ask(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude', '--no-worktree')
    const place = folders(t)
    const plain = { cwd: place.folder('plain'), env: { BATON_WORKSPACE: place.path('plain') } }
    await ask(plain, 'task', 'create', 'P1', '--title', 'First')
    const claimed = await ask<Partial<Started>>(plain, 'task', 'start', 'P1', '--as', 'claude')
    const empty = { cwd: place.folder('empty') }
    git(empty.cwd, 'init', '--quiet', '.')
    await ask(empty, 'task', 'create', 'P1', '--title', 'First')

    assert.equal(existsSync(join(project.root, '.worktrees')), false)
    assert.deepEqual([claimed.status, claimed.branch], ['in_progress', undefined])
    const refused = await refusal(empty, 'task', 'start', 'P1', '--as', 'claude')
    assert.match(refused.message, /has no commit yet; .* --no-worktree$/)
    assert.deepEqual(await next(empty), ['P1'])
  })
})

describe('what a shell completes', () => {
  it('is the ids of tasks after the verbs that take one, and nothing after others', async (t) => {
    const project = await aProject(t)
    const offered = async (...words: string[]) =>
      (await quick(project.where, '__complete', ...words, '')).stdout
        .split('\n')
        .map((line) => line.split('\t')[0])

    assert.deepEqual(await offered('task', 'finish'), ['P0.1.1', 'P0.1.2', ''])
    assert.deepEqual(await offered('task', 'audit'), [''])
    assert.ok((await offered('task')).includes('finish'))
  })
})

describe('a hostile repository', () => {
  it('[T21] runs nothing because a task is started in it', async (t) => {
    const project = await aProject(t)
    const marker = join(project.root, 'marker')
    const [evil, ofMachine] = [join(project.root, '../evil.sh'), join(project.root, '../machine')]
    const script = `#!/bin/sh\ntouch ${marker}\n`
    project.write('.gitattributes', 'x.txt filter=x\na=b.txt filter=a=b\nkept.txt filter=kept\n')
    // A name with = in it cannot be said with -c.
    for (const name of ['x', 'a=b', 'kept']) project.write(`${name}.txt`, `${name}\n`)
    project.git('add', '--all')
    project.git('commit', '--quiet', '--message', 'filters')
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
      writeFileSync(join(project.root, '.git/hooks', hook), script, { mode: 0o755 })
    writeFileSync(evil, script, { mode: 0o755 })
    for (const name of ['x', 'a=b', 'kept'])
      for (const kind of ['clean', 'smudge']) project.git('config', `filter.${name}.${kind}`, evil)
    project.git('config', 'filter.x.process', evil)
    project.git('config', 'filter.x.required', 'true')
    project.git('config', 'core.fsmonitor', evil)
    project.git('config', '--file', ofMachine, 'filter.kept.smudge', 'tr a-z A-Z')
    const where = { ...project.where, env: { ...project.where.env, GIT_CONFIG_GLOBAL: ofMachine } }

    assert.equal((await baton(where, 'task', 'start', 'P0.1.1', '--as', 'claude')).code, 0)
    const kept = join(project.root, '.worktrees/claude/p0-1-1-package-setup/kept.txt')
    assert.equal(readFileSync(kept, 'utf8'), 'KEPT\n')
    writeFileSync(kept, 'changed\n')
    writeFileSync(join(project.root, 'x.txt'), 'y\n')
    await quick(where, 'send', '--to', 'codex', '--title', 'Files', '--check-files', 'main', '--as', 'claude')
    await quick(where, 'task', 'finish', 'P0.1.1', '--as', 'claude')

    assert.equal(existsSync(marker), false)
  })

  it('cannot lead the worktrees out of it by a link', async (t) => {
    const project = await aProject(t)
    const outside = folders(t).home
    symlinkSync(outside, join(project.root, '.worktrees'))

    const { code, message } = await refusal(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')

    assert.deepEqual([code, existsSync(join(outside, 'claude'))], ['not_allowed', false])
    assert.match(message, /leads out of the repository/)
    rmSync(join(project.root, '.worktrees'))
    assert.deepEqual(await next(project.where), ['P0.1.1'])
  })

  it('gets no name that git would read as something else', async (t) => {
    const project = await aProject(t)
    const hostile = [
      '--slug=--upload-pack=x',
      '--slug=../../x',
      '--base=-b',
      '--base=main..x',
      '--base=main\nx',
      '--base=$(touch x)',
    ]

    for (const option of hostile) {
      const { exit } = await refusal(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude', option)
      assert.equal(exit, 2, option)
    }

    assert.deepEqual(await next(project.where), ['P0.1.1'])
    assert.equal(existsSync(join(project.root, '.worktrees')), false)
  })
})
