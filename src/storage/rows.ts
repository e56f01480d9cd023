import { holderKey } from '../domain/actor.ts'
import type { Agent } from '../domain/agent.ts'
import type { AuditSession } from '../domain/audit-session.ts'
import type { Block } from '../domain/blocks/block.ts'
import { dueOf } from '../domain/handoffs/deadlines.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { isOpen } from '../domain/lifecycle.ts'
import type { Delivery } from '../domain/people/delivery.ts'
import type { Notice } from '../domain/people/notice.ts'
import { RANK } from '../domain/priority.ts'
import type { Task, ThoughtRecord } from '../domain/tasks/task.ts'
import type { Run } from '../domain/workflow/run.ts'
import type { Writes } from './loaded.ts'
import type { Artifact, DumpRow, Redaction, Token } from './store.ts'

/** The longest text that an engine keeps in memory for the next call; what is longer is read again. */
export const MOST_REMEMBERED = 16_384

/** The stream whose entries name the archive of the log; the last one counts. */
export const ARCHIVE_STREAM = 'log.archive'
/** An archived entry has its place in the tree for a body; no entry begins so. */
export const stubOf = (index: number): string => `#${index}`
export const isStub = (body: string): boolean => body.startsWith('#')

export type Cell = string | number | null | Uint8Array
export type Row = Readonly<Record<string, Cell>>

/** The columns that an engine keeps beside the document, because an index or a lock needs them. */
export function indexedColumns(h: Handoff) {
  const due = dueOf(h)
  return {
    uid: h.uid,
    id: h.id,
    root: h.root,
    parent: h.parent ?? null,
    from_agent: h.from,
    to_agent: h.to,
    task: h.task ?? null,
    state: h.state,
    /** 1 until the handoff has ended. Indexes of what is open name this column, which seldom changes. */
    open: isOpen(h.state) ? 1 : 0,
    rank: RANK[h.priority],
    waiting_for: h.waiting_for ?? null,
    holder: h.holder === undefined ? null : holderKey(h.holder, h.instance),
    due_at: due?.at ?? null,
    due_kind: due?.kind ?? null,
    run: h.run ?? null,
  }
}

/** Sorts as people count: every run of digits is padded, so that P0.1.10 comes after P0.1.2. */
const naturalKey = (id: string): string => id.replace(/\d+/g, (digits) => digits.padStart(8, '0'))

/** The columns of a row, made from its document: an engine keeps them beside it, and a check makes them again. */
export const COLUMNS = {
  agent: (a: Agent) => ({ name: a.name }),
  handoff: indexedColumns,
  task: (t: Task) => ({
    uid: t.uid,
    id: t.id,
    status: t.status,
    owner: t.owner ?? null,
    rank: RANK[t.priority],
    critical: t.critical ? 1 : 0,
    level: t.level,
    sort_key: naturalKey(t.id),
  }),
  notice: (n: Notice) => ({ uid: n.uid, to_agent: n.to, about: n.about }),
  record: (r: ThoughtRecord) => ({ uid: r.uid, task: r.task_id }),
  artifact: (a: Artifact) => ({ uid: a.uid, handoff: a.handoff ?? null }),
  token: (t: Token) => ({ hash: t.hash }),
  audit_session: ({ uid, id, by, state }: AuditSession) => ({ uid, id, by_agent: by, state }),
  run: ({ uid, id, name, state }: Run) => ({ uid, id, name, state }),
  block: (b: Block) => ({
    digest: b.digest,
    from_agent: b.from,
    phase: b.phase,
    task: b.task ?? null,
    run: b.run ?? null,
  }),
  delivery: ({ uid, due_at }: Delivery) => ({ uid, due_at: due_at ?? null }),
}

type Docs = { [T in keyof typeof COLUMNS]: Parameters<(typeof COLUMNS)[T]>[0] }

/** A document as the row of its table. */
export const tableRow =
  <T extends keyof Docs>(table: T) =>
  (doc: Docs[T]): Row => ({ ...(COLUMNS[table] as (doc: Docs[T]) => Row)(doc), doc: JSON.stringify(doc) })

/** A row of one store, which no copy has: the versions that its schema demands of programs, and counts of its reports. */
export const staysBehind = ({ table, row }: DumpRow): boolean =>
  table === 'meta' && /^(least_|flow )/.test(String(row.key))

/** Tables in the order in which a copy writes them; columns are the same in both engines. */
// biome-ignore format: read as a table
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  meta:          ['key', 'value'],
  counter:       ['name', 'value'],
  agent:         ['name', 'doc'],
  task:          ['uid', 'id', 'status', 'owner', 'rank', 'critical', 'level', 'sort_key', 'open_deps', 'height', 'doc'],
  task_dep:      ['task', 'depends_on'],
  handoff:       ['uid', 'id', 'root', 'parent', 'from_agent', 'to_agent', 'task', 'state', 'open', 'rank', 'waiting_for',
                  'holder', 'due_at', 'due_kind', 'run', 'doc'],
  content:       ['uid', 'doc'],
  stream:        ['uid', 'seq', 'head', 'progress_seq'],
  entry:         ['id', 'stream', 'seq', 'subject', 'act', 'at', 'hash', 'body', 'disclosures'],
  notice:        ['uid', 'to_agent', 'about', 'seen_at', 'doc'],
  idem:          ['actor', 'op', 'key', 'input_hash', 'subject', 'rev', 'at'],
  record:        ['seq', 'uid', 'task', 'doc'],
  artifact:      ['uid', 'handoff', 'doc'],
  blob:          ['sha256', 'bytes'],
  token:         ['hash', 'doc'],
  audit_session: ['uid', 'id', 'by_agent', 'state', 'doc'],
  tree:          ['size', 'last', 'edge'],
  tile:          ['level', 'n', 'first', 'bytes'],
  checkpoint:    ['size', 'at', 'note'],
  run:           ['uid', 'id', 'name', 'state', 'doc'],
  block:         ['seq', 'digest', 'from_agent', 'phase', 'task', 'run', 'doc'],
  delivery:      ['uid', 'due_at', 'doc'],
}

/** The columns of a row that may change; the others are its own for good. */
// biome-ignore format: read as a table
const CHANGING: Readonly<Record<string, readonly string[]>> = {
  task:          ['status', 'owner', 'rank', 'critical', 'level', 'doc'],
  handoff:       ['to_agent', 'state', 'open', 'rank', 'waiting_for', 'holder', 'due_at', 'due_kind', 'doc'],
  stream:        ['seq', 'head', 'progress_seq'],
  audit_session: ['state', 'doc'],
  run:           ['state', 'doc'],
  delivery:      ['due_at', 'doc'],
}

export const changingIn = (table: string): readonly string[] => CHANGING[table] ?? ['doc']

const KEYS: Readonly<Record<string, string>> = { agent: 'name', token: 'hash', block: 'digest' }

/** The column by which a row that changes is found. */
export const keyOf = (table: string): string => KEYS[table] ?? 'uid'

/** Columns that the engine counts itself. */
export const NUMBERED: Readonly<Record<string, string>> = { entry: 'id', record: 'seq', block: 'seq' }

/** The columns of a new row. */
export const writtenIn = (table: string): readonly string[] =>
  (TABLES[table] ?? []).filter((column) => column !== NUMBERED[table])

/** Rows of one table. An update finds its rows there; an upsert does not know whether they are. */
export interface Written {
  readonly mode: 'insert' | 'update' | 'upsert'
  readonly table: string
  readonly rows: readonly Row[]
}

/**
 * The rows that the units left, each once, table by table in the order in which they are written. Not among them are
 * shifts of counts, notices that were seen, and redactions.
 */
export function rowsOf(writes: Writes): readonly Written[] {
  const written: Written[] = []
  const add = (mode: Written['mode'], table: string, rows: readonly Row[]) => {
    if (rows.length > 0) written.push({ mode, table, rows })
  }
  const put = <T>(mode: Written['mode'], table: string, items: Iterable<T>, toRow: (item: T) => Row) => {
    const rows: Row[] = []
    for (const item of items) rows.push(toRow(item))
    add(mode, table, rows)
  }
  const putBoth = <T>(
    table: string,
    items: ReadonlyMap<string, T>,
    added: { has(uid: string): boolean },
    toRow: (item: T, uid: string) => Row,
  ) => {
    const [made, changed]: [Row[], Row[]] = [[], []]
    for (const [uid, item] of items) (added.has(uid) ? made : changed).push(toRow(item, uid))
    add('insert', table, made)
    add('update', table, changed)
  }
  put('upsert', 'agent', writes.agents.values(), tableRow('agent'))
  putBoth('handoff', writes.handoffs, writes.newHandoffs, tableRow('handoff'))
  putBoth('content', writes.contents, writes.newContents, (item, uid) => ({ uid, doc: JSON.stringify(item) }))
  // The counts of a known task are shifted, never set: here they only fill their columns.
  putBoth('task', writes.tasks, writes.newTasks, (task, uid) => {
    const { open_deps } = writes.newTasks.get(uid) ?? { open_deps: 0 }
    return { ...tableRow('task')(task), open_deps, height: 1 }
  })
  const dependencies: Row[] = []
  for (const [task, { depends_on }] of writes.newTasks)
    for (const uid of depends_on) dependencies.push({ task, depends_on: uid })
  add('insert', 'task_dep', dependencies)
  putBoth('stream', writes.streams, writes.newStreams, (stream) => ({ ...stream }))
  put('insert', 'entry', writes.entries, (entry) => ({
    ...entry,
    disclosures: entry.disclosures ? JSON.stringify(entry.disclosures) : null,
  }))
  put('insert', 'notice', writes.notices, tableRow('notice'))
  put('insert', 'record', writes.records, tableRow('record'))
  put('insert', 'artifact', writes.artifacts, tableRow('artifact'))
  put('insert', 'blob', writes.blobs, ([sha256, bytes]) => ({ sha256, bytes }))
  put('upsert', 'token', writes.tokens.values(), tableRow('token'))
  put('upsert', 'audit_session', writes.sessions.values(), tableRow('audit_session'))
  put('upsert', 'run', writes.runs.values(), tableRow('run'))
  put('insert', 'block', writes.blocks, tableRow('block'))
  put('upsert', 'delivery', writes.deliveries.values(), tableRow('delivery'))
  put('insert', 'idem', writes.idems, (idem) => ({ ...idem }))
  return written
}

/** The rows that held a redacted text, without it. */
export const redactedRows = ({ notices, records, artifacts, blocks }: Redaction): readonly Written[] => [
  { mode: 'update', table: 'notice', rows: notices.map(tableRow('notice')) },
  { mode: 'update', table: 'record', rows: records.map(tableRow('record')) },
  { mode: 'update', table: 'artifact', rows: artifacts.map(tableRow('artifact')) },
  { mode: 'update', table: 'block', rows: blocks.map(tableRow('block')) },
]
