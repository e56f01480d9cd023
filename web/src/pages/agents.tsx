import { useState } from 'react'
import { AgentPanel } from '../features/agent/agent-panel.tsx'
import { AgentTable, busiestFirst } from '../features/agent/agent-table.tsx'
import { FlowPicture, FlowTable } from '../features/agent/flow-picture.tsx'
import { useStepping } from '../features/list/use-stepping.ts'
import { type Flow, useFlow } from '../features/metrics/use-flow.ts'
import { WindowChoice, windowWords } from '../features/metrics/window-choice.tsx'
import { RunningPrograms } from '../features/runner/running-programs.tsx'
import { useAddress } from '../ui/lists/use-address.ts'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import '../style/pictures.css'
import '../style/tables.css'

/** Who is overloaded, how well it goes, and who hands to whom. */
export function Agents() {
  const { flow, choose } = useFlow()
  const [open, setOpen] = useAddress('open')
  useStepping(open, (name) => setOpen(name, true))
  const words = flow.data && windowWords(flow.data.window)
  return (
    <div className="stack">
      <div className="row">
        <h1 className="grow">Agents</h1>
        <WindowChoice value={flow.data?.window} choose={choose} />
      </div>
      <RunningPrograms />
      {flow.isPending && <Loading what="the agents" />}
      {flow.error && <Failed error={flow.error} again={flow.refetch} />}
      {flow.data && words && <Shown flow={flow.data} words={words} open={open} />}
      {flow.data && words && open !== undefined && (
        <AgentPanel
          key={open}
          name={open}
          agent={flow.data.agents.find(({ name }) => name === open)}
          words={words}
          close={() => setOpen(undefined)}
        />
      )}
    </div>
  )
}

function Shown(props: { readonly flow: Flow; readonly words: string; readonly open: string | undefined }) {
  const { flow, words, open } = props
  const [part, setPart] = useState('')
  if (flow.agents.length === 0)
    return (
      <Empty>
        No agents yet. Hand something over: <code>baton send --to codex --title "Add rate limiting"</code>
      </Empty>
    )
  const agents = busiestFirst(flow.agents.filter(({ name }) => name.includes(part.trim().toLowerCase())))
  return (
    <>
      <section className="card" aria-label="All agents">
        <search className="filters">
          <label>
            <span className="soft">Name </span>
            <input type="search" value={part} onChange={({ target }) => setPart(target.value)} />
          </label>
          <span className="soft">
            {agents.length} of {flow.agents.length}. Failed and median time are those of {words}.
          </span>
        </search>
        <AgentTable agents={agents} open={open} />
      </section>
      <section className="card" aria-label="Handoff flow">
        <h2>Handoff flow</h2>
        {flow.edges.length === 0 ? (
          <Empty>Nothing was handed over in {words}.</Empty>
        ) : (
          <>
            <p className="soft">
              Senders left, receivers right, in {words}. Red: 25 % or more failed or expired.
            </p>
            <FlowPicture edges={flow.edges} />
            <FlowTable edges={flow.edges} />
          </>
        )}
      </section>
    </>
  )
}
