import { isSlow } from '../../filters.ts'
import type { FlowWords } from '../../flow.ts'
import { docs, type Engine, queriesOver, toTaskRows } from '../../queries.ts'
import type { Store } from '../../store.ts'
import { type Ask, askWith, planned, type Trip } from '../connection/ask.ts'
import type { Rows } from '../connection/round-trip.ts'
import { amongThese, printed, shelved } from './listing.ts'
import { settled } from './log.ts'

const AGENT_COUNTS = `SELECT 'outgoing', agent, count(*) FROM party WHERE side = 'from' GROUP BY agent
  UNION ALL SELECT 'incoming', agent, count(*) FROM party WHERE side = 'to' GROUP BY agent`

/** Cutting a field out is quicker than reading the document, and both stand before any text of an attempt. */
const fieldIn = (name: string) => `split_part(split_part(doc, '"${name}":"', 2), '"', 1)`
const FLOW_WORDS: FlowWords = {
  created: fieldIn('created_at'),
  updated: fieldIn('updated_at'),
  oldest: `SELECT agent, min(uid) AS uid FROM party WHERE side = 'to' GROUP BY agent`,
}

const LONGEST_CHAIN = `SELECT doc, open_deps FROM baton.task
  WHERE ws = $1 AND open_deps = 0 AND height > 1 AND status <> 'done' AND NOT EXISTS (
    SELECT 1 FROM baton.task WHERE ws = $1 AND critical = 1 AND status <> 'done')
  ORDER BY height DESC, sort_key LIMIT 1`

const CHAIN = `WITH RECURSIVE chain (uid, n) AS (SELECT $2::text COLLATE "C", 1 UNION ALL SELECT (
    SELECT t.uid FROM baton.task_dep d JOIN baton.task t ON t.ws = $1 AND t.uid = d.task
    WHERE d.ws = $1 AND d.depends_on = chain.uid AND t.status <> 'done'
    ORDER BY t.height DESC, t.sort_key LIMIT 1), n + 1 FROM chain WHERE uid IS NOT NULL AND n < 100000)
  SELECT CASE WHEN n <= $3 THEN t.doc END, t.open_deps, t.id FROM chain JOIN baton.task t ON t.ws = $1 AND t.uid = chain.uid ORDER BY n`

const DEPENDENTS = `SELECT t.id
  FROM (SELECT task FROM baton.task_dep WHERE ws = $1 AND depends_on = $2 OFFSET 0) AS d
  CROSS JOIN LATERAL (SELECT id, sort_key FROM baton.task WHERE ws = $1 AND uid = d.task OFFSET 0) AS t
  ORDER BY t.sort_key, t.id`

const ABOUT = 'SELECT doc FROM baton.notice WHERE ws = $1 AND about = ANY ($2::text[]) ORDER BY uid'

const PENDING = `SELECT uid FROM baton.handoff WHERE ws = $1 AND uid = ANY ($2::text[]) AND open = 1
  AND (due_at IS NULL OR due_at > $3)`

const KEEP = `INSERT INTO baton.meta (ws, key, value) VALUES ($1, $2, $3)
  ON CONFLICT (ws, key) DO UPDATE SET value = excluded.value`

/** Ways to the database: for quick reads, lists of ended handoffs, and reads that may take long. */
type Trips = Readonly<Record<'quick' | 'history' | 'slow', Trip>>

/** The reads of the port; each is answered by an index. */
export function postgresQueries({ quick, history, slow }: Trips, ws: number) {
  const [ask, askHistory, askSlowly] = [askWith(quick, ws), askWith(history, ws), askWith(slow, ws)]
  // Thousands of rows of a large table are read ahead, in the order in which they lie on the disk.
  const askInBlocks = askWith(planned(slow, { enable_bitmapscan: 'on', enable_indexscan: 'off' }), ws)
  const shared =
    (answer: Ask): Engine['ask'] =>
    (sql, ...values) => {
      const { name, text } = translated(sql)
      return answer(name, text, ...values)
    }
  return {
    ...queriesOver({
      ask: shared(ask),
      askSlowly: shared(askSlowly),
      byRef(columns, table, hasId = true) {
        const by = (key: string) => `SELECT ${columns} FROM baton.${table} WHERE ws = $1 AND ${key} = k.ref`
        const text = `SELECT k.ref, r.* FROM unnest($2::text[]) AS k (ref) CROSS JOIN LATERAL (
          ${by('uid')} ${hasId ? `UNION ALL ${by('id')}` : ''} LIMIT 1) AS r`
        return gathered((refs) => ask(`${table}_by_ref_${columns}`, text, refs))
      },
      async list(listing) {
        const { shelf, where } = listing
        if (!isSlow(listing)) return (shelf?.keys.length ? askHistory : ask)(undefined, ...printed(listing))
        if (!shelf) return askSlowly(undefined, ...printed(listing))
        const uids = (await askSlowly(undefined, ...shelved(shelf, where))).map(([uid]) => uid!)
        return uids.length === 0 ? [] : askInBlocks(undefined, ...amongThese(uids, listing))
      },
      settled: () => settled(quick, ws),
      agentCounts: AGENT_COUNTS,
      flowWords: FLOW_WORDS,
      keep: (name, text) => ask('keep', KEEP, name, text),
      chainFrom: (uid, most) => ask('task_chain', CHAIN, uid, most),
      longestChain: async () => toTaskRows(await ask('longest_chain', LONGEST_CHAIN))[0],
    }),
    pending: async (uids, at) => new Set((await ask('pending', PENDING, uids, at)).map(([uid]) => uid!)),
    // Without a name it is planned for the tables as they are; a kept plan may take a longer index.
    dependents: async (uid) => (await ask(undefined, DEPENDENTS, uid)).map(([id]) => id!),
    noticesAbout: async (uids) => docs(await askSlowly('notices_about', ABOUT, uids)),
  } satisfies Partial<Store>
}

/** All who ask in one turn of the event loop are answered by one read. */
function gathered(read: (keys: readonly string[]) => Promise<Rows>): (key: string) => Promise<Rows> {
  let keys = new Set<string>()
  let reading: Promise<ReadonlyMap<string | null | undefined, Rows>> | undefined
  const readAll = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    const asked = [...keys]
    keys = new Set()
    reading = undefined
    return new Map((await read(asked)).map(([key, ...row]) => [key, [row]]))
  }
  return async (key) => {
    if (key.includes('\0')) return []
    keys.add(key)
    reading ??= readAll()
    return (await reading).get(key) ?? []
  }
}

const statements = new Map<string, { readonly name: string; readonly text: string }>()

/** SQL of both engines in the words of this one, under a name of its own. */
export function translated(sql: string): { readonly name: string; readonly text: string } {
  let statement = statements.get(sql)
  if (!statement) {
    let places = 1
    const text = sql
      .replace(
        /\bFROM (\w+)(?: INDEXED BY \w+)?(\s+WHERE)?/g,
        (_, table, where) => `FROM baton.${table} WHERE ws = $1${where ? ' AND' : ''}`,
      )
      .replaceAll('?', () => `$${++places}`)
      // Answers come as text.
      .replace(/\bbody\b/, `convert_from(body, 'UTF8')`)
      .replace(/\bbytes\b/, `encode(bytes, 'hex')`)
    statement = { name: `shared_${statements.size}`, text }
    statements.set(sql, statement)
  }
  return statement
}
