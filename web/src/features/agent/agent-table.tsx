import { Link } from 'wouter'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { useAddress } from '../../ui/lists/use-address.ts'
import { Meter } from '../../ui/meter.tsx'
import { percentOf, spanOf } from '../../ui/span.ts'
import { Time } from '../../ui/time.tsx'
import type { Flow } from '../metrics/use-flow.ts'

export type AgentFlow = Flow['agents'][number]

/** The share of the limit that is used; without a limit there is no share. */
const shareOf = ({ load: { incoming, max_incoming } }: AgentFlow): number =>
  max_incoming === undefined ? 0 : max_incoming === 0 ? (incoming > 0 ? 2 : 0) : incoming / max_incoming

/** From the counts: the server's own rate is rounded already. */
export const failureOf = ({ completed, failed }: Pick<AgentFlow, 'completed' | 'failed'>) =>
  completed + failed === 0 ? undefined : failed / (completed + failed)

/** Agents at or over their limit come first, then those with most to do. */
export const busiestFirst = (agents: readonly AgentFlow[]): readonly AgentFlow[] =>
  agents.toSorted(
    (a, b) =>
      Math.max(1, shareOf(b)) - Math.max(1, shareOf(a)) ||
      Number(shareOf(b) >= 1) - Number(shareOf(a) >= 1) ||
      b.load.incoming - a.load.incoming ||
      b.received + b.sent - (a.received + a.sent) ||
      (a.name < b.name ? -1 : 1),
  )

const COLUMNS: readonly Column<AgentFlow>[] = [
  {
    name: 'Agent',
    by: ({ name }) => name,
    cell: ({ name, kind }) => (
      <>
        <Link href={`/agents?open=${encodeURIComponent(name)}`} data-id={name}>
          {name}
        </Link>{' '}
        {kind !== 'agent' && <small>{kind === 'human' ? 'person' : kind}</small>}
      </>
    ),
  },
  {
    name: 'Assigned',
    isDown: true,
    by: ({ load }) => load.incoming,
    cell: (agent) => (
      <>
        <Meter name="" value={agent.load.incoming} most={agent.load.max_incoming} />
        {shareOf(agent) > 1 && <span className="badge bad">over limit</span>}
        {shareOf(agent) === 1 && <span className="badge wait">at limit</span>}
      </>
    ),
  },
  {
    name: 'Oldest item',
    by: ({ oldest }) => oldest?.since ?? '~',
    cell: ({ oldest }) =>
      oldest && (
        <>
          <Link href={`/handoffs/${encodeURIComponent(oldest.id)}`}>{oldest.id}</Link>{' '}
          <small>
            <Time at={oldest.since} />
          </small>
        </>
      ),
  },
  {
    name: 'Failed',
    isNumber: true,
    isDown: true,
    by: ({ failed }) => failed,
    cell: (agent) => (
      <span className={(failureOf(agent) ?? 0) >= 0.25 ? 'failed' : ''}>
        {agent.failed}
        {agent.failed > 0 && <small> · {percentOf(failureOf(agent))}</small>}
      </span>
    ),
  },
  {
    name: 'Median time',
    isNumber: true,
    isDown: true,
    by: ({ median_s }) => median_s ?? -1,
    cell: ({ median_s }) => (median_s === undefined ? '–' : spanOf(median_s)),
  },
  {
    name: 'Last active',
    isDown: true,
    by: ({ seen_at }) => seen_at ?? '',
    cell: ({ seen_at }) => (seen_at === undefined ? '–' : <Time at={seen_at} />),
  },
]

export function AgentTable({
  agents,
  open,
}: {
  readonly agents: readonly AgentFlow[]
  readonly open: string | undefined
}) {
  const [order, set] = useAddress('sort')
  return (
    <Table
      label="Agents as a table"
      columns={COLUMNS}
      items={agents}
      keyOf={({ name }) => name}
      isOpen={({ name }) => name === open}
      order={{ order, set }}
    />
  )
}
