import assert from 'node:assert/strict'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { quick } from '../support/program/command.ts'
import { type Project, promptsPage } from '../support/program/project.ts'
import type { Calls } from './agents.ts'

type Answer = { readonly handoff: Handoff }

/** How an agent of this name comes to the project. */
export type Connect = (name: string) => Promise<Calls>

/** The tools of document 003. */
export const SEVEN = [
  'task_update',
  'thought_record',
  'task_next_actions',
  'audit_session_start',
  'audit_verify_chain',
  'merkle_finalize',
  'merkle_root',
]
export const WRITEBACK_REQUIRED =
  'Writeback required: thought_record must be recorded before task completion.'
const BRANCH = 'feature/p0-1-1-package-setup'
const PROMPTS = 'docs/guides/implementation/task-prompts/p0.1-infrastructure.md'
const SUMMARY =
  'Set up the package. It has an entry and its tests. Tests and lint pass. Nothing else was touched.'

/** Document 003, Stage 1 to 4, with proof: one agent finishes and writes back, it is merged, the next one starts. */
export async function proofGradeChain(project: Project, connect: Connect): Promise<void> {
  const claude = await connect('claude')
  const shown = await claude.tools()
  assert.deepEqual(
    SEVEN.filter((name) => !shown.includes(name)),
    [],
  )
  assert.deepEqual(await nextActions(claude), ['P0.1.1'])
  await claude.call('task_start', { id: 'P0.1.1' })
  const { id: session } = await claude.call<{ id: string }>('audit_session_start')
  const commit = committed(project)

  assert.equal(await mergeCheck(project), 1)
  assert.equal((await claude.call('audit_verify_chain')).ok, true)
  assert.equal((await claude.refused('merkle_finalize')).code, 'unmet')
  const done = { task_id: 'P0.1.1', status: 'done', progress: 100, notes: 'Package set up.' }
  assert.deepEqual(await claude.refused('task_update', done), { code: 'unmet', text: WRITEBACK_REQUIRED })
  const record = await recorded(claude, {
    task_id: 'P0.1.1',
    branch: BRANCH,
    commit_sha: commit,
    files_changed: [PROMPTS, 'src/index.js'],
  })
  const { status, reply } = await claude.call('task_update', done)
  assert.equal(status, 'done')
  assert.match(String(reply), /Merge permitted/)
  const sealed = await claude.call<{ session: string; session_root: string }>('merkle_finalize')
  assert.equal(sealed.session, session)
  assert.deepEqual(await claude.call('merkle_root'), sealed)
  await claude.close()

  assert.equal(await mergeCheck(project), 0)
  project.git('merge', '--quiet', '--no-ff', '--no-edit', BRANCH)

  const codex = await connect('codex')
  assert.deepEqual(await nextActions(codex), ['P0.1.2'])
  await codex.call('task_start', { id: 'P0.1.2' })
  const brief = await codex.call<{ sections: { source?: string; untrusted: boolean }[] }>('task_brief', {
    id: 'P0.1.2',
    budget: 8_000,
  })
  const found = brief.sections.find(({ source }) => source === `record ${record}`)
  assert.equal(found?.untrusted, true)
  await recorded(codex, {
    task_id: 'P0.1.2',
    branch: 'feature/p0-1-2-linter',
    commit_sha: commit,
    files_changed: [],
    related_thought_records: [record],
  })
  assert.equal((await codex.call('task_update', { id: 'P0.1.2', status: 'done' })).status, 'done')
  assert.deepEqual(await nextActions(codex), [])
}

async function nextActions(agent: Calls): Promise<string[]> {
  const { items } = await agent.call<{ items: { id: string }[] }>('task_next_actions')
  return items.map(({ id }) => id)
}

/** Stage 1: the work of P0.1.1, tested, committed and pushed on its branch; answers the commit. */
function committed(project: Project): string {
  const folder = 'claude/p0-1-1-package-setup'
  // Through a server the claim comes without a checkout, and the agent makes its own.
  if (!project.git('branch', '--list', BRANCH).includes(BRANCH))
    project.git('worktree', 'add', '--quiet', '-b', BRANCH, `.worktrees/${folder}`)
  const work = project.at(folder)
  work.write(PROMPTS, promptsPage('x'))
  work.write('src/index.js', 'export {}\n')
  work.git('add', '--all')
  work.git('commit', '--quiet', '--message', 'task: P0.1.1 — Package setup')
  work.git('push', '--quiet', 'origin', BRANCH)
  return work.git('rev-parse', 'HEAD').trim()
}

/** Stage 3: the exit code of what a reviewer, or CI, asks before merging. */
async function mergeCheck(project: Project): Promise<number | null> {
  return (await quick(project.where, 'merge-check', BRANCH, '--as', 'reviewer')).code
}

async function recorded(agent: Calls, record: object): Promise<string> {
  const whole = {
    tests_run: ['sh check.sh test', 'sh check.sh lint'],
    summary: SUMMARY,
    blockers: [],
    ...record,
  }
  return (await agent.call<{ uid: string }>('thought_record', whole)).uid
}

/** Document 000: markdown work is handed over, taken on, handed in, and verified by somebody else. */
export async function markdownHandoff(connect: Connect): Promise<void> {
  const [grok, claude, perplexity] = [
    await connect('grok'),
    await connect('claude'),
    await connect('perplexity'),
  ]
  const { handoff } = await grok.call<{ handoff: { id: string; state: string } }>('handoff_send', {
    home: 'markdown',
    to: 'claude',
    task: 'BPRD-2026-0042',
    title: 'Implement API Rate Limiting',
    purpose: 'Implement rate limiting on public API endpoints',
    context: 'The plan was agreed in the stand-up.',
    deliverables: ['Rate limiting middleware', 'Unit tests'],
    criteria: ['All unit tests pass'],
    links: { meeting: 'meetings/2026-02-21.md', skill: 'skills/api-development' },
  })
  const { id } = handoff

  const { items } = await claude.call<{ items: { id: string }[] }>('handoff_inbox')
  assert.deepEqual(
    items.map((item) => item.id),
    [id],
  )
  assert.equal(
    (await claude.call<Answer>('handoff_accept', { id, start: true })).handoff.state,
    'in_progress',
  )
  const evidence = [
    { deliverable: 'Rate limiting middleware', evidence: 'PR #123' },
    { deliverable: 'Unit tests', evidence: '12 tests in limit.test.ts' },
  ]
  assert.equal((await claude.call<Answer>('handoff_submit', { id, evidence })).handoff.state, 'in_review')
  assert.equal((await claude.refused('handoff_verify', { id, pass: true })).code, 'not_allowed')
  const { handoff: verified } = await perplexity.call<Answer>('handoff_verify', { id, pass: true })

  assert.equal(verified.state, 'completed')
  assert.equal(verified.verified_by, 'perplexity')
  assert.equal((await grok.call<Answer>('handoff_wait', { id })).handoff.state, 'completed')
}
