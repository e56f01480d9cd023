import type { Statement } from './connection/round-trip.ts'

/**
 * Every key is looked up by itself, in a subquery that the planner cannot turn round: plans are kept, and one
 * made while a table was small would otherwise read all of a workspace for each batch.
 */
const HANDOFF_KEYS = `unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
  SELECT root, task, from_agent, to_agent, holder FROM baton.handoff WHERE ws = $1 AND uid = k.uid OFFSET 0) AS h`
/** Tasks that were asked for, and those of the handoffs. */
const TASK_KEYS = `SELECT h.task FROM ${HANDOFF_KEYS} WHERE h.task IS NOT NULL UNION SELECT unnest($3::text[])`

/** Seen at the same moment as the agents beside it. */
export const AGENT_CHANGES = '(SELECT agents FROM baton.workspace WHERE id = $1)'

// biome-ignore format: one statement each
export const SQL = {
  start: statement('start', `
    SELECT uid, due_kind, holder, xmin, doc FROM baton.handoff WHERE ws = $1 AND due_at <= $2
    ORDER BY due_at LIMIT $3::integer`),
  locked: statement('locked', `
    SELECT k.name, a.doc, ${AGENT_CHANGES} FROM unnest($2::text[]) AS k (name) CROSS JOIN LATERAL (
      SELECT doc FROM baton.agent WHERE ws = $1 AND name = k.name FOR NO KEY UPDATE) AS a`),
  handoffs: statement('handoffs', `
    SELECT h.doc, h.tid, h.xid FROM unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
      SELECT doc, ctid AS tid, xmin AS xid FROM baton.handoff WHERE ws = $1 AND uid = k.uid FOR UPDATE) AS h`),
  claims: statement('claims', `
    SELECT c.agent, h.doc, h.tid, h.xid
    FROM unnest($2::text[], $3::integer[]) AS c (agent, wanted) CROSS JOIN LATERAL (
      SELECT doc, ctid AS tid, xmin AS xid FROM baton.handoff
      WHERE ws = $1 AND to_agent = c.agent AND state = 'offered' AND uid <> ALL ($4::text[])
      ORDER BY rank, uid LIMIT c.wanted FOR UPDATE SKIP LOCKED) AS h`),
  passed: statement('passed', `
    SELECT c.agent FROM unnest($2::text[]) AS c (agent) WHERE EXISTS (
      SELECT FROM baton.handoff
      WHERE ws = $1 AND to_agent = c.agent AND state = 'offered' AND uid <> ALL ($3::text[]))`),
  counts: statement('counts', `
    SELECT k.name,
      (SELECT count(*) FROM baton.party WHERE ws = $1 AND agent = k.name AND side = 'from'),
      (SELECT count(*) FROM baton.party WHERE ws = $1 AND agent = k.name AND side = 'to')
    FROM unnest($2::text[]) AS k (name)`),
  tasks: statement('tasks', `
    SELECT k.id, t.open_deps, t.doc FROM (SELECT id FROM (${TASK_KEYS}) AS all_ids (id) ORDER BY id) AS k
    CROSS JOIN LATERAL (SELECT open_deps, doc FROM baton.task WHERE ws = $1 AND id = k.id FOR UPDATE) AS t`),
  latest: statement('latest_of_pair', `
    SELECT k.task, k.sender, k.receiver, h.doc
    FROM unnest($2::text[], $3::text[], $4::text[]) AS k (task, sender, receiver) CROSS JOIN LATERAL (
      SELECT doc FROM baton.handoff
      WHERE ws = $1 AND task = k.task AND from_agent = k.sender AND to_agent = k.receiver
      ORDER BY uid DESC LIMIT 1) AS h`),
  streams: statement('streams', `
    SELECT k.uid, s.seq, s.head, s.progress_seq, s.tid, s.xid FROM (SELECT uid FROM (
      SELECT h.root FROM ${HANDOFF_KEYS}
      UNION SELECT t.uid FROM (${TASK_KEYS}) AS k (id)
        CROSS JOIN LATERAL (SELECT uid FROM baton.task WHERE ws = $1 AND id = k.id OFFSET 0) AS t
      UNION SELECT unnest($4::text[])) AS all_uids (uid) ORDER BY uid) AS k
    CROSS JOIN LATERAL (
      SELECT seq, head, progress_seq, ctid AS tid, xmin AS xid FROM baton.stream
      WHERE ws = $1 AND uid = k.uid FOR UPDATE) AS s`),
  streamsByUid: statement('streams_by_uid', `
    SELECT k.uid, s.seq, s.head, s.progress_seq, s.tid, s.xid
    FROM (SELECT uid FROM unnest($2::text[]) AS u (uid) ORDER BY uid COLLATE "C") AS k
    CROSS JOIN LATERAL (
      SELECT seq, head, progress_seq, ctid AS tid, xmin AS xid FROM baton.stream
      WHERE ws = $1 AND uid = k.uid FOR UPDATE) AS s`),
  agentsByName: statement('agents_by_name', `
    SELECT k.name, a.doc, ${AGENT_CHANGES} FROM unnest($2::text[]) AS k (name)
    CROSS JOIN LATERAL (SELECT doc FROM baton.agent WHERE ws = $1 AND name = k.name OFFSET 0) AS a`),
  agents: statement('agents', `
    SELECT k.name, a.doc, ${AGENT_CHANGES} FROM (
      SELECT unnest(ARRAY[h.from_agent, h.to_agent]) FROM ${HANDOFF_KEYS}
      UNION SELECT unnest($3::text[])) AS k (name)
    CROSS JOIN LATERAL (SELECT doc FROM baton.agent WHERE ws = $1 AND name = k.name OFFSET 0) AS a`),
  contents: statement('contents', `
    SELECT k.uid, c.doc, c.tid, c.xid FROM unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
      SELECT doc, ctid AS tid, xmin AS xid FROM baton.content WHERE ws = $1 AND uid = k.uid OFFSET 0) AS c`),
  sessions: statement('sessions', `
    SELECT k.uid, s.doc FROM unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
      SELECT doc FROM baton.audit_session WHERE ws = $1 AND uid = k.uid FOR UPDATE) AS s`),
  runs: statement('runs', `
    SELECT k.uid, r.doc FROM unnest($2::text[]) AS k (uid)
    CROSS JOIN LATERAL (SELECT doc FROM baton.run WHERE ws = $1 AND uid = k.uid FOR UPDATE) AS r`),
  blocks: statement('blocks', `
    SELECT k.digest, b.doc FROM unnest($2::text[]) AS k (digest)
    CROSS JOIN LATERAL (SELECT doc FROM baton.block WHERE ws = $1 AND digest = k.digest OFFSET 0) AS b`),
  gates: statement('gates', `
    SELECT k.uid, g.docs FROM unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(doc), '[]') AS docs FROM baton.handoff
      WHERE ws = $1 AND parent = k.uid AND doc::json ->> 'type' IN ('gate', 'delegation')) AS g`),
  deliveries: statement('deliveries', `
    SELECT k.uid, d.doc FROM unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
      SELECT doc FROM baton.delivery WHERE ws = $1 AND uid = k.uid FOR UPDATE) AS d`),
  notices: statement('notices', `
    SELECT k.uid, n.seen_at, n.doc FROM unnest($2::text[]) AS k (uid)
    CROSS JOIN LATERAL (SELECT seen_at, doc FROM baton.notice WHERE ws = $1 AND uid = k.uid OFFSET 0) AS n`),
  idems: statement('idems', `
    SELECT i.actor, i.op, i.key, i.input_hash, i.subject, i.rev, i.at
    FROM unnest($2::text[], $3::text[], $4::text[]) AS k (actor, op, key) CROSS JOIN LATERAL (
      SELECT * FROM baton.idem WHERE ws = $1 AND actor = k.actor AND op = k.op AND key = k.key OFFSET 0) AS i`),
}

function statement(name: string, text: string): Statement {
  return { name: `load_${name}`, text }
}
