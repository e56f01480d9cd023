import { Link } from 'wouter'
import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import { type Priority, RANK } from '../../../../src/domain/priority.ts'
import type { OperationOutput } from '../../../../src/runner/calls.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Scroll } from '../../ui/scroll.tsx'
import { Time } from '../../ui/time.tsx'
import { placeName } from '../find/query.ts'
import { HandoffTile, reasonOf, sinceOf } from '../handoff/handoff-tile.tsx'
import type { ListAddress } from './use-list-address.ts'

export type Found = NonNullable<OperationOutput<'handoff_list'>['found']>[number]

/** One line of the list: a handoff, or another document that a search found. */
export interface Entry {
  readonly uid: string
  readonly handoff?: Handoff | undefined
  readonly found?: Found | undefined
  readonly why?: string | undefined
}

const COLUMNS = [
  { name: 'Handoff', sort: 'title', of: ({ handoff }: Entry) => handoff?.title.toLowerCase() ?? '' },
  { name: 'State', sort: 'state', of: ({ handoff }: Entry) => handoff?.state ?? '' },
  { name: 'From', sort: 'from', of: ({ handoff }: Entry) => handoff?.from ?? '' },
  { name: 'To', sort: 'to', of: ({ handoff }: Entry) => handoff?.to ?? '' },
  {
    name: 'Priority',
    sort: 'priority',
    of: ({ handoff }: Entry) => RANK[handoff?.priority as Priority] ?? 9,
  },
  { name: 'In this state', sort: 'age', of: ({ handoff }: Entry) => (handoff ? sinceOf(handoff) : '') },
  { name: 'Changed', sort: 'changed', of: ({ handoff }: Entry) => handoff?.updated_at ?? '' },
] as const

/** In the order that the address names: `age`, or `-age` from the other end. */
export function sorted(entries: readonly Entry[], sort: string): readonly Entry[] {
  const column = COLUMNS.find((each) => each.sort === sort.replace(/^-/, ''))
  if (!column) return entries
  const sign = sort.startsWith('-') ? -1 : 1
  return entries.toSorted((a, b) => {
    const [x, y] = [column.of(a), column.of(b)]
    return x < y ? -sign : x > y ? sign : 0
  })
}

/** Handoffs with columns; on a phone each is a tile. */
export function ListTable(props: {
  readonly entries: readonly Entry[]
  readonly address: ListAddress
  readonly isNarrow: boolean
}) {
  const { entries, address, isNarrow } = props
  const { sort, set, open, beside } = address
  if (isNarrow)
    return (
      <div className="tiles">
        {entries.map(({ uid, handoff, found, why }) =>
          handoff ? (
            <div key={uid}>
              <HandoffTile handoff={handoff} beside={beside} why={why} isOpen={open === handoff.id} />
              <Match found={found} />
            </div>
          ) : (
            found && <Other key={uid} found={found} />
          ),
        )}
      </div>
    )
  return (
    <Scroll label="Handoffs">
      <table className="list">
        <thead>
          <tr>
            {COLUMNS.map(({ name, sort: key }) => (
              <th
                key={key}
                scope="col"
                aria-sort={sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined}
              >
                <button
                  type="button"
                  className="quiet"
                  onClick={() => set({ sort: sort === key ? `-${key}` : sort === `-${key}` ? '' : key })}
                >
                  {name} {sort === key ? '↑' : sort === `-${key}` ? '↓' : ''}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map(({ uid, handoff, found, why }) =>
            handoff ? (
              <Row key={uid} {...{ handoff, found, why, beside }} isOpen={open === handoff.id} />
            ) : (
              <tr key={uid}>
                <td colSpan={COLUMNS.length}>{found && <Other found={found} />}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </Scroll>
  )
}

function Row(props: {
  readonly handoff: Handoff
  readonly found: Found | undefined
  readonly why: string | undefined
  readonly beside: string
  readonly isOpen: boolean
}) {
  const { handoff, found, beside, isOpen } = props
  const { id, title, state, from, to, priority, updated_at } = handoff
  const why = props.why ?? reasonOf(handoff)
  return (
    <tr className={isOpen ? 'chosen' : undefined}>
      <td className="wrap">
        <Link
          href={beside + encodeURIComponent(id)}
          data-id={id}
          className="clamp"
          dir="auto"
          aria-current={isOpen ? 'true' : undefined}
        >
          {title}
        </Link>
        <small>{id}</small>
        {why !== undefined && (
          <small className="why" dir="auto">
            {why}
          </small>
        )}
        <Match found={found} />
      </td>
      <td>
        <StateBadge state={state} />
      </td>
      <td>{from}</td>
      <td>{to}</td>
      <td>{priority}</td>
      <td>
        <Time at={sinceOf(handoff)} />
      </td>
      <td>
        <Time at={updated_at} />
      </td>
    </tr>
  )
}

/** The place that holds the words. */
export function Match({ found }: { readonly found: Found | undefined }) {
  if (!found?.place || !found.text || found.place === 'title' || found.place === 'id') return null
  return (
    <small className="match wrap" dir="auto">
      <b>{placeName(found.place)}:</b> {found.text}
    </small>
  )
}

const PATHS: Readonly<Record<string, (id: string) => string>> = {
  task: (id) => `/tasks?open=${encodeURIComponent(id)}`,
  run: (id) => `/workflows/${encodeURIComponent(id)}`,
  agent: (id) => addressOfAgent(id),
}
const addressOfAgent = (name: string): string => `/list?${new URLSearchParams({ q: `with:${name}` })}`

/** The page of a document that was found. */
export const pathOf = ({ kind, id }: Found): string =>
  PATHS[kind]?.(id) ?? `/handoffs/${encodeURIComponent(id)}`

function Other({ found }: { readonly found: Found }) {
  const { kind, id, title, state } = found
  return (
    <div className="other">
      <span className="badge">{kind}</span> <Link href={pathOf(found)}>{title}</Link>{' '}
      <small>
        {id === title ? '' : id} {state ?? ''}
      </small>
      <Match found={found} />
    </div>
  )
}
