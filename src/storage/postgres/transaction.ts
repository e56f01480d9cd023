import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase, PoolClient } from 'pg'
import { BatonError } from '../../domain/errors.ts'
import { type BatchResult, type Outcome, TransactionLost } from '../group-commit.ts'
import type { Writes } from '../loaded.ts'
import { rowsOf } from '../rows.ts'
import type { Unit } from '../store.ts'
import { WorkingSet } from '../working-set.ts'
import { ServerClock } from './connection/clock.ts'
import { type Connections, sessionOf } from './connection/connect.ts'
import { isEnded, isOutdated, isSurelyLost, toBatonError } from './connection/errors.ts'
import { type Call, call, roundTrip } from './connection/round-trip.ts'
import { change, flush } from './flush.ts'
import { type Load, Loader, type LoadOptions } from './load.ts'

const BEGIN = call({ name: 'begin', text: 'BEGIN' })
const COMMIT = call({ name: 'commit', text: 'COMMIT' })
const ROLLBACK = call({ name: 'rollback', text: 'ROLLBACK' })
/** In this order: once the session is gone, what it has not committed it never will. */
const IS_RUNNING = {
  name: 'outcome_session',
  text: `SELECT EXISTS (SELECT FROM pg_stat_activity 
    WHERE concat(pid, ' ', extract(epoch FROM backend_start)) = $1)`,
}
const IS_WRITTEN = {
  name: 'outcome_entry',
  text: 'SELECT EXISTS (SELECT FROM baton.entry WHERE ws = $1 AND stream = $2 AND seq = $3 AND hash = $4)',
}

/** How long to look for the outcome of a commit whose answer was lost. */
const OUTCOME_WITHIN_MS = 3_000

export interface TransactionOptions extends LoadOptions {
  readonly connections: Connections
  readonly ws: number
  readonly origin: string
  readonly onCommit: (writes: Writes) => void
}

/**
 * One transaction for all units, in two round trips: begin, lock and load; then, decided on locked rows, write and
 * commit. A unit that is refused has staged nothing, so no savepoints are needed.
 */
export async function runTransaction(
  options: TransactionOptions,
  units: readonly Unit<unknown>[],
  settled: ReadonlySet<string> | 'skip',
): Promise<BatchResult> {
  const { connections, ws, origin, onCommit } = options
  const { connect, location } = connections
  const client = await connect('writes').catch((error: unknown) => {
    // A server that is not there will not be there in a moment; one that ended the connection may be.
    throw isEnded(error) ? new TransactionLost(toBatonError(error, location)) : toBatonError(error, location)
  })
  const loader = new Loader(ws, units, options)
  let writes: readonly Call[] = []
  const set = new WorkingSet(loader.loaded, origin)
  let outcomes: readonly Outcome[] = []
  try {
    await load(client, connections.clock, loader, settled)
    if (loader.due.length > 0) {
      await leave(client)
      return { due: loader.due }
    }
    if (loader.isOvertaken) return leave(client).then(() => runTransaction(options, units, settled))
    outcomes = set.decideAll(units)
    if (!set.isDirty) {
      await leave(client)
      return { outcomes }
    }
    const rows = rowsOf(set.writes)
    writes = [...change(ws, set.writes, rows), ...flush(ws, set.writes, rows, loader.agentDocs)]
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
      if (isOutdated(error) && !options.lockAgents)
        return runTransaction({ ...options, lockAgents: true }, units, settled)
      throw lost(error, location, units.length)
    }
    await committedOrLost(options, client, set, error)
  }
  onCommit(set.writes)
  return { outcomes }
}

async function load(
  client: ClientBase,
  clock: ServerClock,
  loader: Loader,
  settled: ReadonlySet<string> | 'skip',
): Promise<void> {
  const time: Load = { call: ServerClock.ASK, take: (rows) => clock.hear(rows) }
  await fetchAll(client, [time, ...loader.first(settled)], [BEGIN])
  // Outside a transaction every write would be committed by itself.
  if (client.getTransactionStatus() !== 'T') throw new Error('the server did not begin a transaction')
  if (loader.due.length > 0) return
  await fetchAll(client, loader.second())
  while (loader.isShort) await fetchAll(client, loader.moreNumbers())
}

async function fetchAll(client: ClientBase, loads: readonly Load[], before: readonly Call[] = []) {
  if (loads.length === 0) return
  const answers = await roundTrip(client, [...before, ...loads.map((load) => load.call)])
  for (const [i, { take }] of loads.entries()) take(answers[before.length + i] ?? [])
}

/** Ends the transaction and gives the connection back. Until then a claim passes over what it has locked. */
function leave(client: PoolClient): Promise<void> {
  return roundTrip(client, [ROLLBACK]).then(
    () => client.release(),
    () => client.release(true),
  )
}

/**
 * The connection broke between the commit and its answer. The outcome is looked up on another: what was written is
 * there, or the session that was to write it is gone.
 */
async function committedOrLost(
  { connections, ws }: TransactionOptions,
  client: PoolClient,
  set: WorkingSet,
  reason: unknown,
): Promise<void> {
  client.release(true)
  const { connect, location } = connections
  const entry = set.writes.entries.at(-1)
  const session = sessionOf(client)
  const deadline = Date.now() + OUTCOME_WITHIN_MS
  for (let attempt = 0; entry && session && Date.now() < deadline; attempt++) {
    await pause(Math.min(10 * 2 ** attempt, 200))
    try {
      const other = await connect('writes')
      const [running, written] = await roundTrip(other, [
        call(IS_RUNNING, session),
        call(IS_WRITTEN, ws, entry.stream, entry.seq, entry.hash),
      ]).finally(() => other.release())
      if (written?.[0]?.[0] === 't') return
      if (running?.[0]?.[0] === 'f') throw new TransactionLost(toBatonError(reason, location))
    } catch (error) {
      if (error instanceof TransactionLost) throw error
      // Not back yet.
    }
  }
  throw new BatonError(
    'unavailable',
    `the connection to PostgreSQL at ${location} broke during the commit. The change may have been made; repeat the call with the same key`,
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
