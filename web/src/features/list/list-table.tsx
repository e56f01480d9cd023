import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import { type Priority, RANK } from '../../../../src/domain/priority.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
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

const columnsOf = (beside: string, open: string | undefined): readonly Column<Entry>[] => {
  const column = (
    name: string,
    key: string,
    cell: (handoff: Handoff) => ReactNode,
    by: (handoff: Handoff) => string | number,
  ): Column<Entry> => ({
    ...{ name, key },
    cell: ({ handoff }) => handoff && cell(handoff),
    by: ({ handoff }) => (handoff ? by(handoff) : ''),
  })
  const since = (handoff: Handoff) => sinceOf(handoff)
  return [
    {
      name: 'Handoff',
      key: 'title',
      className: 'wrap',
      cell: (entry) => <Titled entry={entry} beside={beside} open={open} />,
      by: ({ handoff }) => handoff?.title.toLowerCase() ?? '',
    },
    column(
      'State',
      'state',
      ({ state }) => <StateBadge state={state} />,
      ({ state }) => state,
    ),
    column(
      'From',
      'from',
      ({ from }) => from,
      ({ from }) => from,
    ),
    column(
      'To',
      'to',
      ({ to }) => to,
      ({ to }) => to,
    ),
    column(
      'Priority',
      'priority',
      ({ priority }) => priority,
      ({ priority }) => RANK[priority as Priority] ?? 9,
    ),
    column('In this state', 'age', (handoff) => <Time at={since(handoff)} />, since),
    column(
      'Changed',
      'changed',
      ({ updated_at }) => <Time at={updated_at} />,
      ({ updated_at }) => updated_at,
    ),
  ]
}

/** Handoffs with columns; on a phone each is a tile. */
export function ListTable(props: {
  readonly entries: readonly Entry[]
  readonly address: ListAddress
  readonly isNarrow: boolean
  /** There are no more than these: then their order is the order of all. */
  readonly isWhole: boolean
}) {
  const { entries, address, isNarrow, isWhole } = props
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
    <Table
      label="Handoffs"
      className="list"
      columns={columnsOf(beside, open)}
      items={entries}
      keyOf={({ uid }) => uid}
      isOpen={({ handoff }) => handoff !== undefined && handoff.id === open}
      order={isWhole ? { order: sort, set: (order) => set({ sort: order }) } : undefined}
      whole={({ handoff, found }) => !handoff && found && <Other found={found} />}
    />
  )
}

function Titled(props: {
  readonly entry: Entry
  readonly beside: string
  readonly open: string | undefined
}) {
  const { entry, beside, open } = props
  const { handoff, found } = entry
  if (!handoff) return null
  const { id, title } = handoff
  const why = entry.why ?? reasonOf(handoff)
  return (
    <>
      <Link
        href={beside + encodeURIComponent(id)}
        data-id={id}
        className="clamp"
        dir="auto"
        aria-current={open === id ? 'true' : undefined}
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
    </>
  )
}

/** The place that holds the words. */
export function Match({ found }: { readonly found: Found | undefined }) {
  if (!found?.place || !found.text || found.place === 'title' || found.place === 'id') return null
  return (
    <small className="match wrap" dir="auto">
      <b>{placeName(found.place)}:</b> <bdi>{found.text}</bdi>
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
      <span className="badge">{kind}</span>{' '}
      <Link href={pathOf(found)} dir="auto">
        {title}
      </Link>{' '}
      <small>
        {id === title ? '' : id} {state ?? ''}
      </small>
      <Match found={found} />
    </div>
  )
}
