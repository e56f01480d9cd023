import { keyOf } from '../rows.ts'
import type { Statement } from './connection/round-trip.ts'
import { IS_DUE } from './leases.ts'
import { fieldOf } from './tables.ts'

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

/** Facts about the handoffs that the transaction has locked, kept by the server for the statements behind. */
const kept = (name: string) => `coalesce(nullif(current_setting('baton.${name}', true), '')::text[], '{}')`

/** Locks handoffs, and keeps what the next statements need to find the rows that belong to them. */
function keeping(answer: string, from: string, more = ''): string {
  const keep = (name: string, found: string) =>
    `set_config('baton.${name}', (${kept(name)} || ARRAY(${found}))::text, true)`
  return `WITH found AS MATERIALIZED (SELECT ${answer.replace('doc', 'h.*')} FROM ${from}),
    facts AS MATERIALIZED (SELECT ${keep('roots', 'SELECT root FROM found')},
      ${keep('tasks', 'SELECT task FROM found WHERE task IS NOT NULL')},
      ${keep('agents', 'SELECT unnest(ARRAY[from_agent, to_agent]) FROM found')}${more && `, ${keep(more, 'SELECT uid FROM found')}`})
    SELECT ${answer.replace('c.', '')} FROM found CROSS JOIN facts`
}

const LOCKED = 'SELECT uid, root, task, from_agent, to_agent, doc FROM baton.handoff WHERE ws = $1'
const STREAM = 'seq, head, progress_seq'

// biome-ignore format: one statement each
export const SQL = {
  start: statement('start', `
    SELECT uid, due_kind, holder FROM baton.handoff WHERE ${IS_DUE} ORDER BY due_at LIMIT $3::integer`),
  locked: statement('locked', byKey('agent', 'doc', 'FOR NO KEY UPDATE')),
  handoffs: statement('handoffs', keeping('doc', `unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
    ${LOCKED} AND uid = k.uid FOR UPDATE) AS h`)),
  claims: statement('claims', keeping('c.agent, doc', `
    unnest($2::text[], $3::integer[]) AS c (agent, wanted) CROSS JOIN LATERAL (
      ${LOCKED} AND to_agent = c.agent AND state = 'offered' AND uid <> ALL ($4::text[])
      ORDER BY rank, uid LIMIT c.wanted FOR UPDATE SKIP LOCKED) AS h`, 'claimed')),
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
    (SELECT DISTINCT id FROM unnest($2::text[] || ${kept('tasks')}) AS t (id) ORDER BY id) AS k (key)`, 'id')),
  latest: statement('latest_of_pair', `
    SELECT k.task, k.sender, k.receiver, h.doc
    FROM unnest($2::text[], $3::text[], $4::text[]) AS k (task, sender, receiver) CROSS JOIN LATERAL (
      SELECT doc FROM baton.handoff
      WHERE ws = $1 AND task = k.task AND from_agent = k.sender AND to_agent = k.receiver
      ORDER BY uid DESC LIMIT 1) AS h`),
  streams: statement('streams', byKey('stream', STREAM, 'FOR UPDATE', `(SELECT uid FROM (
      SELECT unnest($2::text[] || ${kept('roots')})
      UNION SELECT t.uid FROM unnest($3::text[] || ${kept('tasks')}) AS k (id)
        CROSS JOIN LATERAL (SELECT uid FROM baton.task WHERE ws = $1 AND id = k.id OFFSET 0) AS t
      ) AS all_uids (uid) ORDER BY uid COLLATE "C") AS k (key)`)),
  agents: statement('agents', byKey('agent', 'doc', 'OFFSET 0', `
    (SELECT DISTINCT name FROM unnest($2::text[] || ${kept('agents')}) AS a (name)) AS k (key)`)),
  contents: statement('contents', byKey('content', 'doc', 'OFFSET 0', `unnest($2::text[] || ${kept('claimed')}) AS k (key)`)),
  sessions: statement('sessions', byKey('audit_session', 'doc', 'FOR UPDATE')),
  runs: statement('runs', byKey('run', 'doc', 'FOR UPDATE')),
  blocks: statement('blocks', byKey('block', 'doc', 'OFFSET 0')),
  gates: statement('gates', `
    SELECT k.uid, g.docs FROM unnest($2::text[]) AS k (uid) CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(doc), '[]') AS docs FROM baton.handoff
      WHERE ws = $1 AND parent = k.uid AND ${fieldOf('type')} IN ('gate', 'delegation')) AS g`),
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
