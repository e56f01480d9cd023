import { Link } from 'wouter'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import { useOperation } from '../../api/queries.ts'
import { Cut } from '../../ui/lists/cut.tsx'
import { Panel } from '../../ui/lists/panel.tsx'
import { Changed, Failed, Loading } from '../../ui/states.tsx'
import { Linked, Outward, usePlaces } from '../../ui/text/linked.tsx'
import { Time } from '../../ui/time.tsx'
import { HandoffTile } from '../handoff/handoff-tile.tsx'
import { Points } from '../handoff/package-view.tsx'
import { addressOf } from '../list/use-list-address.ts'
import { entryOf } from '../list/use-stepping.ts'
import { hrefOf } from './use-tasks.ts'

const SHOWN = 10
const MOST = 50

/** One task: what holds it up, what was recorded of it, and the handoffs that carried it. */
export function TaskPanel({ id, close }: { readonly id: string; readonly close: () => void }) {
  const full = useOperation('task_get', { id })
  const carried = useOperation('handoff_list', { task: id, limit: MOST })
  const items = carried.data?.items ?? []
  return (
    <Panel label={`Task ${id}`} title={full.data?.task.title ?? id} close={close} back={() => entryOf(id)}>
      {full.isPending && <Loading what={id} />}
      {full.error && <Failed error={full.error} again={full.refetch} />}
      {full.data && <About about={full.data} />}
      {items.length > 0 && <h3>Handoffs</h3>}
      {items.slice(0, SHOWN).map((handoff) => (
        <HandoffTile key={handoff.uid} handoff={handoff} />
      ))}
      <Cut
        shown={Math.min(SHOWN, items.length)}
        of={items.length}
        isMore={carried.data?.next !== undefined}
        href={addressOf('/list', `task:${id}`)}
      />
      <p>
        <Link href={`/new?task=${encodeURIComponent(id)}`}>Hand {id} to an agent</Link>
      </p>
    </Panel>
  )
}

type Full = NonNullable<ReturnType<typeof useOperation<'task_get'>>['data']>

function About({ about: { task, blocked_by, records, warning } }: { readonly about: Full }) {
  const places = usePlaces()
  return (
    <>
      <Changed warning={warning} />
      <p className="soft">
        {task.id} · {inWords(task.status)}
        {task.owner !== undefined && ` · ${task.owner}`} · {task.priority}
        {task.critical && ' · critical'} · changed <Time at={task.updated_at} />
      </p>
      {task.notes !== undefined && (
        <p className="wrap" dir="auto">
          <Linked text={task.notes} />
        </p>
      )}
      {blocked_by.length > 0 && (
        <p>
          Waits for{' '}
          {blocked_by.map((each, i) => (
            <span key={each}>
              {i > 0 && ', '}
              <Link href={hrefOf(each)}>{each}</Link>
            </span>
          ))}
        </p>
      )}
      <Points title="Done when" items={task.criteria} />
      {records.length > 0 && <h3>Records</h3>}
      {records.map(({ uid, by, summary, branch, commit_sha, tests_run, created_at, signed }) => (
        <p key={uid} className="wrap" dir="auto">
          <Linked text={summary} />
          <br />
          <small>
            {by}
            {branch !== undefined && ' · '}
            {branch !== undefined && <Outward href={places?.branch(branch)} text={branch} />}
            {commit_sha !== undefined && ' · commit '}
            {commit_sha !== undefined && (
              <Outward href={places?.commit(commit_sha)} text={commit_sha.slice(0, 12)} />
            )}
            {tests_run !== undefined && ` · tests: ${tests_run}`} · <Time at={created_at} />
            {signed && ' · signed'}
          </small>
        </p>
      ))}
    </>
  )
}
