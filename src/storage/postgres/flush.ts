import { idemKey, type Writes } from '../loaded.ts'
import { changingIn, type Row, type Written, writtenIn } from '../rows.ts'
import { type Call, call } from './connection/round-trip.ts'
import { DUE_AT, dueAt } from './leases.ts'
import { flushLists } from './lists.ts'
import { MARK_WRITING } from './reading/log.ts'
import { redactCalls } from './redact.ts'
import { changeIn, columnsOf, fill, type Insert, insertInto, upsertInto } from './tables.ts'

/**
 * The body is sent as text and stored as the bytes that were hashed. The mark comes first: rows are
 * made from the one row of the mark, so it was set by the time they are given their numbers.
 */
const ADD_ENTRIES: Insert = {
  columns: writtenIn('entry'),
  statement: {
    name: 'add_entries',
    text: `WITH mark AS MATERIALIZED (${MARK_WRITING})
      INSERT INTO baton.entry (ws, stream, seq, subject, act, at, hash, body, disclosures)
      SELECT $1::integer, unnest($2::text[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::text[]),
        unnest($6::text[]), unnest($7::text[]), convert_to(unnest($8::text[]), 'UTF8'), unnest($9::text[]) FROM mark`,
  },
}

/** The tables that are not written like the others. */
const STATEMENTS = new Map<string, Insert>([
  ['insert entry', ADD_ENTRIES],
  ['insert blob', insertInto('blob', writtenIn('blob'), 'ON CONFLICT DO NOTHING')],
  ['update handoff', changeIn('handoff', changingIn('handoff'), { due_at: DUE_AT })],
  ['update task', upsertInto('task')],
])

const WRITE = {
  insert: (table: string) => insertInto(table, writtenIn(table)),
  update: changeIn,
  upsert: upsertInto,
}

/**
 * New rows are inserted: when another transaction has made the same row, that fails at once, where an upsert would
 * wait for its lock out of order. Upserts are for tokens, and for rows that were read and locked.
 */
function statementOf(mode: Written['mode'], table: string): Insert {
  const name = `${mode} ${table}`
  const known = STATEMENTS.get(name) ?? WRITE[mode](table)
  STATEMENTS.set(name, known)
  return known
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

/** Rows of these kinds that were there, are locked, and have changed. */
export function change(ws: number, { handoffs, oldHandoffs }: Writes, rows: readonly Written[]): Call[] {
  return (['handoff', 'stream', 'content'] as const).flatMap((table) => {
    const changed = rowsIn(rows, 'update', table).map((row): Row => {
      const uid = String(row.uid)
      const due = table === 'handoff' && { due_at: dueAt(oldHandoffs.get(uid), handoffs.get(uid)!) }
      return { ...row, ...due }
    })
    return changed.length > 0 ? [fill(statementOf('update', table), ws, changed)] : []
  })
}

/** Everything else that the units left, each row once and each table with one statement. */
export function flush(
  ws: number,
  writes: Writes,
  rows: readonly Written[],
  agentDocs: ReadonlyMap<string, string>,
): Call[] {
  const calls: Call[] = []
  const put = (mode: Written['mode'], ...tables: readonly string[]) => {
    for (const table of tables) {
      const found = rowsIn(rows, mode, table)
      if (found.length > 0) calls.push(fill(statementOf(mode, table), ws, found))
    }
  }
  const agents = rowsIn(rows, 'upsert', 'agent')
  const added = agents.filter(({ name }) => !agentDocs.has(String(name)))
  if (added.length > 0) calls.push(fill(statementOf('insert', 'agent'), ws, added))
  for (const { name, doc } of agents) {
    const before = agentDocs.get(String(name))
    if (before !== undefined) calls.push(call(CHANGE_AGENT, ws, name!, doc!, before))
  }
  put('insert', 'handoff', 'content')
  const { dependents } = writes
  // Shifts first: the counts of new tasks are right already.
  if (dependents.length > 0) calls.push(call(SHIFT_DEPENDENTS, ws, ...columnsOf(dependents, 'uid', 'by')))
  put('insert', 'task', 'task_dep')
  put('update', 'task')
  const waiting = [...writes.newTasks].flatMap(([uid, { depends_on }]) =>
    depends_on.length > 0 ? [uid] : [],
  )
  if (waiting.length > 0) calls.push(call(RAISE_CHAINS, ws, waiting))
  put('insert', 'stream', 'entry')
  for (const [uid, at] of writes.seen) calls.push(call(SEE_NOTICE, ws, uid, at))
  put('insert', 'blob', 'notice', 'record', 'artifact')
  put('upsert', 'token', 'audit_session', 'run')
  put('insert', 'block')
  put('upsert', 'delivery')
  put('insert', 'idem')
  for (const redaction of writes.redactions) calls.push(...redactCalls(ws, redaction))
  return [...calls, ...flushLists(ws, writes)]
}

/** Rows that two transactions may both make are made in one order, so that neither waits for the other. */
function rowsIn(rows: readonly Written[], mode: Written['mode'], table: string): readonly Row[] {
  const found = rows.find((written) => written.mode === mode && written.table === table)?.rows ?? []
  const key = ORDER[table]
  return key ? found.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) : found
}

const byUid = ({ uid }: Row) => String(uid)

const ORDER: Readonly<Record<string, (row: Row) => string>> = {
  agent: ({ name }) => String(name),
  handoff: byUid,
  content: byUid,
  stream: byUid,
  idem: ({ actor, op, key }) => idemKey({ actor: String(actor), op: String(op), key: String(key) }),
}
