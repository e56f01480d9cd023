import { useSearchParams } from 'wouter'
import type { FlowWindow } from '../../../../src/domain/reports/flow.ts'
import { GROUPINGS, type Grouping } from '../../../../src/domain/reports/metrics.ts'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'
import { Scroll } from '../../ui/scroll.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { MetricTrends } from './metric-trends.tsx'
import { type Group, type Metric, worded } from './metric-words.ts'

type Report = OperationOutput<'report_metrics'>

/** What agents measured and wrote into their blocks, all of it, and through the time that the page shows. */
export function BlockMetrics({ window }: { readonly window: FlowWindow }) {
  const [query, setQuery] = useSearchParams()
  const by = GROUPINGS.find((name) => name === query.get('by')) ?? 'agent'
  const report = useOperation('report_metrics', { by, window })
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
    <section className="card" aria-label="Reported by agents">
      <div className="row">
        <h2 className="grow">Reported by agents</h2>
        <label>
          <span className="soft">Group by </span>
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
          No agent has reported metrics yet. Import their summaries: <code>baton collect reports/*.md</code>
        </Empty>
      )}
      {groups.map((group) => (
        <GroupTable key={group.key ?? ''} group={group} by={by} report={report.data} />
      ))}
    </section>
  )
}

function GroupTable(props: {
  readonly group: Group
  readonly by: Grouping
  readonly report: Report | undefined
}) {
  const { group, by, report } = props
  const name = group.key ?? `without a ${by}`
  const statuses = Object.entries(group.statuses).map(([status, count]) => `${count} ${inWords(status)}`)
  return (
    <>
      <h3 className="wrap">{name}</h3>
      <p className="soft">
        {group.blocks} {group.blocks === 1 ? 'report' : 'reports'}: {statuses.join(', ')}
      </p>
      <Scroll label={`Metrics of ${name}`}>
        <table>
          <thead>
            <tr>
              <th>metric</th>
              <th className="number">count</th>
              <th className="number">average</th>
              <th className="number">min</th>
              <th className="number">max</th>
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
      {report && <MetricTrends report={report} metrics={group.metrics} name={name} />}
    </>
  )
}

function MetricRow({ metric }: { readonly metric: Metric }) {
  const { path, type, count, average, min, max, sum, values } = metric
  const shown = (value: number | undefined) => (value === undefined ? '' : worded(type, value))
  if (average === undefined)
    return (
      <tr>
        <td className="cell">{inWords(path)}</td>
        <td className="number">{count}</td>
        <td className="cell" colSpan={4}>
          {values?.join(', ') ?? `${metric.true ?? 0} yes, ${metric.false ?? 0} no`}
        </td>
      </tr>
    )
  return (
    <tr>
      <td className="cell">{inWords(path)}</td>
      <td className="number">{count}</td>
      <td className="number">{shown(average)}</td>
      <td className="number">{shown(min)}</td>
      <td className="number">{shown(max)}</td>
      <td className="number">{shown(sum)}</td>
    </tr>
  )
}
