import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { ask, type Where } from '../command.ts'
import { folders } from '../folders.ts'
import { EXAMPLE, recordOf } from '../invoke.ts'
import { type Agent, overHttp, overStdio, type Protocol, startServer } from '../mcp/agents.ts'

const PROTOCOLS = ['v1', 'v2 of 2026'] as const
const SEVEN = [
  'task_update',
  'thought_record',
  'task_next_actions',
  'audit_session_start',
  'audit_verify_chain',
  'merkle_finalize',
  'merkle_root',
]
const REFUSAL = 'Writeback required: thought_record must be recorded before task completion.'

type Connect = (name: string) => Promise<Agent>

/** A project with the two tasks of document 003, and its prompts. */
async function project(t: TestContext): Promise<Where> {
  const made = folders(t)
  const where: Where = { cwd: made.repository('project'), env: { BATON_HOME: made.folder('home') } }
  const prompts = join(where.cwd, 'docs/guides/implementation/task-prompts/p0.1-infrastructure.md')
  mkdirSync(dirname(prompts), { recursive: true })
  writeFileSync(
    prompts,
    '# P0.1\n\n## P0.1.2 — Linter\n\n```\nSet up the linter.\n```\n\n- [ ] eslint passes\n',
  )
  await ask(where, 'init')
  await ask(where, 'task', 'create', 'P0.1.1', '--title', 'Package setup', '--as', 'pm')
  await ask(where, 'task', 'create', 'P0.1.2', '--title', 'Linter', '--depends-on', 'P0.1.1', '--as', 'pm')
  return where
}

/** How agents come to the project: each wire with each client. */
const WIRES: readonly (readonly [name: string, (t: TestContext, where: Where) => Promise<Connect>])[] =
  PROTOCOLS.flatMap((protocol: Protocol) => [
    [
      `SDK ${protocol} over stdio`,
      async (t, where) => (name) =>
        overStdio(t, where, ['--agent', name, '--tools', 'default,proof'], protocol),
    ] as const,
    [
      `SDK ${protocol} over HTTP`,
      async (t, where) => {
        const url = `${await startServer(t, where)}/mcp?tools=default,proof`
        return async (name) => {
          const { secret } = await ask<{ secret: string }>(
            where,
            'token',
            'create',
            '--agent',
            name,
            '--scope',
            '*',
          )
          return overHttp(t, url, secret, protocol)
        }
      },
    ] as const,
  ])

for (const [wire, connect] of WIRES)
  describe(wire, () => {
    it('[S3-08][S3-31][S3-100] drives the whole proof-grade chain of document 003, from one agent to the next', async (t) => {
      const where = await project(t)
      const agent = await connect(t, where)
      const claude = await agent('claude')
      const { tools } = await claude.client.listTools()
      assert.deepEqual(
        SEVEN.filter((name) => !tools.some((tool) => tool.name === name)),
        [],
      )

      const { items } = await claude.call<{ items: { id: string }[] }>('task_next_actions')
      assert.deepEqual(
        items.map(({ id }) => id),
        ['P0.1.1'],
      )
      await claude.call('task_start', { id: 'P0.1.1' })
      const { id: session } = await claude.call<{ id: string }>('audit_session_start')
      assert.equal((await claude.call('audit_verify_chain')).ok, true)
      const early = await claude.refused('merkle_finalize')
      assert.equal(early.code, 'unmet')
      const { uid: record } = await claude.call<{ uid: string }>('thought_record', EXAMPLE)
      const done = { task_id: 'P0.1.1', status: 'done', progress: 100, notes: 'Package set up.' }
      const { status, reply } = await claude.call('task_update', done)
      assert.equal(status, 'done')
      assert.match(String(reply), /Merge permitted/)
      const sealed = await claude.call<{ session: string; session_root: string }>('merkle_finalize')
      assert.equal(sealed.session, session)
      assert.deepEqual(await claude.call('merkle_root'), sealed)
      await claude.close()

      const codex = await agent('codex')
      const next = await codex.call<{ items: { id: string }[] }>('task_next_actions')
      assert.deepEqual(
        next.items.map(({ id }) => id),
        ['P0.1.2'],
      )
      const brief = await codex.call<{ sections: { source?: string; untrusted: boolean }[] }>('task_brief', {
        id: 'P0.1.2',
        budget: 8_000,
      })
      const found = brief.sections.find(({ source }) => source === `record ${record}`)
      assert.equal(found?.untrusted, true)
      await codex.call('task_start', { id: 'P0.1.2' })
      await codex.call('thought_record', recordOf('P0.1.2', { related_thought_records: [record] }))
      assert.equal((await codex.call('task_update', { id: 'P0.1.2', status: 'done' })).status, 'done')
    })

    it('[S0-25][S0-28][S0-80] hands markdown work over, takes it on, hands it in and verifies it', async (t) => {
      const where = await project(t)
      const agent = await connect(t, where)
      const [grok, claude, perplexity] = await Promise.all(['grok', 'claude', 'perplexity'].map(agent))
      const { handoff } = await grok!.call<{ handoff: { id: string; state: string } }>('handoff_send', {
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

      const { items } = await claude!.call<{ items: { id: string }[] }>('handoff_inbox')
      assert.deepEqual(
        items.map((item) => item.id),
        [id],
      )
      assert.equal((await claude!.call('handoff_accept', { id, start: true })).state, 'in_progress')
      const evidence = [
        { deliverable: 'Rate limiting middleware', evidence: 'PR #123' },
        { deliverable: 'Unit tests', evidence: '12 tests in limit.test.ts' },
      ]
      assert.equal((await claude!.call('handoff_submit', { id, evidence })).state, 'in_review')
      assert.equal((await claude!.refused('handoff_verify', { id, pass: true })).code, 'not_allowed')
      const verified = await perplexity!.call('handoff_verify', { id, pass: true })

      assert.equal(verified.state, 'completed')
      assert.equal(verified.verified_by, 'perplexity')
      assert.equal((await grok!.call('handoff_wait', { id })).state, 'completed')
    })
  })

describe('a refused tool call', () => {
  it('[S3-30][S3-71] gets the exact sentence when a record is missing, and goes on with the same server', async (t) => {
    const where = await project(t)
    const claude = await overStdio(t, where, ['--agent', 'claude'])
    await claude.call('task_start', { id: 'P0.1.1' })

    const { isError, content, structuredContent } = await claude.reply('task_update', {
      task_id: 'P0.1.1',
      status: 'done',
      progress: 100,
    })

    assert.equal(isError, true)
    assert.deepEqual(content, [{ type: 'text', text: REFUSAL }])
    assert.equal(Object(structuredContent?.error).code, 'unmet')
    await claude.call('thought_record', EXAMPLE)
    assert.equal((await claude.call('task_update', { task_id: 'P0.1.1', status: 'done' })).status, 'done')
  })
})
