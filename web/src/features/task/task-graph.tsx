import { inWords } from '../../../../src/domain/texts/visible.ts'
import { Graph, type GraphNode } from '../../ui/graph.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Tone } from '../../ui/words.ts'
import type { Plan, Task } from './use-tasks.ts'

/** A picture with more than these is no help to anybody. */
const MOST = 120

/** What needs what. The done ones show only where something open comes of them, unless they are asked for. */
export function TaskGraph(props: {
  readonly plan: Plan
  readonly chosen: string | undefined
  readonly withDone: boolean
}) {
  const { plan, chosen, withDone } = props
  const ready = new Set(plan.ready.map(({ id }) => id))
  const path = new Set(plan.path)
  const shown = shownTasks(plan, withDone)
  const place = new Map(plan.path.map((id, i) => [id, i]))
  const nodes = shown.map((task): GraphNode => {
    const { id, title, status, owner, progress } = task
    const how = status === 'todo' && ready.has(id) ? 'ready' : task.blocked ? 'waits' : inWords(status)
    const who = owner === undefined ? how : `${how} · ${owner}`
    return {
      id,
      title,
      line: `${id} · ${who}`,
      tone: toneOf(task, ready),
      ...(path.has(id) && { note: 'on the critical path' }),
      href: `/tasks?task=${encodeURIComponent(id)}`,
      isReady: status !== 'done' && ready.has(id),
      isStrong: path.has(id),
      isChosen: id === chosen,
      ...(status === 'in_progress' && { progress }),
    }
  })
  const done = new Set(plan.tasks.filter(({ status }) => status === 'done').map(({ id }) => id))
  const edges = shown.flatMap(({ id, depends_on }) =>
    depends_on.map((need) => ({
      from: need,
      to: id,
      isStrong: place.has(need) && place.has(id),
      isDone: done.has(need),
    })),
  )
  if (shown.length === 0) return <Empty>All is done. Tick the box to see how it hung together.</Empty>
  return (
    <>
      <p className="key-line">
        <span className="key ready">ready now</span>
        <span className="key busy">at work</span>
        <span className="key">waits</span>
        <span className="key done">done</span>
        <span className="key critical">on the critical path</span>
      </p>
      {shown.length === MOST && (
        <p className="soft">
          {shown.length} of {plan.tasks.length} tasks are in the picture; all of them are in the table below.
        </p>
      )}
      <Graph label={`What needs what: ${shown.length} tasks`} nodes={nodes} edges={edges} />
    </>
  )
}

export function toneOf({ status, id, blocked }: Task, ready: ReadonlySet<string>): Tone {
  if (status === 'done') return 'good'
  if (status === 'in_progress') return 'busy'
  return ready.has(id) && !blocked ? 'good' : 'plain'
}

function shownTasks({ tasks, path }: Plan, withDone: boolean): readonly Task[] {
  const open = tasks.filter(({ status }) => status !== 'done')
  const needed = new Set(open.flatMap(({ depends_on }) => depends_on))
  const isPath = new Set(path)
  const wanted = tasks.filter(({ id, status }) => withDone || status !== 'done' || needed.has(id))
  if (wanted.length <= MOST) return wanted
  return wanted
    .toSorted((a, b) => Number(isPath.has(b.id)) - Number(isPath.has(a.id)) || a.level - b.level)
    .slice(0, MOST)
}
