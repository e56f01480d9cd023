import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { tablesOf } from '../../test/support/log/log.ts'
import { by, openWorkspace, type Workspace } from '../../test/support/program/workspace.ts'
import { faultySqlite, type When } from '../../test/support/store/faults.ts'
import { WRITES } from '../../test/support/store/writes.ts'
import { HOUR_MS } from '../domain/handoffs/deadlines.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Notice } from '../domain/people/notice.ts'
import type { Task } from '../domain/tasks/task.ts'

type Prepare = (typeof WRITES)[string]

const planner = by('planner')
const codex = by('codex')

/** Calls with more than one effect, beside the plain writes. */
const MORE: Readonly<Record<string, Prepare>> = {
  'a submission that completes a delegation and sends its return': async (w) => {
    const { handoff } = await w.service.sending.send(planner, {
      to: 'codex',
      title: 'Work',
      home: 'queue',
      type: 'delegation',
      task: 'P1',
    })
    await w.service.receiving.accept(codex, handoff.uid)
    return (key) =>
      w.service.receiving.submit(by('codex', { key }), handoff.uid, { output: { path: 'a.json' } })
  },
  'a first handoff that makes two agents and a task': async (w) => async (key) =>
    (
      await w.service.sending.send(by('new-planner', { key }), {
        to: 'new-codex',
        title: 'Work',
        task: 'P1',
        supersedes: undefined,
      })
    ).handoff,
  'a settling of two expiries and a lapsed lease': async (w) => {
    for (let i = 0; i < 2; i += 1)
      await w.service.sending.send(planner, { to: 'codex', title: 'Work', type: 'delegation' })
    const { handoff } = await w.service.sending.send(planner, { to: 'codex', title: 'Work' })
    await w.service.receiving.accept(codex, handoff.uid)
    w.clock.pass(24 * HOUR_MS)
    return () => w.service.settle()
  },
}

/** What a workspace holds, without what chance gave it. */
async function told({ store }: Workspace): Promise<unknown> {
  const tables = await tablesOf(store)
  const docs = <T>(table: string) => (tables.get(table) ?? []).map((row) => JSON.parse(String(row.doc)) as T)
  const sorted = (lines: readonly string[]) => [...lines].sort()
  return {
    handoffs: sorted(
      docs<Handoff>('handoff').map((h) => `${h.id} ${h.state} ${h.rev} ${h.attempt} ${h.debt}`),
    ),
    tasks: sorted(docs<Task>('task').map((task) => `${task.id} ${task.status} ${task.rev}`)),
    notices: sorted(docs<Notice>('notice').map((n) => `${n.to} ${n.kind} ${n.text}`)),
    entries: sorted((tables.get('entry') ?? []).map((row) => String(row.act))),
    others: ['agent', 'artifact', 'blob', 'record', 'idem', 'content', 'stream'].map(
      (table) => `${tables.get(table)?.length ?? 0} ${table}`,
    ),
  }
}

async function undisturbed(t: TestContext, prepare: Prepare): Promise<unknown> {
  const w = await openWorkspace(t)
  const call = await prepare(w)
  await call('key-1')
  return told(w)
}

async function failAtEveryStatement(t: TestContext, prepare: Prepare, when: When): Promise<void> {
  const expected = await undisturbed(t, prepare)
  const fault = faultySqlite(t)
  const w = await openWorkspace(t)
  const call = await prepare(w)
  const before = await told(w)

  let nth = 1
  for (; ; nth += 1) {
    fault.arm(nth, when)
    const outcome = await call('key-1').then(
      () => 'answered',
      () => 'refused',
    )
    const isHit = fault.disarm()
    const now = await told(w)

    if (outcome === 'answered' && !isHit) break
    assert.ok(nth < 200, 'the faults come to an end')
    const left = JSON.stringify(now)
    const whole = [before, expected].map((state) => JSON.stringify(state))
    // Agents are added by a transaction of their own before the call: they may be there already.
    if (!whole.includes(left)) assert.deepEqual(withoutAgents(now), withoutAgents(before), `statement ${nth}`)
  }

  assert.ok(nth > 3, 'faults were met')
  assert.deepEqual(await told(w), expected)
}

function withoutAgents(state: unknown): unknown {
  const { entries, others, ...rest } = state as { entries: string[]; others: string[] }
  return {
    ...rest,
    entries: entries.filter((act) => act !== 'agent.add'),
    others: others.filter((line) => !/ (agent|stream)$/.test(line)),
  }
}

describe('a store that fails at every statement in turn', () => {
  for (const when of ['before', 'after'] as const)
    for (const [name, prepare] of Object.entries({ ...WRITES, ...MORE }))
      it(`leaves nothing of ${name} half done when it fails ${when} the statement`, (t) =>
        failAtEveryStatement(t, prepare, when))
})
