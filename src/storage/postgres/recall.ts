import { dueOf } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { mergeReads } from '../group-commit.ts'
import { emptyLoaded, type Loaded } from '../loaded.ts'
import type { Unit } from '../store.ts'
import { type Call, call, type Value } from './connection/round-trip.ts'
import type { Versions } from './flush.ts'
import { AGENT_CHANGES } from './load-statements.ts'
import type { Numbers } from './numbers.ts'
import type { Remembered, Version } from './remembered.ts'

/** All that a batch needs, from memory, with the calls that fail where it is not so any more. */
export interface Recalled {
  readonly loaded: Loaded
  readonly agentDocs: ReadonlyMap<string, string>
  readonly versions: Versions
  /** For when not all of these handoffs and streams are changed: then they are locked first, in one order. */
  readonly locks: Call
  /** For the rest, without the contents that are changed. Behind the locks: it sees what whoever held one has committed. */
  check(changed: ReadonlyMap<string, unknown>): Call
  /** Takes the numbers of new handoffs, and draws some for the next batch. */
  number(): readonly Call[]
  /** Makes the next look go to the store. */
  forget(): void
}

type Kind = 'handoffs' | 'streams' | 'contents'

// biome-ignore format: read as a table
const TABLES: Readonly<Record<Kind, { readonly table: string; readonly lock: string }>> = {
  handoffs: { table: 'handoff', lock: 'FOR UPDATE' },
  streams:  { table: 'stream',  lock: 'FOR UPDATE' },
  contents: { table: 'content', lock: 'OFFSET 0' },
}

/** Whether all rows of a kind are the remembered ones, found like those that are changed (see tables.ts). */
function areSame(kind: Kind, place: number): string {
  const { table, lock } = TABLES[kind]
  const [keys, tids, xids] = [0, 1, 2].map((i) => `$${place + i}::text[]`)
  return `(SELECT count(*) FROM (SELECT FROM unnest(${keys}, ${tids}, ${xids}) AS k (key, tid, xid) CROSS JOIN LATERAL (
    SELECT FROM baton.${table} WHERE ctid = k.tid::tid AND xmin = k.xid::xid AND ws = $1 AND uid = k.key ${lock}
  ) AS r) AS found) = cardinality(${keys})`
}

/** They divide by whether all is as it was: where it is not, the division fails and takes the transaction with it. */
const CHECK = {
  locked: {
    name: 'check_locked',
    text: `SELECT 1 / (${areSame('handoffs', 2)} AND ${areSame('streams', 5)})::integer`,
  },
  read: {
    name: 'check_read',
    text: `SELECT 1 / (coalesce(${AGENT_CHANGES} = $3::bigint, false) AND ${areSame('contents', 4)}
      AND NOT EXISTS (SELECT FROM baton.handoff WHERE ws = $1 AND due_at <= $2))::integer`,
  },
}

/**
 * The rows that the units read, if this process saw all of them a moment ago. Idempotency keys are taken for new: a
 * key that exists already fails when it is written.
 */
export function recall(
  ws: number,
  units: readonly Unit<unknown>[],
  { remembered, numbers }: { readonly remembered: Remembered; readonly numbers: Numbers },
): Recalled | undefined {
  const reads = mergeReads(units)
  const others = [reads.tasks, reads.counted, reads.notices, reads.sessions, reads.runs, reads.blocks]
  if (others.some((keys) => keys.length > 0) || reads.deliveries.length + reads.pairs.length > 0)
    return undefined
  if (reads.claims.size > 0) return undefined
  const handoffs = found(new Set([...reads.handoffs, ...reads.contents]), remembered.handoffs)
  if (!handoffs || handoffs.size + reads.numbers === 0) return undefined
  const loaded = emptyLoaded()
  const names = new Set(reads.agents)
  const roots = new Set(reads.streams)
  for (const [uid, { value }] of handoffs) {
    const handoff: Handoff = JSON.parse(value)
    if (handoff.task !== undefined || handoff.run !== undefined || handoff.gated) return undefined
    // Settled first, and the check comes behind the change, which may say that it is due later.
    if ((dueOf(handoff)?.at ?? '~') <= reads.at) return undefined
    loaded.handoffs.set(uid, handoff)
    names.add(handoff.from).add(handoff.to)
    roots.add(handoff.root)
  }
  const streams = found(roots, remembered.streams)
  const agents = found(names, remembered.agents)
  const contents = found(new Set(reads.contents), remembered.contents)
  if (!streams || !agents || !contents) return undefined
  const [changes, ...earlier] = new Set(Array.from(agents.values(), (known) => known.changes))
  if (changes === undefined || earlier.length > 0) return undefined
  const drawn = numbers.next(reads.numbers, reads.year)
  if (!drawn) return undefined
  loaded.numbers.push(...drawn)
  for (const [uid, { value }] of streams) loaded.streams.set(uid, value)
  for (const [uid, { value }] of contents) loaded.contents.set(uid, JSON.parse(value))
  for (const [name, { value }] of agents) loaded.agents.set(name, JSON.parse(value))
  return {
    loaded,
    agentDocs: new Map(Array.from(agents, ([name, { value }]) => [name, value])),
    versions: { handoffs, streams, contents },
    locks: call(CHECK.locked, ws, ...versions(handoffs), ...versions(streams)),
    check(changed) {
      const looked = new Map([...contents].filter(([uid]) => !changed.has(uid)))
      return call(CHECK.read, ws, reads.at, changes, ...versions(looked))
    },
    number() {
      numbers.use(reads.numbers)
      return reads.numbers > 0 ? numbers.draw(0, units.length, reads.year) : []
    },
    forget() {
      const rows = { agents, handoffs, streams, contents }
      for (const kind of ['agents', 'handoffs', 'streams', 'contents'] as const)
        for (const key of rows[kind].keys()) remembered[kind].forget(key)
    },
  }
}

const versions = (rows: ReadonlyMap<string, Version>): readonly Value[] => [
  [...rows.keys()],
  Array.from(rows.values(), ({ tid }) => tid),
  Array.from(rows.values(), ({ xid }) => xid),
]

/** All of these in one order, or nothing when one is missing. */
function found<T>(
  keys: ReadonlySet<string>,
  known: { get(key: string): T | undefined },
): ReadonlyMap<string, T> | undefined {
  const rows = new Map<string, T>()
  for (const key of [...keys].sort()) {
    const row = known.get(key)
    if (!row) return undefined
    rows.set(key, row)
  }
  return rows
}
