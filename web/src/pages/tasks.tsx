import { Link, useLocation, useSearchParams } from 'wouter'
import { useOperation } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { useStepping } from '../features/list/use-stepping.ts'
import { NewTask } from '../features/task/new-task.tsx'
import { TaskGraph } from '../features/task/task-graph.tsx'
import { TaskPanel } from '../features/task/task-panel.tsx'
import { TaskTable } from '../features/task/task-table.tsx'
import { hrefOf, type Plan } from '../features/task/use-tasks.ts'
import { Figures } from '../ui/figures.tsx'
import { useAddress } from '../ui/lists/use-address.ts'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import '../style/pictures.css'
import '../style/tables.css'

/** How many ready tasks and how much of the path are listed; the figures count all. */
const LISTED = 15

/** What is to be done, what depends on what, and what can be started now. */
export function Tasks() {
  const [query] = useSearchParams()
  const [, go] = useLocation()
  const [open, setOpen] = useAddress('open')
  const [done, setDone] = useAddress('done')
  const [making, make] = useAddress('new')
  // Older links name it so.
  const chosen = open ?? query.get('task') ?? undefined
  const plan = useOperation('task_plan', {
    ...(chosen !== undefined && { around: chosen }),
    ...(done === '1' && { done: true }),
  })
  useStepping(chosen, (id) => setOpen(id, true))
  const mayCreate = useMay('task:write')
  if (!plan.data && plan.error) return <Failed error={plan.error} again={plan.refetch} page="Tasks" />
  if (!plan.data) return <Loading what="the tasks" />
  const isEmpty = Object.values(plan.data.counts).every((count) => count === 0)
  return (
    <div className="stack">
      <div className="row">
        <h1 className="grow">Tasks</h1>
        {mayCreate && (
          <button type="button" className="main" onClick={() => make('1')}>
            New task
          </button>
        )}
      </div>
      {isEmpty ? (
        <Empty>
          No tasks yet. Add one here, or with:{' '}
          <code>baton task create P0.1.1 --title "Set up the project"</code>
        </Empty>
      ) : (
        <>
          <Counts plan={plan.data} />
          <section className="card" aria-label="Dependencies">
            <div className="row">
              <h2 className="grow">Dependencies</h2>
              <label className="soft">
                <input
                  type="checkbox"
                  checked={done === '1'}
                  onChange={({ target }) => setDone(target.checked ? '1' : undefined)}
                />{' '}
                Show completed
              </label>
            </div>
            <TaskGraph plan={plan.data} chosen={chosen} />
          </section>
          <Next plan={plan.data} />
          <TaskTable plan={plan.data} open={chosen} />
        </>
      )}
      {chosen !== undefined && making === undefined && (
        <TaskPanel
          key={chosen}
          id={chosen}
          close={() => (open === undefined ? go('/tasks') : setOpen(undefined))}
        />
      )}
      {making !== undefined && <NewTask close={() => make(undefined)} created={(id) => go(hrefOf(id))} />}
    </div>
  )
}

function Counts({ plan: { counts, ready, path_ids } }: { readonly plan: Plan }) {
  const count = (...states: readonly string[]) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  return (
    <Figures
      label="Counts"
      items={[
        { name: 'ready', value: ready, tone: 'good' },
        { name: 'in progress', value: count('in_progress'), tone: 'busy' },
        { name: 'waiting', value: Math.max(0, count('todo', 'assigned') - ready) },
        { name: 'done', value: count('done') },
        { name: 'left on the critical path', value: path_ids.length, tone: 'wait' },
      ]}
    />
  )
}

function Next({ plan: { ready, path, path_ids } }: { readonly plan: Plan }) {
  const next = useOperation('task_next_actions', { limit: LISTED })
  const items = next.data?.items ?? []
  return (
    <div className="two even">
      <section className="card" aria-label="Ready now">
        <h2>Ready now</h2>
        {next.error && <Failed error={next.error} again={next.refetch} />}
        {next.data && items.length === 0 && (
          <p className="soft">Nothing can be started: every task is taken, waits or is done.</p>
        )}
        <ol className="plain">
          {items.map(({ uid, id, title, priority, critical }) => (
            <li key={uid} className="wrap">
              <Link href={hrefOf(id)}>{id}</Link> <span dir="auto">{title}</span>{' '}
              {critical && <span className="badge wait">critical</span>}
              {priority !== 'normal' && <small> {priority}</small>}
            </li>
          ))}
        </ol>
        {ready > items.length && items.length > 0 && (
          <p className="soft">
            The first {items.length} of {ready.toLocaleString('en')}.
          </p>
        )}
      </section>
      <section className="card" aria-label="Critical path">
        <h2>Critical path</h2>
        <p className="soft">
          {path.length === 0 ? 'No task holds up others.' : 'Any delay here delays the whole plan.'}
        </p>
        <ol>
          {path.slice(0, LISTED).map(({ id, title }) => (
            <li key={id} className="wrap">
              <Link href={hrefOf(id)}>{id}</Link> <span dir="auto">{title}</span>
            </li>
          ))}
        </ol>
        {path_ids.length > LISTED && (
          <p className="soft">And {(path_ids.length - LISTED).toLocaleString('en')} more after these.</p>
        )}
      </section>
    </div>
  )
}
