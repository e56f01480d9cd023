import { ENDS } from '../domain/lifecycle.ts'
import { orElse } from '../domain/once.ts'
import type { Notice } from '../domain/people/notice.ts'
import { present } from '../domain/present.ts'
import type { Archive } from './archive.ts'
import { blockList, handoffList, type Listing, runList, sessionList, taskList, WINDOW } from './filters.ts'
import type { FlowWords } from './flow.ts'
import type { Live } from './live.ts'
import { cursorParts, numberCursor, toPage } from './page.ts'
import { ARCHIVE_STREAM, type Cell, isStub } from './rows.ts'
import type { LogEntry, Page, Store, TaskRow, Tile } from './store.ts'

/** Rows in the order of their columns. Numbers may come as their text, bytes as hexadecimal text. */
export type Rows = readonly (readonly Cell[])[]

/** How an engine answers. `?` stands for a value, and every table is the workspace's own. */
export interface Engine {
  /** Runs SQL that both engines read alike. The text is prepared: it must not differ from call to call. */
  ask(sql: string, ...values: Cell[]): Promise<Rows>
  /** The same, where many rows may have to be looked at. */
  askSlowly(sql: string, ...values: Cell[]): Promise<Rows>
  /** By uid, else by id where rows have one: an owner may choose an id that looks like a uid. */
  byRef(columns: string, table: string, hasId?: boolean): (ref: string) => Promise<Rows>
  list(listing: Listing): Promise<Rows>
  /** Every entry up to this number is committed or never will be. */
  settled(): Promise<number>
  /** Counts of the open handoffs of each agent, `outgoing` and `incoming`. */
  readonly agentCounts: string
  readonly flowWords: FlowWords
  /** Puts a text under a name, in place of the one before. */
  keep(name: string, text: string): Promise<unknown>
  /** Open tasks from this one on, each the dependent with the longest chain; all ids, and as many documents. */
  chainFrom(uid: string, most: number): Promise<Rows>
  longestChain(): Promise<TaskRow | undefined>
  /** Archives may lie here too. */
  readonly beside?: string
}

/** Named, because SQLite would rather look up the status and then sort every open task there is. */
export const NEXT_TASKS = `SELECT doc, open_deps FROM task INDEXED BY task_next
  WHERE open_deps = 0 AND status IN ('todo', 'assigned') ORDER BY critical DESC, level, rank, sort_key LIMIT ?`

/** By level: open, done, and ready to be started. */
const TASK_LEVELS = `SELECT level, sum(CASE WHEN status = 'done' THEN 0 ELSE 1 END), sum(CASE WHEN status = 'done' THEN 1 ELSE 0 END),
  sum(CASE WHEN status = 'todo' AND open_deps = 0 THEN 1 ELSE 0 END) FROM task GROUP BY level ORDER BY level`
const FLAGGED_TASKS = `SELECT doc, open_deps, id FROM task INDEXED BY task_flagged WHERE critical = 1 AND status <> 'done'
  ORDER BY height DESC, sort_key`
/** Tasks of a path that are told with all they hold; of the others the id. */
const MOST_OF_PATH = 200

const INBOX = `SELECT doc, rank, uid FROM handoff WHERE waiting_for = ? AND (rank, uid) > (?, ?)
  ORDER BY rank, uid LIMIT ?`

const LATEST = `SELECT doc FROM handoff WHERE task = ? AND from_agent = coalesce(?, from_agent)
  AND to_agent = coalesce(?, to_agent) ORDER BY uid DESC LIMIT 1`

const UNREAD = `SELECT doc FROM notice WHERE to_agent = ? AND seen_at IS NULL AND uid > ? ORDER BY uid LIMIT ?`

const KEPT = [...ENDS.map((state) => ['handoffs', state]), ['tasks', 'done']]
  .map(([kind, end]) => `SELECT '${kind}', '${end}', coalesce(sum(${end}), 0) FROM ended`)
  .join(' UNION ALL ')

/**
 * Open ones are few and counted; those that ended are kept as counts. The tree has the count of the entries in it.
 * Entries come in the order of ids and are never deleted.
 */
const OTHER_COUNTS = `SELECT 'handoffs', state, count(*) FROM handoff WHERE open = 1 GROUP BY state
  UNION ALL SELECT 'tasks', status, count(*) FROM task WHERE status IN ('todo', 'assigned', 'in_progress') GROUP BY status
  UNION ALL ${KEPT}
  UNION ALL SELECT 'entries', '', coalesce((SELECT size FROM tree), 0)
    + (SELECT count(*) FROM entry WHERE id > coalesce((SELECT last FROM tree), 0))`

/** Kept counts, and the rows that they count, as they are at one moment. */
const RECOUNT = `${KEPT} UNION ALL SELECT 'rows', state, count(*) FROM handoff WHERE open = 0 GROUP BY state
  UNION ALL SELECT 'rows', status, count(*) FROM task WHERE status = 'done' GROUP BY status`

const ENTRY = 'SELECT id, stream, seq, subject, act, at, hash, body, disclosures FROM entry'
const TIMELINE = `${ENTRY} WHERE stream = ? AND subject = ? ORDER BY seq LIMIT ?`
const ENTRIES = `${ENTRY} WHERE stream = ? AND seq >= ? ORDER BY seq LIMIT ?`
const NEWEST_OF = `${ENTRY} WHERE stream = ? ORDER BY seq DESC LIMIT 1`
const CHANGES = `${ENTRY} WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`
const END = 'SELECT id FROM entry WHERE id <= ? ORDER BY id DESC LIMIT 1'
const HEARD = `SELECT id, subject, (SELECT waiting_for FROM handoff WHERE uid = entry.subject),
  (SELECT due_at FROM handoff WHERE uid = entry.subject AND state = 'retry_wait')
  FROM entry WHERE id > ? ORDER BY id LIMIT ?`
/** Of more entries than this nobody is told one by one. */
const MOST_HEARD = 5_000

const LIVE = `SELECT uid, attempt, at, CASE WHEN uid = ? THEN text ELSE '' END FROM live WHERE at > ? ORDER BY uid, attempt`

const USAGE = `SELECT key FROM facet WHERE key >= '$' AND key < '%' ORDER BY key`

const TREE = `SELECT (SELECT max(id) FROM entry),
  (SELECT size FROM tree), (SELECT last FROM tree), (SELECT edge FROM tree)`
const TILE = 'SELECT level, n, first, bytes FROM tile'
const TILES = `${TILE} WHERE level = ? AND n >= ? ORDER BY n LIMIT ?`
const TILE_OF_ENTRY = `${TILE} WHERE first IS NOT NULL AND first <= ? AND ? <= (SELECT last FROM tree)
  ORDER BY first DESC LIMIT 1`

/** The reads of the port that both engines answer alike; each is answered by an index. */
export function queriesOver(engine: Engine) {
  const { ask, askSlowly, byRef, list, settled, agentCounts, beside } = engine
  const all = async <T>(sql: string, ...values: Cell[]) => docs<T>(await ask(sql, ...values))
  const one = async <T>(sql: string, ...values: Cell[]) => docs<T>(await ask(sql, ...values))[0]
  const named = <T>(table: string, hasId = true) => {
    const find = byRef('doc', table, hasId)
    return async (ref: string) => docs<T>(await find(ref))[0]
  }
  const findTask = byRef('doc, open_deps', 'task')
  /** A page that is not full may end where the look through the rows ended; the next one goes on from there. */
  const paged = async <T>(
    listing: Listing,
    items: (rows: Rows) => readonly T[],
    cursorOf: (item: T) => string,
    cursor = 'uid',
  ): Promise<Page<T>> => {
    const page = toPage(items(await list(listing)), listing.limit - 1, cursorOf)
    if (page.next !== undefined || listing.among.length === 0) return page
    const [end] = await list({ ...listing, columns: cursor, among: [], offset: WINDOW - 1, limit: 1 })
    if (!end) return page
    const [last] = page.items.slice(-1).map(cursorOf)
    // A row that was made between the two looks moves the end; what was shown is not shown again.
    const isPast = listing.order === 'uid DESC' && last !== undefined && last < String(end[0])
    return { ...page, next: isPast ? last : String(end[0]) }
  }
  const listed = <T extends { readonly uid: string }>(listing: Listing) =>
    paged(listing, docs<T>, ({ uid }) => uid)
  const countsIn = async (sql: string, answer = ask) => {
    const counts: Record<string, Record<string, number>> = {}
    for (const [kind, key, n] of await answer(sql))
      if (Number(n) !== 0) {
        counts[String(kind)] ??= {}
        counts[String(kind)]![String(key)] = Number(n)
      }
    return counts
  }
  let known: { readonly id: number; readonly archive: Archive } | undefined
  const archive = async () => {
    const [named] = toEntries(await ask(NEWEST_OF, ARCHIVE_STREAM))
    if (named && known?.id !== named.id)
      known = { id: named.id, archive: new (await import('./archive.ts')).Archive(named, beside) }
    return named && known?.archive
  }
  const whole = async (rows: Rows, bare?: true) => {
    const entries = toEntries(rows)
    const isWhole = !entries.some(({ body }) => isStub(body))
    return isWhole ? entries : ((await archive())?.fill(entries, bare) ?? entries)
  }
  return {
    handoff: named('handoff'),
    content: named('content', false),
    handoffs: async (filter, page) => listed(handoffList(filter, page)),
    async inbox(agent, { limit, cursor }) {
      const [rank = -1, uid = ''] = cursorParts(cursor)
      const rows = await ask(INBOX, agent, Number(rank), uid, limit + 1)
      const page = toPage(rows, limit, ([, rank, uid]) => `${rank}:${uid}`)
      return { ...page, items: docs(page.items) }
    },
    latest: (task, from, to) => one(LATEST, task, from ?? null, to ?? null),

    task: async (ref) => toTaskRows(await findTask(ref))[0],
    tasks: async (filter, page) => paged(taskList(filter, page), toTaskRows, ({ task }) => task.uid),
    longestChain: engine.longestChain,
    async criticalPath() {
      const flagged = await ask(FLAGGED_TASKS)
      const head = flagged.length > 0 ? undefined : await engine.longestChain()
      const rows = head ? await engine.chainFrom(head.task.uid, MOST_OF_PATH) : flagged
      return { tasks: toTaskRows(rows.slice(0, MOST_OF_PATH)), ids: rows.map(([, , id]) => String(id)) }
    },
    async taskLevels() {
      const rows = await askSlowly(TASK_LEVELS)
      return rows.map((row) => {
        const [level = 0, open = 0, done = 0, ready = 0] = row.map(Number)
        return { level, open, done, ready }
      })
    },
    nextTasks: async (limit) => toTaskRows(await ask(NEXT_TASKS, limit)),
    records: (task, limit) =>
      all('SELECT doc FROM record WHERE task = ? ORDER BY seq DESC LIMIT ?', task, limit),
    latestRecords: (limit) => all('SELECT doc FROM record ORDER BY seq DESC LIMIT ?', limit),
    record: (uid) => one('SELECT doc FROM record WHERE uid = ?', uid),

    run: named('run'),
    runs: async (filter, page) => listed(runList(filter, page)),
    async blocks(filter, request) {
      const page = await paged(
        blockList(filter, request),
        (rows) => rows,
        ([, seq]) => String(seq),
        'seq',
      )
      return { ...page, items: docs(page.items) }
    },
    async overdue(at) {
      const [row] = await ask('SELECT count(*), min(due_at) FROM handoff WHERE due_at <= ?', at)
      return { count: Number(row?.[0]), ...present({ since: (row?.[1] as string | null) ?? undefined }) }
    },
    dueDeliveries: (at, limit) =>
      all('SELECT doc FROM delivery WHERE due_at <= ? ORDER BY due_at LIMIT ?', at, limit),

    agents: () => all('SELECT doc FROM agent ORDER BY name'),
    agent: (name) => one('SELECT doc FROM agent WHERE name = ?', name),
    notices: async (agent, { limit, cursor = '' }) =>
      toPage(await all<Notice>(UNREAD, agent, cursor, limit + 1), limit, ({ uid }) => uid),
    artifact: (uid) => one('SELECT doc FROM artifact WHERE uid = ?', uid),
    artifacts: (handoff) => all('SELECT doc FROM artifact WHERE handoff = ? ORDER BY uid', handoff),
    async usage() {
      return (await askSlowly(USAGE)).map(([key]) => {
        const [agent, task, of, at, run] = JSON.parse(String(key).replace(/^\S+ /, ''))
        return { agent, at, run, ...present({ task: task ?? undefined, of: of ?? undefined }) }
      })
    },
    async live(since, asked = '') {
      const rows = await ask(LIVE, asked, since)
      return rows.map(([uid, attempt, at, text]) => ({ uid, attempt: Number(attempt), at, text }) as Live)
    },
    async blob(sha256) {
      const [row] = await ask('SELECT bytes FROM blob WHERE sha256 = ?', sha256)
      return row && bytesOf(row[0])
    },
    tokens: () => all('SELECT doc FROM token ORDER BY hash'),
    token: (hash) => one('SELECT doc FROM token WHERE hash = ?', hash),
    flow: async (window, now) => (await import('./flow.ts')).countFlow(engine, window, now),
    async counts() {
      const counted = await countsIn(`${agentCounts} UNION ALL ${OTHER_COUNTS}`)
      const { outgoing = {}, incoming = {}, handoffs = {}, tasks = {}, entries } = counted
      const names = [...new Set([...Object.keys(outgoing), ...Object.keys(incoming)])].sort()
      const agents = names.map((name) => [
        name,
        { outgoing: outgoing[name] ?? 0, incoming: incoming[name] ?? 0 },
      ])
      return { handoffs, tasks, agents: Object.fromEntries(agents), entries: entries?.[''] ?? 0 }
    },
    async miscounted() {
      const { handoffs = {}, tasks = {}, rows = {} } = await countsIn(RECOUNT, askSlowly)
      const kept = { ...handoffs, ...tasks }
      const wrong = [...ENDS, 'done'].filter((end) => (kept[end] ?? 0) !== (rows[end] ?? 0))
      return wrong.map((end) => ({ end, kept: kept[end] ?? 0, rows: rows[end] ?? 0 }))
    },

    timeline: async (stream, subject, limit, bare) =>
      whole(await ask(TIMELINE, stream, subject, limit), bare),
    entries: async (stream, from, limit, bare) => whole(await ask(ENTRIES, stream, from, limit), bare),
    archive,
    async streams({ limit, cursor = '' }) {
      const rows = await ask('SELECT uid FROM stream WHERE uid > ? ORDER BY uid LIMIT ?', cursor, limit + 1)
      const uids = rows.map(([uid]) => String(uid))
      return toPage(uids, limit, (uid) => uid)
    },
    async changes(cursor, limit, bare) {
      const after = cursor === undefined ? undefined : numberCursor(cursor)
      const last = await settled()
      if (cursor === undefined || after === undefined) {
        const [row] = await ask(END, last)
        return { entries: [], cursor: String(row?.[0] ?? 0) }
      }
      if (after >= last) return { entries: [], cursor }
      const entries = await whole(await ask(CHANGES, after, last, limit), bare)
      return { entries, cursor: String(entries.at(-1)?.id ?? cursor) }
    },
    async heard(cursor) {
      const last = await settled()
      const rows = cursor === undefined ? [] : await ask(HEARD, numberCursor(cursor) ?? 0, MOST_HEARD)
      if (cursor === undefined || rows.length === MOST_HEARD)
        return { cursor: String((await ask(END, last))[0]?.[0] ?? 0) }
      const texts = (column: number) =>
        rows.flatMap((row) => (row[column] === null ? [] : String(row[column])))
      const changed = { names: new Set([...texts(1), ...texts(2)]), retries: new Set(texts(3)) }
      // All that can be read is told; where a lower number may still come, it is told again next time.
      return { cursor: String(rows.findLast(([id]) => Number(id) <= last)?.[0] ?? cursor), changed }
    },

    async tree() {
      const [[newest, size, last, edge] = []] = await ask(TREE)
      return {
        size: Number(size ?? 0),
        last: Number(last ?? 0),
        edge: JSON.parse(String(edge ?? '[]')),
        newest: Number(newest ?? 0),
      }
    },
    tiles: async (level, first, count) => toTiles(await ask(TILES, level, first, count)),
    tileOfEntry: async (id) => toTiles(await ask(TILE_OF_ENTRY, id, id))[0],
    async checkpoints({ before = Number.MAX_SAFE_INTEGER, limit }) {
      const sql = 'SELECT size, at, note FROM checkpoint WHERE size < ? ORDER BY size DESC LIMIT ?'
      const rows = await ask(sql, before, limit)
      return rows.map(([size, at, note]) => ({ size: Number(size), at: String(at), note: String(note) }))
    },
    session: named('audit_session'),
    sessions: async (filter, page) => listed(sessionList(filter, page)),
  } satisfies Partial<Store>
}

/** Documents were written by this program, from values of these types. */
export const docs = <T>(rows: Rows): readonly T[] => rows.map(([doc]) => JSON.parse(String(doc)))

export const toTaskRows = (rows: Rows): readonly TaskRow[] =>
  rows.map(([doc, open]) => ({ task: JSON.parse(String(doc)), open_deps: Number(open) }))

const toEntries = (rows: Rows): readonly LogEntry[] =>
  rows.map(([id, stream, seq, subject, act, at, hash, body, disclosures]) => ({
    id: Number(id),
    stream: String(stream),
    seq: Number(seq),
    subject: String(subject),
    act: String(act),
    at: String(at),
    hash: String(hash),
    body: body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : String(body),
    ...(disclosures && { disclosures: textsIn(String(disclosures)) }),
  }))

/** A cell that is not a list any more is told as it is: it fits no digest, so that it is found. */
const textsIn = (cell: string): readonly string[] => orElse(() => JSON.parse(cell), [cell])

const toTiles = (rows: Rows): readonly Tile[] =>
  rows.map(([level, n, first, bytes]) => ({
    level: Number(level),
    n: Number(n),
    ...(first !== null && { first: Number(first) }),
    bytes: bytesOf(bytes),
  }))

const bytesOf = (cell: Cell | undefined): Uint8Array =>
  cell instanceof Uint8Array ? cell : new Uint8Array(Buffer.from(String(cell), 'hex'))
