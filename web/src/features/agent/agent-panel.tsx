import { Link } from 'wouter'
import { OPEN_STATES } from '../../../../src/domain/lifecycle.ts'
import { useOperation } from '../../api/queries.ts'
import { Cut } from '../../ui/lists/cut.tsx'
import { Panel } from '../../ui/lists/panel.tsx'
import { Meter } from '../../ui/meter.tsx'
import { percentOf, spanOf } from '../../ui/span.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { HandoffTile } from '../handoff/handoff-tile.tsx'
import { addressOf } from '../list/use-list-address.ts'
import { entryOf } from '../list/use-stepping.ts'
import { type AgentFlow, failureOf } from './agent-table.tsx'

const SHOWN = 10
const MOST = 50

/** One agent: its limits, how its work ended, and what it has to do. */
export function AgentPanel(props: {
  readonly name: string
  readonly agent: AgentFlow | undefined
  readonly words: string
  readonly close: () => void
}) {
  const { name, agent, words, close } = props
  const open = useOperation('handoff_list', { to: name, state: [...OPEN_STATES], limit: MOST })
  return (
    <Panel label={`Agent ${name}`} title={name} close={close} back={() => entryOf(name)}>
      {agent === undefined ? (
        <p role="alert">No agent of this name is known here.</p>
      ) : (
        <>
          <Meter name="Assigned" value={agent.load.incoming} most={agent.load.max_incoming} />
          <Meter name="Sent, open" value={agent.load.outgoing} most={agent.load.max_outgoing} />
          <h3>In {words}</h3>
          <dl className="facts">
            <Fact name="received" value={agent.received} />
            <Fact name="completed" value={agent.completed} />
            <Fact name="failed" value={`${agent.failed} · ${percentOf(failureOf(agent))}`} />
            <Fact name="rejected" value={agent.rejected} />
            <Fact name="retries" value={agent.retries} />
            <Fact name="median time" value={agent.median_s === undefined ? '–' : spanOf(agent.median_s)} />
          </dl>
        </>
      )}
      <h3>Open work</h3>
      {open.isPending && <Loading what="open work" />}
      {open.error && !open.data && <Failed error={open.error} again={open.refetch} />}
      {open.data?.items.length === 0 && <p className="soft">Nothing is open.</p>}
      {open.data?.items.slice(0, SHOWN).map((handoff) => (
        <HandoffTile key={handoff.uid} handoff={handoff} />
      ))}
      <Cut
        shown={Math.min(SHOWN, open.data?.items.length ?? 0)}
        of={open.data?.items.length ?? 0}
        isMore={open.data?.next !== undefined}
        href={addressOf('/list', `to:${name} state:open`)}
      />
      <p>
        <Link href={`/?to=${encodeURIComponent(name)}`}>All handoffs to {name}</Link> ·{' '}
        <Link href={`/new?to=${encodeURIComponent(name)}`}>New handoff to {name}</Link>
      </p>
    </Panel>
  )
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string | number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)
