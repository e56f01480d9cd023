import { idemKey } from '../loaded.ts'
import {
  blockColumns,
  deliveryColumns,
  handoffColumns,
  MOST_REMEMBERED,
  runColumns,
  sessionColumns,
  taskColumns,
} from '../rows.ts'
import type { NewEntry, Writes } from '../working-set.ts'
import { type Call, call, type Rows, type Statement } from './connection/round-trip.ts'
import { DUE_AT, dueAt } from './leases.ts'
import { flushParties } from './parties.ts'
import { MARK_WRITING } from './reading/log.ts'
import { redactCalls } from './redact.ts'
import type { Remembered, Version } from './remembered.ts'
import { changeIn, fill, type Insert, insertInto, type Row, upsertInto } from './tables.ts'

const INSERT = {
  agent: insertInto('agent'),
  task: insertInto('task'),
  handoff: insertInto('handoff'),
  content: insertInto('content'),
  stream: insertInto('stream'),
  task_dep: insertInto('task_dep'),
  notice: insertInto('notice', ['seen_at']),
  idem: insertInto('idem'),
  record: insertInto('record', ['seq']),
  artifact: insertInto('artifact'),
  block: insertInto('block', ['seq']),
  token: insertInto('token', [], 'ON CONFLICT (ws, hash) DO UPDATE SET doc = excluded.doc'),
}

const CHANGE = {
  handoff: changeIn(
    'handoff',
    ['to_agent', 'state', 'open', 'rank', 'waiting_for', 'holder', 'due_at', 'due_kind', 'doc'],
    { due_at: DUE_AT },
  ),
  stream: changeIn('stream', ['seq', 'head', 'progress_seq']),
  content: changeIn('content', ['doc']),
}

/**
 * Rows that were read and locked. New ones are inserted: when another transaction has made the same row, that
 * fails at once, where an upsert would wait for its lock out of order.
 */
const UPDATE = {
  task: upsertInto('task', ['status', 'owner', 'rank', 'critical', 'level', 'doc']),
  audit_session: upsertInto('audit_session', ['state', 'doc']),
  run: upsertInto('run', ['state', 'doc']),
  delivery: upsertInto('delivery', ['due_at', 'doc']),
}

/**
 * The body is sent as text and stored as the bytes that were hashed. The mark comes first: rows are
 * made from the one row of the mark, so it was set by the time they are given their numbers.
 */
const ADD_ENTRIES = {
  name: 'add_entries',
  text: `WITH mark AS MATERIALIZED (${MARK_WRITING})
    INSERT INTO baton.entry (ws, stream, seq, subject, act, at, hash, body, disclosures)
    SELECT $1::integer, unnest($2::text[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::text[]),
      unnest($6::text[]), unnest($7::text[]), convert_to(unnest($8::text[]), 'UTF8'), unnest($9::text[]) FROM mark`,
}

/**
 * Statements that are seldom needed have no name: they are planned each time, for the tables as they are then.
 *
 * Agents are read without a lock, since all handoffs of an agent would wait for each other. So a change is
 * written only over the document that was read; otherwise the division fails and takes the transaction with it.
 */
const CHANGE_AGENT = {
  text: `WITH changed AS (UPDATE baton.agent SET doc = $3 WHERE ws = $1 AND name = $2 AND doc = $4 RETURNING 1)
    SELECT 1 / count(*)::integer FROM changed`,
}

/** Relative, because other dependencies of the same task may be finished at the same moment; in one order. */
const SHIFT_DEPENDENTS = {
  text: `WITH shifted AS MATERIALIZED (
      SELECT t.uid, s.by FROM (
        SELECT d.task, sum(n.by)::integer AS by FROM unnest($2::text[], $3::integer[]) AS n (uid, by)
        JOIN baton.task_dep d ON d.ws = $1 AND d.depends_on = n.uid GROUP BY d.task) AS s
      JOIN baton.task t ON t.ws = $1 AND t.uid = s.task ORDER BY t.id FOR UPDATE OF t)
    UPDATE baton.task AS t SET open_deps = t.open_deps + s.by FROM shifted s WHERE t.ws = $1 AND t.uid = s.uid`,
}

/** A new task lengthens the chains of its dependencies; the walk ends where a chain is as long already. */
const RAISE_CHAINS = {
  text: `WITH RECURSIVE up (uid, height) AS (
      SELECT d.depends_on, t.height + 1 FROM unnest($2::text[]) AS n (uid)
      JOIN baton.task t ON t.ws = $1 AND t.uid = n.uid JOIN baton.task_dep d ON d.ws = $1 AND d.task = n.uid
      UNION
      SELECT d.depends_on, up.height + 1 FROM up
      JOIN baton.task t ON t.ws = $1 AND t.uid = up.uid AND t.height < up.height
      JOIN baton.task_dep d ON d.ws = $1 AND d.task = up.uid),
    raised AS MATERIALIZED (
      SELECT t.uid, m.height FROM (SELECT uid, max(height) AS height FROM up GROUP BY uid) AS m
      JOIN baton.task t ON t.ws = $1 AND t.uid = m.uid WHERE t.height < m.height ORDER BY t.id FOR UPDATE OF t)
    UPDATE baton.task AS t SET height = greatest(t.height, r.height) FROM raised r WHERE t.ws = $1 AND t.uid = r.uid`,
}

const SEE_NOTICE = {
  text: 'UPDATE baton.notice SET seen_at = $3 WHERE ws = $1 AND uid = $2 AND seen_at IS NULL',
}

const ADD_BLOB = {
  text: 'INSERT INTO baton.blob (ws, sha256, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
}

/** Which versions of these rows a batch was decided on. */
export interface Versions {
  readonly handoffs: ReadonlyMap<string, Version>
  readonly streams: ReadonlyMap<string, Version>
  readonly contents: ReadonlyMap<string, Version>
}

/** Rows of these kinds that were there and have changed. In one order: where they are not locked, this does it. */
export function change(ws: number, writes: Writes, versions: Versions): Call[] {
  const calls: Call[] = []
  const put = (
    into: Insert,
    known: ReadonlyMap<string, Version>,
    rows: readonly (Row & { uid: string })[],
  ) => {
    const changed = rows.map((row) => ({ ...row, ...known.get(row.uid) }))
    if (changed.length > 0) calls.push(fill(into, ws, changed.sort(by('uid'))))
  }
  const handoffs = [...writes.handoffs.values()].filter(({ uid }) => !writes.newHandoffs.has(uid))
  const streams = [...writes.streams.values()].filter(({ uid }) => !writes.newStreams.has(uid))
  put(
    CHANGE.handoff,
    versions.handoffs,
    handoffs.map((handoff) => ({
      ...handoffColumns(handoff),
      due_at: dueAt(writes.oldHandoffs.get(handoff.uid), handoff),
    })),
  )
  put(
    CHANGE.stream,
    versions.streams,
    streams.map((stream) => ({ ...stream })),
  )
  put(CHANGE.content, versions.contents, contentRows(writes, 'known'))
  return calls
}

/** Everything else that the units left, each row once and each table with one statement. */
export function flush(ws: number, writes: Writes, agentDocs: ReadonlyMap<string, string>): Call[] {
  const calls: Call[] = []
  const put = (into: Insert, rows: readonly Row[]) => {
    if (rows.length > 0) calls.push(fill(into, ws, rows))
  }
  const agents = [...writes.agents.values()]
    .map((agent) => ({ name: agent.name, doc: JSON.stringify(agent), before: agentDocs.get(agent.name) }))
    .sort(by('name'))
  put(
    INSERT.agent,
    agents.filter(({ before }) => before === undefined).map(({ name, doc }) => ({ name, doc })),
  )
  for (const { name, doc, before } of agents)
    if (before !== undefined) calls.push(call(CHANGE_AGENT, ws, name, doc, before))
  flushHandoffs(writes, put)
  calls.push(...flushParties(ws, writes))
  flushTasks(writes, put, (uids, shifts) => calls.push(call(SHIFT_DEPENDENTS, ws, uids, shifts)))
  const waiting = [...writes.newTasks].flatMap(([uid, { depends_on }]) =>
    depends_on.length > 0 ? [uid] : [],
  )
  if (waiting.length > 0) calls.push(call(RAISE_CHAINS, ws, waiting))
  const streams = [...writes.streams.values()].map((stream) => ({ ...stream })).sort(by('uid'))
  put(
    INSERT.stream,
    streams.filter(({ uid }) => writes.newStreams.has(uid)),
  )
  if (writes.entries.length > 0) calls.push(addEntries(ws, writes.entries))
  for (const [uid, at] of writes.seen) calls.push(call(SEE_NOTICE, ws, uid, at))
  for (const [sha256, bytes] of writes.blobs) calls.push(call(ADD_BLOB, ws, sha256, bytes))
  flushSmall(writes, put)
  for (const redaction of writes.redactions) calls.push(...redactCalls(ws, redaction))
  return calls
}

/** Keeps what these calls wrote, once they are committed, with the version that each row has now. */
export function remember(remembered: Remembered, calls: readonly Call[], answers: readonly Rows[]): void {
  for (const [i, { statement, values }] of calls.entries()) {
    const kept = KEPT.get(statement)
    const [xid, tids] = answers[i]?.[0] ?? []
    if (!kept || !xid || !tids) continue
    const cells = (column: string) => values[1 + kept.columns.indexOf(column)] as readonly string[]
    const uids = cells('uid')
    for (const [row, tid] of tids.split(' ').entries())
      kept.keep(remembered, uids[row]!, { tid, xid }, (column) => cells(column)[row]!)
  }
}

type Keep = (to: Remembered, uid: string, version: Version, cell: (column: string) => string) => void

const keepHandoff: Keep = (to, uid, version, cell) =>
  to.handoffs.keep(uid, { ...version, value: cell('doc') })
const keepContent: Keep = (to, uid, version, cell) => {
  const doc = cell('doc')
  if (doc.length <= MOST_REMEMBERED) to.contents.keep(uid, { ...version, value: doc })
  else to.contents.forget(uid)
}
const keepStream: Keep = (to, uid, version, cell) => {
  const [seq, progress_seq] = [Number(cell('seq')), Number(cell('progress_seq'))]
  to.streams.keep(uid, { ...version, value: { uid, seq, head: cell('head'), progress_seq } })
}

const KEPT: ReadonlyMap<Statement, { readonly columns: readonly string[]; readonly keep: Keep }> = new Map(
  (
    [
      [INSERT.handoff, keepHandoff],
      [CHANGE.handoff, keepHandoff],
      [INSERT.content, keepContent],
      [CHANGE.content, keepContent],
      [INSERT.stream, keepStream],
      [CHANGE.stream, keepStream],
    ] as const
  ).map(([{ statement, columns }, keep]) => [statement, { columns, keep }]),
)

type Put = (into: Insert, rows: readonly Row[]) => void

function flushHandoffs(writes: Writes, put: Put): void {
  put(
    INSERT.handoff,
    [...writes.handoffs.values()]
      .filter(({ uid }) => writes.newHandoffs.has(uid))
      .map((handoff) => ({ ...handoffColumns(handoff) })),
  )
  put(INSERT.content, contentRows(writes, 'new'))
}

const contentRows = ({ contents, newContents }: Writes, which: 'new' | 'known') =>
  [...contents]
    .filter(([uid]) => newContents.has(uid) === (which === 'new'))
    .map(([uid, content]) => ({ uid, doc: JSON.stringify(content) }))

/** Shifts first: the counts of new tasks are right already. */
function flushTasks(writes: Writes, put: Put, shift: (uids: string[], shifts: number[]) => void): void {
  if (writes.dependents.length > 0)
    shift(
      writes.dependents.map(({ uid }) => uid),
      writes.dependents.map((dependent) => dependent.by),
    )
  const tasks = [...writes.tasks.values()]
  const made = tasks.flatMap((task) => {
    const created = writes.newTasks.get(task.uid)
    return created
      ? [{ row: { ...taskColumns(task), open_deps: created.open_deps, height: 1 }, created }]
      : []
  })
  const known = tasks.filter(({ uid }) => !writes.newTasks.has(uid))
  put(
    INSERT.task,
    made.map(({ row }) => row),
  )
  put(
    INSERT.task_dep,
    made.flatMap(({ row, created }) => created.depends_on.map((uid) => ({ task: row.uid, depends_on: uid }))),
  )
  // Counts of a task that is there are shifted, never set: the zeros stand for columns that are not changed.
  put(
    UPDATE.task,
    known.map((task): Row => ({ ...taskColumns(task), open_deps: 0, height: 0 })),
  )
}

function flushSmall(writes: Writes, put: Put): void {
  put(
    INSERT.notice,
    writes.notices.map((n) => ({ uid: n.uid, to_agent: n.to, about: n.about, doc: JSON.stringify(n) })),
  )
  put(
    INSERT.record,
    writes.records.map((r) => ({ uid: r.uid, task: r.task_id, doc: JSON.stringify(r) })),
  )
  put(
    INSERT.artifact,
    writes.artifacts.map((a) => ({ uid: a.uid, handoff: a.handoff ?? null, doc: JSON.stringify(a) })),
  )
  put(
    INSERT.token,
    [...writes.tokens.values()].map((t) => ({ hash: t.hash, doc: JSON.stringify(t) })),
  )
  put(
    UPDATE.audit_session,
    [...writes.sessions.values()].map((session) => ({ ...sessionColumns(session) })),
  )
  put(
    UPDATE.run,
    [...writes.runs.values()].map((run) => ({ ...runColumns(run) })),
  )
  put(INSERT.block, writes.blocks.map(blockColumns))
  put(
    UPDATE.delivery,
    [...writes.deliveries.values()].map((delivery) => ({ ...deliveryColumns(delivery) })),
  )
  put(
    INSERT.idem,
    writes.idems.map((idem) => ({ ...idem })).sort((a, b) => (idemKey(a) < idemKey(b) ? -1 : 1)),
  )
}

const addEntries = (ws: number, entries: readonly NewEntry[]): Call =>
  call(
    ADD_ENTRIES,
    ws,
    entries.map((e) => e.stream),
    entries.map((e) => e.seq),
    entries.map((e) => e.subject),
    entries.map((e) => e.act),
    entries.map((e) => e.at),
    entries.map((e) => e.hash),
    entries.map((e) => e.body),
    entries.map((e) => (e.disclosures ? JSON.stringify(e.disclosures) : null)),
  )

/** Rows that two transactions may both make are made in one order, so that neither waits for the other. */
const by =
  <K extends string>(key: K) =>
  (a: Readonly<Record<K, string>>, b: Readonly<Record<K, string>>): number =>
    a[key] < b[key] ? -1 : 1
