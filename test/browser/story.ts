import type { Client } from '../../src/client.ts'
import { type Dashboard, ME } from './dashboard.ts'

export interface Story {
  readonly planner: Client
  readonly codex: Client
  readonly claude: Client
  /** Ids of what is worth opening. */
  readonly reviewed: string
  readonly gate: string
  readonly question: string
  readonly parent: string
}

const CONTEXT = `The public API has no limits. Before launch every endpoint needs one.

- **Burst**: 20 requests at once
- **Steady**: 100 requests a minute, per key
- Answer with \`429\` and a \`Retry-After\` header

See the [plan](https://example.com/plan) and the table:

| endpoint | limit |
|---|---|
| /orders | 100/min |
| /search | 20/min |`

/** A small team at work: something in every column, a gate, a question, a chain, a sealed session. */
export async function tellStory({ as }: Pick<Dashboard, 'as'>, person = ME): Promise<Story> {
  const [planner, codex, claude] = [await as('planner'), await as('codex'), await as('claude')]
  const send = async (by: Client, input: Parameters<Client['handoff_send']>[0]) =>
    (await by.handoff_send(input)).handoff.id

  const done = await send(planner, {
    to: 'claude',
    title: 'Write the migration guide',
    deliverables: ['docs/migrate.md'],
  })
  await claude.handoff_accept({ id: done })
  await claude.handoff_submit({
    id: done,
    evidence: [{ deliverable: 'docs/migrate.md', evidence: 'docs/migrate.md, 2 pages' }],
  })
  await planner.handoff_verify({ id: done, pass: true, note: 'reads well' })

  const reviewed = await send(planner, {
    to: 'codex',
    title: 'Add rate limiting to the public API',
    task: 'BPRD-2026-0042',
    summary: 'Limits are needed before launch; the plan was agreed in the stand-up.',
    context: CONTEXT,
    deliverables: ['Middleware in src/limits/', 'Tests for burst and steady load'],
    criteria: ['npm test passes', 'p95 stays under 20 ms with 500 keys'],
    constraints: ['No new run-time dependency'],
    decisions: [{ id: 'D-1', decision: 'Token bucket per key', rationale: 'bursts are normal for carts' }],
    artifacts: [{ path: 'docs/limits.md', description: 'the agreed numbers', role: 'input' }],
    open_questions: [{ question: 'Do partners get their own limits?', priority: 'medium' }],
  })
  await codex.handoff_accept({ id: reviewed })
  await codex.handoff_heartbeat({ id: reviewed, progress: 60 })

  const parent = await send(planner, {
    to: 'claude',
    title: 'Prepare the launch checklist',
    summary: 'Everything that must be true on the day.',
  })
  await claude.handoff_accept({ id: parent })
  const child = await send(claude, {
    to: 'codex',
    title: 'Measure cold start on the small plan',
    type: 'delegation',
    parent,
    deliverables: ['A table with ten runs'],
  })
  await codex.handoff_accept({ id: child })

  await codex.handoff_submit({
    id: reviewed,
    note: '14 tests, p95 is 11 ms with 500 keys.',
    evidence: [
      { deliverable: 'Middleware in src/limits/', evidence: 'src/limits/bucket.ts, commit 4f1c2aa' },
      { deliverable: 'Tests for burst and steady load', evidence: 'test/limits.test.ts, 14 pass' },
    ],
  })

  const gate = await send(planner, {
    to: 'human',
    title: 'May the limits go live?',
    type: 'gate',
    gate: { name: 'launch' },
    summary: 'Limits are specified for every endpoint and measured with 500 keys.',
    validation_request: {
      items: ['The limits per endpoint', 'The wording of the refusal', 'Who is told when it goes live'],
    },
    artifacts: [{ path: 'docs/limits.md' }],
  })

  const me = await as(person, 'human')
  const question = await send(me, { to: 'codex', title: 'Speed up the search page' })
  await codex.handoff_accept({ id: question })
  await codex.handoff_ask({ id: question, question: 'Is 200 ms at p95 fast enough, or shall it be 100?' })

  await send(planner, { to: 'codex', title: 'Rotate the signing keys', priority: 'high' })
  const refused = await send(planner, { to: 'claude', title: 'Make everything faster' })
  await claude.handoff_reject({ id: refused, reason: 'no measure of done: faster than what?' })
  const stuck = await send(planner, { to: 'claude', title: 'Translate the onboarding mails' })
  await claude.handoff_accept({ id: stuck })
  await claude.handoff_heartbeat({ id: stuck, blocked: 'no access to the mail templates' })

  await tellTasks(planner, codex)
  return { planner, codex, claude, reviewed, gate, question, parent }
}

async function tellTasks(planner: Client, codex: Client): Promise<void> {
  await planner.task_create({ id: 'P1.1', title: 'Package setup' })
  await planner.task_create({ id: 'P1.2', title: 'First screen', depends_on: ['P1.1'] })
  await codex.audit_session_start({})
  await codex.task_start({ id: 'P1.1' })
  await codex.task_complete({
    task_id: 'P1.1',
    branch: 'feature/p1-1-package-setup',
    commit_sha: 'abc123def456789abcdef456789abcdef456789a',
    tests_run: ['smoke.test.ts'],
    summary: 'The package builds and its tests run.',
  })
  await codex.merkle_finalize({})
}
