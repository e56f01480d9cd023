import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { ENDS, isOpen } from '../../domain/lifecycle.ts'
import type { Writes } from '../loaded.ts'
import { type Call, call } from './connection/round-trip.ts'
import { IN_WORKSPACE } from './tables.ts'

const KEPT = `WHERE current_setting('baton.lists', true) = 'kept'`
const LEAVE = {
  name: 'leave_lists',
  text: `DELETE FROM baton.facet AS r USING (
      SELECT $1::integer AS ws, unnest($2::text[]) AS key, unnest($3::text[]) AS uid) AS k
    WHERE ${IN_WORKSPACE} AND r.key = k.key AND r.uid = k.uid`,
}
const JOIN = {
  name: 'join_lists',
  text: `INSERT INTO baton.facet (ws, key, uid) SELECT $1::integer, unnest($2::text[]), unnest($3::text[]) ${KEPT}
    ON CONFLICT DO NOTHING`,
}
const COUNT = {
  name: 'count_ended',
  text: `INSERT INTO baton.ended AS e (ws, slot, done, ${ENDS.join(', ')})
    SELECT $1::integer, pg_backend_pid() % 16, 0, ${ENDS.map((_, i) => `$${i + 2}::bigint`).join(', ')} ${KEPT}
    ON CONFLICT (ws, slot) DO UPDATE SET ${ENDS.map((end) => `${end} = e.${end} + excluded.${end}`).join(', ')}`,
}

/** The keys by which lists find a handoff (`sender receiver type state`): an open one by its type, an ended one by all. */
function listKeys(handoff: Handoff): readonly string[] {
  const { from, to, type, state } = handoff
  const rest = `${type} ${isOpen(state) ? 'open' : state}`
  return isOpen(state)
    ? [`  ${rest}`]
    : [`  ${rest}`, `${from}  ${rest}`, ` ${to} ${rest}`, `${from} ${to} ${rest}`, outcomeKey(handoff)]
}

/** By when it ended; the database makes the same key in `baton.facets`. */
function outcomeKey({ from, to, state, created_at, updated_at, ended_at, attempts }: Handoff): string {
  const [end, made] = [new Date(ended_at ?? updated_at), new Date(created_at)]
  const ms = String(Math.max(0, end.getTime() - made.getTime())).padStart(13, '0')
  return `@${end.toISOString()} ${made.toISOString()} ${ms} ${state.slice(0, 2)} ${to} ${from} ${Math.max(0, attempts.length - 1)}`
}

/**
 * Changes to the lists and to the counts of what has ended; these come last, because writers may wait for each other
 * there. As with the parties, the database does it for sessions that do not say that they do it themselves.
 */
export function flushLists(ws: number, { handoffs, oldHandoffs }: Writes): readonly Call[] {
  const left: Record<'keys' | 'uids', string[]> = { keys: [], uids: [] }
  const joined: typeof left = { keys: [], uids: [] }
  const counts = new Map(ENDS.map((end) => [end, 0]))
  const add = (rows: typeof left, handoff: Handoff | undefined, by: number) => {
    for (const key of handoff ? listKeys(handoff) : []) {
      rows.keys.push(key)
      rows.uids.push(handoff!.uid)
    }
    const count = handoff && counts.get(handoff.state)
    if (count !== undefined) counts.set(handoff!.state, count + by)
  }
  for (const [uid, handoff] of handoffs) {
    const old = oldHandoffs.get(uid)
    const { state, to } = handoff
    if (old && (isOpen(old.state) ? isOpen(state) : old.state === state && old.to === to)) continue
    add(left, old, -1)
    add(joined, handoff, 1)
  }
  const rows = ({ keys, uids }: typeof left) => [ws, keys, uids] as const
  return [
    ...(left.keys.length > 0 ? [call(LEAVE, ...rows(left))] : []),
    ...(joined.keys.length > 0 ? [call(JOIN, ...rows(joined))] : []),
    ...([...counts.values()].some((by) => by !== 0) ? [call(COUNT, ws, ...counts.values())] : []),
  ]
}
