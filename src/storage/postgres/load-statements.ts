import { keyOf } from '../rows.ts'
import type { Statement } from './connection/round-trip.ts'

/**
 * Each of these keys with the columns of its row. Every key is looked up by itself, in a subquery that the planner
 * cannot turn round (`how`: by a lock, or `OFFSET 0`): plans are kept, and one made while a table was small would
 * otherwise read all of a workspace for each batch.
 */
function byKey(
  table: string,
  columns: string,
  how: string,
  keys = 'unnest($2::text[]) AS k (key)',
  key = keyOf(table),
): string {
  return `SELECT k.key, r.* FROM ${keys} CROSS JOIN LATERAL (
    SELECT ${columns} FROM baton.${table} WHERE ws = $1 AND ${key} = k.key ${how}) AS r`
}

const HANDOFF_KEYS = `unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
  SELECT root, task, from_agent, to_agent, holder FROM baton.handoff WHERE ws = $1 AND uid = k.uid OFFSET 0) AS h`
/** Tasks that were asked for, and those of the handoffs. */
const TASK_KEYS = `SELECT h.task FROM ${HANDOFF_KEYS} WHERE h.task IS NOT NULL UNION SELECT unnest($3::text[])`
const STREAM = 'seq, head, progress_seq'

// biome-ignore format: one statement each
export const SQL = {
  start: statement('start', `
    SELECT uid, due_kind, holder, xmin, doc FROM baton.handoff WHERE ws = $1 AND due_at <= $2
    ORDER BY due_at LIMIT $3::integer`),
  locked: statement('locked', byKey('agent', 'doc', 'FOR NO KEY UPDATE')),
  handoffs: statement('handoffs', `
    SELECT h.doc FROM unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
      SELECT doc FROM baton.handoff WHERE ws = $1 AND uid = k.uid FOR UPDATE) AS h`),
  claims: statement('claims', `
    SELECT c.agent, h.doc
    FROM unnest($2::text[], $3::integer[]) AS c (agent, wanted) CROSS JOIN LATERAL (
      SELECT doc FROM baton.handoff
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
  tasks: statement('tasks', byKey('task', 'open_deps, doc', 'FOR UPDATE', `
    (SELECT id FROM (${TASK_KEYS}) AS all_ids (id) ORDER BY id) AS k (key)`, 'id')),
  latest: statement('latest_of_pair', `
    SELECT k.task, k.sender, k.receiver, h.doc
    FROM unnest($2::text[], $3::text[], $4::text[]) AS k (task, sender, receiver) CROSS JOIN LATERAL (
      SELECT doc FROM baton.handoff
      WHERE ws = $1 AND task = k.task AND from_agent = k.sender AND to_agent = k.receiver
      ORDER BY uid DESC LIMIT 1) AS h`),
  streams: statement('streams', byKey('stream', STREAM, 'FOR UPDATE', `(SELECT uid FROM (
      SELECT h.root FROM ${HANDOFF_KEYS}
      UNION SELECT t.uid FROM (${TASK_KEYS}) AS k (id)
        CROSS JOIN LATERAL (SELECT uid FROM baton.task WHERE ws = $1 AND id = k.id OFFSET 0) AS t
      UNION SELECT unnest($4::text[])) AS all_uids (uid) ORDER BY uid) AS k (key)`)),
  streamsByUid: statement('streams_by_uid', byKey('stream', STREAM, 'FOR UPDATE', `
    (SELECT uid FROM unnest($2::text[]) AS u (uid) ORDER BY uid COLLATE "C") AS k (key)`)),
  agentsByName: statement('agents_by_name', byKey('agent', 'doc', 'OFFSET 0')),
  agents: statement('agents', byKey('agent', 'doc', 'OFFSET 0', `(
    SELECT unnest(ARRAY[h.from_agent, h.to_agent]) FROM ${HANDOFF_KEYS} UNION SELECT unnest($3::text[])) AS k (key)`)),
  contents: statement('contents', byKey('content', 'doc', 'OFFSET 0')),
  sessions: statement('sessions', byKey('audit_session', 'doc', 'FOR UPDATE')),
  runs: statement('runs', byKey('run', 'doc', 'FOR UPDATE')),
  blocks: statement('blocks', byKey('block', 'doc', 'OFFSET 0')),
  gates: statement('gates', `
    SELECT k.uid, g.docs FROM unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(doc), '[]') AS docs FROM baton.handoff
      WHERE ws = $1 AND parent = k.uid AND doc::json ->> 'type' IN ('gate', 'delegation')) AS g`),
  deliveries: statement('deliveries', byKey('delivery', 'doc', 'FOR UPDATE')),
  notices: statement('notices', byKey('notice', 'seen_at, doc', 'OFFSET 0')),
  idems: statement('idems', `
    SELECT i.actor, i.op, i.key, i.input_hash, i.subject, i.rev, i.at
    FROM unnest($2::text[], $3::text[], $4::text[]) AS k (actor, op, key) CROSS JOIN LATERAL (
      SELECT * FROM baton.idem WHERE ws = $1 AND actor = k.actor AND op = k.op AND key = k.key OFFSET 0) AS i`),
}

function statement(name: string, text: string): Statement {
  return { name: `load_${name}`, text }
}
