import { inWords } from '../../../../src/domain/texts/visible.ts'
import { Graph, type GraphNode } from '../../ui/graph.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Tone } from '../../ui/words.ts'
import { hrefOf, isReady, type Plan, type Task } from './use-tasks.ts'

/** What depends on what: all of a small plan; of a large one the critical path and what is near the chosen task. */
export function TaskGraph({ plan, chosen }: { readonly plan: Plan; readonly chosen: string | undefined }) {
  const path = new Set(plan.path_ids)
  const nodes = plan.drawn.map((task): GraphNode => {
    const { id, title, status, owner, progress, blocked } = task
    const how = isReady(task) ? 'ready' : blocked ? 'waits' : inWords(status)
    return {
      id,
      title,
      line: `${id} · ${owner === undefined ? how : `${how} · ${owner}`}`,
      tone: toneOf(task),
      ...(path.has(id) && { note: 'on the critical path' }),
      href: hrefOf(id),
      isReady: isReady(task),
      isStrong: path.has(id),
      isChosen: id === chosen,
      ...(status === 'in_progress' && { progress }),
    }
  })
  const done = new Set(plan.drawn.filter(({ status }) => status === 'done').map(({ id }) => id))
  const edges = plan.drawn.flatMap(({ id, depends_on }) =>
    depends_on.map((need) => ({
      from: need,
      to: id,
      isStrong: path.has(need) && path.has(id),
      isDone: done.has(need),
    })),
  )
  if (nodes.length === 0 && plan.whole) return <Empty>All tasks are done. Tick the box to see them.</Empty>
  const first = plan.drawn.find(isReady) ?? plan.drawn.find(({ status }) => status !== 'done')
  return (
    <>
      <p className="key-line">
        <span className="key ready">ready</span>
        <span className="key busy">in progress</span>
        <span className="key">waits</span>
        <span className="key done">done</span>
        <span className="key critical">on the critical path</span>
      </p>
      {!plan.whole && <Levels plan={plan} />}
      {nodes.length > 0 && (
        <Graph
          label={`Dependencies: ${nodes.length} tasks`}
          nodes={nodes}
          edges={edges}
          look={chosen ?? first?.id}
        />
      )}
    </>
  )
}

/** A large plan, level by level: how much of each is open. */
function Levels({ plan }: { readonly plan: Plan }) {
  return (
    <>
      <p className="soft">
        Drawn: the critical path, and the neighbours of a task that you open. All tasks by level of
        dependencies:
      </p>
      <ul className="levels" aria-label="Levels">
        {plan.levels.map(({ level, open, ready, done }) => (
          <li key={level}>
            <b>{level}</b> {open} open{ready > 0 && `, ${ready} ready`}
            {done > 0 && `, ${done} done`}
          </li>
        ))}
      </ul>
    </>
  )
}

export function toneOf(task: Task): Tone {
  if (task.status === 'done') return 'good'
  if (task.status === 'in_progress') return 'busy'
  return isReady(task) ? 'good' : 'plain'
}
