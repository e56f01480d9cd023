import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase, PoolClient } from 'pg'
import { BatonError } from '../../domain/errors.ts'
import { type BatchResult, type Outcome, TransactionLost } from '../group-commit.ts'
import type { Unit } from '../store.ts'
import { WorkingSet } from '../working-set.ts'
import type { Connections } from './connect.ts'
import { isEnded, isStaleAgent, isSurelyLost, toBatonError } from './errors.ts'
import { flush } from './flush.ts'
import { type Load, Loader } from './load.ts'
import type { Places } from './places.ts'
import { type Call, call, roundTrip } from './round-trip.ts'

const BEGIN = call({ name: 'begin', text: 'BEGIN' })
const COMMIT = call({ name: 'commit', text: 'COMMIT' })
const ROLLBACK = call({ name: 'rollback', text: 'ROLLBACK' })
const OUTCOME = {
  name: 'outcome',
  text: `SELECT pg_xact_status($1::xid8),
    EXISTS (SELECT FROM baton.entry WHERE ws = $2 AND stream = $3 AND seq = $4 AND hash = $5)`,
}

/** How long to look for the outcome of a commit whose answer was lost. */
const OUTCOME_WITHIN_MS = 3_000

export interface TransactionOptions {
  readonly connections: Connections
  readonly ws: number
  readonly origin: string
  readonly places: Places
  readonly onCommit: () => void
  /** Agents that are read are locked too: for a second try after one was changed under the first. */
  readonly lockAgents?: boolean
}

/**
 * One transaction for all units, in two round trips: begin, lock and load; then, decided in memory on locked
 * rows, write and commit. (A third when the next of a queue is claimed.) A unit that is refused has staged
 * nothing, so no savepoints are needed.
 */
export async function runTransaction(
  options: TransactionOptions,
  units: readonly Unit<unknown>[],
  settled: ReadonlySet<string> | 'skip',
): Promise<BatchResult> {
  const { connections, ws, origin, places, onCommit, lockAgents = false } = options
  const { location } = connections
  const client = await connections.pool.connect().catch((error: unknown) => {
    // A server that is not there will not be there in a moment; one that ended the connection may be.
    throw isEnded(error) ? new TransactionLost(toBatonError(error, location)) : toBatonError(error, location)
  })
  const loader = new Loader(ws, units, { lockAgents, places })
  let writes: readonly Call[] = []
  const set = new WorkingSet(loader.loaded, origin)
  let outcomes: readonly Outcome[] = []
  try {
    await load(client, loader, settled)
    if (loader.due.length > 0) {
      await leave(client)
      return { due: loader.due }
    }
    outcomes = units.map((unit): Outcome => {
      try {
        return { ok: true, value: set.decide(unit.reads, (view) => unit.decide(view)) }
      } catch (error) {
        return { ok: false, error }
      }
    })
    if (!set.isDirty) {
      await leave(client)
      return { outcomes }
    }
    writes = flush(ws, set.writes, loader.agentDocs)
  } catch (error) {
    void leave(client)
    throw lost(error, location, units.length)
  }
  try {
    await roundTrip(client, [...writes, COMMIT])
    client.release()
  } catch (error) {
    if (isSurelyLost(error, writes.length)) {
      void leave(client)
      if (isStaleAgent(error) && !lockAgents)
        return runTransaction({ ...options, lockAgents: true }, units, settled)
      throw lost(error, location, units.length)
    }
    client.release(true)
    const entry = set.writes.entries.at(-1)
    const values = entry && [ws, entry.stream, entry.seq, entry.hash]
    if (!(await isCommitted(connections, loader.transaction, values, error)))
      throw lost(error, location, units.length)
  }
  for (const uid of set.writes.newHandoffs) {
    const made = set.writes.handoffs.get(uid)
    if (made) places.keep(made)
  }
  onCommit()
  return { outcomes }
}

async function load(
  client: ClientBase,
  loader: Loader,
  settled: ReadonlySet<string> | 'skip',
): Promise<void> {
  const first = loader.first(settled)
  const [, ...answers] = await roundTrip(client, [BEGIN, ...first.map((l) => l.call)])
  for (const [i, { take }] of first.entries()) take(answers[i] ?? [])
  // Outside a transaction every write would be committed by itself.
  if (client.getTransactionStatus() !== 'T') throw new Error('the server did not begin a transaction')
  if (loader.due.length > 0) return
  if (loader.isSplit) await fetchAll(client, loader.second())
  await fetchAll(client, loader.third())
}

async function fetchAll(client: ClientBase, loads: readonly Load[]): Promise<void> {
  if (loads.length === 0) return
  const answers = await roundTrip(
    client,
    loads.map((l) => l.call),
  )
  for (const [i, { take }] of loads.entries()) take(answers[i] ?? [])
}

/** Ends the transaction and gives the connection back. Until then a claim passes over what it has locked. */
function leave(client: PoolClient): Promise<void> {
  return roundTrip(client, [ROLLBACK]).then(
    () => client.release(),
    () => client.release(true),
  )
}

/**
 * The connection broke between the commit and its answer. The server knows the outcome by the number of the
 * transaction, and tells it on another connection as soon as it has noticed the loss itself.
 */
async function isCommitted(
  { pool, location }: Connections,
  transaction: string,
  entry: readonly (string | number)[] | undefined,
  reason: unknown,
): Promise<boolean> {
  const deadline = Date.now() + OUTCOME_WITHIN_MS
  for (let attempt = 0; entry && Date.now() < deadline; attempt++) {
    await pause(Math.min(10 * 2 ** attempt, 200))
    try {
      const client = await pool.connect()
      const rows = await roundTrip(client, [call(OUTCOME, transaction, ...entry)]).finally(() =>
        client.release(),
      )
      const [status, kept] = rows[0]?.[0] ?? []
      if (status === 'aborted') return false
      // The entry is looked up too: after a fail-over another transaction may have the same number.
      if (status === 'committed' && kept === 't') return true
      if (status === 'committed') break
    } catch {
      // Not back yet.
    }
  }
  throw new BatonError(
    'unavailable',
    `the connection to PostgreSQL at ${location} broke while the change was being committed, and whether it was is not known; repeat the call with the same key`,
    { store: 'postgres', location, outcome: 'unknown' },
    reason,
  )
}

/**
 * Nothing took effect; the units may run again. Not after a wait for a lock that took too long: the next would
 * take as long.
 */
function lost(error: unknown, location: string, units: number): unknown {
  if (error instanceof TransactionLost) return error
  const cause = toBatonError(error, location)
  return cause.code === 'timed_out' && units === 1 ? cause : new TransactionLost(cause)
}
