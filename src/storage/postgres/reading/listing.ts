import type { Condition, Listing } from '../../filters.ts'
import { containing } from '../../page.ts'
import type { Value } from '../connection/round-trip.ts'

/** Columns by which a state is looked up in an index. */
const INDEXED = new Set(['handoff.state', 'run.state', 'task.status'])

/**
 * The SQL of a list, and its values; `$1` is the workspace. One of several states, on its own, is looked up state by
 * state, each in the order of the index; a plain condition would walk through the history of a workspace to find the
 * few rows that are open.
 */
export function printed({ table, columns, where, order, limit }: Listing): [string, ...Value[]] {
  const values: Value[] = []
  const place = (value: Value) => `$${values.push(value) + 1}`
  const [first] = where
  const each = first?.op === 'in' && INDEXED.has(`${table}.${first.column}`) ? first : undefined
  const states = each && place([...new Set(each.value)])
  const conditions = [
    'ws = $1',
    ...where.flatMap((condition) =>
      condition === each ? [`${each.column} = each.value`] : conditionsOf(condition, where, place),
    ),
  ]
  const last = `ORDER BY ${order} LIMIT ${Math.trunc(limit)}`
  const rows = `FROM baton.${table} WHERE ${conditions.join(' AND ')} ${last}`
  if (!states) return [`SELECT ${columns} ${rows}`, ...values]
  const found = `FROM unnest(${states}::text[]) AS each (value) CROSS JOIN LATERAL (SELECT * ${rows}) AS found`
  return [`SELECT ${columns} ${found} ${last}`, ...values]
}

const AFTER = 'sort_key, uid'
const SIDES: Readonly<Record<string, string>> = { from_agent: 'from', to_agent: 'to' }

function conditionsOf(
  condition: Condition,
  where: readonly Condition[],
  place: (value: Value) => string,
): readonly string[] {
  if (condition.op === 'contains') return [contains(condition.value, place)]
  if (condition.op === 'after')
    return [
      `(${AFTER}) > (SELECT ${AFTER} FROM baton.task WHERE ws = $1 AND uid = ${place(condition.value)})`,
    ]
  const { column, op, value } = condition
  if (op === 'in') return [`${column} = ANY (${place(value)}::text[])`]
  // Most of history is completed: the newest of those are found sooner by walking back.
  const isLong = where.some((other) => other.op === 'in' && other.value.includes('completed'))
  if (op === 'is') return value === 0 && isLong ? [] : [`${column} = ${value}`]
  const given = place(value)
  const is = `${column === 'type' ? field('type') : column} ${op} ${given}`
  const isOpen = where.some((other) => other.op === 'is' && other.value === 1)
  return isOpen && column in SIDES ? [is, isParty(given, SIDES[column]!)] : [is]
}

/** Among all that was ever sent, the few that an agent has open. */
const isParty = (agent: string, side: string): string =>
  `uid IN (SELECT p.uid FROM baton.party AS p WHERE p.ws = $1 AND p.agent = ${agent} AND p.side = '${side}')`

/** A part of the id or the title. */
function contains(text: string, place: (value: Value) => string): string {
  const part = place(containing(text))
  const written = place(containing(JSON.stringify(text).slice(1, -1)))
  // Taking a document apart costs far more than looking through it: only where the words stand somewhere in it.
  return `(id ILIKE ${part} OR CASE WHEN doc ILIKE ${written} THEN ${field('title')} ILIKE ${part} ELSE false END)`
}

/**
 * A field of the document. PostgreSQL cannot take apart JSON that holds certain escapes (`\u0000`, half a
 * surrogate pair), and one such document must not fail a search over all of them.
 */
const field = (name: string): string =>
  `CASE WHEN strpos(doc, '\\u') > 0 THEN substring(doc FROM '"${name}":"((?:[^"\\\\]|\\\\.)*)"')
   ELSE doc::json ->> '${name}' END`
