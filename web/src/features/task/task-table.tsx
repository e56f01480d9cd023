import { Link } from 'wouter'
import type { TaskState } from '../../../../src/domain/tasks/task.ts'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import { useOperation } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { useAddress, useTyped } from '../../ui/lists/use-address.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { toneOf } from './task-graph.tsx'
import { hrefOf, isReady, type Plan, type Task } from './use-tasks.ts'

const PAGE = 50
const TASK_STATES = ['todo', 'assigned', 'in_progress', 'done'] as const satisfies readonly TaskState[]

/** All tasks, page by page, in the order of their numbers. */
export function TaskTable({ plan, open }: { readonly plan: Plan; readonly open: string | undefined }) {
  const [status, setStatus] = useAddress('status')
  const [after, go] = useAddress('after')
  const words = useTyped('text')
  const [text] = useAddress('text')
  const state = TASK_STATES.find((each) => each === status)
  const list = useOperation('task_list', {
    limit: PAGE,
    ...(state && { status: [state] }),
    ...(text && { text }),
    ...(after !== undefined && { cursor: after }),
  })
  const total = Object.values(plan.counts).reduce((sum, each) => sum + each, 0)
  const all = state ? (plan.counts[state] ?? 0) : total
  const items = list.data?.items ?? []
  return (
    <section className="card" aria-label="All tasks">
      <div className="row">
        <h2 className="grow">All tasks</h2>
        <span className="soft" role="status">
          {text
            ? `${items.length}${list.data?.next ? ' or more' : ''} found`
            : `${all.toLocaleString('en')} tasks`}
        </span>
      </div>
      <search className="filters">
        <label>
          <span className="soft">Status </span>
          <select value={state ?? ''} onChange={({ target }) => setStatus(target.value)}>
            <option value="">any</option>
            {TASK_STATES.map((each) => (
              <option key={each} value={each}>
                {inWords(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className="soft">With </span>
          <input
            type="search"
            placeholder="words or id"
            value={words.value}
            onChange={({ target }) => words.onChange(target.value)}
          />
        </label>
      </search>
      {list.isPending && <Loading what="the tasks" />}
      {list.error && <Failed error={list.error} again={list.refetch} />}
      {list.data && items.length === 0 && <p className="soft">No results.</p>}
      {items.length > 0 && <Rows items={items} plan={plan} open={open} />}
      <Pager label="Pages of tasks" next={list.data?.next} after={after} go={go} />
    </section>
  )
}

function Rows(props: {
  readonly items: readonly Task[]
  readonly plan: Plan
  readonly open: string | undefined
}) {
  const path = new Set(props.plan.path_ids)
  const columns: readonly Column<Task>[] = [
    {
      name: 'Task',
      className: 'cell',
      cell: ({ id, title }) => (
        <>
          <Link href={hrefOf(id)} data-id={id}>
            {id}
          </Link>{' '}
          <span dir="auto">{title}</span> {path.has(id) && <span className="badge wait">critical</span>}
        </>
      ),
    },
    {
      name: 'Status',
      cell: (task) => (
        <>
          <Badge tone={toneOf(task)}>{isReady(task) ? 'ready' : inWords(task.status)}</Badge>
          {task.status === 'in_progress' && task.progress > 0 && ` ${Math.round(task.progress)}%`}
        </>
      ),
    },
    { name: 'Owner', cell: ({ owner }) => owner },
    { name: 'Priority', cell: ({ priority }) => priority },
    { name: 'Depends on', className: 'cell', cell: ({ depends_on }) => depends_on.join(', ') },
    { name: 'Changed', className: 'nowrap', cell: ({ updated_at }) => <Time at={updated_at} /> },
  ]
  return (
    <Table
      label="All tasks, as a table"
      columns={columns}
      items={props.items}
      keyOf={({ uid }) => uid}
      isOpen={({ id }) => id === props.open}
    />
  )
}
