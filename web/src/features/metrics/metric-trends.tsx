import { useState } from 'react'
import type { FlowWindow } from '../../../../src/domain/reports/flow.ts'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { Line } from '../../ui/bars.tsx'
import { whenIn } from './flow-charts.tsx'
import { type Metric, worded } from './metric-words.ts'

type Report = OperationOutput<'report_metrics'>

/** The metrics of a group through time, one picture each; drawn when they are asked for. */
export function MetricTrends(props: {
  readonly report: Report
  readonly metrics: readonly Metric[]
  readonly name: string
}) {
  const { report, metrics, name } = props
  const [isOpen, open] = useState(false)
  const { window, since, step_s } = report
  const followed = metrics.filter(({ steps }) => steps?.some((value) => value !== null))
  if (window === undefined || since === undefined || step_s === undefined || followed.length === 0)
    return null
  const count = followed[0]?.steps?.length ?? 0
  const at = Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(since) + i * step_s * 1_000).toISOString(),
  )
  return (
    <details className="trends" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Through time, {name}</summary>
      {isOpen && (
        <div className="grid wide">
          {followed.map((metric) => (
            <Trend key={`${metric.path} ${metric.type}`} metric={metric} at={at} window={window} />
          ))}
        </div>
      )}
    </details>
  )
}

function Trend(props: {
  readonly metric: Metric
  readonly at: readonly string[]
  readonly window: FlowWindow
}) {
  const { metric, at, window } = props
  const name = inWords(metric.path)
  return (
    <section aria-label={`${name} through time`}>
      <Line
        label={`${name} through time`}
        at={at}
        when={whenIn(window)}
        format={(value) => worded(metric.type, value)}
        series={{
          name: `${name}, average`,
          tone: 'busy',
          values: (metric.steps ?? []).map((value) => value ?? undefined),
        }}
      />
    </section>
  )
}
