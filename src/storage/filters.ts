import { isOpen, type State } from '../domain/lifecycle.ts'
import { numberCursor, uidCursor } from './page.ts'
import type {
  BlockFilter,
  HandoffFilter,
  PageRequest,
  RunFilter,
  SessionFilter,
  TaskFilter,
} from './store.ts'

/**
 * One condition of a list, on a column of its table or a field of its document. `is` stands in the text as a number,
 * `contains` looks into the id and the title, and `after` continues behind the row with this uid.
 */
export type Condition =
  | { readonly column: string; readonly op: '=' | '<' | '>'; readonly value: string | number }
  | { readonly column: string; readonly op: 'in'; readonly value: readonly string[] }
  | { readonly column: string; readonly op: 'is'; readonly value: number }
  | { readonly op: 'contains'; readonly value: string }
  | { readonly op: 'after'; readonly value: string }

/** A page of a table and one row more; each engine prints its own SQL for it. */
export interface Listing {
  readonly table: string
  readonly columns: string
  readonly where: readonly Condition[]
  readonly order: string
  readonly limit: number
}

/** Columns by which few rows are found in an index, however long the history is. */
const NARROW = new Set(['task', 'waiting_for', 'parent', 'run'])

/** Whether a list may have to look at many rows for the few that it shows. */
export const isSlow = ({ table, where }: Listing): boolean =>
  where.some(({ op }) => op === 'contains') ||
  (table === 'handoff' &&
    where.some((condition) => 'column' in condition && condition.column !== 'uid') &&
    !where.some(
      (condition) =>
        (condition.op === 'is' && condition.value === 1) ||
        (condition.op === '=' && NARROW.has(condition.column)),
    ))

export const handoffList = (filter: HandoffFilter, { limit, cursor }: PageRequest): Listing =>
  newestFirst('handoff', limit, [
    ...equal({ from_agent: filter.from, to_agent: filter.to, task: filter.task }),
    ...equal({ waiting_for: filter.waiting_for, parent: filter.parent, run: filter.run }),
    ...given(filter.state, oneOf('state')),
    ...given(openOf(filter.state), (value) => ({ column: 'open', op: 'is', value })),
    ...equal({ type: filter.type }),
    ...given(filter.text, contains),
    ...given(cursor, (uid) => before(uidCursor(uid))),
  ])

/** Said in the words of the partial indexes, which are not used otherwise. */
function openOf(states: readonly State[] | undefined): 1 | 0 | undefined {
  if (states?.every(isOpen)) return 1
  return states?.some(isOpen) === false ? 0 : undefined
}

/** The sort key is made of the id, so the place of a task is found again by its uid. */
export const taskList = ({ owner, status, text }: TaskFilter, { limit, cursor }: PageRequest): Listing => ({
  table: 'task',
  columns: 'doc, open_deps',
  where: [
    ...equal({ owner }),
    ...given(status, oneOf('status')),
    ...given(text, contains),
    ...given(cursor, (uid) => ({ op: 'after', value: uidCursor(uid) })),
  ],
  order: 'sort_key, uid',
  limit: limit + 1,
})

export const runList = ({ name, state }: RunFilter, { limit, cursor }: PageRequest): Listing =>
  newestFirst('run', limit, [
    ...equal({ name }),
    ...given(state, oneOf('state')),
    ...given(cursor, (uid) => before(uidCursor(uid))),
  ])

export const blockList = (filter: BlockFilter, { limit, cursor }: PageRequest): Listing => ({
  table: 'block',
  columns: 'doc, seq',
  where: [
    ...equal({ from_agent: filter.agent, phase: filter.phase, task: filter.task, run: filter.run }),
    ...given(cursor, (seq) => ({ column: 'seq', op: '>', value: numberCursor(seq) })),
  ],
  order: 'seq',
  limit: limit + 1,
})

export const sessionList = ({ by, state }: SessionFilter, { limit, cursor }: PageRequest): Listing =>
  newestFirst('audit_session', limit, [
    ...equal({ by_agent: by }),
    ...given(state, oneOf('state')),
    ...given(cursor, before),
  ])

const newestFirst = (table: string, limit: number, where: readonly Condition[]): Listing => ({
  table,
  columns: 'doc',
  where,
  order: 'uid DESC',
  limit: limit + 1,
})

const given = <T>(value: T | undefined, condition: (value: T) => Condition): readonly Condition[] =>
  value === undefined ? [] : [condition(value)]

const equal = (columns: Readonly<Record<string, string | undefined>>): readonly Condition[] =>
  Object.entries(columns).flatMap(([column, value]) => given(value, (value) => ({ column, op: '=', value })))

const oneOf =
  (column: string) =>
  (value: readonly string[]): Condition => ({ column, op: 'in', value })

const contains = (value: string): Condition => ({ op: 'contains', value })

const before = (value: string): Condition => ({ column: 'uid', op: '<', value })
