import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { ci, collect, historyOf, progressOf, summary } from '../../../test/support/documents/blocks.ts'
import { samplesOf } from '../../../test/support/documents/samples.ts'
import { run } from '../../../test/support/program/invoke.ts'
import { by, describeOnEngines, START } from '../../../test/support/program/workspace.ts'
import { recordIn } from '../../audit/entry.ts'
import type { MetricsGroup } from '../../domain/reports/metrics.ts'
import type { Service } from '../service.ts'

const SAMPLES = readFileSync(new URL('./fixtures/samples.md', import.meta.url), 'utf8')

const metricsBy = async (service: Service, by: string): Promise<readonly MetricsGroup[]> =>
  (await run<{ groups: readonly MetricsGroup[] }>(service, ci, 'report_metrics', { by })).groups

describeOnEngines('the history of blocks', (open) => {
  it('[S2-72] keeps every valid block in order, with its text byte for byte and who brought it', async (t) => {
    const { service } = await open(t)

    const { blocks } = await collect(service, { 'reports/all.md': SAMPLES })

    assert.deepEqual(
      blocks.map(({ outcome, from, status }) => [outcome, from, status]),
      [
        ['invalid', undefined, undefined],
        ['recorded', 'coordinator', 'in_progress'],
        ['recorded', 'scenario-tester', 'complete'],
        ['recorded', 'unit-tester', 'complete'],
        ['recorded', 'picture-tester', 'complete'],
        ['recorded', 'scout', 'complete'],
        ['recorded', 'scenario-tester', 'complete'],
        ['recorded', 'lead', 'complete'],
      ],
    )
    const history = await historyOf(service)
    assert.equal(history.length, 7)
    for (const { raw, by: who, source, stored_at, workflow } of history) {
      assert.ok(raw.startsWith('handoff:') && SAMPLES.includes(`\`\`\`yaml\n${raw}\`\`\``))
      assert.deepEqual([who, source, stored_at, workflow], ['ci', 'reports/all.md', START, 'shop'])
    }
  })

  it('[S2-31] fills in what a block leaves out, and says which', async (t) => {
    const { service } = await open(t)
    const block = 'handoff:\n  phase: Testing\n  from: "@scout"\n  to: "@planner"\n  status: complete\n'
    const full = `${block}  metrics: { a: 1 }\n  timestamp: 2026-02-01T00:00:00Z\n  retry_count: 2\n  dependencies: [P1]\n`

    await collect(service, { 'a.yaml': block, 'b.yaml': full })

    const filled = (await historyOf(service)).map(({ retry_count, metrics, dependencies, at, defaulted }) => {
      return [retry_count, metrics, dependencies, at, defaulted]
    })
    assert.deepEqual(filled.toSorted(), [
      [0, {}, [], START, ['retry_count', 'metrics', 'dependencies', 'timestamp']],
      [2, { a: 1 }, ['P1'], '2026-02-01T00:00:00.000Z', []],
    ])
  })

  it('does not hold a block with a key in it, and says which field without the value', async (t) => {
    const { service } = await open(t)
    const key = `AKIA${'Q3EGRITHVXKLMW2Z'}`
    const facts = { from: '@scout', to: '@planner', phase: 'Research', metrics: { access: key } }

    const { blocks } = await collect(service, { 'a.md': summary(facts), 'b.md': summary({ from: '@scout' }) })

    assert.deepEqual(
      blocks.map(({ outcome }) => outcome),
      ['refused', 'recorded'],
    )
    assert.match(blocks[0]?.reason ?? '', /^block holds what looks like/)
    assert.doesNotMatch(JSON.stringify([blocks[0]?.reason, await historyOf(service)]), new RegExp(key))
  })

  it('[S2-73] does not hold the same summary twice, however it is laid out, and nothing follows twice', async (t) => {
    const { service } = await open(t)
    const facts = { from: '@scout', to: '@planner', phase: 'Research', task: 'task-1' }
    const first = await collect(service, { 'a.md': summary(facts) })
    const laidOut = `Other words above.\n\n${summary(facts).replaceAll('  ', '    ')}`

    const again = await collect(service, { 'a.md': laidOut }, {}, by('somebody-else'))

    assert.deepEqual([first.blocks[0]?.outcome, again.blocks[0]?.outcome], ['recorded', 'unchanged'])
    assert.equal(again.blocks[0]?.followed?.next?.id, first.blocks[0]?.followed?.next?.id)
    assert.equal((await historyOf(service)).length, 1)
    const inbox = await run<{ items: unknown[] }>(service, by('planner'), 'handoff_inbox', {})
    assert.equal(inbox.items.length, 1)
  })

  it('[S2-73] holds equal words from another file, another place in it or another source by themselves', async (t) => {
    const { service } = await open(t)
    const text = summary({ status: 'in_progress' })

    await collect(service, { 'a.md': text, 'b.md': text, 'c.md': text + text })
    await collect(service, { 'a.md': text }, { source: 'run 2' })
    await collect(service, { 'a.md': text }, { source: 'run 2' })

    assert.deepEqual(
      (await historyOf(service)).map(({ source, ordinal }) => `${source} ${ordinal}`),
      ['a.md 1', 'b.md 1', 'c.md 1', 'c.md 2', 'run 2:a.md 1'],
    )
  })

  it('[S2-73] takes a block in once when ten bring it at the same moment', async (t) => {
    const w = await open(t)
    const others = await Promise.all([w.beside(), w.beside()])
    const facts = { status: 'failed', task: 'task-1', on_failure: { notify: '@lead', route_to: '@fixer' } }
    const texts = { 'a.md': summary(facts) }

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => collect([w.service, ...others][i % 3]!, texts)),
    )

    const outcomes = answers.map(({ blocks }) => blocks[0]?.outcome).sort()
    assert.deepEqual(outcomes, ['recorded', ...Array.from({ length: 9 }, () => 'unchanged')])
    const inbox = await run<{ notices: unknown[] }>(w.service, by('lead'), 'handoff_inbox', {})
    assert.equal(inbox.notices.length, 1)
  })

  it('says in the log who brought a block and whom it claims to be of', async (t) => {
    const { service, store } = await open(t)
    await collect(service, { 'a.md': summary({ from: '@tester' }) })

    const { entries } = await store.changes('0', 100)
    const entry = entries.find(({ act }) => act === 'block.record')

    const record = recordIn(entry!)
    assert.deepEqual([record.actor, record.auth, record.sub.k], [{ id: 'ci' }, 'os-user', 'record'])
    assert.ok(entry?.disclosures?.some((text) => /claimed_author/.test(decoded(text))))
  })

  it('refuses a block of an agent that a listed workspace does not know, and says whom it knows', async (t) => {
    const { service } = await open(t, { policy: { agents: { ci: {}, tester: {}, lead: {} } } })

    const { blocks } = await collect(service, {
      'a.md': summary({ from: '@stranger' }),
      'b.md': summary({ from: '@tester', status: 'in_progress', on_failure: { notify: '@nobody' } }),
      'c.md': summary({ from: '@tester' }),
    })

    assert.deepEqual(
      blocks.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['refused', 'unknown agent stranger; baton.yaml lists ci, lead, tester'],
        ['refused', 'unknown agent nobody; baton.yaml lists ci, lead, tester'],
        ['recorded', undefined],
      ],
    )
  })

  it('[S2-10] shows what the lines of an old summary hint at as inferred, and stores none of it', async (t) => {
    const { service } = await open(t)
    const text = '## TESTING COMPLETE\n\n✅ Tests passed: 9/10\n✅ Coverage: 88%\n\n**Next Agent:** None\n'

    const { blocks } = await collect(service, { 'old.md': text })

    const [{ outcome, verdict, status, metrics } = { outcome: '' }] = blocks
    assert.deepEqual([outcome, verdict, status], ['inferred', 'no_block', 'complete'])
    assert.deepEqual(metrics, { tests_passed: 9, tests_total: 10, coverage: '88%' })
    assert.deepEqual(await historyOf(service), [])
  })

  it('[S2-53] [S2-56] tells for each workflow the phase, the holder, the status and the step of eight', async (t) => {
    const { service } = await open(t)
    const say = (name: string, facts: object) => collect(service, { [name]: summary(facts) })
    await say('1.md', { workflow: 'shop', phase: 'Research', from: '@scout', to: '@planner' })
    await say('2.md', { workflow: 'blog', phase: 'Planning', from: '@planner', status: 'in_progress' })
    await say('3.md', { workflow: 'shop', phase: 'Complete', from: '@lead', to: 'None' })

    const found = await progressOf(service)

    assert.deepEqual(
      found.map(({ key, phase, holder, status, step, of, complete }) => ({
        key,
        phase,
        holder,
        status,
        at: `${step}/${of}`,
        complete,
      })),
      [
        {
          key: 'blog',
          phase: 'Planning',
          holder: 'planner',
          status: 'in_progress',
          at: '2/8',
          complete: false,
        },
        { key: 'shop', phase: 'Complete', holder: undefined, status: 'complete', at: '8/8', complete: true },
      ],
    )
  })

  it('[S2-53] counts blocks without a workflow to what the caller names, else to the day, and tells tasks apart', async (t) => {
    const { service } = await open(t)
    await collect(service, { 'a.md': summary({ task: 'task-1' }) })
    await collect(
      service,
      { 'b.md': summary({ task: 'task-2', status: 'blocked' }) },
      { workflow: 'nightly' },
    )

    const workflows = await progressOf(service)
    const tasks = await progressOf(service, { by: 'task' })

    assert.deepEqual(workflows.map(({ key }) => key).sort(), ['2026-02-21', 'nightly'])
    assert.deepEqual(tasks.map(({ key, status }) => `${key} ${status}`).sort(), [
      'task-1 complete',
      'task-2 blocked',
    ])
  })

  it('[S2-65] [S2-67] sums the metrics of all samples up by agent, without mixing types', async (t) => {
    const { service } = await open(t)
    await collect(service, { 'all.md': SAMPLES })

    const agents = await metricsBy(service, 'agent')
    const [workflow] = await metricsBy(service, 'workflow')

    const tester = agents.find(({ key }) => key === 'scenario-tester')
    assert.equal(tester?.blocks, 2)
    assert.deepEqual(
      tester?.metrics.filter(({ path }) => path === 'coverage' || path === 'execution_time'),
      [
        { path: 'coverage', type: 'text', count: 1, values: ['Checkout: 80%'] },
        { path: 'coverage', type: 'percent', count: 1, min: 96, max: 96, average: 96 },
        { path: 'execution_time', type: 'duration', count: 2, sum: 180, min: 30, max: 150, average: 90 },
      ],
    )
    assert.deepEqual(
      workflow?.metrics
        .filter(({ path }) => path === 'quality_gates_passed')
        .map(({ type, count }) => [type, count]),
      [
        ['boolean', 1],
        ['number', 1],
      ],
    )
    assert.equal(workflow?.metrics.find(({ path }) => path === 'test_types.unit')?.sum, 20)
  })

  it('[S2-86] lists durations by agent and by phase', async (t) => {
    const { service } = await open(t)
    await collect(service, { 'all.md': SAMPLES })
    const durations = async (by: string) =>
      (await metricsBy(service, by)).flatMap(({ key, metrics }) =>
        metrics.filter(({ type }) => type === 'duration').map(({ path, sum }) => `${key} ${path} ${sum}`),
      )

    assert.deepEqual(await durations('phase'), [
      'Complete total_duration 8100',
      'Implementation workflow_duration 1200',
      'Research research_duration 3900',
      'Testing execution_time 225',
    ])
    assert.ok((await durations('agent')).includes('unit-tester execution_time 45'))
  })

  it('[S2-67] takes the seven published blocks, and not the template', async (t) => {
    const { service } = await open(t)

    const { blocks } = await collect(service, { 'samples.md': samplesOf('block') })

    const counted = Map.groupBy(blocks, ({ outcome }) => outcome)
    assert.deepEqual([counted.get('recorded')?.length, counted.get('invalid')?.length], [7, 1])
    const groups = await metricsBy(service, 'workflow')
    assert.equal(groups[0]?.blocks, 7)
  })
})

const decoded = (disclosure: string): string => Buffer.from(disclosure, 'base64url').toString('utf8')
