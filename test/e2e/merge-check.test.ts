import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { MergeCheck } from '../../src/git/merge-check.ts'
import { serve } from '../../src/transports/http/server/serve.ts'
import { git } from '../support/documents/folders.ts'
import { ask, BATON, baton, cleanEnv, quick, refusal, type Where } from '../support/program/command.ts'
import { aProject, finished, type Project, promptsPage, worked } from '../support/program/project.ts'
import { by, openWorkspace } from '../support/program/workspace.ts'
import { newToken } from '../support/servers/http-workspace.ts'

const BRANCH = 'feature/p0-1-1-package-setup'
const PAGE = 'docs/guides/implementation/task-prompts/p0.1-infrastructure.md'

async function check(where: Where, ...args: readonly string[]) {
  const { code, stdout, stderr } = await quick(where, 'merge-check', ...args, '--json')
  const found = JSON.parse(stdout || '{}') as MergeCheck & { readonly reopened: boolean }
  return { exit: code, stderr, ...found, codes: found.reasons?.map(({ code: each }) => each) }
}

/** Someone writes the table by hand, past every tool. */
function changeBehindTheTools({ root }: Project, sql: string): void {
  const db = new DatabaseSync(join(root, '.baton/baton.db'))
  db.exec(sql)
  db.close()
}

describe('the merge check', () => {
  it('[S3-43] [S3-47] [S3-50] lets through what is written back, for an agent and for a person', async (t) => {
    const project = await aProject(t)
    await finished(project)

    const agent = await check(project.where, BRANCH, '--as', 'reviewer')
    const human = await baton(project.where, 'merge-check', BRANCH)
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)
    const merged = await check(project.where, BRANCH)

    assert.deepEqual(
      [agent.exit, agent.allowed, agent.task, agent.reasons, agent.warnings],
      [0, true, 'P0.1.1', [], []],
    )
    assert.deepEqual([human.code, human.stdout], [0, `✓ ${BRANCH}, P0.1.1: may be merged into main\n`])
    assert.deepEqual([merged.exit, merged.warnings.map(({ code }) => code)], [0, ['merged']])
  })

  it('[S3-48] [S3-46] refuses what is not written back with exit code 1, however good the code is', async (t) => {
    const project = await aProject(t)
    await worked(project)

    const found = await check(project.where, BRANCH, '--run')
    const { code, stdout } = await quick(project.where, 'merge-check', BRANCH)

    assert.deepEqual(
      [found.exit, found.allowed, found.codes, found.reopened],
      [1, false, ['writeback_missing'], false],
    )
    assert.equal(code, 1)
    assert.match(stdout, /✗ P0\.1\.1 has no thought_record .* baton task finish P0\.1\.1\n$/)
  })

  it('[S3-49] puts a task that was made done behind the tools back in progress, with an entry in the log', async (t) => {
    const project = await aProject(t)
    await worked(project)
    changeBehindTheTools(
      project,
      `UPDATE task SET status = 'done', doc = json_set(doc, '$.status', 'done', '$.progress', 100) WHERE id = 'P0.1.1'`,
    )

    const found = await check(project.where, BRANCH, '--as', 'reviewer')
    const { task } = await ask<{ task: { status: string } }>(project.where, 'task', 'get', 'P0.1.1')
    const { entries } = await ask<{ entries: { act: string; by: string }[] }>(
      project.where,
      'task',
      'log',
      'P0.1.1',
    )

    assert.deepEqual([found.exit, found.reopened, task.status], [1, true, 'in_progress'])
    assert.deepEqual([entries.at(-1)?.act, entries.at(-1)?.by], ['task.reopen', 'reviewer'])
    const done = await refusal(
      project.where,
      'task',
      'update',
      'P0.1.1',
      '--status',
      'done',
      '--as',
      'claude',
    )
    assert.equal(done.message, 'Writeback required: thought_record must be recorded before task completion.')
  })

  it('[S3-52] refuses a record of another branch, and a commit that the branch has not', async (t) => {
    const project = await aProject(t)
    const work = await finished(project)
    project.git('branch', 'feature/p0-1-1-other', 'main')
    work.git('commit', '--quiet', '--amend', '--message', 'task: P0.1.1 — Rewritten')

    const other = await check(project.where, 'feature/p0-1-1-other')
    const rewritten = await check(project.where, BRANCH)

    assert.deepEqual(other.codes, [
      'checklist_open',
      'record_of_another_branch',
      'commit_not_on_branch',
      'files_missing',
    ])
    assert.deepEqual([rewritten.exit, rewritten.codes], [1, ['commit_not_on_branch']])
    const { task } = await ask<{ task: { status: string } }>(project.where, 'task', 'get', 'P0.1.1')
    assert.equal(task.status, 'done')
  })

  it('compares the files with git: missing ones refuse, others warn', async (t) => {
    const project = await aProject(t)
    const work = await worked(project)
    const head = work.git('rev-parse', 'HEAD').trim()
    await ask(
      work.where,
      'task',
      'complete',
      'P0.1.1',
      '--as',
      'claude',
      '--branch',
      BRANCH,
      '--commit-sha',
      head,
      '--summary',
      'Done. Tested. Pushed.',
      '--file',
      'src/index.js',
      '--file',
      'src/gone.js',
    )
    work.write('late.js', '')
    work.git('add', '--all')
    work.git('commit', '--quiet', '--message', 'more')

    const found = await check(work.where)

    assert.deepEqual([found.exit, found.branch, found.codes], [1, BRANCH, ['files_missing']])
    assert.match(found.reasons[0]?.message ?? '', /src\/gone\.js/)
    assert.deepEqual(
      found.warnings.map(({ code }) => code),
      ['commits_after_record', 'files_not_recorded'],
    )
  })

  it('[S3-45] [S3-51] reads the checklist from the branch and refuses one that is open or not there', async (t) => {
    const project = await aProject(t)
    const work = await finished(project)
    const commit = (page: string) => {
      work.write(PAGE, page)
      work.git('commit', '--quiet', '--all', '--message', 'page')
    }
    commit(`${promptsPage(' ')}\nMore.\n`)
    const open = await check(project.where, BRANCH)
    commit('# P0.1\n\n## P0.1.1 — Package setup\n')
    const without = await check(project.where, BRANCH)
    work.git('rm', '--quiet', PAGE)
    work.git('commit', '--quiet', '--message', 'no page')
    const none = await check(project.where, BRANCH)

    assert.deepEqual(open.codes, ['checklist_open'])
    assert.deepEqual(without.codes, ['checklist_missing'])
    // The file is gone from the branch's changes too, as one that it deletes and does not hold.
    assert.deepEqual(none.codes, ['prompts_missing'])
  })

  it('[S3-44] fetches a branch that only the remote has, and runs the tests on its commit alone', async (t) => {
    const project = await aProject(t)
    const work = await finished(project)
    work.write('fail-test', '')
    work.git('add', '--all')
    work.git('commit', '--quiet', '--message', 'broken')
    work.git('push', '--quiet', 'origin', BRANCH)
    work.git('rm', '--quiet', 'fail-test')
    project.git('worktree', 'remove', '--force', work.where.cwd)
    project.git('branch', '-D', BRANCH)
    project.git('update-ref', '-d', `refs/remotes/origin/${BRANCH}`)

    const found = await check(project.where, BRANCH, '--run')

    assert.deepEqual([found.exit, found.codes], [1, ['command_failed']])
    assert.match(found.reasons[0]?.message ?? '', /^sh check\.sh test: exit code 1/)
    assert.equal(project.git('worktree', 'list').trim().split('\n').length, 1)
    assert.equal(existsSync(join(project.root, 'ran.txt')), false)
  })

  it('[S4-61] refuses what a person has not opened: before the task is done, and after', async (t) => {
    const project = await aProject(t)
    const work = await worked(project)
    const gate = async (name: string) => {
      const words = ['--to', 'human', '--type', 'gate', '--gate', name, '--task', 'P0.1.1', '--title', 'Look']
      return (await ask<{ handoff: { id: string } }>(work.where, 'send', ...words, '--as', 'claude')).handoff
    }
    const first = await gate('design')
    const early = await refusal(work.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')
    const shown = await baton(work.where, 'task', 'get', 'P0.1.1')
    await ask(work.where, 'handoff', 'cancel', first.id, '--as', 'claude')
    await ask(work.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')
    const second = await gate('review')

    const late = await check(project.where, BRANCH)

    const waits = (name: string, { id }: { id: string }) => `the gate ${name} (${id}) waits for human`
    assert.deepEqual(early.details.points, [{ code: 'gate_shut', message: waits('design', first) }])
    assert.match(
      shown.stdout,
      new RegExp(`^Gates\\t${waits('design', first).replace(/[()]/g, '\\$&')}$`, 'm'),
    )
    assert.deepEqual(
      [late.exit, late.reasons],
      [1, [{ code: 'gate_shut', message: waits('review', second) }]],
    )
  })

  it('refuses names that git would read as something else, and says which branch is not there', async (t) => {
    const project = await aProject(t)

    for (const name of ['a..b', '--upload-pack=x', 'a b', '$(id)', 'main~1', '../x', 'a\nb'])
      assert.equal((await refusal(project.where, 'merge-check', name)).exit, 2, name)
    assert.equal((await refusal(project.where, 'merge-check', BRANCH, '--base=--all')).exit, 2)
    assert.equal((await refusal(project.where, 'merge-check', 'feature/p0-9-9-x')).exit, 3)
    assert.deepEqual((await check(project.where, 'main')).codes, ['task_unknown'])
  })
})

describe('the merge check in CI', () => {
  it('[S3-50] [S3-49] asks a server with a token, and reopens what was done without a record', async (t) => {
    const project = await aProject(t)
    await worked(project)
    const { service } = await openWorkspace(t)
    const server = await serve({ service, port: 0, signals: false, log: () => undefined })
    t.after(() => server.close())
    const token = await newToken(service, 'ci', ['task:read', 'task:write'])
    const ci = { cwd: project.root, env: { CI: 'true', BATON_URL: server.url, BATON_TOKEN: token } }
    const reader = {
      ...ci,
      env: { ...ci.env, BATON_TOKEN: await newToken(service, 'reader', ['task:read']) },
    }
    await service.tasks.create(by('planner'), { id: 'P0.1.1', title: 'Package setup' })
    const { handoff } = await service.sending.send(by('planner'), {
      to: 'claude',
      title: 'Do it',
      task: 'P0.1.1',
      home: 'markdown',
    })
    await service.receiving.accept(by('claude'), handoff.uid)
    await service.receiving.submit(by('claude'), handoff.uid, {})
    await service.closing.verify(by('perplexity'), handoff.uid, { pass: true })

    const watched = await check(reader, BRANCH)
    const refused = await check(ci, BRANCH)
    await service.tasks.complete(by('claude'), 'P0.1.1', {
      branch: BRANCH,
      commit_sha: project.git('rev-parse', BRANCH).trim(),
      summary: 'Done. Tested. Pushed.',
    })
    const allowed = await check(ci, BRANCH)

    assert.deepEqual(
      [watched.exit, watched.reopened, /could not be reopened/.test(watched.stderr)],
      [1, false, true],
    )
    assert.deepEqual([refused.exit, refused.codes, refused.reopened], [1, ['writeback_missing'], true])
    assert.deepEqual([allowed.exit, allowed.task], [0, 'P0.1.1'])
  })
})

describe('the pre-push hook', () => {
  /** A `baton` in the path, as an installed one would be. */
  const withBaton = ({ root }: Project): Record<string, string> => {
    const bin = join(root, '..', 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'baton'), `#!/bin/sh\nexec "${process.execPath}" "${BATON}" "$@"\n`)
    chmodSync(join(bin, 'baton'), 0o755)
    return { PATH: `${bin}:${process.env.PATH}` }
  }
  const push = ({ root }: Project, env: Readonly<Record<string, string>>) => {
    const options = { cwd: root, encoding: 'utf8', env: { ...cleanEnv({ cwd: root }), ...env } } as const
    const { status, stderr } = spawnSync('git', ['push', '--quiet', 'origin', 'main'], options)
    return { code: status, text: stderr }
  }

  it('[S3-48] refuses a push to main of a task that is not written back, and lets other pushes through', async (t) => {
    const project = await aProject(t)
    const env = withBaton(project)
    const work = await worked(project)
    await ask(project.where, 'merge-check', '--install-hook')
    project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)

    const refused = push(project, env)
    const there = git(project.remote, 'rev-parse', 'main')
    const head = work.git('rev-parse', 'HEAD').trim()
    await ask(
      work.where,
      'task',
      'complete',
      'P0.1.1',
      '--as',
      'claude',
      '--branch',
      BRANCH,
      '--commit-sha',
      head,
      '--summary',
      'Done. Tested. Pushed.',
    )
    const allowed = push(project, env)

    assert.notEqual(refused.code, 0)
    assert.match(refused.text, /the push to main is refused\n {2}P0\.1\.1 has no thought_record/)
    assert.notEqual(there, project.git('rev-parse', 'main'))
    assert.equal(allowed.code, 0, allowed.text)
    assert.equal(git(project.remote, 'rev-parse', 'main'), project.git('rev-parse', 'main'))
  })

  it('keeps a hook that was there, is written once, and is found from a linked worktree', async (t) => {
    const project = await aProject(t)
    const hooks = join(project.root, '.git/hooks')
    writeFileSync(join(hooks, 'pre-push'), '#!/bin/sh\ncat > seen.txt\nexit 3\n', { mode: 0o755 })
    const work = await worked(project)

    const first = await ask<{ hook: string; changed: boolean; kept: string }>(
      work.where,
      'merge-check',
      '--install-hook',
    )
    const written = readFileSync(first.hook, 'utf8')
    const second = await ask<{ changed: boolean }>(project.where, 'merge-check', '--install-hook')
    project.git('commit', '--quiet', '--allow-empty', '--message', 'nothing')
    const refused = push(project, {})

    assert.deepEqual(
      [first.hook, first.kept, first.changed],
      [join(hooks, 'pre-push'), join(hooks, 'pre-push.before-baton'), true],
    )
    assert.deepEqual([second.changed, readFileSync(first.hook, 'utf8')], [false, written])
    assert.notEqual(refused.code, 0)
    assert.match(
      readFileSync(join(project.root, 'seen.txt'), 'utf8'),
      /^refs\/heads\/main [0-9a-f]{40} refs\/heads\/main [0-9a-f]{40}\n$/,
    )
  })

  it('setup git --remove takes out the hook of merge-check and gives the one before it back', async (t) => {
    const project = await aProject(t)
    const hook = join(project.root, '.git/hooks/pre-push')
    writeFileSync(hook, '#!/bin/sh\nexit 3\n')
    chmodSync(hook, 0o744)

    await ask(project.where, 'merge-check', '--install-hook')
    const installed = readFileSync(hook, 'utf8')
    await ask(project.where, 'setup', 'git', '--remove', '--yes')

    assert.match(installed, /merge-check --pre-push/)
    assert.equal(readFileSync(hook, 'utf8'), '#!/bin/sh\nexit 3\n')
    assert.equal(statSync(hook).mode & 0o777, 0o744)
    assert.ok(!existsSync(`${hook}.before-baton`))
  })

  it('merge-check --install-hook keeps a hook that is a link or a binary as it is', async (t) => {
    const { where, root } = await aProject(t)
    const hook = join(root, '.git/hooks/pre-push')
    const kept = `${hook}.before-baton`
    const program = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0x00])
    const install = () => ask(where, 'merge-check', '--install-hook')
    writeFileSync(join(root, 'pre-push.sh'), '#!/bin/sh\n', { mode: 0o755 })
    symlinkSync('../../pre-push.sh', hook)

    const link = [await install(), await install()]
    const target = readlinkSync(kept)
    for (const path of [hook, kept]) rmSync(path)
    writeFileSync(hook, program, { mode: 0o755 })
    const binary = [await install(), await install()]

    const answers = [true, false].map((changed) => ({ hook, changed, kept }))
    assert.deepEqual([link, binary], [answers, answers])
    assert.equal(target, '../../pre-push.sh')
    assert.equal(readFileSync(join(root, 'pre-push.sh'), 'utf8'), '#!/bin/sh\n')
    assert.deepEqual(readFileSync(kept), program)
  })

  it('merge-check --install-hook does not switch on a hook that cannot be run', async (t) => {
    const { where, root } = await aProject(t)
    const hook = join(root, '.git/hooks/pre-push')
    writeFileSync(hook, '#!/bin/sh\nexit 3\n')
    chmodSync(hook, 0o644)

    const answer = await ask(where, 'merge-check', '--install-hook')

    assert.deepEqual(answer, { hook, changed: true })
    assert.equal(statSync(`${hook}.before-baton`).mode & 0o777, 0o644)
  })

  it('goes where core.hooksPath says, and never where other repositories look', async (t) => {
    const project = await aProject(t)
    project.git('config', 'core.hooksPath', '.githooks')
    const { hook } = await ask<{ hook: string }>(project.where, 'merge-check', '--install-hook')
    project.git('config', 'core.hooksPath', join(project.root, '../shared-hooks'))
    const refused = await refusal(project.where, 'merge-check', '--install-hook')

    assert.equal(hook, join(project.root, '.githooks/pre-push'))
    assert.deepEqual(
      [refused.code, existsSync(join(project.root, '../shared-hooks'))],
      ['not_allowed', false],
    )
  })
})

describe('the workflow for GitHub Actions', () => {
  it('hands the name of a branch over as a variable and never inside the script', () => {
    const text = readFileSync(
      join(import.meta.dirname, '../../examples/github-actions/merge-check.yml'),
      'utf8',
    )
    const scripts = [...text.matchAll(/^\s+(?:- )?run: (.*)$/gm)].map(([, line]) => line)

    assert.deepEqual(scripts, [
      'npm ci',
      'npx --no-install baton merge-check "$HEAD_REF" --base "$BASE_REF" --run',
    ])
  })
})
