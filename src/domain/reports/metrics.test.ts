import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compareIds } from '../tasks/task-order.ts'
import { type Measured, type MetricSummary, MetricsReport } from './metrics.ts'
import { durationText, metricValue, parseDuration } from './metrics-value.ts'

const said = (metrics: Record<string, unknown>, more: Partial<Measured> = {}): Measured => ({
  from: 'tester',
  phase: 'Testing',
  status: 'complete',
  metrics,
  ...more,
})

const HOUR_MS = 3_600_000
const SINCE_MS = Date.parse('2026-11-15T00:00:00Z')

function summaries(...all: readonly Record<string, unknown>[]): readonly MetricSummary[] {
  const report = new MetricsReport('agent')
  for (const metrics of all) report.add(said(metrics))
  return report.groups(compareIds)[0]?.metrics ?? []
}

describe('a metric', () => {
  it('[S2-66] is a number, a yes or no, a percentage, a duration or a text', () => {
    const types = [25, 0.5, true, '95%', '0.1%', '45s', '3m 45s', '2h 15m', 'User workflows: 90%', '25', [1]]

    assert.deepEqual(
      types.map((value) => metricValue(value).type),
      [
        'number',
        'number',
        'boolean',
        'percent',
        'percent',
        'duration',
        'duration',
        'duration',
        'text',
        'text',
        'text',
      ],
    )
  })

  it('[S2-66] of a duration counts its parts, each unit once and the larger first', () => {
    const seconds = ['45s', '3m 45s', '1m 30s', '8m', '2h 15m', '1.5 hours', '1d', '250ms', '1h30m', '10 min']
    const wrong = ['', 's', '45', '5s 3m', '5m 5m', '3m 45', '8mb', 'about 8m', '1h, 2m']

    assert.deepEqual(
      seconds.map((text) => (parseDuration(text) ?? Number.NaN) / 1_000),
      [45, 225, 90, 480, 8_100, 5_400, 86_400, 0.25, 5_400, 600],
    )
    assert.deepEqual(
      wrong.map((text) => parseDuration(text)),
      wrong.map(() => undefined),
    )
  })

  it('reads its own durations again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
        assert.equal(parseDuration(durationText(seconds * 1_000)), seconds * 1_000)
      }),
    )
  })
})

describe('metrics of several blocks', () => {
  it('[S2-66] add numbers up and keep how many, the least and the most', () => {
    assert.deepEqual(summaries({ tests: 3 }, { tests: 7 }, {}, { tests: 0.1 }, { tests: 0.2 }), [
      { path: 'tests', type: 'number', count: 4, sum: 10.3, min: 0.1, max: 7, average: 2.575 },
    ])
  })

  it('[S2-66] never add percentages up', () => {
    assert.deepEqual(summaries({ coverage: '90%' }, { coverage: '95%' }), [
      { path: 'coverage', type: 'percent', count: 2, min: 90, max: 95, average: 92.5 },
    ])
  })

  it('[S2-66] add durations up in seconds', () => {
    assert.deepEqual(summaries({ took: '3m 45s' }, { took: '45s' }), [
      { path: 'took', type: 'duration', count: 2, sum: 270, min: 45, max: 225, average: 135 },
    ])
  })

  it('[S2-66] count yes and no, list other texts once, and go into mappings by path', () => {
    assert.deepEqual(
      summaries(
        { passed: true, note: 'fine', test_types: { unit: 20 } },
        { passed: false, note: 'fine', test_types: { unit: 5 } },
        { passed: true, note: 'slow' },
      ),
      [
        { path: 'note', type: 'text', count: 3, values: ['fine', 'slow'] },
        { path: 'passed', type: 'boolean', count: 3, true: 2, false: 1 },
        { path: 'test_types.unit', type: 'number', count: 2, sum: 25, min: 5, max: 20, average: 12.5 },
      ],
    )
  })

  it('follow numbers, percentages and durations through the steps of a span, and leave out what is beyond it', () => {
    const report = new MetricsReport('agent', { sinceMs: SINCE_MS, stepMs: HOUR_MS, steps: 3 })
    const at = (hours: number) => ({ at: new Date(SINCE_MS + hours * HOUR_MS).toISOString() })
    const all = { tests: 10, coverage: '80%', took: '2m', ok: true }
    report.add(said(all, at(0)))
    report.add(said({ ...all, tests: 20 }, at(0.9)))
    report.add(said({ ...all, coverage: '90%', took: '3m' }, at(2)))
    report.add(said({ ...all, tests: 1_000 }, at(3)))
    report.add(said({ ...all, tests: 1_000 }, at(-0.1)))
    report.add(said({ ...all, tests: 1_000 }, { at: 'some day' }))

    const [group] = report.groups(compareIds)
    const of = (path: string) => group?.metrics.find((metric) => metric.path === path)

    assert.deepEqual(of('tests')?.steps, [15, null, 10])
    assert.deepEqual(of('coverage')?.steps, [80, null, 90])
    assert.deepEqual(of('took')?.steps, [120, null, 180])
    assert.equal(of('ok')?.steps, undefined)
    assert.equal(of('tests')?.count, 6)
    assert.equal(summaries(all)[0]?.steps, undefined)
  })

  it('[S2-67] keep types of one name apart', () => {
    const found = summaries(
      { quality_gates_passed: true, coverage: '92%' },
      { quality_gates_passed: 5, coverage: 'User workflows: 90%' },
    )

    assert.deepEqual(
      found.map(({ path, type, count }) => [path, type, count]),
      [
        ['coverage', 'percent', 1],
        ['coverage', 'text', 1],
        ['quality_gates_passed', 'boolean', 1],
        ['quality_gates_passed', 'number', 1],
      ],
    )
  })

  it('take whatever an agent writes without a throw', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.anything({ withNullPrototype: true }))), (all) => {
        const counted = summaries(...all).reduce((sum, { count }) => sum + count, 0)
        assert.ok(Number.isInteger(counted))
      }),
    )
  })
})

describe('a report of metrics', () => {
  const blocks: readonly Measured[] = [
    said({ n: 1 }, { from: 'a', phase: 'Testing', task: 'task-10', workflow: 'w' }),
    said({ n: 2 }, { from: 'b', phase: 'QA', task: 'task-2', workflow: 'w', status: 'failed' }),
    said({ n: 4 }, { from: 'a', phase: 'QA' }),
  ]
  const groupsBy = (by: 'agent' | 'phase' | 'task' | 'workflow') => {
    const report = new MetricsReport(by)
    for (const block of blocks) report.add(block)
    return report.groups(compareIds)
  }

  it('[S2-65] sums up by agent, phase, task and workflow, in the order in which people count', () => {
    const shown = (by: Parameters<typeof groupsBy>[0]) =>
      groupsBy(by).map(({ key, blocks: n, metrics }) => [key, n, metrics[0]?.sum])

    assert.deepEqual(shown('agent'), [
      ['a', 2, 5],
      ['b', 1, 2],
    ])
    assert.deepEqual(shown('phase'), [
      ['QA', 2, 6],
      ['Testing', 1, 1],
    ])
    assert.deepEqual(shown('task'), [
      ['task-2', 1, 2],
      ['task-10', 1, 1],
      [undefined, 1, 4],
    ])
    assert.deepEqual(shown('workflow'), [
      ['w', 2, 3],
      [undefined, 1, 4],
    ])
  })

  it('counts how the work stands', () => {
    assert.deepEqual(groupsBy('workflow')[0]?.statuses, { complete: 1, failed: 1 })
  })
})
