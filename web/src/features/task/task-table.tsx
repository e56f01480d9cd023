import { Link } from 'wouter'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import { Badge } from '../../ui/badge.tsx'
import { Scroll } from '../../ui/scroll.tsx'
import { Time } from '../../ui/time.tsx'
import { toneOf } from './task-graph.tsx'
import type { Plan } from './use-tasks.ts'

/** Everything that the picture shows, in words. */
export function TaskTable({ plan }: { readonly plan: Plan }) {
  const ready = new Set(plan.ready.map(({ id }) => id))
  const path = new Set(plan.path)
  return (
    <Scroll label="All tasks, as a table">
      <table>
        <thead>
          <tr>
            <th>task</th>
            <th>status</th>
            <th>who</th>
            <th>needs</th>
            <th>changed</th>
          </tr>
        </thead>
        <tbody>
          {plan.tasks.map((task) => (
            <tr key={task.uid}>
              <td className="cell">
                <Link href={`/tasks?task=${encodeURIComponent(task.id)}`}>{task.id}</Link> {task.title}{' '}
                {path.has(task.id) && <span className="badge wait">critical</span>}
              </td>
              <td>
                <Badge tone={toneOf(task, ready)}>
                  {ready.has(task.id) && task.status !== 'done' ? 'ready' : inWords(task.status)}
                </Badge>
                {task.status === 'in_progress' && task.progress > 0 && ` ${Math.round(task.progress)}%`}
              </td>
              <td>{task.owner ?? ''}</td>
              <td className="cell">{task.depends_on.join(', ')}</td>
              <td className="nowrap">
                <Time at={task.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
