import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ci,
  collect,
  historyOf,
  progressOf,
  seenBy,
  summary,
} from '../../../test/support/documents/blocks.ts'
import { run } from '../../../test/support/program/invoke.ts'
import { by, describeOnEngines } from '../../../test/support/program/workspace.ts'
import type { Followed } from '../../domain/blocks/block.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { blocksIn } from './found-blocks.ts'

const RULES = {
  retry: 2,
  route_to: '@implementation-agent',
  notify: '@lead',
  escalate_after: 3,
  context: 'Registration validation fails',
}
const FAILED = { status: 'failed', task: 'task-12', on_failure: RULES }

const followed = async (
  service: Parameters<typeof collect>[0],
  name: string,
  facts: object,
  more = {},
): Promise<Followed> => (await collect(service, { [name]: summary(facts) }, more)).blocks[0]?.followed ?? {}

describeOnEngines('failed work', (open) => {
  it('[S2-57] [S2-58] [S2-63] is retried twice by the same agent, then routed and escalated', async (t) => {
    const { service } = await open(t)

    const first = await followed(service, '1.md', FAILED)
    const second = await followed(service, '2.md', { ...FAILED, retry_count: 1 })
    const third = await followed(service, '3.md', { ...FAILED, retry_count: 2 })

    assert.deepEqual([first.retry?.retry_count, first.retry?.to], [1, 'tester'])
    assert.deepEqual([second.retry?.retry_count, second.retry?.id], [2, first.retry?.id])
    assert.deepEqual([first.routed, first.escalated, second.routed, third.retry], Array(4).fill(undefined))
    assert.deepEqual([third.routed?.to, third.escalated?.to], ['implementation-agent', 'ci'])
    assert.deepEqual((await seenBy(service, 'tester')).handoffs, [])
    assert.deepEqual((await seenBy(service, 'implementation-agent')).handoffs, [
      'Failed: Testing by tester, task-12 offered 1',
    ])
    assert.deepEqual((await seenBy(service, 'ci')).handoffs, [
      'Escalated: Testing by tester, task-12 failed 3 times offered 1',
    ])
  })

  it('[S2-63] stays the handoff that is retried, whatever else was handed to its agent meanwhile', async (t) => {
    const { service } = await open(t)

    const first = await followed(service, '1.md', FAILED)
    const other = await followed(service, 'o.md', { from: '@builder', to: '@tester', task: 'task-12' })
    const second = await followed(service, '2.md', { ...FAILED, retry_count: 1 })
    const third = await followed(service, '3.md', { ...FAILED, retry_count: 2 })

    assert.equal(other.next?.to, 'tester')
    assert.deepEqual([second.retry?.id, third.routed?.to], [first.retry?.id, 'implementation-agent'])
    assert.deepEqual((await seenBy(service, 'tester')).handoffs, [
      'After Testing by builder: task-12 offered 1',
    ])
  })

  it('[S2-58] leaves a block with status retry and one retry more, and the work in the inbox', async (t) => {
    const { service } = await open(t)

    await followed(service, '1.md', FAILED)

    const [failed, retry] = await historyOf(service)
    assert.deepEqual([failed?.status, failed?.made], ['failed', undefined])
    assert.deepEqual([retry?.status, retry?.retry_count, retry?.made, retry?.by], ['retry', 1, true, 'baton'])
    const { blocks } = blocksIn({ text: retry?.raw ?? '' })
    assert.deepEqual(
      [blocks[0]?.said?.status, blocks[0]?.said?.retry_count, blocks[0]?.said?.from],
      ['retry', 1, 'tester'],
    )
    assert.deepEqual((await seenBy(service, 'tester')).handoffs, [
      'Retry 1 of 2: Testing by tester, task-12 offered 2',
    ])
    const [{ status, holder } = { status: '' }] = await progressOf(service)
    assert.deepEqual([status, holder], ['retry', 'tester'])
  })

  it('[S2-57] ends the retrying also of an agent that never raises its count', async (t) => {
    const { service } = await open(t)

    const all: Followed[] = []
    for (const name of ['1.md', '2.md', '3.md', '4.md']) all.push(await followed(service, name, FAILED))

    assert.deepEqual(
      all.map(({ retry, routed, escalated }) => [retry?.retry_count, routed?.to, escalated?.to]),
      [
        [1, undefined, undefined],
        [2, undefined, undefined],
        [undefined, 'implementation-agent', 'ci'],
        [undefined, 'implementation-agent', 'ci'],
      ],
    )
    assert.deepEqual([all[3]?.routed?.id, all[3]?.escalated?.id], [all[2]?.routed?.id, all[2]?.escalated?.id])
  })

  it('[S2-59] [S2-62] goes to route_to with what the block says about the failure', async (t) => {
    const { service } = await open(t)

    const { routed } = await followed(service, '1.md', { ...FAILED, on_failure: { ...RULES, retry: 0 } })

    const { package: travels, handoff } = await run<{ handoff: Handoff; package: Record<string, unknown> }>(
      service,
      by('implementation-agent'),
      'handoff_get',
      { id: routed?.id },
    )
    assert.deepEqual([handoff.home, handoff.from, handoff.task], ['block', 'tester', 'task-12'])
    assert.equal(travels.summary, 'Registration validation fails')
    assert.equal((travels.data as { phase: string }).phase, 'Testing')
  })

  it('[S2-60] is told to notify once for each failure, also where the end of its handoff tells the same', async (t) => {
    const { service } = await open(t)
    await collect(service, {
      '0.md': summary({ from: '@lead', to: '@tester', phase: 'Implementation', task: 'task-12' }),
    })

    for (const name of ['1.md', '2.md', '3.md']) await followed(service, name, FAILED)

    const { notices } = await seenBy(service, 'lead')
    assert.equal(notices.length, 3)
    assert.equal(notices.filter((text) => text.includes('failed')).length, 3)
  })

  it('[S2-61] is escalated to whoever gave the work, else to who began the workflow, else to the caller', async (t) => {
    const { service } = await open(t)
    const rules = { escalate_after: 1 }
    await collect(service, { '0.md': summary({ from: '@first', task: 'task-1', status: 'in_progress' }) })
    await collect(service, { 'a.md': summary({ from: '@giver', to: '@tester', task: 'task-1' }) })
    await collect(service, { 'b.md': summary({ from: '@starter', workflow: 'shop', status: 'in_progress' }) })

    const given = await followed(service, '1.md', { status: 'failed', task: 'task-1', on_failure: rules })
    const begun = await followed(service, '2.md', { status: 'failed', workflow: 'shop', on_failure: rules })
    const alone = await followed(service, '3.md', { status: 'failed', workflow: 'other', on_failure: rules })

    assert.deepEqual(
      [given, begun, alone].map(({ escalated }) => escalated?.to),
      ['giver', 'starter', 'ci'],
    )
  })

  it('[S2-61] is escalated to the agent with the role delegator, and a person decides it', async (t) => {
    const { service } = await open(t, {
      policy: { agents: { ci: {}, tester: {}, maria: { kind: 'human', roles: ['delegator'] } } },
    })

    const { escalated } = await followed(service, '1.md', {
      status: 'failed',
      on_failure: { escalate_after: 1 },
    })

    const { handoff } = await run<{ handoff: Handoff }>(service, ci, 'handoff_get', { id: escalated?.id })
    assert.deepEqual([handoff.to, handoff.type, handoff.state], ['maria', 'escalation', 'needs_input'])
  })

  it('[S2-64] without rules is final: nobody retries it, nobody gets it, nobody is told', async (t) => {
    const { service } = await open(t)

    const { blocks } = await collect(service, { '1.md': summary({ status: 'failed', task: 'task-1' }) })

    assert.equal(blocks[0]?.followed, undefined)
    assert.deepEqual((await run(service, ci, 'handoff_list', {})).items, [])
  })

  it('[S2-57] in the mode each_failure has its retries done by route_to', async (t) => {
    const { service } = await open(t)
    const mode = { route_mode: 'each_failure' }

    const first = await followed(service, '1.md', FAILED, mode)
    const third = await followed(service, '3.md', { ...FAILED, retry_count: 2 }, mode)

    assert.deepEqual([first.retry?.to, first.retry?.retry_count], ['implementation-agent', 1])
    assert.deepEqual(
      [third.retry, third.routed?.to, third.escalated?.to],
      [undefined, 'implementation-agent', 'ci'],
    )
    assert.equal((await seenBy(service, 'implementation-agent')).handoffs.length, 1)
  })

  it('[S2-63] stops being retried when escalation comes before the retries end', async (t) => {
    const { service } = await open(t)
    const rules = { ...RULES, retry: 5, escalate_after: 2 }

    const first = await followed(service, '1.md', { ...FAILED, on_failure: rules })
    const second = await followed(service, '2.md', { ...FAILED, retry_count: 1, on_failure: rules })

    assert.deepEqual([first.retry?.retry_count, first.escalated], [1, undefined])
    assert.deepEqual(
      [second.retry, second.routed?.to, second.escalated?.to],
      [undefined, 'implementation-agent', 'ci'],
    )
  })

  it('is kept, and says why, where the route is closed', async (t) => {
    const { service } = await open(t, { policy: { routes: [{ from: 'tester', to: ['lead'] }] } })

    const found = await followed(service, '1.md', { ...FAILED, on_failure: { ...RULES, retry: 0 } })

    assert.match(found.problem ?? '', /tester may not hand to implementation-agent/)
    assert.deepEqual([found.routed, (await historyOf(service)).length], [undefined, 1])
  })
})

describeOnEngines('work that goes on', (open) => {
  it('[S2-55] is handed to the next agent when it is complete, and to nobody for None or unfinished work', async (t) => {
    const { service } = await open(t)

    const done = await followed(service, '1.md', {
      from: '@scout',
      to: '@planner',
      phase: 'Research',
      task: 'task-1',
    })
    const none = await followed(service, '2.md', { from: '@scout', to: 'None', phase: 'Research' })
    const begun = await followed(service, '3.md', { from: '@scout', to: '@planner', status: 'in_progress' })

    assert.deepEqual([done.next?.to, none.next, begun.next], ['planner', undefined, undefined])
    assert.deepEqual((await seenBy(service, 'planner')).handoffs, [
      'After Research by scout: task-1 offered 1',
    ])
  })

  it('[S2-55] moves the handoff of the agent that speaks: taken, blocked, on again, done', async (t) => {
    const { service } = await open(t)
    await followed(service, '0.md', { from: '@scout', to: '@tester', phase: 'Research', task: 'task-1' })
    const states: (string | undefined)[] = []

    for (const [i, status] of ['in_progress', 'blocked', 'in_progress', 'complete'].entries())
      states.push((await followed(service, `${i + 1}.md`, { task: 'task-1', status })).moved?.state)

    assert.deepEqual(states, ['in_progress', 'blocked', 'in_progress', 'completed'])
  })

  it('[S2-55] is kept without a handoff where a limit refuses one, and says so', async (t) => {
    const { service } = await open(t)
    await run(service, { ...ci, actor: { ...ci.actor, kind: 'human' } }, 'agent_add', {
      name: 'planner',
      max_incoming: 0,
    })

    const found = await followed(service, '1.md', { from: '@scout', to: '@planner', phase: 'Research' })

    assert.match(found.problem ?? '', /planner has 0 active incoming handoffs \(max: 0\)/)
    assert.deepEqual([found.next, (await historyOf(service)).length], [undefined, 1])
  })

  it('[S2-55] is not handed on twice while the first handoff waits', async (t) => {
    const { service } = await open(t)
    const facts = { from: '@scout', to: '@planner', phase: 'Research', workflow: 'shop' }

    const first = await followed(service, '1.md', facts)
    const second = await followed(service, '2.md', facts)

    assert.equal(second.next?.id, first.next?.id)
    assert.equal((await seenBy(service, 'planner')).handoffs.length, 1)
  })
})

describeOnEngines('dependencies of blocks', (open) => {
  it('[S2-68] [S2-69] are looked for among stored blocks and tasks: unmet and unknown ones are named', async (t) => {
    const { service } = await open(t)
    await run(service, ci, 'task_create', { id: 'task-8', title: 'Before' })
    await collect(service, { 'a.md': summary({ task: 'task-9', status: 'in_progress' }) })
    await collect(service, { 'b.md': summary({ task: 'task-10.1' }) })

    const { order } = await collect(service, {
      'c.md': summary({
        task: 'task-12',
        dependencies: ['task-9', 'task-8', 'task-10.1', 'task-77'],
      }),
    })

    assert.deepEqual(
      order.map(({ code, severity, message }) => [severity, code, message.split(' ').slice(0, 7).join(' ')]),
      [
        ['warning', 'dependency_unmet', 'task-12 was begun before task-9 was complete;'],
        ['warning', 'dependency_unmet', 'task-12 was begun before task-8 was complete;'],
        ['info', 'dependency_unknown', 'task-12 depends on task-77, of which nothing'],
      ],
    )
  })

  it('[S2-69] that go round in a circle are named', async (t) => {
    const { service } = await open(t)
    await collect(service, {
      'a.md': summary({ task: 'task-2', dependencies: ['task-3'], status: 'pending' }),
    })

    const { order } = await collect(service, {
      'b.md': summary({ task: 'task-3', dependencies: ['task-2'], status: 'pending' }),
    })

    assert.match(
      order.find(({ code }) => code === 'dependency_cycle')?.message ?? '',
      /task-\d → task-\d → task-\d/,
    )
  })

  it('[S2-70] [S2-71] that a blocked block waits for come in the order in which people count', async (t) => {
    const { service } = await open(t)
    await collect(service, { 'a.md': summary({ task: 'task-3' }) })

    const { blocks } = await collect(service, {
      'b.md': summary({
        task: 'task-12',
        status: 'blocked',
        dependencies: ['task-10', 'task-2', 'task-3', 'task-15.10', 'task-15.2'],
      }),
    })

    assert.deepEqual(blocks[0]?.unmet, ['task-2', 'task-10', 'task-15.2', 'task-15.10'])
    assert.deepEqual([blocks[0]?.verdict, (await historyOf(service)).length], ['blocked', 2])
  })

  it('[S2-71] on a task are met when its subtasks are, where nothing else is said of it', async (t) => {
    const { service } = await open(t)

    const { blocks } = await collect(service, {
      'a.md': summary({ task: 'task-15.1' }),
      'b.md': summary({ task: 'task-15.3', status: 'in_progress' }),
      'c.md': summary({ task: 'task-16', dependencies: ['task-15'], status: 'blocked' }),
    })
    const later = await collect(service, {
      'd.md': summary({ task: 'task-15.1' }),
      'e.md': summary({ task: 'task-15.3' }),
      'f.md': summary({ task: 'task-16', dependencies: ['task-15'] }),
    })

    assert.deepEqual([blocks[2]?.unmet, later.blocks[2]?.unmet], [['task-15'], undefined])
  })
})

describeOnEngines('a run of a workflow in blocks', (open) => {
  const DEFINITION = `name: two
home: block
steps:
  - { id: design, agent: architect }
  - { id: build, agent: codex, on_failure: { retry: 1, notify: lead } }
`
  const begin = async (service: Parameters<typeof collect>[0]) =>
    run<{ id: string }>(service, by('orchestrator'), 'workflow_start', { definition: DEFINITION })
  const steps = async (service: Parameters<typeof collect>[0], id: string) => {
    const shown = await run<{ steps: { id: string; state: string }[] }>(service, ci, 'workflow_status', {
      id,
    })
    return shown.steps.map((step) => `${step.id} ${step.state}`)
  }

  it('[S2-53] [S2-55] goes on by what its agents say, each block tied to it', async (t) => {
    const { service } = await open(t)
    const { id } = await begin(service)
    const say = (name: string, facts: object) => followed(service, name, facts, { run: id })

    const designed = await say('1.md', { from: '@architect', to: '@codex', phase: 'Planning' })
    const after = await steps(service, id)
    const failed = await say('2.md', { from: '@codex', status: 'failed', on_failure: { retry: 5 } })
    const again = await say('3.md', { from: '@codex', status: 'complete', phase: 'Complete' })

    assert.deepEqual([designed.moved?.state, designed.next], ['completed', undefined])
    assert.deepEqual(after, ['design completed', 'build active'])
    assert.deepEqual([failed.retry, again.moved?.state], [undefined, 'completed'])
    assert.deepEqual(await steps(service, id), ['design completed', 'build completed'])
    const history = await historyOf(service, { run: id })
    assert.deepEqual(
      history.map(({ from, workflow }) => `${from} ${workflow}`),
      [`architect ${id}`, `codex ${id}`, `codex ${id}`],
    )
    assert.equal((await seenBy(service, 'lead')).notices.length, 1)
  })

  it('that is not there is refused', async (t) => {
    const { service } = await open(t)

    await assert.rejects(followed(service, '1.md', {}, { run: 'two-9' }), { code: 'not_found' })
  })
})
