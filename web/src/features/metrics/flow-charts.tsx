import type { FlowWindow } from '../../../../src/domain/reports/flow.ts'
import { Bars, Line } from '../../ui/bars.tsx'
import { spanOf } from '../../ui/span.ts'
import type { Flow } from './use-flow.ts'

const HOURS = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false })
const DAYS = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })

/** Minutes and hours within a day, days beyond it. */
export const whenIn = (window: FlowWindow) => (instant: string) =>
  (window === '1h' || window === '1d' ? HOURS : DAYS).format(Date.parse(instant))

/** How much was handed over, how it ended and how long it took, through time. */
export function FlowCharts({ flow }: { readonly flow: Flow }) {
  const at = flow.steps.map((step) => step.at)
  const when = whenIn(flow.window)
  const count = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(1))
  return (
    <div className="grid wide">
      <section className="card" aria-label="Outcomes">
        <h2>Outcomes</h2>
        <Bars
          label={`Handoffs that ended: ${flow.completed} completed, ${flow.failed} failed, ${flow.rejected} rejected`}
          at={at}
          when={when}
          format={count}
          series={[
            { name: 'completed', tone: 'good', values: flow.steps.map(({ completed }) => completed) },
            { name: 'failed or expired', tone: 'bad', values: flow.steps.map(({ failed }) => failed) },
            { name: 'rejected', tone: 'wait', values: flow.steps.map(({ rejected }) => rejected) },
          ]}
        />
      </section>
      <section className="card" aria-label="Sent">
        <h2>Sent</h2>
        <Bars
          label={`Handoffs that were sent: ${flow.made}`}
          at={at}
          when={when}
          format={count}
          series={[{ name: 'sent', tone: 'busy', values: flow.steps.map(({ made }) => made) }]}
        />
      </section>
      <section className="card" aria-label="Time to completion">
        <h2>Time to completion</h2>
        <Line
          label="Median time to completion"
          at={at}
          when={when}
          format={spanOf}
          series={{
            name: 'median time to completion',
            tone: 'busy',
            values: flow.steps.map(({ median_s }) => median_s),
          }}
        />
      </section>
    </div>
  )
}
