import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { ask, quick, refusal, type Where } from '../support/program/command.ts'
import { EXAMPLE } from '../support/program/invoke.ts'

const PROMPTS = 'docs/guides/implementation/task-prompts/p0.1-infrastructure.md'
const EXTRACTION = 'docs/reference/extractions/task-pipeline-algorithm.md'
const RECORD = [
  '--branch',
  EXAMPLE.branch,
  '--commit-sha',
  EXAMPLE.commit_sha,
  '--test',
  'smoke.test.ts',
  '--summary',
  EXAMPLE.summary,
]

/** A project with a store, in a git repository unless it says otherwise. */
async function newProject(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  { git = true } = {},
): Promise<Where> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-writeback-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const cwd = join(folder, 'project')
  mkdirSync(cwd)
  if (git) execFileSync('git', ['init', '-q', cwd])
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, dirname(path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  const where = { cwd, env: { BATON_AGENT: 'claude' } }
  await ask(where, 'init')
  await ask(where, 'task', 'create', 'P0.1.1', '--title', 'Package setup')
  await ask(where, 'task', 'create', 'P0.1.2', '--title', 'Linter', '--depends-on', 'P0.1.1')
  return where
}

const FILES = {
  'CLAUDE.md': 'Work in worktrees.\n',
  'AGENTS.md': 'Roles.\n',
  [PROMPTS]: [
    '# P0.1',
    '## P0.1.2 — Linter',
    `Read ${EXTRACTION} first.`,
    '### Prompt',
    '```',
    'Set up the linter.',
    '```',
    '- [ ] eslint passes',
    '## P0.1.3 — Other',
  ].join('\n'),
  [EXTRACTION]: 'Sort by depth.\n',
}

describe('writeback on the command line', () => {
  it('[S3-65] gives the next agent its whole packet with task brief', async (t) => {
    const where = await newProject(t, FILES)
    await ask(where, 'task', 'complete', 'P0.1.1', ...RECORD)

    const { code, stdout } = await quick(where, 'task', 'brief', 'P0.1.2')
    const packet = await ask<{
      budget: number
      tokens: number
      missing: string[]
      sections: { title: string }[]
    }>(where, 'task', 'brief', 'P0.1.2', '--budget', '2000')

    assert.equal(code, 0)
    const headings = stdout.match(/^## .*$/gm)
    assert.deepEqual(headings, [
      '## Task P0.1.2',
      '## Latest record of the project: P0.1.1',
      '## Next actions (task_next_actions)',
      '## Prompt of P0.1.2',
      `## ${EXTRACTION}`,
      '## CLAUDE.md',
      '## AGENTS.md',
    ])
    assert.match(stdout, /Set up the linter\.\n\n- \[ \] eslint passes/)
    assert.match(stdout, /^Not there: docs\/guides\/agent-bootstrap\.md$/m)
    assert.equal(stdout.includes('P0.1.3 — Other'), false)
    assert.deepEqual([packet.budget, packet.missing], [2_000, ['docs/guides/agent-bootstrap.md']])
    assert.ok(packet.tokens <= 2_000)
  })

  it('[S3-53] takes the next agent through Stage 4: guides, next actions, pick, worktree, prompt', async (t) => {
    const where = await newProject(t, FILES)
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
        cwd: where.cwd,
      })
    git('add', 'CLAUDE.md', 'AGENTS.md', 'docs')
    git('commit', '-q', '-m', 'start')
    await ask(where, 'task', 'complete', 'P0.1.1', ...RECORD)

    const { sections } = await ask<{ sections: { title: string }[] }>(where, 'task', 'brief', 'P0.1.2')
    const { items } = await ask<{ items: { id: string }[] }>(where, 'next')
    const picked = items[0]?.id ?? ''
    await ask(where, 'task', 'start', picked)
    const worktree = join(where.cwd, '.worktrees/claude/p0-1-2-linter')
    const prompt = await quick({ ...where, cwd: worktree }, 'task', 'prompt', picked)

    const titles = sections.map(({ title }) => title)
    assert.ok(titles.indexOf('CLAUDE.md') < titles.indexOf('AGENTS.md') && titles.includes('CLAUDE.md'))
    assert.deepEqual([picked, existsSync(join(worktree, 'CLAUDE.md'))], ['P0.1.2', true])
    assert.equal(prompt.stdout.trim(), 'Set up the linter.')
  })

  it('[S3-64] reads nothing outside the project for it: neither through a link nor from a pipe', async (t) => {
    const where = await newProject(t, { [PROMPTS]: '## P0.1.2 — Linter\nRead docs/extractions/x.md\n' })
    const outside = join(dirname(where.cwd), 'secret.md')
    writeFileSync(outside, 'the secret')
    symlinkSync(outside, join(where.cwd, 'CLAUDE.md'))
    mkdirSync(join(where.cwd, 'docs/extractions'))
    symlinkSync(outside, join(where.cwd, 'docs/extractions/x.md'))
    execFileSync('mkfifo', [join(where.cwd, 'AGENTS.md')])

    const { code, stdout } = await quick(where, 'task', 'brief', 'P0.1.2')

    assert.equal(code, 0)
    assert.equal(stdout.includes('the secret'), false)
    // Without a prompt to paste, the section is what the file says of the task.
    assert.ok(stdout.includes('Linter\n\nRead docs/extractions/x.md'))
    assert.match(stdout, /^Not there: docs\/extractions\/x\.md, CLAUDE\.md, AGENTS\.md, docs\/guides/m)
  })

  it('[S3-71] [S3-101] refuses done without a record in the document’s words, and takes both in one', async (t) => {
    const where = await newProject(t, {})
    await ask(where, 'task', 'update', 'P0.1.1', '--status', 'in_progress')

    const early = await refusal(where, 'task', 'update', 'P0.1.1', '--status', 'done')
    const done = await ask(where, 'task', 'complete', 'P0.1.1', ...RECORD)
    const said = await quick(where, 'thought', 'list')

    assert.deepEqual(
      [early.exit, early.message],
      [8, 'Writeback required: thought_record must be recorded before task completion.'],
    )
    assert.deepEqual(
      [done.status, done.reply],
      ['done', 'Status updated to "done". Writeback check: thought_record exists. Merge permitted.'],
    )
    assert.match(said.stdout, /P0\.1\.1 · claude .*feature\/p0-1-1-package-setup at abc123def4 · 1 test/)
  })

  it('needs branch and commit in a repository, and does without where there is none', async (t) => {
    const inGit = await newProject(t, {})
    const without = await newProject(t, {}, { git: false })
    const call = ['task', 'complete', 'P0.1.1', '--summary', EXAMPLE.summary] as const

    const refused = await refusal(inGit, ...call)
    const done = await quick(without, ...call)

    assert.match(refused.message, /^--branch is missing; .* --commit-sha is missing; /)
    assert.deepEqual([done.code, done.stdout.includes('is done, and its record is written')], [0, true])
    assert.match(done.stderr, /tests_run is missing/)
  })

  it('[S3-89] [S3-90] opens a reverted task again with a record', async (t) => {
    const where = await newProject(t, {})
    await ask(where, 'task', 'complete', 'P0.1.1', ...RECORD)

    await ask(
      where,
      'thought',
      'record',
      'P0.1.1',
      '--status',
      'todo',
      '--notes',
      'Previous PR reverted, task reinstated',
    )

    const { items } = await ask<{ items: { id: string }[] }>(where, 'next')
    assert.deepEqual(
      items.map(({ id }) => id),
      ['P0.1.1'],
    )
  })

  it('[S3-81] escalates to the pm with one command', async (t) => {
    const where = await newProject(t, {})

    const { stdout } = await quick(where, 'task', 'escalate', 'P0.1.1', ...RECORD, '--to', 'pm')
    const inbox = await ask<{ items: { id: string; title: string }[] }>(
      { ...where, env: { BATON_AGENT: 'pm' } },
      'inbox',
    )

    assert.match(stdout, /HO-\d{4}-001 asks pm to write the record of P0\.1\.1/)
    assert.deepEqual(
      inbox.items.map(({ title }) => title),
      ['Writeback of P0.1.1 failed: write its thought_record'],
    )
  })
})
