import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { ENDS, isOpen } from '../../domain/lifecycle.ts'
import type { Writes } from '../loaded.ts'
import { type Call, call } from './connection/round-trip.ts'
import { IN_WORKSPACE } from './tables.ts'

const whereKept = (setting: string) => `WHERE current_setting('baton.${setting}', true) = 'kept'`
const COUNT = {
  name: 'count_ended',
  text: `INSERT INTO baton.ended AS e (ws, slot, done, ${ENDS.join(', ')})
    SELECT $1::integer, pg_backend_pid() % 16, 0, ${ENDS.map((_, i) => `$${i + 2}::bigint`).join(', ')} ${whereKept('lists')}
    ON CONFLICT (ws, slot) DO UPDATE SET ${ENDS.map((end) => `${end} = e.${end} + excluded.${end}`).join(', ')}`,
}

/** A table with rows by which handoffs are found; `of` makes those of a handoff, cell by cell. */
function listIn(
  table: string,
  columns: readonly string[],
  of: (handoff: Handoff) => readonly (readonly string[])[],
  onConflict: string,
) {
  const cells = columns.map((column, i) => `unnest($${i + 2}::text[]) AS ${column}`).join(', ')
  const isSame = columns.map((column) => `r.${column} = k.${column}`).join(' AND ')
  const leave = {
    name: `leave_${table}`,
    text: `DELETE FROM baton.${table} AS r USING (SELECT $1::integer AS ws, ${cells}) AS k
      WHERE ${IN_WORKSPACE} AND ${isSame}`,
  }
  const join = {
    name: `join_${table}`,
    text: `INSERT INTO baton.${table} (ws, ${columns.join(', ')}) SELECT $1::integer, ${cells} ${onConflict}`,
  }
  return { leave, join, of }
}

const LISTS = [
  // The open handoffs of each agent.
  listIn(
    'party',
    ['agent', 'side', 'uid'],
    ({ uid, from, to, state }) =>
      isOpen(state) ? [[from, 'from', uid] as const, [to, 'to', uid] as const] : [],
    whereKept('parties'),
  ),
  // `sender receiver type state`: an open handoff by its type, an ended one by all.
  listIn(
    'facet',
    ['key', 'uid'],
    (handoff) => listKeysOf(handoff).map((key) => [key, handoff.uid]),
    `${whereKept('lists')} ON CONFLICT DO NOTHING`,
  ),
]

function listKeysOf(handoff: Handoff): readonly string[] {
  const { from, to, type, state } = handoff
  if (isOpen(state)) return [`  ${type} open`]
  const rest = `${type} ${state}`
  return [`  ${rest}`, `${from}  ${rest}`, ` ${to} ${rest}`, `${from} ${to} ${rest}`, outcomeKey(handoff)]
}

/** By when it ended; the database makes the same key in `baton.facets`. */
function outcomeKey({ from, to, state, created_at, updated_at, ended_at, attempts }: Handoff): string {
  const [end, made] = [new Date(ended_at ?? updated_at), new Date(created_at)]
  const ms = String(Math.max(0, end.getTime() - made.getTime())).padStart(13, '0')
  return `@${end.toISOString()} ${made.toISOString()} ${ms} ${state.slice(0, 2)} ${to} ${from} ${Math.max(0, attempts.length - 1)}`
}

/**
 * Changes to the lists and to the counts of what has ended; these come last, because writers may wait for each other
 * there. Sessions of the store say that it writes them (`baton.parties`, `baton.lists`): otherwise the database does it
 * first, as it does for older programs, and there is nothing left to do here.
 */
export function flushLists(ws: number, { handoffs, oldHandoffs }: Writes): readonly Call[] {
  const moved = [...handoffs.values()].flatMap((now) => {
    const was = oldHandoffs.get(now.uid)
    return was?.state === now.state && was.to === now.to ? [] : [{ was, now }]
  })
  const counts = ENDS.map((end) =>
    moved.reduce((sum, { was, now }) => sum + Number(now.state === end) - Number(was?.state === end), 0),
  )
  return [
    ...LISTS.flatMap(({ leave, join, of }) => {
      const pairs = moved.map(({ was, now }) => [was ? of(was) : [], of(now)] as const)
      const left = pairs.flatMap(([was, now]) => without(was, now))
      const joined = pairs.flatMap(([was, now]) => without(now, was))
      return [...rowCalls(leave, ws, left), ...rowCalls(join, ws, joined)]
    }),
    ...(counts.some((by) => by !== 0) ? [call(COUNT, ws, ...counts)] : []),
  ]
}

type Cells = readonly (readonly string[])[]

const without = (rows: Cells, others: Cells): Cells =>
  rows.filter((row) => !others.some((other) => row.every((cell, i) => cell === other[i])))

const rowCalls = (statement: Call['statement'], ws: number, rows: Cells): readonly Call[] =>
  rows[0] ? [call(statement, ws, ...rows[0].map((_, i) => rows.map((row) => row[i]!)))] : []
