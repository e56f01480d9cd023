import { Link } from 'wouter'
import { isMissing } from '../../api/call.ts'
import { useOperation } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Missing } from '../../ui/missing.tsx'
import { Scroll } from '../../ui/scroll.tsx'
import { Changed, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { RunActions } from './run-actions.tsx'
import { gateWords, type Run, RunPicture, stepWords } from './run-picture.tsx'
import { RUN_TONES, STEP_TONES } from './run-tones.ts'

/** One run, as far as it is: whose move it is, the picture, and the same in words. */
export function RunView({ id }: { readonly id: string }) {
  const status = useOperation('workflow_status', { id })
  if (status.isPending) return <Loading what={id} />
  if (isMissing(status.error)) return <Missing what={`run ${id}`} level={2} />
  if (status.error) return <Failed error={status.error} again={status.refetch} />
  const run = status.data
  return (
    <div className="stack">
      <section className="card" aria-label={`Run ${run.id}`}>
        <div className="row">
          <h2 className="grow">{run.id}</h2>
          <Badge tone={RUN_TONES[run.state]}>{run.state}</Badge>
        </div>
        <Changed warning={run.warning} />
        {run.description !== undefined && <p className="wrap">{run.description}</p>}
        <p className="soft">
          {run.percent}% · started by {run.by} <Time at={run.started_at} />
          {run.ended_at === undefined ? '' : ' · ended '}
          {run.ended_at !== undefined && <Time at={run.ended_at} />}
        </p>
        <Waiting run={run} />
        <RunActions run={run} />
        <RunPicture run={run} />
      </section>
      <section className="card" aria-label="Steps">
        <h2>Steps</h2>
        <Steps run={run} />
      </section>
    </div>
  )
}

function Waiting({ run }: { readonly run: Run }) {
  if (run.waiting_for.length === 0) return null
  return (
    <p role="status">
      Waits for{' '}
      {run.waiting_for.map(({ who, what, step }, i) => (
        <span key={`${step} ${what}`}>
          {i > 0 && ' and '}
          <b>{who}</b> with{' '}
          {what.startsWith('baton ') ? (
            <code>{what}</code>
          ) : (
            <Link href={`/handoffs/${encodeURIComponent(what)}`}>{what}</Link>
          )}
        </span>
      ))}
    </p>
  )
}

function Steps({ run }: { readonly run: Run }) {
  return (
    <Scroll label="Steps as a table">
      <table>
        <thead>
          <tr>
            <th>step</th>
            <th>who</th>
            <th>state</th>
            <th>gate</th>
            <th>what came of it</th>
          </tr>
        </thead>
        <tbody>
          {run.steps.map((step) => (
            <tr key={step.id}>
              <td className="cell">
                {step.number}.{' '}
                {step.handoff === undefined ? (
                  step.title
                ) : (
                  <Link href={`/handoffs/${encodeURIComponent(step.handoff)}`}>{step.title}</Link>
                )}
              </td>
              <td>{step.agent}</td>
              <td>
                <Badge tone={STEP_TONES[step.state]}>{stepWords(step)}</Badge>
              </td>
              <td className="cell">
                {step.gate_name !== undefined && `${step.gate_name}: ${gateWords(step)}`}
              </td>
              <td className="cell">{step.error ?? step.summary ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
