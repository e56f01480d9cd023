import { useSearchParams } from 'wouter'
import { GROUPINGS, type Grouping } from '../../../../src/domain/metrics.ts'
import type { OperationOutput } from '../../../../src/runner/calls.ts'
import { useOperation } from '../../api/queries.ts'
import { Scroll } from '../../ui/scroll.tsx'
import { spanOf } from '../../ui/span.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { spoken } from '../../ui/words.ts'

type Group = OperationOutput<'report_metrics'>['groups'][number]
type Metric = Group['metrics'][number]

/** What agents measured and wrote into their blocks. */
export function BlockMetrics() {
  const [query, setQuery] = useSearchParams()
  const by = GROUPINGS.find((name) => name === query.get('by')) ?? 'agent'
  const report = useOperation('report_metrics', { by })
  const choose = (next: Grouping) =>
    setQuery(
      (before) => {
        const changed = new URLSearchParams(before)
        changed.set('by', next)
        return changed
      },
      { replace: true },
    )
  const groups = report.data?.groups ?? []
  return (
    <section className="card" aria-label="What agents measured">
      <div className="row">
        <h2 className="grow">What agents measured</h2>
        <label>
          <span className="soft">by </span>
          <select value={by} onChange={({ target }) => choose(target.value as Grouping)}>
            {GROUPINGS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      {report.isPending && <Loading what="the metrics" />}
      {report.error && <Failed error={report.error} again={report.refetch} />}
      {report.data && groups.length === 0 && (
        <Empty>
          No agent has reported numbers yet. Take in their summaries: <code>baton collect reports/*.md</code>
        </Empty>
      )}
      {groups.map((group) => (
        <GroupTable key={group.key ?? ''} group={group} by={by} />
      ))}
    </section>
  )
}

function GroupTable({ group, by }: { readonly group: Group; readonly by: Grouping }) {
  const name = group.key ?? `without a ${by}`
  const statuses = Object.entries(group.statuses).map(([status, count]) => `${count} ${spoken(status)}`)
  return (
    <>
      <h3 className="wrap">{name}</h3>
      <p className="soft">
        {group.blocks} {group.blocks === 1 ? 'block' : 'blocks'}: {statuses.join(', ')}
      </p>
      <Scroll label={`Metrics of ${name}`}>
        <table>
          <thead>
            <tr>
              <th>metric</th>
              <th className="number">times</th>
              <th className="number">average</th>
              <th className="number">least</th>
              <th className="number">most</th>
              <th className="number">sum</th>
            </tr>
          </thead>
          <tbody>
            {group.metrics.map((metric) => (
              <MetricRow key={`${metric.path} ${metric.type}`} metric={metric} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}

function MetricRow({ metric }: { readonly metric: Metric }) {
  const { path, type, count, average, min, max, sum, values } = metric
  const shown = (value: number | undefined) => (value === undefined ? '' : worded(type, value))
  if (average === undefined)
    return (
      <tr>
        <td className="cell">{spoken(path)}</td>
        <td className="number">{count}</td>
        <td className="cell" colSpan={4}>
          {values?.join(', ') ?? `${metric.true ?? 0} yes, ${metric.false ?? 0} no`}
        </td>
      </tr>
    )
  return (
    <tr>
      <td className="cell">{spoken(path)}</td>
      <td className="number">{count}</td>
      <td className="number">{shown(average)}</td>
      <td className="number">{shown(min)}</td>
      <td className="number">{shown(max)}</td>
      <td className="number">{shown(sum)}</td>
    </tr>
  )
}

function worded(type: Metric['type'], value: number): string {
  const rounded = Math.round(value * 10) / 10
  if (type === 'percent') return `${rounded}%`
  return type === 'duration' ? spanOf(value) : String(rounded)
}
