import { Link } from 'wouter'
import type { OperationOutput } from '../../../../src/runner/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { RUN_TONES } from './run-tones.ts'

type Runs = OperationOutput<'workflow_list'>['items']

export function RunList({ runs, chosen }: { readonly runs: Runs; readonly chosen: string | undefined }) {
  return (
    <nav aria-label="Runs">
      {runs.map(({ uid, id, state, percent, updated_at, workflow_state }) => (
        <Link
          key={uid}
          href={`/workflows/${encodeURIComponent(id)}`}
          className={`tile ${RUN_TONES[state]}`}
          aria-current={id === chosen ? 'true' : undefined}
        >
          <b>{id}</b>
          <small>
            {workflow_state.completed_steps.length} of{' '}
            {workflow_state.completed_steps.length + workflow_state.remaining_steps.length} steps · {percent}%
          </small>
          <div className="row">
            <Badge tone={RUN_TONES[state]}>{state}</Badge>
            <small>
              <Time at={updated_at} />
            </small>
          </div>
        </Link>
      ))}
    </nav>
  )
}
