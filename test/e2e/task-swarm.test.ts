import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordIn } from '../../src/audit/entry.ts'
import { openStore } from '../../src/compose/main.ts'
import type { Task, ThoughtRecord } from '../../src/domain/tasks/task.ts'
import type { LogEntry, Store } from '../../src/storage/store.ts'
import { type AgentProcess, startAgents } from '../agents/agent.ts'
import { checkLog } from '../support/log/log.ts'
import { EXAMPLE, recordOf } from '../support/program/invoke.ts'
import { by, ENGINES } from '../support/program/workspace.ts'
import { newPostgresPlace, newSqlitePlace } from '../support/store/store-places.ts'

const planner = by('planner')
const REQUIRED = 'Writeback required: thought_record must be recorded before task completion.'

/** The 28 tasks of phase 0: four groups of seven, each task on up to two earlier ones. */
const PHASE_0 = Array.from({ length: 28 }, (_, i) => ({
  id: idOf(i),
  title: `Task ${idOf(i)}`,
  depends_on: i === 0 ? [] : [...new Set([idOf(Math.floor((i - 1) / 2)), idOf(Math.max(0, i - 5))])],
}))

function idOf(i: number): string {
  return `P0.${Math.floor(i / 7) + 1}.${(i % 7) + 1}`
}

async function allEntries(store: Store): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = []
  let cursor = '0'
  for (;;) {
    const page = await store.changes(cursor, 500)
    if (page.entries.length === 0) return entries
    entries.push(...page.entries)
    cursor = page.cursor
  }
}

const nextOf = async (agent: AgentProcess) =>
  (await agent.ask<{ items: Task[] }>(planner, 'task_next_actions')).items.map(({ id }) => id)

for (const engine of ENGINES)
  describe(`a swarm of agents, on ${engine}`, () => {
    const { agents } = startAgents(4)
    const newPlace = () => (engine === 'sqlite' ? newSqlitePlace() : newPostgresPlace())

    it('[S3-102] does 28 tasks with 8 agents in 4 processes: each task is claimed once and done once', async (t) => {
      const { target, remove } = newPlace()
      t.after(remove)
      const store = await openStore(target)
      t.after(() => store.close())
      await Promise.all(agents.map((agent) => agent.open(target)))
      for (const task of PHASE_0) await agents[0]!.ask(planner, 'task_create', task)

      const replies = await Promise.all(
        agents.map((agent, i) =>
          agent.tell({ do: 'work', names: [`agent-${2 * i}`, `agent-${2 * i + 1}`], tasks: PHASE_0.length }),
        ),
      )

      const finished = replies.flatMap((reply) => {
        assert.ok(reply.ok, JSON.stringify(reply))
        return (reply.value as string[][]).flat()
      })
      assert.deepEqual([...finished].sort(), PHASE_0.map(({ id }) => id).sort())
      await checkLog(store)
      const acts = (await allEntries(store)).map((entry) => `${entry.act} ${recordIn(entry).sub.id}`)
      for (const { id, depends_on } of PHASE_0) {
        const at = (act: string) => acts.flatMap((line, i) => (line === `${act} ${id}` ? [i] : []))
        assert.deepEqual(
          [at('task.start').length, at('thought_record').length, at('task.done').length],
          [1, 1, 1],
        )
        for (const dependency of depends_on)
          assert.ok(
            acts.indexOf(`task.done ${dependency}`) < at('task.start')[0]!,
            `${id} after ${dependency}`,
          )
      }
      assert.deepEqual(await nextOf(agents[0]!), [])
    })

    it('[S3-57] [S3-100] hands over as in the diagram: A does P0.1.1, B finds P0.1.2 and P0.1.4 and does P0.1.2', async (t) => {
      const { target, remove } = newPlace()
      t.after(remove)
      const [a, b] = agents as [AgentProcess, AgentProcess]
      await Promise.all([a.open(target), b.open(target)])
      for (const [id, ...depends_on] of [
        ['P0.1.1'],
        ['P0.1.2', 'P0.1.1'],
        ['P0.1.3', 'P0.1.2'],
        ['P0.1.4', 'P0.1.1'],
      ] as const)
        await a.ask(planner, 'task_create', { id, title: `Task ${id}`, depends_on })
      const [agentA, agentB] = [by('agent-a'), by('agent-b')]

      const offered = await nextOf(a)
      await a.ask(agentA, 'task_start', { id: 'P0.1.1' })
      const update = { task_id: 'P0.1.1', status: 'done', progress: 100 }
      const early = await a.refusal(agentA, 'task_update', update)
      const first = await a.ask<ThoughtRecord>(agentA, 'thought_record', EXAMPLE)
      const done = await a.ask<{ reply: string }>(agentA, 'task_update', update)
      const freed = await nextOf(b)
      await b.ask(agentB, 'task_start', { id: 'P0.1.2' })
      const brief = await b.ask<{ sections: { kind: string; text: string }[] }>(agentB, 'task_brief', {
        id: 'P0.1.2',
      })
      await b.ask(
        agentB,
        'thought_record',
        recordOf('P0.1.2', { branch: 'feature/p0-1-2-linter', related_thought_records: [first.uid] }),
      )
      const last = await b.ask<Task>(agentB, 'task_update', { id: 'P0.1.2', status: 'done' })

      assert.deepEqual([offered, early.message, freed], [['P0.1.1'], REQUIRED, ['P0.1.2', 'P0.1.4']])
      assert.match(done.reply, /Status updated to "done".*Merge permitted/)
      assert.ok(brief.sections.find(({ kind }) => kind === 'latest_record')?.text.includes(EXAMPLE.summary))
      assert.deepEqual([last.status, last.progress], ['done', 100])
      // P0.1.4 has waited for one task, P0.1.3 for two.
      assert.deepEqual(await nextOf(a), ['P0.1.4', 'P0.1.3'])
    })
  })
