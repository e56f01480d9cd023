import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { openStore, type StoreTarget } from '../../src/compose/main.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import type { Task, ThoughtRecord } from '../../src/domain/tasks/task.ts'
import { type AgentProcess, startAgents } from '../agents/agent.ts'
import { checkLog } from '../support/log/log.ts'
import { EXAMPLE, recordOf } from '../support/program/invoke.ts'
import { by, ENGINES, type Engine, person } from '../support/program/workspace.ts'
import { newDatabase, newPostgresPlace, newSqlitePlace, query } from '../support/store/store-places.ts'

const planner = by('planner')
const claude = by('claude')
const codex = by('codex')
const pm = by('pm')

const REQUIRED = 'Writeback required: thought_record must be recorded before task completion.'
const FAILED =
  'Writeback failed: unable to insert thought_record. Retry with fresh DB connection or escalate.'

interface Room {
  readonly target: StoreTarget
  /** From here on no record can be inserted, until the answer is called. */
  readonly breakRecords: () => Promise<() => Promise<void>>
  readonly remove: () => void
}

/** A store of its own, in which the insert of a record can be made to fail for every process. */
async function newRoom(engine: Engine): Promise<Room> {
  if (engine === 'sqlite') {
    const { target, path, remove } = newSqlitePlace()
    const alter = async (sql: string) => {
      const db = new DatabaseSync(path)
      db.exec(`PRAGMA busy_timeout = 5000; ${sql}`)
      db.close()
    }
    return { target, breakRecords: () => renamed(alter, 'record', 'record'), remove }
  }
  const url = await newDatabase()
  const { target, remove } = newPostgresPlace(url)
  const alter = async (sql: string) => void (await query(url, sql))
  return { target, breakRecords: () => renamed(alter, 'baton.record', 'record'), remove }
}

async function renamed(alter: (sql: string) => Promise<void>, table: string, name: string) {
  await alter(`ALTER TABLE ${table} RENAME TO record_away`)
  return () => alter(`ALTER TABLE ${table.replace(/record$/, 'record_away')} RENAME TO ${name}`)
}

/** Agents A and B, each a process of its own, and the document's first tasks. */
async function twoAgents(
  t: TestContext,
  engine: Engine,
  agents: readonly AgentProcess[],
): Promise<{ a: AgentProcess; b: AgentProcess } & Room> {
  const room = await newRoom(engine)
  const [a, b] = agents as [AgentProcess, AgentProcess]
  await a.open(room.target)
  await b.open(room.target)
  t.after(async () => {
    const store = await openStore(room.target)
    await checkLog(store).finally(() => store.close())
    room.remove()
  })
  await a.ask(planner, 'task_create', { id: 'P0.1.1', title: 'Package setup' })
  await a.ask(planner, 'task_create', { id: 'P0.1.2', title: 'Linter', depends_on: ['P0.1.1'] })
  await a.ask(planner, 'task_create', { id: 'P0.1.3', title: 'Database', depends_on: ['P0.1.2'] })
  await a.ask(planner, 'task_create', { id: 'P0.1.4', title: 'Logging', depends_on: ['P0.1.1'] })
  return { a, b, ...room }
}

const nextOf = async (agent: AgentProcess) =>
  (await agent.ask<{ items: Task[] }>(planner, 'task_next_actions')).items.map(({ id }) => id)
const statusOf = async (agent: AgentProcess, id: string) =>
  (await agent.ask<{ items: Task[] }>(planner, 'task_list', { ref: id })).items[0]?.status

for (const engine of ENGINES)
  describe(`the failure modes of document 003, on ${engine}`, () => {
    const { agents } = startAgents(2)

    it('[S3-73] [S3-79] [S3-80] 1: a record that the store does not take gives the sentence, and the retry works', async (t) => {
      const { a, b, target, breakRecords } = await twoAgents(t, engine, agents)
      await a.ask(claude, 'task_start', { id: 'P0.1.1' })
      const mend = await breakRecords()

      const refused = await a.refusal(claude, 'thought_record', EXAMPLE)
      const combined = await a.refusal(claude, 'task_complete', EXAMPLE)
      const status = await statusOf(b, 'P0.1.1')
      await mend()

      assert.deepEqual([refused.message, combined.message, status], [FAILED, FAILED, 'in_progress'])
      await assert.rejects(b.ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'done' }), {
        message: `task_update: unmet ${REQUIRED}`,
      })
      // Once on the connection that saw the failure, and once on a fresh one.
      await a.ask(claude, 'thought_record', EXAMPLE)
      await a.open(target)
      await a.ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'done' })
      const { items } = await b.ask<{ items: ThoughtRecord[] }>(planner, 'thought_list')
      assert.deepEqual([await statusOf(b, 'P0.1.1'), items.length], ['done', 1])
    })

    it('[S3-75] [S3-81] [S3-82] 1: the agent escalates with branch, commit and record, and the pm writes it', async (t) => {
      const { a, b, breakRecords } = await twoAgents(t, engine, agents)
      await b.ask(person('maria'), 'agent_add', { name: 'pm', roles: ['pm'] })
      await a.ask(claude, 'task_start', { id: 'P0.1.1' })
      const mend = await breakRecords()
      const refused = await a.refusal(claude, 'thought_record', EXAMPLE)

      const { handoff: sent } = await a.ask<{ handoff: Handoff }>(claude, 'task_escalate', {
        ...EXAMPLE,
        reason: refused.message,
      })
      await mend()

      const { items } = await b.ask<{ items: Handoff[] }>(pm, 'handoff_inbox')
      const found = await b.ask<{ package: { data: Record<string, unknown>; summary: string } }>(
        pm,
        'handoff_get',
        { id: sent.id },
      )
      const { data, summary } = found.package
      assert.deepEqual([items.map(({ id }) => id), sent.to], [[sent.id], 'pm'])
      assert.deepEqual(data, {
        task_id: 'P0.1.1',
        branch: EXAMPLE.branch,
        commit_sha: EXAMPLE.commit_sha,
        thought_record: { ...EXAMPLE, on_behalf_of: 'claude' },
      })
      assert.ok(summary.includes(EXAMPLE.branch) && summary.includes(EXAMPLE.commit_sha))
      // What the error carried is what the pm gets.
      const { escalation } = refused.details as { escalation: { thought_record: unknown } }
      assert.deepEqual(escalation.thought_record, EXAMPLE)
      await b.ask(pm, 'thought_record', data.thought_record)
      await b.ask(pm, 'task_update', { task_id: 'P0.1.1', status: 'done' })
      const [record] = (await a.ask<{ items: ThoughtRecord[] }>(claude, 'thought_list')).items
      assert.deepEqual(
        [record?.by, record?.on_behalf_of, await statusOf(a, 'P0.1.1')],
        ['pm', 'claude', 'done'],
      )
    })

    it('[S3-84] [S3-86] 2: of two processes that pick one task one gets it, and the other is offered another', async (t) => {
      const { a, b } = await twoAgents(t, engine, agents)
      await a.ask(planner, 'task_create', { id: 'P0.2.1', title: 'Parser' })

      const race = await Promise.all([
        a.tell({ do: 'ask', call: claude, name: 'task_start', input: { id: 'P0.1.1' } }),
        b.tell({ do: 'ask', call: codex, name: 'task_start', input: { id: 'P0.1.1' } }),
      ])

      const winner = race[0].ok ? 'claude' : 'codex'
      const lost = race.find((reply) => !reply.ok)
      assert.deepEqual(lost, {
        ok: false,
        code: 'conflict',
        message: `P0.1.1 already belongs to ${winner}; pick another with: baton next`,
        details: { id: 'P0.1.1', owner: winner },
      })
      assert.deepEqual(await nextOf(b), ['P0.2.1'])
      const other = winner === 'claude' ? codex : claude
      assert.equal((await b.ask<Task>(other, 'task_start', { id: 'P0.2.1' })).owner, other.actor.name)
    })

    it('[S3-89] [S3-90] [S3-92] 3: a reverted task is reinstated, offered again, and its dependants wait again', async (t) => {
      const { a, b } = await twoAgents(t, engine, agents)
      await a.ask(claude, 'task_complete', EXAMPLE)
      const before = await nextOf(b)

      await b.ask(codex, 'thought_record', {
        task_id: 'P0.1.1',
        status: 'todo',
        notes: 'Previous PR reverted, task reinstated',
      })

      const after = await nextOf(a)
      assert.deepEqual([before, after], [['P0.1.2', 'P0.1.4'], ['P0.1.1']])
      assert.equal((await a.refusal(claude, 'task_start', { id: 'P0.1.2' })).code, 'wrong_state')
      const [latest] = (await a.ask<{ items: ThoughtRecord[] }>(claude, 'thought_list')).items
      assert.deepEqual(
        [latest?.shape, latest?.status, latest?.notes],
        ['reinstatement', 'todo', 'Previous PR reverted, task reinstated'],
      )
    })

    it('[S3-91] [S3-98] 3: the reinstatement is no writeback, and the whole story stays in the log', async (t) => {
      const { a, b } = await twoAgents(t, engine, agents)
      await a.ask(claude, 'task_complete', EXAMPLE)
      await b.ask(codex, 'thought_record', { task_id: 'P0.1.1', status: 'todo', notes: 'Reverted.' })
      await b.ask(codex, 'task_start', { id: 'P0.1.1' })

      const refused = await b.refusal(codex, 'task_update', { task_id: 'P0.1.1', status: 'done' })
      await b.ask(codex, 'task_complete', recordOf('P0.1.1', { summary: 'Done once more.' }))

      assert.equal(refused.message, REQUIRED)
      const { entries, records } = await a.ask<{
        entries: { act: string; by: string }[]
        records: ThoughtRecord[]
      }>(planner, 'task_log', { id: 'P0.1.1' })
      assert.deepEqual(
        entries.map(({ act, by: who }) => `${who} ${act}`),
        [
          'planner task.create',
          'claude thought_record',
          'claude task.done',
          'codex task.reinstate',
          'codex task.start',
          'codex thought_record',
          'codex task.done',
        ],
      )
      assert.deepEqual(
        records.map(({ shape }) => shape),
        ['completion', 'reinstatement', 'completion'],
      )
    })
  })
