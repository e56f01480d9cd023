import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { overStdio } from '../mcp/agents.ts'
import { ask, baton } from '../support/program/command.ts'
import { aProject, promptsPage } from '../support/program/project.ts'

const REFUSAL = 'Writeback required: thought_record must be recorded before task completion.'
const BRANCH = 'feature/p0-1-1-package-setup'
const WORKTREE = '.worktrees/claude/p0-1-1-package-setup'
const MCP = ['--tools', 'default,proof', '--agent']

interface Tasks {
  readonly items: readonly { readonly id: string }[]
}

/** Document 003 by the names of its tools and in its order; the worktree is made by git alone. */
it('J13: document 003 by its own names [S3-70] [S3-72] [S3-84]', async (t) => {
  const { root, where, git, write } = await aProject(t)
  const claude = await overStdio(t, where, [...MCP, 'claude'])
  const codex = await overStdio(t, where, [...MCP, 'codex'])
  const next = async (agent: typeof claude) =>
    (await agent.call<Tasks>('task_next_actions')).items.map(({ id }) => id)

  // Stage 4: the next agent picks an unblocked task and makes a worktree.
  assert.equal((await next(claude))[0], 'P0.1.1')
  git('worktree', 'add', '--quiet', '-b', BRANCH, WORKTREE, 'main')
  assert.ok(!(await next(codex)).includes('P0.1.1'))
  assert.match(
    (await codex.refused('task_start', { id: 'P0.1.1' })).text,
    /branch feature\/p0-1-1-package-setup already exists/,
  )
  const started = await claude.call<{ branch: string; worktree: string }>('task_start', { id: 'P0.1.1' })
  assert.deepEqual([started.branch, started.worktree], [BRANCH, WORKTREE])

  // Stage 1: work, commit, push.
  const tree = join(root, WORKTREE)
  writeFileSync(join(tree, 'setup.js'), 'ready\n')
  writeFileSync(
    join(tree, 'docs/guides/implementation/task-prompts/p0.1-infrastructure.md'),
    promptsPage('x'),
  )
  git('-C', tree, 'add', '.')
  git('-C', tree, 'commit', '--quiet', '-m', 'feat(core): package setup')
  git('-C', tree, 'push', '--quiet', '--set-upstream', 'origin', BRANCH)
  const commit_sha = git('-C', tree, 'rev-parse', 'HEAD').trim()

  // No document, list or flag makes the task done before its record.
  const done = { task_id: 'P0.1.1', status: 'done', progress: 100, notes: 'Package set up, no errors.' }
  assert.equal((await claude.refused('task_update', done)).text, REFUSAL)
  write('tasks.csv', 'id,title,status\nP0.1.1,Package setup,done\n')
  await baton(where, 'task', 'import', 'tasks.csv', '--with-done', '--as', 'claude')
  write('update.json', JSON.stringify(done))
  await baton(where, 'import', 'update.json', '--as', 'claude')
  const { task } = await ask<{ task: { status: string } }>(where, 'task', 'get', 'P0.1.1')
  assert.equal(task.status, 'in_progress')

  // Stage 2: the order of the document, from the audit session to the root of the tree.
  await claude.call('audit_session_start')
  assert.equal((await claude.call('audit_verify_chain')).ok, true)
  await claude.call('thought_record', {
    task_id: 'P0.1.1',
    branch: BRANCH,
    commit_sha,
    tests_run: ['sh check.sh test'],
    summary: 'Set the package up. The entry point is there. Tests pass.',
    blockers: [],
    files_changed: git('-C', tree, 'diff', '--name-only', 'main...HEAD').trim().split('\n'),
    related_thought_records: [],
  })
  assert.equal((await claude.call('task_update', done)).status, 'done')
  const sealed = await claude.call('merkle_finalize')
  assert.deepEqual(await claude.call('merkle_root'), sealed)

  // The next agent: the task that this one unblocked.
  assert.deepEqual(await next(codex), ['P0.1.2'])
})
