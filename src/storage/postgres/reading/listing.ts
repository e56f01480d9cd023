import { type Condition, type Listing, type OpenOnes, type Shelf, WINDOW } from '../../filters.ts'
import { containing } from '../../page.ts'
import type { Value } from '../connection/round-trip.ts'
import { fieldOf } from '../tables.ts'

/** Columns by which a state is looked up in an index. */
const INDEXED = new Set(['run.state', 'task.status'])

/** Puts a value beside the text and names it there; `$1` is the workspace. */
type Bind = (value: Value) => string

/**
 * The SQL of a list, and its values. Conditions that no index answers are put to a bounded number of rows, in the
 * order of the list, that were found by one.
 */
export function printed(listing: Listing): [string, ...Value[]] {
  const values: Value[] = []
  const bind: Bind = (value) => `$${values.push(value) + 1}`
  const { columns, among, shelf, order } = listing
  if (!shelf && among.length === 0) return [found(listing, columns, listing, bind), ...values]
  const bounds = among.length > 0 ? { limit: WINDOW } : listing
  const rows = shelf
    ? `(${onShelf(shelf, listing.where, bounds, bind)}) AS k (key) CROSS JOIN LATERAL (
        SELECT * FROM baton.handoff WHERE ws = $1 AND uid = k.key OFFSET 0) AS r`
    : `(${found(listing, '*', bounds, bind)}) AS r`
  const conditions = ['true', ...among.map((condition) => conditionOf(condition, bind))]
  const page = last(order, { limit: listing.limit })
  return [`SELECT ${columns} FROM ${rows} WHERE ${conditions.join(' AND ')} ${page}`, ...values]
}

type Bounds = Pick<Listing, 'limit' | 'offset'>

const last = (order: string, { limit, offset = 0 }: Bounds): string =>
  `ORDER BY ${order} LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(offset)}`

/**
 * Rows that an index finds. One of several states is looked up state by state, each in the order of the index; a plain
 * condition would walk through the history of a workspace to find the few rows that are open.
 */
function found({ table, where, order }: Listing, columns: string, bounds: Bounds, bind: Bind): string {
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
