import { Link } from 'wouter'
import { isMissing } from '../../api/call.ts'
import { useOperation } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/lists/panel.tsx'
import { Missing } from '../../ui/missing.tsx'
import { Scroll } from '../../ui/scroll.tsx'
import { Changed, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { spokenName } from '../../ui/words.ts'
import { entryOf } from '../list/use-stepping.ts'
import { RunActions } from './run-actions.tsx'
import { durationOf, gateWords, type Run, RunPicture, stepWords } from './run-picture.tsx'
import { progressOf } from './run-table.tsx'
import { RUN_TONES, STEP_TONES } from './run-tones.ts'

/** One run, as far as it is: whose move it is, the picture, and the same in words. */
export function RunPanel({ id, close }: { readonly id: string; readonly close: () => void }) {
  const status = useOperation('workflow_status', { id })
  const run = status.data
  return (
    <Panel
      label={`Run ${run?.id ?? id}`}
      title={run?.description ?? run?.id ?? id}
      isWide
      close={close}
      back={() => entryOf(run?.id ?? id)}
    >
      {status.isPending && <Loading what={id} />}
      {isMissing(status.error) && <Missing what={`run ${id}`} level={2} />}
      {status.error && !isMissing(status.error) && <Failed error={status.error} again={status.refetch} />}
      {run && (
        <div className="stack">
          <Changed warning={run.warning} />
          <p className="soft">
            <Badge tone={RUN_TONES[run.state]}>{run.state}</Badge> {run.id} · {progressOf(run)} · started by{' '}
            {run.by} <Time at={run.started_at} />
            {run.ended_at !== undefined && (
              <>
                {' '}
                · ended <Time at={run.ended_at} />
              </>
            )}
          </p>
          {run.error !== undefined && run.state === 'failed' && (
            <p className="trouble wrap">Failed: {run.error}</p>
          )}
          <Waiting run={run} />
          <RunActions run={run} />
          <RunPicture run={run} />
          <section aria-label="Steps">
            <h3>Steps</h3>
            <Steps run={run} />
          </section>
        </div>
      )}
    </Panel>
  )
}

function Waiting({ run }: { readonly run: Run }) {
  if (run.waiting_for.length === 0) return null
  return (
    <p role="status">
      Waiting for{' '}
      {run.waiting_for.map(({ who, what, step }, i) => (
        <span key={`${step} ${what}`}>
          {i > 0 && ' and '}
          <b>{who === 'human' ? 'a person' : who}</b>
          {what.startsWith('baton ') ? (
            ' to resume or cancel it'
          ) : (
            <>
              : <Link href={`/handoffs/${encodeURIComponent(what)}`}>{nameOf(run, step, what)}</Link>
            </>
          )}
        </span>
      ))}
    </p>
  )
}

/** The gate or step that a handoff stands for. */
function nameOf(run: Run, step: string, handoff: string): string {
  const found = run.steps.find(({ id }) => id === step)
  return (found?.gate === handoff ? found.gate_name : found?.title) ?? handoff
}

function Steps({ run }: { readonly run: Run }) {
  return (
    <Scroll label="Steps as a table">
      <table>
        <thead>
          <tr>
            {['Step', 'Agent', 'State', 'Time', 'Gate', 'Result'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
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
              <td className="nowrap">{durationOf(step)}</td>
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
