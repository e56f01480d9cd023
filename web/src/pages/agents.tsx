import { AgentCard } from '../features/agent/agent-card.tsx'
import { FlowPicture, FlowTable } from '../features/agent/flow-picture.tsx'
import { type Flow, useFlow } from '../features/metrics/use-flow.ts'
import { WindowChoice, windowWords } from '../features/metrics/window-choice.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import '../style/pictures.css'

/** Who holds how much, how well it goes, and who hands to whom. */
export function Agents() {
  const { flow, choose } = useFlow()
  return (
    <div className="stack">
      <div className="row">
        <h1 className="grow">Agents</h1>
        <WindowChoice value={flow.data?.window} choose={choose} />
      </div>
      {flow.isPending && <Loading what="the agents" />}
      {flow.error && <Failed error={flow.error} again={flow.refetch} />}
      {flow.data && <Shown flow={flow.data} words={windowWords(flow.data.window)} />}
    </div>
  )
}

function Shown({ flow, words }: { readonly flow: Flow; readonly words: string }) {
  if (flow.agents.length === 0)
    return (
      <Empty>
        Nobody is known here yet. Hand something over:{' '}
        <code>baton send --to codex --title "Add rate limiting"</code>
      </Empty>
    )
  const busiest = flow.agents.toSorted(
    (a, b) => b.received + b.sent + b.load.incoming - (a.received + a.sent + a.load.incoming),
  )
  return (
    <>
      {!flow.whole && (
        <p className="soft">Only the newest 5,000 handoffs are counted here; the numbers below are theirs.</p>
      )}
      <div className="grid">
        {busiest.map((agent) => (
          <AgentCard key={agent.name} agent={agent} />
        ))}
      </div>
      <section className="card" aria-label="Who hands to whom">
        <h2>Who hands to whom</h2>
        {flow.edges.length === 0 ? (
          <Empty>Nothing was handed over in {words}.</Empty>
        ) : (
          <>
            <p className="soft">
              Senders left, receivers right, in {words}. Red: every fourth or more failed or expired.
            </p>
            <FlowPicture edges={flow.edges} />
            <FlowTable edges={flow.edges} />
          </>
        )}
      </section>
    </>
  )
}
