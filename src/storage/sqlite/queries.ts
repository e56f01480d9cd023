import type { SQLInputValue } from 'node:sqlite'
import { type Condition, isSlow, type Listing, type OpenOnes, type Shelf, WINDOW } from '../filters.ts'
import type { FlowWords } from '../flow.ts'
import { containing } from '../page.ts'
import { docs, type Engine, queriesOver, type Rows, toTaskRows } from '../queries.ts'
import type { Store } from '../store.ts'
import type { Question } from './read-process.ts'
import type { Statements } from './statements.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

export const LONGEST_CHAIN = `SELECT doc, open_deps FROM task INDEXED BY task_chain
  WHERE open_deps = 0 AND height > 1 AND status <> 'done' ORDER BY height DESC, sort_key LIMIT 1`

/** Asked apart: as a condition it would be looked at for every chain. */
export const FLAGGED = `SELECT 1 FROM task INDEXED BY task_flagged WHERE critical = 1 AND status <> 'done' LIMIT 1`

const CHAIN = `WITH RECURSIVE chain (uid, n) AS (SELECT ?, 1 UNION ALL SELECT (
    SELECT t.uid FROM task_dep d JOIN task t ON t.uid = d.task WHERE d.depends_on = chain.uid AND t.status <> 'done'
    ORDER BY t.height DESC, t.sort_key LIMIT 1), n + 1 FROM chain WHERE uid IS NOT NULL AND n < 100000)
  SELECT CASE WHEN n <= ? THEN t.doc END, t.open_deps, t.id FROM chain CROSS JOIN task t ON t.uid = chain.uid ORDER BY n`

const DEPENDENTS = `SELECT t.id FROM task_dep d JOIN task t ON t.uid = d.task
  WHERE d.depends_on = ? ORDER BY t.sort_key, t.uid`

const ABOUT = 'SELECT doc FROM notice WHERE about IN (SELECT value FROM json_each(?)) ORDER BY uid'

const PENDING = `SELECT uid FROM handoff WHERE uid IN (SELECT value FROM json_each(?)) AND open = 1
  AND (due_at IS NULL OR due_at > ?)`

const AGENT_COUNTS = `SELECT 'outgoing', from_agent, count(*) FROM handoff WHERE open = 1 GROUP BY from_agent
  UNION ALL SELECT 'incoming', to_agent, count(*) FROM handoff WHERE open = 1 GROUP BY to_agent`

const FLOW_WORDS: FlowWords = {
  created: `json_extract(doc, '$.created_at')`,
  updated: `json_extract(doc, '$.updated_at')`,
  oldest:
    'SELECT to_agent AS agent, min(uid) AS uid FROM handoff INDEXED BY handoff_open_to WHERE open = 1 GROUP BY to_agent',
}

/** `read` waits while nobody can read. */
export function sqliteQueries(
  db: Statements,
  read: <T>(query: () => T) => Promise<T>,
  readSlowly: (question: Question) => Promise<Rows>,
  keep: Engine['keep'],
  beside = '',
) {
  return {
    ...queriesOver({
      ask: (sql, ...values) => read(() => db.rows(sql, ...values)),
      askSlowly: (...question) => readSlowly(question),
      byRef(columns, table, hasId = true) {
        const [byUid, byId] = ['uid', 'id'].map((key) => `SELECT ${columns} FROM ${table} WHERE ${key} = ?`)
        return (ref) =>
          read(() => {
            const found = !hasId || UUID.test(ref) ? db.rows(byUid!, ref) : []
            return found.length > 0 || !hasId ? found : db.rows(byId!, ref)
          })
      },
      list: (listing) =>
        isSlow(listing) ? readSlowly(printed(listing)) : read(() => db.rows(...printed(listing))),
      settled: async () => Number.MAX_SAFE_INTEGER,
      agentCounts: AGENT_COUNTS,
      flowWords: FLOW_WORDS,
      keep,
      chainFrom: (uid, most) => read(() => db.rows(CHAIN, uid, most)),
      longestChain: () => read(() => (db.get(FLAGGED) ? undefined : toTaskRows(db.rows(LONGEST_CHAIN))[0])),
      beside,
    }),
    pending: (uids, at) =>
      read(() => new Set(db.rows(PENDING, JSON.stringify(uids), at).map(([uid]) => String(uid)))),
    dependents: (uid) => read(() => db.rows(DEPENDENTS, uid).map(([id]) => String(id))),
    noticesAbout: async (uids) => docs(await readSlowly([ABOUT, JSON.stringify(uids)])),
  } satisfies Partial<Store>
}

/** Puts a value beside the text, which is written in the order of its values. */
type Bind = (value: SQLInputValue) => string

/**
 * The SQL of a list, and its values. Conditions that no index answers are put to a bounded number of rows, in the
 * order of the list, that were found by one.
 */
function printed(listing: Listing): [string, ...SQLInputValue[]] {
  const { table, columns, where, among, shelf, order, limit, offset = 0 } = listing
  const values: SQLInputValue[] = []
  const bind: Bind = (value) => `${values.push(value) && '?'}`
  const found = (what: string, from: string, bounds: readonly number[]) => {
    const [first, ...others] = where
    const each = first?.op === 'in' ? first : undefined
    const states = each && `json_each(${bind(JSON.stringify(each.value))}) AS e CROSS JOIN`
    const conditions = (each ? others : where).map((condition) => conditionOf(condition, bind))
    const rows = (limit: string) =>
      `FROM ${from} WHERE ${each ? `${each.column} = e.value` : 'true'}${conditions.map((other) => ` AND ${other}`).join('')} ORDER BY ${order} LIMIT ${limit}`
    if (!each) return `SELECT ${what} ${rows(`${bind(bounds[0]!)} OFFSET ${bind(bounds[1]!)}`)}`
    const lists = `${states} ${from} ON ${from}.uid IN (SELECT uid ${rows(bind(bounds[0]! + bounds[1]!))})`
    return `SELECT ${what.replace('*', `${from}.*`)} FROM ${lists} ORDER BY ${order} LIMIT ${bind(bounds[0]!)} OFFSET ${bind(bounds[1]!)}`
  }
  if (table !== 'handoff' && among.length === 0) return [found(columns, table, [limit, offset]), ...values]
  const bounds = among.length > 0 ? [WINDOW, 0] : [limit, offset]
  // Documents are fetched when it is known which are shown: they would be sorted with the rest.
  const rows =
    table !== 'handoff'
      ? `(${found('*', table, bounds)}) AS r`
      : `(${shelf ? onShelf(shelf, where, bounds, bind) : found('uid', table, bounds)}) AS k
          CROSS JOIN handoff ON handoff.uid = k.uid`
  const conditions = among.map((condition) => `AND ${conditionOf(condition, bind)}`)
  const uid = table === 'handoff' ? 'handoff.uid' : 'uid'
  const last = `ORDER BY ${order.replace('uid', uid)} LIMIT ${bind(limit)}`
  return [
    `SELECT ${columns.replace(/^uid$/, uid)} FROM ${rows} WHERE true ${conditions.join(' ')} ${last}`,
    ...values,
  ]
}

/** uids of handoffs by sender, receiver, type and state. */
function onShelf(
  { keys, open }: Shelf,
  where: readonly Condition[],
  [limit, offset]: readonly number[],
  bind: Bind,
): string {
  const last = (bounds: readonly number[]) => {
    const after = where.map((condition) => ` AND ${conditionOf(condition, bind)}`).join('')
    return `${after} ORDER BY uid DESC LIMIT ${bind(bounds[0]!)}`
  }
  const whole = [limit! + offset!]
  const ended = `SELECT f.uid FROM json_each(${bind(JSON.stringify(keys))}) AS k CROSS JOIN facet AS f
    ON f.key = k.value AND f.uid IN (SELECT uid FROM facet WHERE key = k.value${last(whole)})`
  const both = open
    ? `${ended} UNION ALL SELECT uid FROM (SELECT uid FROM (${openOnes(open, bind)}) WHERE true${last(whole)})`
    : ended
  return `SELECT uid FROM (${both}) ORDER BY uid DESC LIMIT ${bind(limit!)} OFFSET ${bind(offset!)}`
}

/** Named, because SQLite would rather walk back through all handoffs in the order of the list. */
function openOnes({ states, from, to, key }: OpenOnes, bind: Bind): string {
  const agent = from === undefined ? 'to' : 'from'
  const isOf = (column: string, value: string | undefined) =>
    value === undefined ? '' : `AND ${column} = ${bind(value)}`
  const list =
    (from ?? to ?? key) === undefined
      ? 'handoff AS h INDEXED BY handoff_state'
      : (from ?? to) === undefined
        ? 'facet AS o CROSS JOIN handoff AS h ON h.uid = o.uid'
        : `handoff AS h INDEXED BY handoff_open_${agent} ${key === undefined ? '' : 'CROSS JOIN facet AS o ON o.uid = h.uid'}`
  return `SELECT h.uid FROM ${list} WHERE h.open = 1
    AND h.state IN (SELECT value FROM json_each(${bind(JSON.stringify(states))}))
    ${isOf('h.from_agent', from)} ${isOf('h.to_agent', to)} ${isOf('o.key', key)}`
}

function conditionOf(condition: Condition, bind: Bind): string {
  if (condition.op === 'contains') return `id LIKE ${bind(containing(condition.value))} ESCAPE '\\'`
  if (condition.op === 'after')
    return `(${AFTER}) > (SELECT ${AFTER} FROM task WHERE uid = ${bind(condition.value)})`
  const { op, value } = condition
  const column = condition.column === 'type' ? `json_extract(doc, '$.type')` : condition.column
  return op === 'in' ? `${column} IN (${value.map(bind).join(', ')})` : `${column} ${op} ${bind(value)}`
}

const AFTER = 'sort_key, uid'
