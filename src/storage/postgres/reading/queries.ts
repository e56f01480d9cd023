import type { Agent } from '../../../domain/agent.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import type { Content } from '../../../domain/handoffs/package.ts'
import { isOpen } from '../../../domain/lifecycle.ts'
import type { Notice } from '../../../domain/people/notice.ts'
import type { ThoughtRecord } from '../../../domain/tasks/task.ts'
import { cursorParts, toPage, uidCursor } from '../../page.ts'
import type {
  Artifact,
  Counts,
  HandoffFilter,
  Page,
  PageRequest,
  TaskFilter,
  TaskRow,
  Token,
} from '../../store.ts'
import type { Ask } from '../connection/ask.ts'
import type { Rows, Value } from '../connection/round-trip.ts'
import { field, Listing } from './listing.ts'
import { docs } from './runs.ts'

const OPEN = 'open = 1'
const OVER = 'open = 0'
const SIDES = ['from', 'to'] as const
/** Among all that was ever sent, the few that an agent has open. */
const isParty = (side: (typeof SIDES)[number]) => (agent: string) =>
  `uid IN (SELECT p.uid FROM baton.party AS p WHERE p.ws = $1 AND p.agent = ${agent} AND p.side = '${side}')`
/** The tree has the count of the entries in it. Entries come in the order of ids and are never deleted. */
const ENTRY_COUNT = `SELECT coalesce((SELECT size FROM baton.tree WHERE ws = $1), 0)
  + (SELECT count(*) FROM baton.entry
     WHERE ws = $1 AND id > coalesce((SELECT last FROM baton.tree WHERE ws = $1), 0))`

/** The reads of the port; each is answered by an index. */
export class PostgresQueries {
  readonly #ask: Ask

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** By uid, else by id: an owner may choose an id that looks like a uid. */
  handoff(ref: string): Promise<Handoff | undefined> {
    return this.#one('handoff', byRef('doc', 'handoff'), ref)
  }

  content(uid: string): Promise<Content | undefined> {
    return this.#one('content', 'SELECT doc FROM baton.content WHERE ws = $1 AND uid = $2', uid)
  }

  async handoffs(filter: HandoffFilter, page: PageRequest): Promise<Page<Handoff>> {
    const list = new Listing('handoff')
    const isAllOpen = filter.state?.every(isOpen)
    list.equal('from_agent', filter.from)
    list.equal('to_agent', filter.to)
    if (isAllOpen)
      for (const side of SIDES) if (filter[side] !== undefined) list.add(isParty(side), filter[side])
    list.equal('task', filter.task)
    list.equal('waiting_for', filter.waiting_for)
    list.equal('parent', filter.parent)
    list.equal('run', filter.run)
    if (filter.state) list.oneOf('state', filter.state)
    if (isAllOpen) list.indexed(OPEN)
    // Most of history is completed: the newest of those are found sooner by walking back.
    else if (filter.state && !filter.state.some((state) => isOpen(state) || state === 'completed'))
      list.indexed(OVER)
    list.equal(field('type'), filter.type)
    if (filter.text !== undefined) list.contains(filter.text)
    if (page.cursor !== undefined) list.add((place) => `uid < ${place}`, uidCursor(page.cursor))
    const rows = await this.#ask(undefined, list.select('doc', 'uid DESC', page.limit + 1), ...list.values)
    return toPage(docs<Handoff>(rows), page.limit, (h) => h.uid)
  }

  async inbox(agent: string, page: PageRequest): Promise<Page<Handoff>> {
    const [rank, uid] = cursorParts(page.cursor)
    const rows = await this.#ask(
      'inbox',
      `SELECT doc, rank FROM baton.handoff WHERE ws = $1 AND waiting_for = $2 AND (rank, uid) > ($3::integer, $4)
       ORDER BY rank, uid LIMIT $5::integer`,
      agent,
      rank === undefined ? -1 : Number(rank),
      uid ?? '',
      page.limit + 1,
    )
    const items = rows.map(([doc, rank]) => ({ handoff: JSON.parse(doc!) as Handoff, rank }))
    const { items: kept, next } = toPage(items, page.limit, (i) => `${i.rank}:${i.handoff.uid}`)
    return { items: kept.map((i) => i.handoff), ...(next !== undefined && { next }) }
  }

  latest(task: string, from?: string, to?: string): Promise<Handoff | undefined> {
    return this.#one(
      'latest',
      `SELECT doc FROM baton.handoff WHERE ws = $1 AND task = $2
       AND ($3::text IS NULL OR from_agent = $3) AND ($4::text IS NULL OR to_agent = $4) ORDER BY uid DESC LIMIT 1`,
      task,
      from ?? null,
      to ?? null,
    )
  }

  async task(ref: string): Promise<TaskRow | undefined> {
    return toTaskRows(await this.#ask('task', byRef('doc, open_deps', 'task'), ref))[0]
  }

  async tasks(filter: TaskFilter, page: PageRequest): Promise<Page<TaskRow>> {
    const list = new Listing('task')
    list.equal('owner', filter.owner)
    if (filter.status) list.oneOf('status', filter.status)
    if (filter.text !== undefined) list.contains(filter.text)
    if (page.cursor !== undefined)
      list.add(
        (place) =>
          `(sort_key, uid) > (SELECT sort_key, uid FROM baton.task WHERE ws = $1 AND uid = ${place})`,
        uidCursor(page.cursor),
      )
    const text = list.select('doc, open_deps', 'sort_key, uid', page.limit + 1)
    const rows = await this.#ask(undefined, text, ...list.values)
    return toPage(toTaskRows(rows), page.limit, (row) => row.task.uid)
  }

  async nextTasks(limit: number): Promise<readonly TaskRow[]> {
    return toTaskRows(
      await this.#ask(
        'next_tasks',
        `SELECT doc, open_deps FROM baton.task WHERE ws = $1 AND open_deps = 0 AND status IN ('todo', 'assigned')
         ORDER BY critical DESC, level, rank, sort_key LIMIT $2::integer`,
        limit,
      ),
    )
  }

  async longestChain(): Promise<TaskRow | undefined> {
    const rows = await this.#ask(
      'longest_chain',
      `SELECT doc, open_deps FROM baton.task
       WHERE ws = $1 AND open_deps = 0 AND height > 1 AND status <> 'done' AND NOT EXISTS (
         SELECT 1 FROM baton.task WHERE ws = $1 AND critical = 1 AND status <> 'done')
       ORDER BY height DESC, sort_key LIMIT 1`,
    )
    return toTaskRows(rows)[0]
  }

  async dependents(uid: string): Promise<readonly string[]> {
    const rows = await this.#ask(
      // Without a name it is planned for the tables as they are; a kept plan may take a longer index.
      undefined,
      `SELECT t.id FROM (SELECT task FROM baton.task_dep WHERE ws = $1 AND depends_on = $2 OFFSET 0) AS d
       CROSS JOIN LATERAL (SELECT id, sort_key FROM baton.task WHERE ws = $1 AND uid = d.task OFFSET 0) AS t
       ORDER BY t.sort_key, t.id`,
      uid,
    )
    return rows.map(([id]) => id!)
  }

  latestRecords(limit: number): Promise<readonly ThoughtRecord[]> {
    return this.#all(
      'latest_records',
      'SELECT doc FROM baton.record WHERE ws = $1 ORDER BY seq DESC LIMIT $2::integer',
      limit,
    )
  }

  records(task: string, limit: number): Promise<readonly ThoughtRecord[]> {
    return this.#all(
      'records',
      'SELECT doc FROM baton.record WHERE ws = $1 AND task = $2 ORDER BY seq DESC LIMIT $3::integer',
      task,
      limit,
    )
  }

  record(uid: string): Promise<ThoughtRecord | undefined> {
    return this.#one('record', 'SELECT doc FROM baton.record WHERE ws = $1 AND uid = $2', uid)
  }

  agents(): Promise<readonly Agent[]> {
    return this.#all('agents', 'SELECT doc FROM baton.agent WHERE ws = $1 ORDER BY name')
  }

  agent(name: string): Promise<Agent | undefined> {
    return this.#one('agent', 'SELECT doc FROM baton.agent WHERE ws = $1 AND name = $2', name)
  }

  async noticesAbout(uids: readonly string[]): Promise<readonly Notice[]> {
    const text = 'SELECT doc FROM baton.notice WHERE ws = $1 AND about = ANY ($2::text[]) ORDER BY uid'
    return this.#all<Notice>('notices_about', text, uids)
  }

  async notices(agent: string, page: PageRequest): Promise<Page<Notice>> {
    const items = await this.#all<Notice>(
      'notices',
      `SELECT doc FROM baton.notice WHERE ws = $1 AND to_agent = $2 AND seen_at IS NULL AND uid > $3
       ORDER BY uid LIMIT $4::integer`,
      agent,
      page.cursor ?? '',
      page.limit + 1,
    )
    return toPage(items, page.limit, (n) => n.uid)
  }

  artifact(uid: string): Promise<Artifact | undefined> {
    return this.#one('artifact', 'SELECT doc FROM baton.artifact WHERE ws = $1 AND uid = $2', uid)
  }

  artifacts(handoff: string): Promise<readonly Artifact[]> {
    const text = 'SELECT doc FROM baton.artifact WHERE ws = $1 AND handoff = $2 ORDER BY uid'
    return this.#all('artifacts', text, handoff)
  }

  async blob(sha256: string): Promise<Uint8Array | undefined> {
    const text = `SELECT encode(bytes, 'hex') FROM baton.blob WHERE ws = $1 AND sha256 = $2`
    const hex = (await this.#ask('blob', text, sha256))[0]?.[0]
    return typeof hex === 'string' ? new Uint8Array(Buffer.from(hex, 'hex')) : undefined
  }

  tokens(): Promise<readonly Token[]> {
    return this.#all('tokens', 'SELECT doc FROM baton.token WHERE ws = $1 ORDER BY hash')
  }

  token(hash: string): Promise<Token | undefined> {
    return this.#one('token', 'SELECT doc FROM baton.token WHERE ws = $1 AND hash = $2', hash)
  }

  async counts(): Promise<Counts> {
    const by = async (
      name: string,
      table: string,
      column: string,
      where = 'true',
    ): Promise<Record<string, number>> => {
      const text = `SELECT ${column}, count(*) FROM baton.${table} WHERE ws = $1 AND ${where} GROUP BY ${column}`
      return Object.fromEntries((await this.#ask(`count_${name}`, text)).map(([key, n]) => [key, Number(n)]))
    }
    const outgoing = await by('outgoing', 'party', 'agent', `side = 'from'`)
    const incoming = await by('incoming', 'party', 'agent', `side = 'to'`)
    const names = [...new Set([...Object.keys(outgoing), ...Object.keys(incoming)])].sort()
    const entries = await this.#ask('count_entries', ENTRY_COUNT)
    return {
      handoffs: await by('handoffs', 'handoff', 'state'),
      tasks: await by('tasks', 'task', 'status'),
      agents: Object.fromEntries(
        names.map((name) => [name, { outgoing: outgoing[name] ?? 0, incoming: incoming[name] ?? 0 }]),
      ),
      entries: Number(entries[0]?.[0]),
    }
  }

  async #one<T>(name: string, text: string, ...values: Value[]): Promise<T | undefined> {
    return docs<T>(await this.#ask(name, text, ...values))[0]
  }

  async #all<T>(name: string, text: string, ...values: Value[]): Promise<readonly T[]> {
    return docs<T>(await this.#ask(name, text, ...values))
  }
}

const byRef = (columns: string, table: string): string =>
  `SELECT ${columns} FROM baton.${table} WHERE ws = $1 AND uid = $2
   UNION ALL SELECT ${columns} FROM baton.${table} WHERE ws = $1 AND id = $2 LIMIT 1`

const toTaskRows = (rows: Rows): readonly TaskRow[] =>
  rows.map(([doc, open]) => ({ task: JSON.parse(doc!), open_deps: Number(open) }))
