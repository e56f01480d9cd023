import { useEffect, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { State } from '../../../src/domain/lifecycle.ts'
import { useOperation } from '../api/queries.ts'
import { HandoffTile } from '../features/handoff/handoff-tile.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'

/** Columns by what can be done about it; the ended ones show only the newest. */
const COLUMNS: readonly { readonly title: string; readonly states: readonly State[] }[] = [
  { title: 'To accept', states: ['draft', 'offered'] },
  { title: 'In progress', states: ['accepted', 'in_progress', 'retry_wait'] },
  { title: 'Needs attention', states: ['blocked', 'needs_input'] },
  { title: 'In review', states: ['in_review'] },
  { title: 'Done', states: ['completed'] },
  { title: 'Closed without result', states: ['failed', 'rejected', 'expired', 'cancelled'] },
]
const SHOWN = 50
const PAUSE_MS = 200
/** What one answer holds at most. */
const MOST = 200

/** Who holds what, by state. Filters are in the address, so that a view can be shared. */
export function Board() {
  const [query, setQuery] = useSearchParams()
  const filter = {
    ...(query.get('from') && { from: query.get('from')! }),
    ...(query.get('to') && { to: query.get('to')! }),
    ...(query.get('text') && { text: query.get('text')! }),
  }
  const set = (name: string, value: string) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const [draft, setDraft] = useState<string>()
  // One question for each pause in typing.
  useEffect(() => {
    if (draft === undefined) return
    const timer = setTimeout(() => {
      set('text', draft)
      setDraft(undefined)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [draft])
  const agents = useOperation('agent_list', {})
  const status = useOperation('report_status', {})
  const isNew = status.data && Object.values(status.data.handoffs).every((count) => count === 0)
  const names = (agents.data?.items ?? []).map(({ name }) => name)
  // What the address says is shown before the agents are known, and where there is none of that name.
  const choices = (side: 'from' | 'to') => [...new Set([query.get(side) ?? '', ...names])].filter(Boolean)
  return (
    <>
      <h1>Board</h1>
      <search className="filters">
        {(['from', 'to'] as const).map((side) => (
          <label key={side}>
            <span className="soft">{side} </span>
            <select value={query.get(side) ?? ''} onChange={({ target }) => set(side, target.value)}>
              <option value="">anyone</option>
              {choices(side).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        ))}
        <label>
          <span className="soft">with </span>
          <input
            type="search"
            placeholder="words or id"
            value={draft ?? query.get('text') ?? ''}
            onChange={({ target }) => setDraft(target.value)}
          />
        </label>
      </search>
      {isNew ? (
        <Empty>
          No handoffs yet. <Link href="/new">Send the first one</Link>, or connect an agent in the project:
          <br />
          <code>baton setup claude-code</code>
          <br />
          To see a team at work, type <code>baton demo</code> in an empty folder.
        </Empty>
      ) : (
        <div className="board">
          {COLUMNS.map((column) => (
            <Column key={column.title} {...column} filter={filter} counts={status.data?.handoffs} />
          ))}
        </div>
      )}
    </>
  )
}

function Column(props: {
  readonly title: string
  readonly states: readonly State[]
  readonly filter: { readonly from?: string; readonly to?: string; readonly text?: string }
  readonly counts: Readonly<Partial<Record<State, number>>> | undefined
}) {
  const { title, states, filter, counts } = props
  const [limit, setLimit] = useState(SHOWN)
  const list = useOperation('handoff_list', { ...filter, state: [...states], limit })
  const items = list.data?.items ?? []
  const all = states.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0)
  const isAll = Object.keys(filter).length === 0 && all >= items.length
  const size = list.data?.next ? (isAll ? all.toLocaleString('en') : `${items.length}+`) : items.length
  return (
    <section className="column" aria-label={title}>
      <h2>
        {title} <span>{list.data ? size : ''}</span>
      </h2>
      {list.isPending && <Loading what={title.toLowerCase()} />}
      {list.error && !list.data && <Failed error={list.error} again={list.refetch} />}
      {list.data && items.length === 0 && <p className="none">Nothing here.</p>}
      {items.map((handoff) => (
        <HandoffTile key={handoff.uid} handoff={handoff} />
      ))}
      {list.data?.next && limit < MOST && (
        <button type="button" className="quiet" onClick={() => setLimit(MOST)}>
          Show more
        </button>
      )}
      {list.data?.next && limit === MOST && <p className="none">There are more: narrow it down above.</p>}
    </section>
  )
}
