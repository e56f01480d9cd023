import { Link } from 'wouter'
import { Meter } from '../../ui/meter.tsx'
import { percentOf, spanOf } from '../../ui/span.ts'
import type { Flow } from '../metrics/use-flow.ts'

/** One agent: how much it holds against its limits, and how its work ended. */
export function AgentCard({ agent }: { readonly agent: Flow['agents'][number] }) {
  const { name, kind, load, completed, failed, rejected, failure_rate, retries, median_s } = agent
  const isTroubled = failure_rate !== undefined && failure_rate >= 0.25
  return (
    <section className="card agent" aria-label={name}>
      <div className="row">
        <h2 className="grow wrap">
          <Link href={`/?to=${encodeURIComponent(name)}`}>{name}</Link>
        </h2>
        <span className="badge">{kind}</span>
      </div>
      <Meter name="holds" value={load.incoming} most={load.max_incoming} />
      <Meter name="waits for" value={load.outgoing} most={load.max_outgoing} />
      <dl className="facts">
        <Fact name="completed" value={String(completed)} />
        <Fact
          name="failed"
          value={failed === 0 ? '0' : `${failed} · ${percentOf(failure_rate)}`}
          isBad={isTroubled}
        />
        <Fact name="rejected" value={String(rejected)} />
        <Fact name="retries" value={String(retries)} />
        <Fact name="takes" value={median_s === undefined ? '–' : spanOf(median_s)} />
      </dl>
    </section>
  )
}

function Fact(props: { readonly name: string; readonly value: string; readonly isBad?: boolean }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd className={props.isBad ? 'failed' : ''}>{props.value}</dd>
    </div>
  )
}
