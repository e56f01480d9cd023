import { Link, useSearchParams } from 'wouter'
import { TaskCard } from '../features/task/task-card.tsx'
import { TaskGraph } from '../features/task/task-graph.tsx'
import { TaskTable } from '../features/task/task-table.tsx'
import { MOST_READY, type Plan, usePlan } from '../features/task/use-tasks.ts'
import { Figures } from '../ui/figures.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import '../style/pictures.css'

/** What is to be done, what needs what, and what can be started now. */
export function Tasks() {
  const plan = usePlan()
  const [query, setQuery] = useSearchParams()
  const chosen = query.get('task') ?? undefined
  const withDone = query.get('done') === '1'
  const set = (name: string, value: string | undefined) =>
    setQuery((before) => {
      const next = new URLSearchParams(before)
      if (value === undefined) next.delete(name)
      else next.set(name, value)
      return next
    })
  if (!plan.data && plan.error) return <Failed error={plan.error} again={plan.refetch} page="Tasks" />
  if (!plan.data) return <Loading what="the tasks" />
  const { tasks } = plan.data
  return (
    <div className="stack">
      <h1>Tasks</h1>
      {chosen !== undefined && <TaskCard key={chosen} id={chosen} close={() => set('task', undefined)} />}
      {tasks.length === 0 ? (
        <Empty>
          There is no task yet. Add one: <code>baton task create P0.1.1 --title "Set up the project"</code>
        </Empty>
      ) : (
        <>
          <Standing plan={plan.data} />
          <div className="two">
            <section className="card" aria-label="What needs what">
              <div className="row">
                <h2 className="grow">What needs what</h2>
                <label className="soft">
                  <input
                    type="checkbox"
                    checked={withDone}
                    onChange={({ target }) => set('done', target.checked ? '1' : undefined)}
                  />{' '}
                  with all that is done
                </label>
              </div>
              <TaskGraph plan={plan.data} chosen={chosen} withDone={withDone} />
            </section>
            <Next plan={plan.data} />
          </div>
          <section className="card" aria-label="All tasks">
            <h2>All tasks</h2>
            {plan.data.isCut && <p className="soft">The first 200 open and the first 200 done ones.</p>}
            <TaskTable plan={plan.data} />
          </section>
        </>
      )}
    </div>
  )
}

function Standing({ plan: { counts, ready, path } }: { readonly plan: Plan }) {
  const count = (...states: readonly string[]) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  const mayBeMore = ready.length === MOST_READY
  return (
    <Figures
      label="How it stands"
      items={[
        { name: 'ready now', value: mayBeMore ? `${ready.length}+` : ready.length, tone: 'good' },
        { name: 'at work', value: count('in_progress'), tone: 'busy' },
        { name: 'waiting', value: Math.max(0, count('todo', 'assigned') - ready.length) },
        { name: 'done', value: count('done') },
        { name: 'left on the critical path', value: path.length, tone: 'wait' },
      ]}
    />
  )
}

function Next({ plan: { ready, path, tasks } }: { readonly plan: Plan }) {
  const titles = new Map(tasks.map(({ id, title }) => [id, title]))
  return (
    <div className="stack">
      <section className="card" aria-label="Ready now">
        <h2>Ready now</h2>
        {ready.length === 0 && (
          <p className="soft">Nothing can be started: all is taken, waits or is done.</p>
        )}
        <ol className="plain">
          {ready.map(({ uid, id, title, priority, critical }) => (
            <li key={uid} className="wrap">
              <Link href={`/tasks?task=${encodeURIComponent(id)}`}>{id}</Link> {title}{' '}
              {critical && <span className="badge wait">critical</span>}
              {priority !== 'normal' && <small> {priority}</small>}
            </li>
          ))}
        </ol>
      </section>
      <section className="card" aria-label="Critical path">
        <h2>Critical path</h2>
        <p className="soft">
          {path.length === 0
            ? 'Nothing is left that holds up the end.'
            : 'What is late here makes all of it late.'}
        </p>
        <ol>
          {path.map((id) => (
            <li key={id} className="wrap">
              <Link href={`/tasks?task=${encodeURIComponent(id)}`}>{id}</Link> {titles.get(id)}
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
}
