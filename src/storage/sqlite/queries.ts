import type { SQLInputValue } from 'node:sqlite'
import { type Condition, isSlow, type Listing } from '../filters.ts'
import { containing } from '../page.ts'
import { docs, queriesOver, type Rows, toTaskRows } from '../queries.ts'
import type { Store } from '../store.ts'
import type { Question } from './read-thread.ts'
import type { Statements } from './statements.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

export const LONGEST_CHAIN = `SELECT doc, open_deps FROM task INDEXED BY task_chain
  WHERE open_deps = 0 AND height > 1 AND status <> 'done' ORDER BY height DESC, sort_key LIMIT 1`

/** Asked apart: as a condition it would be looked at for every chain. */
export const FLAGGED = `SELECT 1 FROM task INDEXED BY task_flagged WHERE critical = 1 AND status <> 'done' LIMIT 1`

const DEPENDENTS = `SELECT t.id FROM task_dep d JOIN task t ON t.uid = d.task
  WHERE d.depends_on = ? ORDER BY t.sort_key, t.uid`

const ABOUT = 'SELECT doc FROM notice WHERE about IN (SELECT value FROM json_each(?)) ORDER BY uid'

const HANDOFF_COUNTS = [
  ['outgoing', 'from_agent', 1],
  ['incoming', 'to_agent', 1],
  ['handoffs', 'state', 1],
  ['handoffs', 'state', 0],
]
  .map(
    ([kind, key, open]) =>
      `SELECT '${kind}', ${key}, count(*) FROM handoff WHERE open = ${open} GROUP BY ${key}`,
  )
  .join(' UNION ALL ')

/** `read` waits while nobody can read. */
export function sqliteQueries(
  db: Statements,
  read: <T>(query: () => T) => Promise<T>,
  readSlowly: (question: Question) => Promise<Rows>,
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
      handoffCounts: HANDOFF_COUNTS,
    }),
    longestChain: () => read(() => (db.get(FLAGGED) ? undefined : toTaskRows(db.rows(LONGEST_CHAIN))[0])),
    dependents: (uid) => read(() => db.rows(DEPENDENTS, uid).map(([id]) => String(id))),
    noticesAbout: async (uids) => docs(await readSlowly([ABOUT, JSON.stringify(uids)])),
  } satisfies Partial<Store>
}

/** The SQL of a list, and its values. */
function printed({ table, columns, where, order, limit }: Listing): [string, ...SQLInputValue[]] {
  const conditions = where.map((condition) => conditionOf(table, condition)).join(' AND ')
  const rows = conditions && `WHERE ${conditions}`
  const values = [...where.flatMap(valuesOf), limit]
  if (table !== 'handoff')
    return [`SELECT ${columns} FROM ${table} ${rows} ORDER BY ${order} LIMIT ?`, ...values]
  const { tables, first } = sourceOf(where)
  // Documents are fetched when it is known which are shown: they would be sorted with the rest.
  const sql = `SELECT ${columns} FROM handoff WHERE uid IN (
    SELECT h.uid FROM ${tables} ${rows} ORDER BY ${first}.${order} LIMIT ?) ORDER BY ${order}`
  return [sql, ...values]
}

function conditionOf(table: string, condition: Condition): string {
  const [id, title] = table === 'handoff' ? ['w.id', 'w.title'] : ['id', fieldOf('title')]
  if (condition.op === 'contains') return `(${id} LIKE ? ESCAPE '\\' OR ${title} LIKE ? ESCAPE '\\')`
  if (condition.op === 'after') return `(${AFTER}) > (SELECT ${AFTER} FROM task WHERE uid = ?)`
  const { op, value } = condition
  const column = condition.column === 'type' ? fieldOf('type') : condition.column
  if (op === 'in') return `${column} IN (${value.map(() => '?').join(', ')})`
  if (op === 'is') return `${column} = ${value}`
  return `${table === 'handoff' && column === 'uid' ? 'h.uid' : column} ${op} ?`
}

const AFTER = 'sort_key, uid'

const fieldOf = (name: string): string => `json_extract(doc, '$.${name}')`

function valuesOf({ op, value }: Condition): readonly SQLInputValue[] {
  if (op === 'contains') return [containing(value), containing(value)]
  if (op === 'is') return []
  return op === 'in' ? value : [value]
}

/**
 * Words are looked for first where all of history is meant, and last where few rows are left by then. The order is
 * fixed: SQLite knows neither how common a word is nor that most handoffs are completed.
 */
function sourceOf(where: readonly Condition[]): { tables: string; first: 'h' | 'w' } {
  if (!where.some(({ op }) => op === 'contains')) return { tables: 'handoff h', first: 'h' }
  const isNarrow = where.some((condition) => condition.op === '=' && condition.column !== 'type')
  const isRecent = where.some(({ op, value }) => op === 'in' && !value.includes('completed'))
  return isNarrow || isRecent
    ? { tables: 'handoff h CROSS JOIN handoff_words w ON w.uid = h.uid', first: 'h' }
    : { tables: 'handoff_words w CROSS JOIN handoff h ON h.uid = w.uid', first: 'w' }
}
