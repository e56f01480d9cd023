import { mergeReads } from '../group-commit.ts'
import { emptyLoaded, type Loaded } from '../loaded.ts'
import type { Unit } from '../store.ts'
import { latest } from './load.ts'
import type { Known, Remembered } from './remembered.ts'
import { type Call, call, type Statement } from './round-trip.ts'

/** All that a batch needs, from memory, with the calls that fail where it is not so any more. */
export interface Recalled {
  readonly loaded: Loaded
  readonly agentDocs: ReadonlyMap<string, string>
  readonly checks: readonly Call[]
  /** Makes the next look go to the store. */
  forget(): void
}

/**
 * A check divides by whether all is as it was: where it is not, the division fails and takes the transaction with it.
 * Rows are found by where they stand; what was changed, moved or replaced stands somewhere else or is of another
 * transaction.
 */
const check = (name: string, table: string, key: string, lock: string): Statement => ({
  name: `check_${name}`,
  text: `SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM (
      SELECT FROM unnest($2::text[], $3::text[], $4::text[]) AS k (key, tid, xid) CROSS JOIN LATERAL (
        SELECT FROM baton.${table} WHERE ctid = k.tid::tid AND xmin = k.xid::xid AND ws = $1 AND ${key} = k.key ${lock}
      ) AS r) AS found`,
})

// biome-ignore format: one statement each
const CHECK = {
  nothingDue: { name: 'check_due', text: `
    SELECT 1 / (NOT EXISTS (SELECT FROM baton.handoff WHERE ws = $1 AND due_at <= $2))::integer` },
  agents: check('agents', 'agent', 'name', 'OFFSET 0'),
  handoffs: check('handoffs', 'handoff', 'uid', 'FOR UPDATE'),
  streams: check('streams', 'stream', 'uid', 'FOR UPDATE'),
  contents: check('contents', 'content', 'uid', 'OFFSET 0'),
}

/**
 * What the units read, if this process has seen all of it a moment ago. Locks are taken in the order of a load. Keys of
 * repeated calls are taken for new: one that is not fails when it is written.
 */
export function recall(
  ws: number,
  units: readonly Unit<unknown>[],
  remembered: Remembered,
): Recalled | undefined {
  const reads = mergeReads(units)
  const others = [reads.tasks, reads.counted, reads.notices, reads.sessions, reads.runs, reads.blocks]
  if (others.some((keys) => keys.length > 0) || reads.deliveries.length + reads.pairs.length > 0)
    return undefined
  if (reads.claims.size > 0 || reads.numbers > 0) return undefined
  const handoffs = found(new Set([...reads.handoffs, ...reads.contents]), remembered.handoffs)
  if (!handoffs || handoffs.size === 0) return undefined
  const agentNames = new Set(reads.agents)
  const roots = new Set(reads.streams)
  for (const { value } of handoffs.values()) {
    if (value.task !== undefined || value.run !== undefined || value.gated) return undefined
    agentNames.add(value.from).add(value.to)
    roots.add(value.root)
  }
  const streams = found(roots, remembered.streams)
  const agents = found(agentNames, remembered.agents)
  const contents = found(new Set(reads.contents), remembered.contents)
  if (!streams || !agents || !contents) return undefined
  const loaded = emptyLoaded()
  for (const [uid, { value }] of handoffs) loaded.handoffs.set(uid, value)
  for (const [uid, { value }] of streams) loaded.streams.set(uid, value)
  for (const [uid, { value }] of contents) loaded.contents.set(uid, value)
  for (const [name, { value }] of agents) loaded.agents.set(name, value.agent)
  const checked = { agents, handoffs, streams, contents }
  return {
    loaded,
    agentDocs: new Map([...agents].map(([name, { value }]) => [name, value.doc])),
    checks: [
      call(CHECK.nothingDue, ws, latest(units)),
      ...(['agents', 'handoffs', 'streams', 'contents'] as const).flatMap((kind) =>
        checked[kind].size > 0 ? [checkCall(CHECK[kind], ws, checked[kind])] : [],
      ),
    ],
    forget() {
      for (const kind of ['agents', 'handoffs', 'streams', 'contents'] as const)
        for (const key of checked[kind].keys()) remembered[kind].forget(key)
    },
  }
}

/** All of these in one order, or nothing when one is missing. */
function found<T>(
  keys: ReadonlySet<string>,
  known: { get(key: string): Known<T> | undefined },
): ReadonlyMap<string, Known<T>> | undefined {
  const rows = new Map<string, Known<T>>()
  for (const key of [...keys].sort()) {
    const row = known.get(key)
    if (!row) return undefined
    rows.set(key, row)
  }
  return rows
}

const checkCall = (statement: Statement, ws: number, rows: ReadonlyMap<string, Known<unknown>>): Call =>
  call(
    statement,
    ws,
    [...rows.keys()],
    [...rows.values()].map(({ tid }) => tid),
    [...rows.values()].map(({ xid }) => xid),
  )
