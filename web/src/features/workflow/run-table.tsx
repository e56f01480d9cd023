import { Link } from 'wouter'
import type { OperationOutput } from '../../../../src/runner/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Scroll } from '../../ui/scroll.tsx'
import { Time } from '../../ui/time.tsx'
import { RUN_TONES } from './run-tones.ts'

type Run = OperationOutput<'workflow_list'>['items'][number]

/** How far a run is; a step that waits at its gate is done. */
export function progressOf({ workflow_state, at_gates }: Pick<Run, 'workflow_state' | 'at_gates'>): string {
  const { completed_steps, remaining_steps } = workflow_state
  const all = completed_steps.length + remaining_steps.length
  const done = completed_steps.length + at_gates
  if (at_gates === 0) return `${done} of ${all} steps`
  return `${done} of ${all} steps done, waiting at ${at_gates === 1 ? 'its gate' : `${at_gates} gates`}`
}

export function RunTable({
  runs,
  open,
}: {
  readonly runs: readonly Run[]
  readonly open: string | undefined
}) {
  return (
    <Scroll label="Runs as a table">
      <table>
        <thead>
          <tr>
            {['Run', 'State', 'Progress', 'Started by', 'Started', 'Changed'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.uid} className={run.id === open ? 'opened' : ''}>
              <td className="cell">
                <Link href={`/workflows/${encodeURIComponent(run.id)}${location.search}`}>
                  {run.description ?? run.name}
                </Link>{' '}
                <small>{run.id}</small>
              </td>
              <td className="cell">
                <Badge tone={RUN_TONES[run.state]}>{run.state}</Badge>
                {run.state === 'failed' && run.error !== undefined && (
                  <small> {run.error.slice(0, 120)}</small>
                )}
              </td>
              <td>{progressOf(run)}</td>
              <td>{run.by}</td>
              <td className="nowrap">
                <Time at={run.started_at} />
              </td>
              <td className="nowrap">
                <Time at={run.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
