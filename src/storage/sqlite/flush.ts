import type { Handoff } from '../../domain/handoffs/handoff.ts'
import {
  blockColumns,
  deliveryColumns,
  type HandoffColumns,
  handoffColumns,
  placeOf,
  runColumns,
  sessionColumns,
  taskColumns,
} from '../rows.ts'
import type { Redaction } from '../view.ts'
import type { Writes } from '../working-set.ts'
import { EARLIEST_DUE } from './load.ts'
import type { Remembered } from './remembered.ts'
import type { Statements } from './statements.ts'

/** Writes everything that the units left, each row once. */
export function flush(db: Statements, writes: Writes, remembered: Remembered): void {
  for (const agent of writes.agents.values()) {
    db.run(
      'INSERT INTO agent (name, doc) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET doc = excluded.doc',
      agent.name,
      JSON.stringify(agent),
    )
    remembered.forget(`agent ${agent.name}`)
  }
  for (const { hash } of writes.tokens.values()) remembered.forget(`token ${hash}`)
  flushTasks(db, writes)
  flushHandoffs(db, writes, remembered)
  for (const stream of writes.streams.values()) {
    remembered.put(`stream ${stream.uid}`, stream)
    if (writes.newStreams.has(stream.uid))
      db.run(
        'INSERT INTO stream (seq, head, progress_seq, uid) VALUES (?, ?, ?, ?)',
        stream.seq,
        stream.head,
        stream.progress_seq,
        stream.uid,
      )
    else
      db.run(
        'UPDATE stream SET seq = ?, head = ?, progress_seq = ? WHERE uid = ?',
        stream.seq,
        stream.head,
        stream.progress_seq,
        stream.uid,
      )
  }
  for (const e of writes.entries)
    db.run(
      `INSERT INTO entry (stream, seq, subject, act, at, hash, body, disclosures)
       VALUES (?, ?, ?, ?, ?, ?, CAST(? AS BLOB), ?)`,
      e.stream,
      e.seq,
      e.subject,
      e.act,
      e.at,
      e.hash,
      e.body,
      e.disclosures ? JSON.stringify(e.disclosures) : null,
    )
  flushSmall(db, writes)
  for (const redaction of writes.redactions) flushRedaction(db, redaction)
}

function flushRedaction(db: Statements, redaction: Redaction): void {
  const { entries, notices, records, artifacts, blocks, blobs, inputs } = redaction
  for (const { stream, seq, disclosures } of entries)
    db.run(
      'UPDATE entry SET disclosures = ? WHERE stream = ? AND seq = ?',
      disclosures.length > 0 ? JSON.stringify(disclosures) : null,
      stream,
      seq,
    )
  const rows = { notice: notices, record: records, artifact: artifacts }
  for (const [table, documents] of Object.entries(rows))
    for (const document of documents)
      db.run(`UPDATE ${table} SET doc = ? WHERE uid = ?`, JSON.stringify(document), document.uid)
  for (const block of blocks)
    db.run('UPDATE block SET doc = ? WHERE digest = ?', JSON.stringify(block), block.digest)
  for (const sha256 of blobs) db.run('DELETE FROM blob WHERE sha256 = ?', sha256)
  for (const uid of inputs) db.run(`UPDATE idem SET input_hash = '' WHERE subject = ?`, uid)
}

function flushHandoffs(db: Statements, writes: Writes, remembered: Remembered): void {
  for (const handoff of writes.handoffs.values()) {
    const c = handoffColumns(handoff)
    const old = writes.oldHandoffs.get(handoff.uid)
    remembered.put(`handoff ${handoff.uid}`, c.doc)
    if (c.due_at !== null) remembered.lower(EARLIEST_DUE, c.due_at)
    if (writes.newHandoffs.has(handoff.uid))
      db.run(
        `INSERT INTO handoff (from_agent, to_agent, task, state, open, rank, waiting_for, holder, due_at, due_kind, doc,
           root, parent, run, id, uid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        c.from_agent,
        c.to_agent,
        c.task,
        c.state,
        c.open,
        c.rank,
        c.waiting_for,
        c.holder,
        c.due_at,
        c.due_kind,
        c.doc,
        c.root,
        c.parent,
        c.run,
        c.id,
        c.uid,
      )
    else updateHandoff(db, c, old)
    if (old && old.title !== handoff.title)
      db.run('UPDATE handoff_words SET title = ? WHERE uid = ?', handoff.title, handoff.uid)
  }
  for (const [uid, content] of writes.contents) {
    const doc = JSON.stringify(content)
    remembered.put(`content ${uid}`, doc)
    if (writes.newContents.has(uid)) db.run('INSERT INTO content (doc, uid) VALUES (?, ?)', doc, uid)
    else db.run('UPDATE content SET doc = ? WHERE uid = ?', doc, uid)
  }
}

/** Columns of a handoff that may change; the others are its own for good. */
const CHANGING = ['to_agent', 'state', 'open', 'rank', 'waiting_for', 'holder', 'due_at', 'due_kind'] as const

/** SQLite rewrites every index that a column in the SET list belongs to, changed or not: so only what changed is set. */
function updateHandoff(db: Statements, next: HandoffColumns, old: Handoff | undefined): void {
  const before = old && placeOf(old)
  const values: (string | number | null)[] = []
  let set = ''
  for (const column of CHANGING)
    if (before?.[column] !== next[column]) {
      set += `${column} = ?, `
      values.push(next[column])
    }
  db.run(`UPDATE handoff SET ${set}doc = ? WHERE uid = ?`, ...values, next.doc, next.uid)
}

function flushTasks(db: Statements, writes: Writes): void {
  for (const { uid, by } of writes.dependents)
    db.run(
      `UPDATE task SET open_deps = open_deps + ? WHERE uid IN (SELECT task FROM task_dep WHERE depends_on = ?)`,
      by,
      uid,
    )
  for (const task of writes.tasks.values()) {
    const c = taskColumns(task)
    const created = writes.newTasks.get(task.uid)
    if (!created) {
      db.run(
        `UPDATE task SET status = ?, owner = ?, rank = ?, critical = ?, level = ?, doc = ? WHERE uid = ?`,
        c.status,
        c.owner,
        c.rank,
        c.critical,
        c.level,
        c.doc,
        c.uid,
      )
      continue
    }
    db.run(
      `INSERT INTO task (uid, id, status, owner, rank, critical, level, sort_key, open_deps, doc)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      c.uid,
      c.id,
      c.status,
      c.owner,
      c.rank,
      c.critical,
      c.level,
      c.sort_key,
      created.open_deps,
      c.doc,
    )
    for (const uid of created.depends_on)
      db.run('INSERT INTO task_dep (task, depends_on) VALUES (?, ?)', task.uid, uid)
  }
  for (const [uid, { depends_on }] of writes.newTasks) if (depends_on.length > 0) db.run(RAISE_CHAINS, uid)
}

/** A new task lengthens the chains of its dependencies; the walk ends where a chain is as long already. */
const RAISE_CHAINS = `WITH RECURSIVE up (uid, height) AS (
    SELECT d.depends_on, t.height + 1 FROM task_dep d JOIN task t ON t.uid = d.task WHERE d.task = ?
    UNION
    SELECT d.depends_on, up.height + 1 FROM up JOIN task t ON t.uid = up.uid AND t.height < up.height
      JOIN task_dep d ON d.task = up.uid)
  UPDATE task SET height = r.height FROM (SELECT uid, max(height) AS height FROM up GROUP BY uid) AS r
  WHERE task.uid = r.uid AND task.height < r.height`

function flushSmall(db: Statements, writes: Writes): void {
  for (const n of writes.notices)
    db.run(
      'INSERT INTO notice (uid, to_agent, about, doc) VALUES (?, ?, ?, ?)',
      n.uid,
      n.to,
      n.about,
      JSON.stringify(n),
    )
  for (const [uid, at] of writes.seen)
    db.run('UPDATE notice SET seen_at = ? WHERE uid = ? AND seen_at IS NULL', at, uid)
  for (const r of writes.records)
    db.run('INSERT INTO record (uid, task, doc) VALUES (?, ?, ?)', r.uid, r.task_id, JSON.stringify(r))
  for (const a of writes.artifacts)
    db.run(
      'INSERT INTO artifact (uid, handoff, doc) VALUES (?, ?, ?)',
      a.uid,
      a.handoff ?? null,
      JSON.stringify(a),
    )
  for (const [sha256, bytes] of writes.blobs)
    db.run('INSERT INTO blob (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING', sha256, bytes)
  for (const t of writes.tokens.values())
    db.run(
      'INSERT INTO token (hash, doc) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET doc = excluded.doc',
      t.hash,
      JSON.stringify(t),
    )
  for (const session of writes.sessions.values()) {
    const c = sessionColumns(session)
    db.run(
      `INSERT INTO audit_session (uid, id, by_agent, state, doc) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (uid) DO UPDATE SET state = excluded.state, doc = excluded.doc`,
      c.uid,
      c.id,
      c.by_agent,
      c.state,
      c.doc,
    )
  }
  flushRuns(db, writes)
  for (const i of writes.idems)
    db.run(
      'INSERT INTO idem (actor, op, key, input_hash, subject, rev, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      i.actor,
      i.op,
      i.key,
      i.input_hash,
      i.subject,
      i.rev,
      i.at,
    )
}

function flushRuns(db: Statements, writes: Writes): void {
  for (const run of writes.runs.values()) {
    const c = runColumns(run)
    db.run(
      `INSERT INTO run (uid, id, name, state, doc) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (uid) DO UPDATE SET state = excluded.state, doc = excluded.doc`,
      c.uid,
      c.id,
      c.name,
      c.state,
      c.doc,
    )
  }
  for (const block of writes.blocks) {
    const c = blockColumns(block)
    db.run(
      'INSERT INTO block (digest, from_agent, phase, task, run, doc) VALUES (?, ?, ?, ?, ?, ?)',
      c.digest,
      c.from_agent,
      c.phase,
      c.task,
      c.run,
      c.doc,
    )
  }
  for (const delivery of writes.deliveries.values()) {
    const c = deliveryColumns(delivery)
    db.run(
      `INSERT INTO delivery (uid, due_at, doc) VALUES (?, ?, ?)
       ON CONFLICT (uid) DO UPDATE SET due_at = excluded.due_at, doc = excluded.doc`,
      c.uid,
      c.due_at,
      c.doc,
    )
  }
}
