import { Link } from 'wouter'
import type { State } from '../../../src/domain/lifecycle.ts'
import type { OperationInput } from '../../../src/runner/operation-types.ts'
import { useOperation } from '../api/queries.ts'
import { type Me, useMay } from '../api/session.ts'
import { type Query, readQuery, VIEWS } from '../features/find/query.ts'
import { QueryBox } from '../features/find/query-box.tsx'
import { HandoffTile } from '../features/handoff/handoff-tile.tsx'
import { HandoffPanel } from '../features/list/handoff-panel.tsx'
import { ListTable } from '../features/list/list-table.tsx'
import { addressOf, type ListAddress, useListAddress } from '../features/list/use-list-address.ts'
import { useStepping } from '../features/list/use-stepping.ts'
import { Failed, Loading } from '../ui/states.tsx'
import { useNarrow } from '../ui/use-narrow.ts'

/** Columns by what can be done about it; the ended ones show only the newest. */
const COLUMNS: readonly { readonly title: string; readonly states: readonly State[] }[] = [
  { title: 'Open', states: ['draft', 'offered'] },
  { title: 'In progress', states: ['accepted', 'in_progress', 'retry_wait'] },
  { title: 'Needs attention', states: ['blocked', 'needs_input'] },
  { title: 'In review', states: ['in_review'] },
  { title: 'Done', states: ['completed'] },
  { title: 'Closed without result', states: ['failed', 'rejected', 'expired', 'cancelled'] },
]
const SHOWN = 50
/** What one answer holds at most. */
const MOST = 200

/** Who holds what, by state or as a list. The question is in the address, so that a view can be shared. */
export function Board({ me, isList }: { readonly me: Me; readonly isList?: boolean }) {
  const address = useListAddress()
  const { text, ask, path } = address
  const query = readQuery(text, me.actor.name)
  const isNarrow = useNarrow()
  // Columns hold handoffs alone, and a phone has no room for them.
  const { kind } = query.input
  const showsList = isList || isNarrow || (kind !== undefined && kind !== 'handoff')
  useStepping(address.open, (open) => address.set({ open }))
  const status = useOperation('report_status', {})
  const isNew = status.data && Object.values(status.data.handoffs).every((count) => count === 0)
  const why = new Map((status.data?.stuck ?? []).map((each) => [each.id, each.why]))
  return (
    <>
      <div className="row heading">
        <h1>{isList ? 'List' : 'Board'}</h1>
        {!isNarrow && (
          <nav aria-label="View" className="row">
            <Link href={addressOf('/', text)} aria-current={isList ? undefined : 'true'}>
              Board
            </Link>
            <Link href={addressOf('/list', text)} aria-current={isList ? 'true' : undefined}>
              List
            </Link>
          </nav>
        )}
      </div>
      {isNew ? (
        <FirstRun />
      ) : (
        <>
          <QueryBox text={text} problem={query.problem} change={ask} />
          <nav aria-label="Questions" className="chips">
            {VIEWS.map(({ name, query: asked }) => (
              <Link
                key={name}
                href={addressOf(path, asked)}
                aria-current={text === asked ? 'true' : undefined}
              >
                {name}
              </Link>
            ))}
          </nav>
          {showsList ? (
            <List query={query} address={address} why={why} isNarrow={isNarrow} />
          ) : (
            <div className="board">
              {COLUMNS.map((column) => (
                <Column
                  key={column.title}
                  {...column}
                  query={query}
                  address={address}
                  why={why}
                  counts={status.data?.handoffs}
                />
              ))}
            </div>
          )}
        </>
      )}
      <HandoffPanel address={address} />
    </>
  )
}

/** An empty workspace leads to its first handoff. */
function FirstRun() {
  const maySend = useMay('handoff:write')
  return (
    <div className="state empty first-run">
      <h2>No handoffs yet</h2>
      <ol>
        {maySend && (
          <li>
            <Link href="/new" className="button main">
              Send the first handoff
            </Link>
            <p>Say what is to be done and who should do it. It appears here.</p>
          </li>
        )}
        <li>
          <b>Connect an agent</b>
          <p>
            In the project, type <code>baton setup claude-code</code>. It also knows codex, gemini and others.
          </p>
        </li>
        <li>
          <b>Watch a team at work</b>
          <p>
            In an empty folder, type <code>baton demo</code>.
          </p>
        </li>
      </ol>
    </div>
  )
}

interface Shown {
  readonly query: Query
  readonly address: ListAddress
  readonly why: ReadonlyMap<string, string>
}

function List({ query, address, why, isNarrow }: Shown & { readonly isNarrow: boolean }) {
  const { more, set } = address
  const limit = more.has('list') ? MOST : SHOWN
  const asked: OperationInput<'handoff_list'> = {
    ...query.input,
    ...(query.states && { state: [...query.states] }),
    limit,
  }
  const list = useOperation('handoff_list', asked)
  if (!list.data)
    return list.error ? <Failed error={list.error} again={list.refetch} /> : <Loading what="the list" />
  const { items, found, next } = list.data
  const byUid = new Map(items.map((handoff) => [handoff.uid, handoff]))
  const entries = found
    ? found.map((each) => ({
        uid: each.uid,
        handoff: byUid.get(each.uid),
        found: each,
        why: why.get(each.id),
      }))
    : items.map((handoff) => ({ uid: handoff.uid, handoff, why: why.get(handoff.id) }))
  return (
    <>
      {list.error && <Failed error={list.error} again={list.refetch} />}
      {entries.length === 0 ? (
        <p className="state">No results.</p>
      ) : (
        <ListTable entries={entries} address={address} isNarrow={isNarrow} isWhole={!next} />
      )}
      {next && (
        <p className="none">
          These are the {found ? 'best' : 'newest'} {entries.length}; there are more. Columns sort a list that
          is shown whole.{' '}
          {limit < MOST ? (
            <button type="button" onClick={() => set({ more: 'list' })}>
              Show more
            </button>
          ) : (
            'Narrow it down above.'
          )}
        </p>
      )}
    </>
  )
}

function Column(
  props: Shown & {
    readonly title: string
    readonly states: readonly State[]
    readonly counts: Readonly<Partial<Record<State, number>>> | undefined
  },
) {
  const { title, query, address, why, counts } = props
  const { more, set, open, beside } = address
  const states = props.states.filter((state) => query.states?.includes(state) ?? true)
  const limit = more.has(title) ? MOST : SHOWN
  const asked: OperationInput<'handoff_list'> = {
    ...query.input,
    ...(query.isSearch && { kind: 'handoff' }),
    state: states,
    limit,
  }
  const list = useOperation('handoff_list', asked, { enabled: states.length > 0 })
  const items = states.length > 0 ? (list.data?.items ?? []) : []
  const all = states.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0)
  const isAll = Object.keys(query.input).length === 0 && all >= items.length
  const next = states.length > 0 && list.data?.next
  const size = next ? (isAll ? all.toLocaleString('en') : `${items.length}+`) : items.length
  return (
    <section className="column" aria-label={title}>
      <h2>
        {title} <span>{list.data || states.length === 0 ? size : ''}</span>
      </h2>
      {states.length > 0 && list.isPending && <Loading what={title.toLowerCase()} />}
      {list.error && !list.data && <Failed error={list.error} again={list.refetch} />}
      {(list.data || states.length === 0) && items.length === 0 && <p className="none">Nothing here.</p>}
      {items.map((handoff) => (
        <HandoffTile
          key={handoff.uid}
          handoff={handoff}
          beside={beside}
          why={why.get(handoff.id)}
          isOpen={open === handoff.id}
        />
      ))}
      {next && limit < MOST && (
        <button type="button" className="quiet" onClick={() => set({ more: [...more, title].join(',') })}>
          Show more
        </button>
      )}
      {next && limit === MOST && <p className="none">There are more: narrow it down above.</p>}
    </section>
  )
}
