import { type Condition, type Listing, type OpenOnes, type Shelf, WINDOW } from '../../filters.ts'
import { containing } from '../../page.ts'
import type { Value } from '../connection/round-trip.ts'
import { fieldOf } from '../tables.ts'

/** Columns by which a state is looked up in an index. */
const INDEXED = new Set(['run.state', 'task.status'])

/** Puts a value beside the text and names it there; `$1` is the workspace. */
type Bind = (value: Value) => string

type Printed = [text: string, ...values: Value[]]

/**
 * The SQL of a list, and its values. Conditions that no index answers are put to a bounded number of rows, in the
 * order of the list, that were found by one.
 */
export const printed = ({ columns, among, shelf, order, ...listing }: Listing): Printed =>
  withValues((bind) => {
    if (!shelf && among.length === 0) return found({ ...listing, order }, columns, listing, bind)
    const rows = shelf
      ? `(${onShelf(shelf, listing.where, listing, bind)}) AS k (key) CROSS JOIN LATERAL (
        SELECT * FROM baton.handoff WHERE ws = $1 AND uid = k.key OFFSET 0) AS r`
      : `(${found({ ...listing, order }, '*', { limit: WINDOW }, bind)}) AS r`
    return `SELECT ${columns} FROM ${rows} WHERE ${allOf(among, bind)} ${last(order, { limit: listing.limit })}`
  })

/** uids on a shelf, as many as may be looked at for conditions that no index answers. */
export const shelved = (shelf: Shelf, where: readonly Condition[]): Printed =>
  withValues((bind) => onShelf(shelf, where, { limit: WINDOW }, bind))

/** Of the handoffs with these uids, the page for which all of `among` holds. */
export const amongThese = (uids: readonly string[], { columns, among, order, limit }: Listing): Printed =>
  withValues((bind) => {
    const rows = `baton.handoff WHERE ws = $1 AND uid = ANY (${bind(uids)}::text[])`
    return `SELECT ${columns} FROM ${rows} AND ${allOf(among, bind)} ${last(order, { limit })}`
  })

function withValues(print: (bind: Bind) => string): Printed {
  const values: Value[] = []
  return [print((value) => `$${values.push(value) + 1}`), ...values]
}

const allOf = (conditions: readonly Condition[], bind: Bind): string =>
  ['true', ...conditions.map((condition) => conditionOf(condition, bind))].join(' AND ')

type Bounds = Pick<Listing, 'limit' | 'offset'>

const last = (order: string, { limit, offset = 0 }: Bounds): string =>
  `ORDER BY ${order} LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(offset)}`

/**
 * Rows that an index finds. One of several states is looked up state by state, each in the order of the index; a plain
 * condition would walk through the history of a workspace to find the few rows that are open.
 */
function found(
  { table, where, order }: Pick<Listing, 'table' | 'where' | 'order'>,
  columns: string,
  bounds: Bounds,
  bind: Bind,
): string {
  const [first] = where
  const each = first?.op === 'in' && INDEXED.has(`${table}.${first.column}`) ? first : undefined
  const states = each && bind([...new Set(each.value)])
  const conditions = where.map((condition) =>
    condition === each ? `${each.column} = each.value` : conditionOf(condition, bind),
  )
  const rows = `FROM baton.${table} WHERE ${['ws = $1', ...conditions].join(' AND ')}`
  if (!states) return `SELECT ${columns} ${rows} ${last(order, bounds)}`
  const whole = last(order, { limit: bounds.limit + (bounds.offset ?? 0) })
  const lists = `unnest(${states}::text[]) AS each (value) CROSS JOIN LATERAL (SELECT * ${rows} ${whole}) AS found`
  return `SELECT ${columns} FROM ${lists} ${last(order, bounds)}`
}

/** uids of handoffs by sender, receiver, type and state. */
function onShelf({ keys, open }: Shelf, where: readonly Condition[], bounds: Bounds, bind: Bind): string {
  const newest = last('uid DESC', { limit: bounds.limit + (bounds.offset ?? 0) })
  const after = where.map((condition) => ` AND ${conditionOf(condition, bind)}`).join('')
  const ended = `SELECT f.uid FROM unnest(${bind(keys)}::text[]) AS k (key) CROSS JOIN LATERAL (
    SELECT uid FROM baton.facet WHERE ws = $1 AND key = k.key${after} ${newest}) AS f`
  const both = open ? `${ended} UNION ALL (${openOnes(open, after, newest, bind)})` : ended
  return `SELECT uid FROM (${both}) AS both_kinds ${last('uid DESC', bounds)}`
}

/** Of the agent that is given, or of the type: each has a list of its own. */
function openOnes({ states, from, to, key }: OpenOnes, after: string, newest: string, bind: Bind): string {
  const given = bind(states)
  const agent = from ?? to
  if (agent === undefined && key === undefined)
    return `SELECT f.uid FROM unnest(${given}::text[]) AS s (state) CROSS JOIN LATERAL (
      SELECT uid FROM baton.handoff WHERE ws = $1 AND open = 1 AND state = s.state${after} ${newest}) AS f`
  const side = from === undefined ? 'to' : 'from'
  const list =
    agent === undefined
      ? `baton.facet WHERE ws = $1 AND key = ${bind(key!)}${after}`
      : `baton.party WHERE ws = $1 AND agent = ${bind(agent)} AND side = '${side}'${after}`
  const others = [
    ...(from !== undefined && to !== undefined ? [`to_agent = ${bind(to)}`] : []),
    ...(agent !== undefined && key !== undefined
      ? [`EXISTS (SELECT FROM baton.facet AS f WHERE f.ws = $1 AND f.key = ${bind(key)} AND f.uid = o.uid)`]
      : []),
  ]
  return `SELECT o.uid FROM (SELECT uid FROM ${list}) AS o CROSS JOIN LATERAL (
    SELECT FROM baton.handoff WHERE ws = $1 AND uid = o.uid AND state = ANY (${given}::text[])
      ${others.map((other) => `AND ${other}`).join(' ')} OFFSET 0) AS h ${newest}`
}

const AFTER = 'sort_key, uid'

function conditionOf(condition: Condition, bind: Bind): string {
  if (condition.op === 'contains') return `id ILIKE ${bind(containing(condition.value))}`
  if (condition.op === 'after')
    return `(${AFTER}) > (SELECT ${AFTER} FROM baton.task WHERE ws = $1 AND uid = ${bind(condition.value)})`
  const { column, op, value } = condition
  if (op === 'in') return `${column} = ANY (${bind(value)}::text[])`
  return `${column === 'type' ? fieldOf('type') : column} ${op} ${bind(value)}`
}
