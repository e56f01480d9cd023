import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { shapesOf } from '../hooks/shapes.ts'
import { overStdio } from '../mcp/agents.ts'
import { ask, baton, onTerminal, type Where } from '../support/program/command.ts'
import { aProject, promptsPage } from '../support/program/project.ts'

const REFUSAL = 'Writeback required: thought_record must be recorded before task completion.'
const BRANCH = 'feature/p0-1-1-package-setup'
const { inputs } = shapesOf('claude-code')

/** Proof-grade work of document 003 through MCP, typed and called as people and agents do it. */
it('J5: proof-grade work through MCP', async (t) => {
  const { root, where, git } = await aProject(t)

  // The person sees what will be written and is asked; the agent is started by what stands there afterwards.
  const asked = onTerminal(where, ['setup', 'claude-code', '--proof'], { steps: [['Write this?', 'y\n']] })
  assert.match(asked.shown, /\+.*"mcp"/)
  const { mcpServers } = JSON.parse(readFileSync(join(root, '.mcp.json'), 'utf8'))
  const [, ...args] = mcpServers.baton.args as readonly string[]
  assert.deepEqual([mcpServers.baton.command, mcpServers.baton.args[0]], ['baton', 'mcp'])
  const claude = await overStdio(t, where, args)

  const { items } = await claude.call<{ items: { id: string }[] }>('task_next_actions')
  assert.equal(items[0]?.id, 'P0.1.1')
  const started = await claude.call<{ branch: string; worktree: string }>('task_start', { id: 'P0.1.1' })
  assert.deepEqual([started.branch, started.worktree], [BRANCH, '.worktrees/claude/p0-1-1-package-setup'])
  const tree = join(root, started.worktree)
  writeFileSync(join(tree, 'setup.js'), 'ready\n')
  writeFileSync(
    join(tree, 'docs/guides/implementation/task-prompts/p0.1-infrastructure.md'),
    promptsPage('x'),
  )
  git('-C', tree, 'add', '.')
  git('-C', tree, 'commit', '--quiet', '-m', 'feat(core): package setup')
  git('-C', tree, 'push', '--quiet', '--set-upstream', 'origin', BRANCH)
  const commit_sha = git('-C', tree, 'rev-parse', 'HEAD').trim()

  await claude.call('audit_session_start')
  assert.equal((await claude.call('audit_verify_chain')).ok, true)
  const done = { task_id: 'P0.1.1', status: 'done', progress: 100 }
  assert.equal((await claude.refused('task_update', done)).text, REFUSAL)
  const stop = await stopped(where)
  assert.match(stop, /P0\.1\.1[\s\S]*thought_record/)
  const missing = await baton(where, 'merge-check', BRANCH)
  assert.equal(missing.code, 1)

  await claude.call('thought_record', {
    task_id: 'P0.1.1',
    branch: BRANCH,
    commit_sha,
    files_changed: git('-C', tree, 'diff', '--name-only', 'main...HEAD').trim().split('\n'),
    tests_run: ['sh check.sh test'],
    summary: 'Set the package up. The entry point is there. Tests pass.',
  })
  assert.equal((await claude.call('task_update', done)).status, 'done')
  const sealed = await claude.call('merkle_finalize')
  assert.deepEqual(await claude.call('merkle_root'), sealed)
  assert.equal(await stopped(where), '')

  const allowed = await baton(where, 'merge-check', BRANCH)
  assert.deepEqual([allowed.code, allowed.stdout], [0, `✓ ${BRANCH}, P0.1.1: may be merged into main\n`])
  const brief = await ask<{ sections: { text: string }[] }>(where, 'task', 'brief', 'P0.1.2', '--as', 'codex')
  assert.ok(brief.sections.some(({ text }) => text.includes('The entry point is there')))
})

/** What the program hears when its session wants to end. */
async function stopped(where: Where): Promise<string> {
  const input = JSON.stringify({ ...inputs.Stop, cwd: where.cwd })
  const env = { ...where.env, CLAUDECODE: '1' }
  const { code, stdout } = await baton({ ...where, env, input }, 'hook', 'Stop', '--agent', 'claude')
  assert.equal(code, 0)
  return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
}
