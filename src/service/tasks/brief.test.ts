import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { EXAMPLE, recordOf, run } from '../../../test/support/program/invoke.ts'
import {
  by,
  describeOnEngines,
  type Workspace,
  type WorkspaceOptions,
} from '../../../test/support/program/workspace.ts'
import type { Brief } from '../../domain/tasks/brief.ts'
import type { ThoughtRecord } from '../../domain/tasks/task.ts'
import { MARKDOWN_MARKS } from '../../setup/section.ts'
import type { Project } from '../deps.ts'

const planner = by('planner')
const claude = by('claude')
const codex = by('codex')

type Shown = Brief & { readonly markdown?: string }
type Open = (t: TestContext, options?: WorkspaceOptions) => Promise<Workspace>

/** The files of the document's project, in memory. */
const FILES: Readonly<Record<string, string>> = {
  'CLAUDE.md': 'Work in worktrees.',
  'AGENTS.md': 'Roles: builder, reviewer.',
  'docs/guides/agent-bootstrap.md': 'You are an agent.',
  'docs/reference/extractions/task-pipeline-algorithm.md': 'Sort by depth.',
}
const projectOf =
  (files: Readonly<Record<string, string>>, extractions: readonly string[] = []) =>
  async (): Promise<Project> => ({
    git: true,
    taken: () => () => false,
    read: async (path) => files[path],
    prompt: async (task) => ({
      path: 'docs/guides/implementation/task-prompts/p0.1-infrastructure.md',
      text: `Do ${task}.`,
      extractions,
    }),
  })
const EXTRACTION = 'docs/reference/extractions/task-pipeline-algorithm.md'

/** P0.1.1 is done, P0.1.2 builds on it, P0.1.3 on that. */
async function project(open: Open, t: TestContext, options: WorkspaceOptions = {}) {
  const w = await open(t, { project: projectOf(FILES, [EXTRACTION]), ...options })
  for (const [id, ...depends_on] of [
    ['P0.1.1'],
    ['P0.1.2', 'P0.1.1'],
    ['P0.1.3', 'P0.1.2'],
    ['P0.2.1'],
  ] as const)
    await run(w.service, planner, 'task_create', { id, title: `Task ${id}`, depends_on })
  await run(w.service, claude, 'task_complete', EXAMPLE)
  const brief = (id: string, more = {}) => run<Shown>(w.service, codex, 'task_brief', { id, ...more })
  return { ...w, brief }
}

const told = ({ sections }: Shown): readonly string[] =>
  sections.map(({ kind, title }) => `${kind}: ${title}`)

describeOnEngines('the brief of a task', (open) => {
  it('[S3-63] [S3-65] holds the reading list of document 003 in its order', async (t) => {
    const { brief } = await project(open, t)

    const packet = await brief('P0.1.2')

    assert.deepEqual(told(packet), [
      'task: Task P0.1.2',
      'latest_record: Latest record of the project: P0.1.1',
      'next_actions: Next actions (task_next_actions)',
      'prompt: Prompt of P0.1.2',
      `extraction: ${EXTRACTION}`,
      'guide: CLAUDE.md',
      'guide: AGENTS.md',
      'guide: docs/guides/agent-bootstrap.md',
    ])
    assert.deepEqual([packet.budget, packet.left_out, packet.missing], [4_000, [], []])
    const [, record, next, prompt] = packet.sections
    for (const said of [EXAMPLE.summary, EXAMPLE.commit_sha, EXAMPLE.branch, 'tsc --noEmit', 'status: done'])
      assert.ok(record?.text.includes(said), said)
    assert.match(next?.text ?? '', /^! P0\.1\.2 Task P0\.1\.2\nP0\.2\.1 Task P0\.2\.1$/)
    assert.equal(prompt?.text, 'Do P0.1.2.')
  })

  it('says of the task who wrote it, whoever holds it', async (t) => {
    const { brief, service } = await project(open, t)
    await run(service, claude, 'task_start', { id: 'P0.1.2' })

    const [task] = (await brief('P0.1.2')).sections

    assert.equal(task?.by, 'planner')
    assert.match(task?.text ?? '', /held by claude/)
  })

  it('[S3-63] leaves out what setup wrote into a guide about Baton itself', async (t) => {
    const own = `${MARKDOWN_MARKS.begin}\n## Handing work over with Baton\n${MARKDOWN_MARKS.end}\n`
    const files = { 'CLAUDE.md': `Use tabs.\n\n${own}\nNo emoji.\n`, 'AGENTS.md': own }
    const { brief } = await project(open, t, { project: projectOf(files) })

    const { sections, missing } = await brief('P0.1.2')

    assert.deepEqual(
      sections.filter(({ kind }) => kind === 'guide').map(({ text }) => text),
      ['Use tabs.\n\nNo emoji.'],
    )
    assert.deepEqual(missing, ['docs/guides/agent-bootstrap.md'])
  })

  it('[S3-64] takes an extraction file only where the prompt refers to it, and tells of files that are missing', async (t) => {
    const plain = await project(open, t, { project: projectOf({ 'CLAUDE.md': 'x' }) })
    const referring = await project(open, t, { project: projectOf({}, [EXTRACTION]) })
    const nowhere = await open(t)
    await run(nowhere.service, planner, 'task_create', { id: 'P0.1.2', title: 'Linter' })

    const first = await plain.brief('P0.1.2')
    const second = await referring.brief('P0.1.2')
    const third = await run<Shown>(nowhere.service, codex, 'task_brief', { id: 'P0.1.2' })

    assert.equal(
      first.sections.some(({ kind }) => kind === 'extraction'),
      false,
    )
    assert.deepEqual(first.missing, ['AGENTS.md', 'docs/guides/agent-bootstrap.md'])
    assert.deepEqual(second.missing, [EXTRACTION, 'CLAUDE.md', 'AGENTS.md', 'docs/guides/agent-bootstrap.md'])
    assert.deepEqual(
      [told(third), third.missing],
      [
        ['task: Task P0.1.2', 'next_actions: Next actions (task_next_actions)'],
        ['the files of the project, which is not on this machine'],
      ],
    )
  })

  it('[S3-99] inherits the records of what the task depends on and those that they refer to, each once', async (t) => {
    const { brief, service } = await project(open, t)
    const [first] = await service.tasks.latest(1)
    const older = await run<ThoughtRecord>(service, claude, 'thought_record', recordOf('P0.2.1'))
    await run(
      service,
      claude,
      'task_complete',
      recordOf('P0.1.2', { related_thought_records: [first?.uid, older.uid] }),
    )
    await run(service, claude, 'task_complete', recordOf('P0.2.1'))

    const packet = await brief('P0.1.3')

    assert.deepEqual(told(packet).slice(1, 5), [
      'latest_record: Latest record of the project: P0.2.1',
      'dependency_record: Record of a task that this one depends on: P0.1.2',
      'related_record: Related record: P0.1.1',
      'related_record: Related record: P0.2.1',
    ])
    assert.equal(packet.sections[3]?.source, `record ${first?.uid}`)
  })

  it('says which gate the task waits for', async (t) => {
    const { service, brief } = await project(open, t)
    await service.tasks.start(codex, 'P0.1.2')
    const gate = {
      to: 'human',
      title: 'Look',
      type: 'gate' as const,
      gate: { name: 'design' },
      task: 'P0.1.2',
    }
    const { handoff } = await service.sending.send(codex, gate)

    const { markdown = '' } = await brief('P0.1.2', { format: 'markdown' })

    assert.ok(markdown.includes(`cannot be done yet: the gate design (${handoff.id}) waits for human`))
  })

  it('shows the reason of a reinstatement and the open handoffs of the task', async (t) => {
    const { brief, service } = await project(open, t)
    await run(service, codex, 'thought_record', {
      task_id: 'P0.1.1',
      status: 'todo',
      notes: 'Previous PR reverted, task reinstated',
    })
    await run(service, planner, 'task_create', { id: 'P0.3.1', title: 'Other' })
    await run(service, codex, 'thought_record', recordOf('P0.3.1'))
    await run(service, planner, 'handoff_send', {
      to: 'codex',
      title: 'Take it over',
      task: 'P0.1.1',
      summary: 'Claude is away.',
    })

    const packet = await brief('P0.1.1')

    assert.deepEqual(told(packet).slice(1, 4), [
      'latest_record: Latest record of the project: P0.3.1',
      'own_record: Latest record of this task: P0.1.1',
      'handoff: Open handoff HO-2026-001',
    ])
    assert.match(packet.sections[2]?.text ?? '', /notes: Previous PR reverted, task reinstated/)
    assert.match(
      packet.sections[3]?.text ?? '',
      /from planner to codex, offered, waits for codex\nsummary: Claude is away\./,
    )
  })

  it('marks what agents wrote as untrusted, with its author, and what is the project’s as its own', async (t) => {
    const { brief } = await project(open, t)

    const { markdown = '', sections } = await brief('P0.1.2', { format: 'markdown' })
    const packet = await brief('P0.1.2')

    assert.equal(sections, undefined)
    assert.deepEqual(
      packet.sections.map(({ kind, untrusted }) => [kind, untrusted]),
      [
        ['task', true],
        ['latest_record', true],
        ['next_actions', true],
        ['prompt', false],
        ['extraction', false],
        ['guide', false],
        ['guide', false],
        ['guide', false],
      ],
    )
    assert.match(markdown, /^\(untrusted, written by claude: record [0-9a-f-]+\)$/m)
    assert.match(markdown, /^\(from the project: CLAUDE\.md\)$/m)
  })

  it('keeps to its budget, the first of the list before the last, and tells what it left out', async (t) => {
    const long = 'A rule that everybody follows. '.repeat(400)
    const files = { ...FILES, 'CLAUDE.md': long, 'AGENTS.md': long, 'docs/guides/agent-bootstrap.md': long }
    const { brief } = await project(open, t, { project: projectOf(files) })

    const small = await brief('P0.1.2', { budget: 900 })
    const large = await brief('P0.1.2', { budget: 20_000 })

    assert.ok(small.tokens <= 900 && large.tokens <= 20_000)
    assert.deepEqual(told(small).slice(0, 2), [
      'task: Task P0.1.2',
      'latest_record: Latest record of the project: P0.1.1',
    ])
    assert.equal(small.left_out.at(-1)?.title, 'docs/guides/agent-bootstrap.md')
    assert.deepEqual(large.left_out, [])
    await assert.rejects(brief('P0.1.2', { budget: 10 }), { code: 'invalid_input' })
    await assert.rejects(brief('P9'), { code: 'not_found' })
  })
})
