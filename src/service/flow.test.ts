import assert from 'node:assert/strict'
import { it } from 'node:test'
import { markdownDocument } from '../../test/support/documents/documents.ts'
import { run } from '../../test/support/program/invoke.ts'
import { by, describeOnEngines, type Workspace } from '../../test/support/program/workspace.ts'
import { HOUR_MS, SECOND_MS } from '../domain/handoffs/deadlines.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { FlowAnswer } from '../domain/reports/flow.ts'

const planner = by('planner')

const send = async ({ service }: Workspace, to: string, more = {}): Promise<Handoff> =>
  (await service.sending.send(planner, { to, title: `Work for ${to}`, home: 'queue', ...more })).handoff

/** The receiver takes it and hands in what was asked for, `seconds` after it was sent. */
async function complete(w: Workspace, { uid, to }: Handoff, seconds: number): Promise<void> {
  await w.service.receiving.claim(by(to))
  w.clock.pass(seconds * SECOND_MS)
  await run(w.service, by(to), 'handoff_submit', {
    id: uid,
    output: { done: true },
    validation: { tests_passing: true, coverage_percentage: 90 },
  })
}

const flowOf = ({ service }: Workspace, window?: string): Promise<FlowAnswer> =>
  run<FlowAnswer & Record<string, unknown>>(service, planner, 'report_flow', { ...(window && { window }) })

describeOnEngines('the flow of handoffs', (open) => {
  it('counts what was made and how it ended by step, by agent and by pair; a refusal is no failure', async (t) => {
    const w = await open(t)
    await complete(w, await send(w, 'coder'), 10)
    await complete(w, await send(w, 'coder'), 30)
    await w.service.receiving.reject(by('tester'), (await send(w, 'tester')).uid, {
      type: 'capability',
      message: 'no browser here',
    })
    await send(w, 'tester')

    const flow = await flowOf(w, '1h')

    assert.deepEqual([flow.made, flow.completed, flow.failed, flow.rejected], [4, 2, 0, 1])
    assert.deepEqual(
      flow.agents.map(({ kind: _kind, load: _load, ...numbers }) => numbers),
      [
        {
          name: 'coder',
          sent: 0,
          received: 2,
          completed: 2,
          failed: 0,
          rejected: 0,
          failure_rate: 0,
          retries: 0,
          median_s: 10,
          seen_at: '2026-02-21T14:30:40.000Z',
        },
        {
          name: 'planner',
          sent: 4,
          received: 0,
          completed: 0,
          failed: 0,
          rejected: 0,
          retries: 0,
          seen_at: '2026-02-21T14:30:40.000Z',
        },
        {
          name: 'tester',
          sent: 0,
          received: 2,
          completed: 0,
          failed: 0,
          rejected: 1,
          retries: 0,
          seen_at: '2026-02-21T14:30:40.000Z',
          oldest: { id: 'HO-2026-004', since: '2026-02-21T14:30:40.000Z' },
        },
      ],
    )
    assert.deepEqual(flow.edges, [
      { from: 'planner', to: 'coder', made: 2, completed: 2, failed: 0, rejected: 0 },
      { from: 'planner', to: 'tester', made: 2, completed: 0, failed: 0, rejected: 1 },
    ])
    assert.equal(flow.whole, true)
    assert.equal(flow.steps.length, 60)
    assert.deepEqual(flow.steps.at(-1), {
      at: w.clock.text.replace(/:\d\d\.\d+Z$/, ':00.000Z'),
      made: 4,
      completed: 2,
      failed: 0,
      rejected: 1,
      median_s: 10,
    })
  })

  it('counts an end where it happened and leaves out what is older than the window', async (t) => {
    const w = await open(t)
    const old = await send(w, 'coder')
    await send(w, 'tester')
    w.clock.pass(72 * HOUR_MS)
    await complete(w, old, 60)

    const [day, month] = [await flowOf(w, '1d'), await flowOf(w, '30d')]

    assert.deepEqual([day.made, day.completed], [0, 1], 'made before the day, completed in it')
    assert.deepEqual(
      day.agents.filter(({ received, completed }) => received + completed > 0).map(({ name }) => name),
      ['coder'],
    )
    assert.deepEqual([month.made, month.completed], [2, 1])
    assert.deepEqual(
      month.steps.flatMap(({ made, completed }, i) => (made + completed > 0 ? [[i, made, completed]] : [])),
      [
        [26, 2, 0],
        [29, 0, 1],
      ],
    )
  })

  it('counts every further attempt as a retry and a failed one only at the end', async (t) => {
    const w = await open(t)
    const handoff = await send(w, 'coder', { retry: { max: 1, delay_s: 1, multiplier: 1 } })
    await w.service.receiving.claim(by('coder'))
    await w.service.receiving.fail(by('coder'), handoff.uid, { message: 'the compiler crashed' })
    w.clock.pass(2 * SECOND_MS)

    await complete(w, handoff, 5)

    const coder = (await flowOf(w, '1h')).agents.find(({ name }) => name === 'coder')
    assert.deepEqual([coder?.completed, coder?.failed, coder?.retries, coder?.failure_rate], [1, 0, 1, 0])
  })

  it('counts a handoff once, by its last end, after it was tried again and given to another', async (t) => {
    const w = await open(t)
    const handoff = await send(w, 'coder', { home: 'native' })
    await w.service.receiving.claim(by('coder'))
    await w.service.receiving.fail(by('coder'), handoff.uid, { message: 'the compiler crashed' })
    w.clock.pass(90 * SECOND_MS)
    await run(w.service, planner, 'handoff_retry', { id: handoff.uid })
    await run(w.service, planner, 'handoff_reassign', {
      id: handoff.uid,
      to: 'tester',
      reason: 'another try',
    })
    await w.service.receiving.reject(by('tester'), handoff.uid, { type: 'capability', message: 'no browser' })

    const flow = await flowOf(w, '1h')

    assert.deepEqual([flow.made, flow.completed, flow.failed, flow.rejected], [1, 0, 0, 1])
    assert.deepEqual(flow.edges, [
      { from: 'planner', to: 'tester', made: 1, completed: 0, failed: 0, rejected: 1 },
    ])
  })

  it('tells the oldest open handoff of a receiver and its last step, whatever instance holds it', async (t) => {
    const w = await open(t)
    const first = await send(w, 'coder')
    w.clock.pass(72 * HOUR_MS)
    await send(w, 'coder')
    await w.service.receiving.accept(by('coder', { instance: 'one' }), first.uid)

    const { agents, made } = await flowOf(w, '1d')

    const { created_at: since, id } = first
    assert.equal(made, 1)
    assert.deepEqual(
      agents.map(({ name, oldest, seen_at }) => ({ name, oldest, seen_at })),
      [
        { name: 'coder', oldest: { id, since }, seen_at: w.clock.text },
        { name: 'planner', oldest: undefined, seen_at: w.clock.text },
      ],
    )
  })

  it('answers a week without being asked for more, and says when nothing was handed over', async (t) => {
    const w = await open(t)

    const flow = await flowOf(w)

    assert.deepEqual([flow.window, flow.step_s, flow.steps.length, flow.made], ['7d', 21_600, 28, 0])
    assert.deepEqual([flow.agents, flow.edges], [[], []])
    await assert.rejects(flowOf(w, 'forever'), /window/)
  })

  it('tells a median within one per cent of the time that it took', async (t) => {
    const w = await open(t)
    for (const seconds of [20.49, 49.4, 202.4, 2_024, 3_024.9, 4_974]) {
      await complete(w, await send(w, `coder-${seconds}`), seconds)
      const { agents } = await flowOf(w, '1d')
      const { median_s = 0 } = agents.find(({ name }) => name === `coder-${seconds}`) ?? {}
      assert.ok(Math.abs(median_s - seconds) <= seconds / 100, `${median_s}, not ${seconds}`)
    }
  })

  it('leaves out what a document dates after the window', async (t) => {
    const w = await open(t)
    const day = '2027-02-21'
    for (const [status, task] of [
      ['Active', 'BPRD-2026-0042'],
      ['Completed', 'BPRD-2026-0043'],
    ] as const)
      await run(w.service, planner, 'document_import', { text: markdownDocument({ status, task, day }) })

    const { made, completed, edges, agents, steps } = await flowOf(w, '1h')

    assert.equal((await w.service.looking.list({}, { limit: 9 })).items.length, 2)
    assert.deepEqual([made, completed, edges], [0, 0, []])
    for (const each of [...agents, ...steps]) assert.equal(each.completed, 0)
    assert.deepEqual(
      agents.map(({ sent, received }) => [sent, received]),
      agents.map(() => [0, 0]),
    )
  })

  it('says what each agent has open at this moment and how much it may have, by whatever rule', async (t) => {
    const w = await open(t, { policy: { defaultLimits: { outgoing: 7 } } })
    await w.service.agents.add(by('root', { kind: 'human' }), { name: 'coder', max_incoming: 3 })
    await send(w, 'coder')
    await send(w, 'claude')

    const { agents } = await flowOf(w, '1h')

    assert.deepEqual(
      agents.map(({ name, kind, load }) => [name, kind, load]),
      [
        ['claude', 'agent', { outgoing: 0, incoming: 1, max_outgoing: 5, max_incoming: 10 }],
        ['coder', 'agent', { outgoing: 0, incoming: 1, max_outgoing: 7, max_incoming: 3 }],
        ['planner', 'agent', { outgoing: 2, incoming: 0, max_outgoing: 7 }],
      ],
    )
  })
})
