import { Link } from 'wouter'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { Badge } from '../../ui/badge.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
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

const COLUMNS: readonly Column<Run>[] = [
  {
    name: 'Run',
    className: 'cell',
    cell: ({ id, description, name }) => (
      <>
        <Link href={`/workflows/${encodeURIComponent(id)}${location.search}`} data-id={id} dir="auto">
          {description ?? name}
        </Link>{' '}
        <small>{id}</small>
      </>
    ),
  },
  {
    name: 'State',
    className: 'cell',
    cell: ({ state, error }) => (
      <>
        <Badge tone={RUN_TONES[state]}>{state}</Badge>
        {state === 'failed' && error !== undefined && <small> {error.slice(0, 120)}</small>}
      </>
    ),
  },
  { name: 'Progress', cell: progressOf },
  { name: 'Started by', cell: ({ by }) => by },
  { name: 'Started', className: 'nowrap', cell: ({ started_at }) => <Time at={started_at} /> },
  { name: 'Changed', className: 'nowrap', cell: ({ updated_at }) => <Time at={updated_at} /> },
]

export function RunTable(props: { readonly runs: readonly Run[]; readonly open: string | undefined }) {
  return (
    <Table
      label="Runs as a table"
      columns={COLUMNS}
      items={props.runs}
      keyOf={({ uid }) => uid}
      isOpen={({ id, uid }) => id === props.open || uid === props.open}
    />
  )
}
