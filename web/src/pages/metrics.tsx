import { BlockMetrics } from '../features/metrics/block-metrics.tsx'
import { FlowCharts } from '../features/metrics/flow-charts.tsx'
import { type Flow, useFlow } from '../features/metrics/use-flow.ts'
import { WindowChoice, windowWords } from '../features/metrics/window-choice.tsx'
import { Figures } from '../ui/figures.tsx'
import { percentOf, spanOf } from '../ui/span.ts'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import '../style/pictures.css'

/** How much is handed over, how it ends and how long it takes; and what agents measured themselves. */
export function Metrics() {
  const { flow, window, choose } = useFlow()
  return (
    <div className="stack">
      <div className="row">
        <h1 className="grow">Metrics</h1>
        <WindowChoice value={flow.data?.window} choose={choose} />
      </div>
      {flow.isPending && <Loading what="the metrics" />}
      {flow.error && <Failed error={flow.error} again={flow.refetch} />}
      {flow.data && <Shown flow={flow.data} words={windowWords(flow.data.window)} />}
      <BlockMetrics window={window} />
    </div>
  )
}

function Shown({ flow, words }: { readonly flow: Flow; readonly words: string }) {
  const { made, completed, failed, rejected } = flow
  if (made + completed + failed + rejected === 0) return <Empty>Nothing was handed over in {words}.</Empty>
  const ended = completed + failed
  const rate = ended === 0 ? undefined : failed / ended
  return (
    <>
      <Figures
        label={`In ${words}`}
        items={[
          { name: 'sent', value: made, tone: 'busy' },
          { name: 'completed', value: completed, tone: 'good' },
          { name: 'failed', value: failed, ...(failed > 0 && { tone: 'bad' as const }) },
          { name: 'rejected', value: rejected, ...(rejected > 0 && { tone: 'wait' as const }) },
          { name: 'failure rate', value: percentOf(rate) },
          { name: 'median time', value: flow.median_s === undefined ? '–' : spanOf(flow.median_s) },
        ]}
      />
      <FlowCharts flow={flow} />
    </>
  )
}
