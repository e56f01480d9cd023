import { ENDS, OPEN_STATES, type State, TYPES } from '../domain/lifecycle.ts'
import { numberCursor, uidCursor } from './page.ts'
import type {
  BlockFilter,
  HandoffFilter,
  PageRequest,
  RunFilter,
  SessionFilter,
  TaskFilter,
} from './store.ts'

/** How many rows a list looks through for a condition that no index answers; the next page goes on behind them. */
export const WINDOW = 5_000

/**
 * One condition of a list, on a column of its table or a field of its document. `contains` looks into the id, and
 * `after` continues behind the row with this uid.
 */
export type Condition =
  | { readonly column: string; readonly op: '=' | '<' | '>'; readonly value: string | number }
  | { readonly column: string; readonly op: 'in'; readonly value: readonly string[] }
  | { readonly op: 'contains'; readonly value: string }
  | { readonly op: 'after'; readonly value: string }

/** A page of a table and one row more; each engine prints its own SQL for it. */
export interface Listing {
  readonly table: string
  readonly columns: string
  /** Answered by an index; the cursor is among them. */
  readonly where: readonly Condition[]
  /** Answered by a look at the first rows that `where` leaves, at most WINDOW of them. */
  readonly among: readonly Condition[]
  /** Handoffs by sender, receiver, type and state. */
  readonly shelf?: Shelf
  readonly order: string
  readonly limit: number
  readonly offset?: number
}

/** Whether a list may have to look at many rows for the few that it shows. */
export const isSlow = ({ among }: Listing): boolean => among.length > 0

/** Ended handoffs are found by keys, each with all of them in order; the open ones are few. */
export interface Shelf {
  readonly keys: readonly string[]
  readonly open?: OpenOnes
}

export interface OpenOnes {
  readonly states: readonly State[]
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** The key of its type. */
  readonly key?: string | undefined
}

export function handoffList(filter: HandoffFilter, { limit, cursor }: PageRequest): Listing {
  const { from, to, type, state, task, run, parent, waiting_for } = filter
  const after = given(cursor, (uid) => before(uidCursor(uid)))
  const ref = given(filter.ref, contains)
  const [narrow, ...others] = equal({ task, run, parent, waiting_for })
  const rest = [...equal({ from_agent: from, to_agent: to, type }), ...given(state, oneOf('state'))]
  if (narrow) return newestFirst('handoff', limit, [narrow, ...after], [...others, ...rest, ...ref])
  if (rest.length === 0) return newestFirst('handoff', limit, after, ref)
  // A row may change after its uid was found on the shelf.
  const among = ref.length > 0 ? [...ref, ...rest] : []
  return { ...newestFirst('handoff', limit, after, among), shelf: shelfOf(filter) }
}

function shelfOf({ from, to, type, state }: HandoffFilter): Shelf {
  const ends = ENDS.filter((each) => state?.includes(each) ?? true)
  const types = type === undefined ? TYPES : [type]
  const keys = types.flatMap((each) => ends.map((end) => `${from ?? ''} ${to ?? ''} ${each} ${end}`))
  const states = OPEN_STATES.filter((each) => state?.includes(each) ?? true)
  const key = type && `  ${type} open`
  return { keys, ...(states.length > 0 && { open: { states, from, to, key } }) }
}

/** The sort key is made of the id, so the place of a task is found again by its uid. */
export const taskList = ({ owner, status, ref }: TaskFilter, { limit, cursor }: PageRequest): Listing => ({
  table: 'task',
  columns: 'doc, open_deps',
  where: [
    ...given(status, oneOf('status')),
    ...given(cursor, (uid) => ({ op: 'after', value: uidCursor(uid) })),
  ],
  among: [...equal({ owner }), ...given(ref, contains)],
  order: 'sort_key, uid',
  limit: limit + 1,
})

export const runList = ({ name, state }: RunFilter, { limit, cursor }: PageRequest): Listing => {
  const [first, ...others] = [...equal({ name }), ...given(state, oneOf('state'))]
  const after = given(cursor, (uid) => before(uidCursor(uid)))
  return newestFirst('run', limit, [...(first ? [first] : []), ...after], others)
}

export const blockList = (filter: BlockFilter, { limit, cursor }: PageRequest): Listing => {
  const { run, task, agent: from_agent, phase } = filter
  const [first, ...others] = equal({ run, task, from_agent })
  return {
    table: 'block',
    columns: 'doc, seq',
    where: [
      ...(first ? [first] : []),
      ...given(cursor, (seq) => ({ column: 'seq', op: '>', value: numberCursor(seq) })),
    ],
    among: [...others, ...equal({ phase })],
    order: 'seq',
    limit: limit + 1,
  }
}

export const sessionList = ({ by, state }: SessionFilter, { limit, cursor }: PageRequest): Listing => {
  const states = given(state, oneOf('state'))
  return newestFirst('audit_session', limit, [...equal({ by_agent: by }), ...given(cursor, before)], states)
}

const newestFirst = (
  table: string,
  limit: number,
  where: readonly Condition[],
  among: readonly Condition[],
): Listing => ({ table, columns: 'doc', where, among, order: 'uid DESC', limit: limit + 1 })

const given = <T>(value: T | undefined, condition: (value: T) => Condition): readonly Condition[] =>
  value === undefined ? [] : [condition(value)]

const equal = (columns: Readonly<Record<string, string | undefined>>): readonly Condition[] =>
  Object.entries(columns).flatMap(([column, value]) => given(value, (value) => ({ column, op: '=', value })))

const oneOf =
  (column: string) =>
  (value: readonly string[]): Condition => ({ column, op: 'in', value })

const contains = (value: string): Condition => ({ op: 'contains', value })

const before = (value: string): Condition => ({ column: 'uid', op: '<', value })
