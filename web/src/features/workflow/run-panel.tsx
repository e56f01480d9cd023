import { Link } from 'wouter'
import { isMissing } from '../../api/call.ts'
import { useOperation } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/lists/panel.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { Missing } from '../../ui/missing.tsx'
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
            <Table
              label="Steps as a table"
              columns={STEPS}
              items={run.steps}
              keyOf={({ id: step }) => step}
            />
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
          <b>{spokenName(who)}</b>
          {what.startsWith('baton ') ? (
            ' to resume or cancel it'
          ) : (
            <>
              :{' '}
              <Link href={`/handoffs/${encodeURIComponent(what)}`} dir="auto">
                {nameOf(run, step, what)}
              </Link>
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

type Step = Run['steps'][number]

const STEPS: readonly Column<Step>[] = [
  {
    name: 'Step',
    className: 'cell',
    cell: ({ number, handoff, title }) => (
      <>
        {number}.{' '}
        {handoff === undefined ? (
          <bdi>{title}</bdi>
        ) : (
          <Link href={`/handoffs/${encodeURIComponent(handoff)}`} dir="auto">
            {title}
          </Link>
        )}
      </>
    ),
  },
  { name: 'Agent', cell: ({ agent }) => agent },
  { name: 'State', cell: (step) => <Badge tone={STEP_TONES[step.state]}>{stepWords(step)}</Badge> },
  { name: 'Time', className: 'nowrap', cell: durationOf },
  {
    name: 'Gate',
    className: 'cell',
    cell: (step) => step.gate_name !== undefined && `${step.gate_name}: ${gateWords(step)}`,
  },
  { name: 'Result', className: 'cell', cell: ({ error, summary }) => error ?? summary },
]
