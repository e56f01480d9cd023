import type { SQLInputValue } from 'node:sqlite'
import type { Agent } from '../../domain/agent.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Content } from '../../domain/handoffs/package.ts'
import { isOpen } from '../../domain/lifecycle.ts'
import type { Notice } from '../../domain/people/notice.ts'
import type { ThoughtRecord } from '../../domain/tasks/task.ts'
import { containing, cursorParts, numberCursor, toPage, uidCursor } from '../page.ts'
import type {
  Artifact,
  Counts,
  HandoffFilter,
  LogEntry,
  Page,
  PageRequest,
  TaskFilter,
  TaskRow,
  Token,
} from '../store.ts'
import { doc } from './runs.ts'
import type { Row, Statements } from './statements.ts'

const ENTRY = 'id, stream, seq, subject, act, at, hash, body, disclosures'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

/** Named, because SQLite would rather look up the status and then sort every open task there is. */
export const NEXT_TASKS = `SELECT doc, open_deps FROM task INDEXED BY task_next
  WHERE open_deps = 0 AND status IN ('todo', 'assigned') ORDER BY critical DESC, level, rank, sort_key LIMIT ?`

export const LONGEST_CHAIN = `SELECT doc, open_deps FROM task INDEXED BY task_chain
  WHERE open_deps = 0 AND height > 1 AND status <> 'done' ORDER BY height DESC, sort_key LIMIT 1`

/** Asked apart: as a condition it would be looked at for every chain. */
export const FLAGGED = `SELECT 1 FROM task INDEXED BY task_flagged WHERE critical = 1 AND status <> 'done' LIMIT 1`

/** The tree has the count of the entries in it. Entries come in the order of ids and are never deleted. */
const ENTRY_COUNT = `SELECT coalesce((SELECT size FROM tree), 0)
  + (SELECT count(*) FROM entry WHERE id > coalesce((SELECT last FROM tree), 0)) AS n`

/** The reads of the port; each is answered by an index. */
export class SqliteQueries {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  /** An id that a caller chose may look like a uid: a uid that is not found is looked up as an id too. */
  handoff(ref: string): Handoff | undefined {
    const byUid = UUID.test(ref) ? this.#db.get('SELECT doc FROM handoff WHERE uid = ?', ref) : undefined
    return parse(byUid ?? this.#db.get('SELECT doc FROM handoff WHERE id = ?', ref))
  }

  content(uid: string): Content | undefined {
    return parse(this.#db.get('SELECT doc FROM content WHERE uid = ?', uid))
  }

  handoffs(filter: HandoffFilter, page: PageRequest): Page<Handoff> {
    const where: string[] = []
    const values: SQLInputValue[] = []
    const equal = (column: string, value: string | undefined) => {
      if (value === undefined) return
      where.push(`${column} = ?`)
      values.push(value)
    }
    equal('from_agent', filter.from)
    equal('to_agent', filter.to)
    equal('task', filter.task)
    equal('waiting_for', filter.waiting_for)
    equal('parent', filter.parent)
    equal('run', filter.run)
    const isNarrow = where.length > 0
    if (filter.type !== undefined) equal(`json_extract(doc, '$.type')`, filter.type)
    if (filter.state) {
      where.push(`state IN (${filter.state.map(() => '?').join(', ')})`)
      values.push(...filter.state)
      // Said in the words of the partial indexes, or they are not used.
      if (filter.state.every(isOpen)) where.push(OPEN)
      else if (!filter.state.some(isOpen)) where.push(OVER)
    }
    if (filter.text !== undefined) {
      where.push(`(w.id LIKE ? ESCAPE '\\' OR w.title LIKE ? ESCAPE '\\')`)
      values.push(containing(filter.text), containing(filter.text))
    }
    if (page.cursor !== undefined) {
      where.push('h.uid < ?')
      values.push(uidCursor(page.cursor))
    }
    const { tables, first } = sourceOf(filter, isNarrow)
    // Documents are fetched when it is known which are shown: they would be sorted with the rest.
    const rows = this.#db.all(
      `SELECT doc FROM handoff WHERE uid IN (
         SELECT h.uid FROM ${tables} ${where.length ? `WHERE ${where.join(' AND ')}` : ''}
         ORDER BY ${first}.uid DESC LIMIT ?) ORDER BY uid DESC`,
      ...values,
      page.limit + 1,
    )
    return toPage(rows.map(doc<Handoff>), page.limit, (h) => h.uid)
  }

  inbox(agent: string, page: PageRequest): Page<Handoff> {
    const [rank, uid] = cursorParts(page.cursor)
    const rows = this.#db.all(
      `SELECT doc, rank FROM handoff WHERE waiting_for = ? AND (rank, uid) > (?, ?) ORDER BY rank, uid LIMIT ?`,
      agent,
      rank === undefined ? -1 : Number(rank),
      uid ?? '',
      page.limit + 1,
    )
    const items = rows.map((row) => ({ handoff: doc<Handoff>(row), rank: row.rank }))
    const { items: kept, next } = toPage(items, page.limit, (i) => `${i.rank}:${i.handoff.uid}`)
    return { items: kept.map((i) => i.handoff), ...(next !== undefined && { next }) }
  }

  latest(task: string, from?: string, to?: string): Handoff | undefined {
    return parse(
      this.#db.get(
        `SELECT doc FROM handoff WHERE task = ? AND (?2 IS NULL OR from_agent = ?2) AND (?3 IS NULL OR to_agent = ?3)
         ORDER BY uid DESC LIMIT 1`,
        task,
        from ?? null,
        to ?? null,
      ),
    )
  }

  task(ref: string): TaskRow | undefined {
    const byUid = UUID.test(ref)
      ? this.#db.get('SELECT doc, open_deps FROM task WHERE uid = ?', ref)
      : undefined
    const row = byUid ?? this.#db.get('SELECT doc, open_deps FROM task WHERE id = ?', ref)
    return row && taskRow(row)
  }

  tasks(filter: TaskFilter, page: PageRequest): Page<TaskRow> {
    const where: string[] = []
    const values: SQLInputValue[] = []
    if (filter.status) {
      where.push(`status IN (${filter.status.map(() => '?').join(', ')})`)
      values.push(...filter.status)
    }
    if (filter.owner !== undefined) {
      where.push('owner = ?')
      values.push(filter.owner)
    }
    if (filter.text !== undefined) {
      where.push(`(id LIKE ? ESCAPE '\\' OR json_extract(doc, '$.title') LIKE ? ESCAPE '\\')`)
      values.push(containing(filter.text), containing(filter.text))
    }
    // The sort key is made of the id, so the place of a task is found again by its uid.
    if (page.cursor !== undefined) {
      where.push('(sort_key, uid) > (SELECT sort_key, uid FROM task WHERE uid = ?)')
      values.push(uidCursor(page.cursor))
    }
    const rows = this.#db.all(
      `SELECT doc, open_deps FROM task ${where.length ? `WHERE ${where.join(' AND ')}` : ''}
       ORDER BY sort_key, uid LIMIT ?`,
      ...values,
      page.limit + 1,
    )
    return toPage(rows.map(taskRow), page.limit, (row) => row.task.uid)
  }

  nextTasks(limit: number): readonly TaskRow[] {
    return this.#db.all(NEXT_TASKS, limit).map(taskRow)
  }

  longestChain(): TaskRow | undefined {
    if (this.#db.get(FLAGGED)) return undefined
    return this.#db.all(LONGEST_CHAIN).map(taskRow)[0]
  }

  dependents(uid: string): readonly string[] {
    return this.#db
      .all(
        'SELECT t.id FROM task_dep d JOIN task t ON t.uid = d.task WHERE d.depends_on = ? ORDER BY t.sort_key, t.uid',
        uid,
      )
      .map((row) => row.id as string)
  }

  records(task: string, limit: number): readonly ThoughtRecord[] {
    return this.#db
      .all('SELECT doc FROM record WHERE task = ? ORDER BY seq DESC LIMIT ?', task, limit)
      .map(doc<ThoughtRecord>)
  }

  latestRecords(limit: number): readonly ThoughtRecord[] {
    return this.#db.all('SELECT doc FROM record ORDER BY seq DESC LIMIT ?', limit).map(doc<ThoughtRecord>)
  }

  record(uid: string): ThoughtRecord | undefined {
    return parse(this.#db.get('SELECT doc FROM record WHERE uid = ?', uid))
  }

  agents(): readonly Agent[] {
    return this.#db.all('SELECT doc FROM agent ORDER BY name').map(doc<Agent>)
  }

  notices(agent: string, page: PageRequest): Page<Notice> {
    const rows = this.#db.all(
      'SELECT doc FROM notice WHERE to_agent = ? AND seen_at IS NULL AND uid > ? ORDER BY uid LIMIT ?',
      agent,
      page.cursor ?? '',
      page.limit + 1,
    )
    return toPage(rows.map(doc<Notice>), page.limit, (n) => n.uid)
  }

  noticesAbout(uids: readonly string[]): readonly Notice[] {
    return this.#db
      .all(
        'SELECT doc FROM notice WHERE about IN (SELECT value FROM json_each(?)) ORDER BY uid',
        JSON.stringify(uids),
      )
      .map(doc<Notice>)
  }

  artifact(uid: string): Artifact | undefined {
    return parse(this.#db.get('SELECT doc FROM artifact WHERE uid = ?', uid))
  }

  artifacts(handoff: string): readonly Artifact[] {
    return this.#db.all('SELECT doc FROM artifact WHERE handoff = ? ORDER BY uid', handoff).map(doc<Artifact>)
  }

  blob(sha256: string): Uint8Array | undefined {
    return this.#db.get('SELECT bytes FROM blob WHERE sha256 = ?', sha256)?.bytes as Uint8Array | undefined
  }

  tokens(): readonly Token[] {
    return this.#db.all('SELECT doc FROM token').map(doc<Token>)
  }

  token(hash: string): Token | undefined {
    return parse(this.#db.get('SELECT doc FROM token WHERE hash = ?', hash))
  }

  counts(): Counts {
    const by = (sql: string): Record<string, number> =>
      Object.fromEntries(this.#db.all(sql).map((row) => [row.k as string, row.n as number]))
    const outgoing = by(
      `SELECT from_agent AS k, count(*) AS n FROM handoff WHERE ${OPEN} GROUP BY from_agent`,
    )
    const incoming = by(`SELECT to_agent AS k, count(*) AS n FROM handoff WHERE ${OPEN} GROUP BY to_agent`)
    const names = [...new Set([...Object.keys(outgoing), ...Object.keys(incoming)])].sort()
    return {
      handoffs: {
        ...by(`SELECT state AS k, count(*) AS n FROM handoff WHERE ${OPEN} GROUP BY state`),
        ...by(`SELECT state AS k, count(*) AS n FROM handoff WHERE ${OVER} GROUP BY state`),
      },
      tasks: by('SELECT status AS k, count(*) AS n FROM task GROUP BY status'),
      agents: Object.fromEntries(
        names.map((name) => [name, { outgoing: outgoing[name] ?? 0, incoming: incoming[name] ?? 0 }]),
      ),
      entries: this.#db.get(ENTRY_COUNT)?.n as number,
    }
  }

  timeline(stream: string, subject: string, limit: number): readonly LogEntry[] {
    return this.#db
      .all(
        `SELECT ${ENTRY} FROM entry WHERE stream = ? AND subject = ? ORDER BY seq LIMIT ?`,
        stream,
        subject,
        limit,
      )
      .map(entry)
  }

  entries(stream: string, from: number, limit: number): readonly LogEntry[] {
    return this.#db
      .all(
        `SELECT ${ENTRY} FROM entry WHERE stream = ? AND seq >= ? ORDER BY seq LIMIT ?`,
        stream,
        from,
        limit,
      )
      .map(entry)
  }

  streams(page: PageRequest): Page<string> {
    const rows = this.#db.all(
      'SELECT uid FROM stream WHERE uid > ? ORDER BY uid LIMIT ?',
      page.cursor ?? '',
      page.limit + 1,
    )
    return toPage(
      rows.map((row) => row.uid as string),
      page.limit,
      (uid) => uid,
    )
  }

  changes(cursor: string | undefined, limit: number): { entries: readonly LogEntry[]; cursor: string } {
    if (cursor === undefined) {
      const last = this.#db.get('SELECT max(id) AS id FROM entry')?.id as number | null
      return { entries: [], cursor: String(last ?? 0) }
    }
    const entries = this.#db
      .all(`SELECT ${ENTRY} FROM entry WHERE id > ? ORDER BY id LIMIT ?`, numberCursor(cursor), limit)
      .map(entry)
    return { entries, cursor: String(entries.at(-1)?.id ?? cursor) }
  }
}

const OPEN = 'open = 1'
const OVER = 'open = 0'

/**
 * Words are looked for first where all of history is meant, and last where few rows are left by then. The order is
 * fixed: SQLite knows neither how common a word is nor that most handoffs are completed.
 */
function sourceOf({ text, state }: HandoffFilter, isNarrow: boolean): { tables: string; first: 'h' | 'w' } {
  if (text === undefined) return { tables: 'handoff h', first: 'h' }
  return !isNarrow && (state === undefined || state.includes('completed'))
    ? { tables: 'handoff_words w CROSS JOIN handoff h ON h.uid = w.uid', first: 'w' }
    : { tables: 'handoff h CROSS JOIN handoff_words w ON w.uid = h.uid', first: 'h' }
}

const parse = <T>(row: Row | undefined): T | undefined => row && JSON.parse(row.doc as string)
const taskRow = (row: Row): TaskRow => ({
  task: JSON.parse(row.doc as string),
  open_deps: row.open_deps as number,
})

function entry(row: Row): LogEntry {
  const { body, disclosures, ...rest } = row
  return {
    ...(rest as unknown as LogEntry),
    body: Buffer.from(body as Uint8Array).toString('utf8'),
    ...(disclosures !== null && { disclosures: JSON.parse(disclosures as string) }),
  }
}
