import { useLocation } from 'wouter'
import type { RunState } from '../../../src/domain/workflow/run.ts'
import { useOperation } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { useStepping } from '../features/list/use-stepping.ts'
import { RunPanel } from '../features/workflow/run-panel.tsx'
import { RunTable } from '../features/workflow/run-table.tsx'
import { StartRun } from '../features/workflow/start-run.tsx'
import { Pager } from '../ui/lists/pager.tsx'
import { useAddress, useTyped } from '../ui/lists/use-address.ts'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import '../style/pictures.css'
import '../style/tables.css'

const PAGE = 50
const STATES = [
  'running',
  'waiting',
  'failed',
  'completed',
  'cancelled',
] as const satisfies readonly RunState[]
/** Comes with Baton; the others are known by their runs. */
const BUILT_IN = 'phases'

/** Runs of workflows, the newest first, and one of them beside. */
export function Workflows({ id }: { readonly id?: string }) {
  const [, go] = useLocation()
  const [given, setState] = useAddress('state')
  const [name] = useAddress('name')
  const typed = useTyped('name')
  const [after, setAfter] = useAddress('after')
  const [starting, start] = useAddress('start')
  const mayStart = useMay('workflow:write')
  const state = STATES.find((each) => each === given)
  const isName = name !== undefined && /^[a-z0-9][a-z0-9-]*$/i.test(name)
  const runs = useOperation('workflow_list', {
    limit: PAGE,
    ...(state && { state: [state] }),
    ...(isName && { name }),
    ...(after !== undefined && { cursor: after }),
  })
  const items = runs.data?.items ?? []
  const isFiltered = state !== undefined || name !== undefined || after !== undefined
  const open = items.find((run) => run.uid === id)?.id ?? id
  useStepping(open, (run) => go(`/workflows/${encodeURIComponent(run)}${location.search}`, { replace: true }))
  const back = () => go(`/workflows${location.search}`)
  return (
    <div className="stack">
      <div className="row">
        <h1 className="grow">Workflows</h1>
        {mayStart && (
          <button type="button" className="main" onClick={() => start('1')}>
            Start a workflow
          </button>
        )}
      </div>
      {runs.isPending && <Loading what="the workflows" />}
      {runs.error && <Failed error={runs.error} again={runs.refetch} />}
      {runs.data && items.length === 0 && !isFiltered ? (
        <Empty>
          No workflow has been started yet. Start one here, or with: <code>baton workflow start phases</code>
        </Empty>
      ) : (
        <section className="card" aria-label="Runs">
          <search className="filters">
            <label>
              <span className="soft">State </span>
              <select value={state ?? ''} onChange={({ target }) => setState(target.value)}>
                <option value="">any</option>
                {STATES.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </select>
            </label>
            <label>
              <span className="soft">Workflow </span>
              <input
                type="search"
                placeholder="name"
                value={typed.value}
                onChange={({ target }) => typed.onChange(target.value)}
              />
            </label>
          </search>
          {runs.data && items.length === 0 && <p className="soft">No results.</p>}
          {items.length > 0 && <RunTable runs={items} open={id} />}
          <Pager label="Pages of runs" next={runs.data?.next} after={after} go={setAfter} />
        </section>
      )}
      {id !== undefined && starting === undefined && <RunPanel key={id} id={id} close={back} />}
      {starting !== undefined && (
        <StartRun
          names={[...new Set([...items.map((run) => run.name), BUILT_IN])]}
          close={() => start(undefined)}
          started={(run) => go(`/workflows/${encodeURIComponent(run)}`)}
        />
      )}
    </div>
  )
}
