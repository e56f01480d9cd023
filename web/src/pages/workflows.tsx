import { Link } from 'wouter'
import { useOperation } from '../api/queries.ts'
import { RunList } from '../features/workflow/run-list.tsx'
import { RunView } from '../features/workflow/run-view.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import '../style/pictures.css'
import '../style/runs.css'

const SHOWN = 50

/** Runs of workflows, the newest first, and one of them as it stands. */
export function Workflows({ id }: { readonly id?: string }) {
  const runs = useOperation('workflow_list', { limit: SHOWN })
  if (runs.isPending) return <Loading what="the workflows" />
  if (runs.error) return <Failed error={runs.error} again={runs.refetch} page="Workflows" />
  const { items } = runs.data
  const chosen = id ?? items[0]?.id
  return (
    <div className="stack">
      <h1>Workflows</h1>
      {chosen === undefined ? (
        <Empty>
          No workflow has been started yet. Start one: <code>baton workflow start phases</code>
        </Empty>
      ) : (
        <div className={`runs ${id === undefined ? 'choosing' : 'chosen'}`}>
          <Link href="/workflows" className="back">
            ‹ Runs
          </Link>
          <RunList runs={items} chosen={chosen} />
          <RunView key={chosen} id={chosen} />
        </div>
      )}
    </div>
  )
}
