import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import { useOperation } from '../../api/queries.ts'
import { Changed, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { HandoffTile } from '../handoff/handoff-tile.tsx'

/** One task: what holds it up, what was recorded of it, and the handoffs that carried it. */
export function TaskCard({ id, close }: { readonly id: string; readonly close: () => void }) {
  const full = useOperation('task_get', { id })
  const card = useRef<HTMLElement>(null)
  // It may have been chosen far below.
  useEffect(() => {
    card.current?.scrollIntoView({ block: 'start' })
    card.current?.focus({ preventScroll: true })
  }, [])
  const carried = useOperation('handoff_list', { task: id, limit: 10 })
  return (
    <section ref={card} tabIndex={-1} className="card" aria-label={`Task ${id}`}>
      <div className="row">
        <h2 className="grow wrap">{full.data?.task.title ?? id}</h2>
        <button type="button" className="quiet" onClick={close} aria-label="Close the task">
          Close
        </button>
      </div>
      {full.isPending && <Loading what={id} />}
      {full.error && <Failed error={full.error} again={full.refetch} />}
      {full.data && <About about={full.data} />}
      {(carried.data?.items ?? []).length > 0 && <h3>Handoffs</h3>}
      {carried.data?.items.map((handoff) => (
        <HandoffTile key={handoff.uid} handoff={handoff} />
      ))}
    </section>
  )
}

type Full = NonNullable<ReturnType<typeof useOperation<'task_get'>>['data']>

function About({ about: { task, blocked_by, records, warning } }: { readonly about: Full }) {
  return (
    <>
      <Changed warning={warning} />
      <p className="soft">
        {task.id} · {inWords(task.status)}
        {task.owner !== undefined && ` · ${task.owner}`} · {task.priority}
        {task.critical && ' · critical'} · changed <Time at={task.updated_at} />
      </p>
      {task.notes !== undefined && <p className="wrap">{task.notes}</p>}
      {blocked_by.length > 0 && (
        <p>
          Waits for{' '}
          {blocked_by.map((each, i) => (
            <span key={each}>
              {i > 0 && ', '}
              <Link href={`/tasks?task=${encodeURIComponent(each)}`}>{each}</Link>
            </span>
          ))}
        </p>
      )}
      {task.criteria.length > 0 && <h3>Done when</h3>}
      {task.criteria.length > 0 && (
        <ul>
          {task.criteria.map((each) => (
            <li key={each} className="wrap">
              {each}
            </li>
          ))}
        </ul>
      )}
      {records.length > 0 && <h3>Records</h3>}
      {records.map(({ uid, by, summary, branch, created_at, signed }) => (
        <p key={uid} className="wrap">
          {summary}
          <br />
          <small>
            {by}
            {branch !== undefined && ` · ${branch}`} · <Time at={created_at} />
            {signed && ' · signed'}
          </small>
        </p>
      ))}
    </>
  )
}
