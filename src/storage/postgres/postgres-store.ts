import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '../../domain/errors.ts'
import { EMPTY_UNIT, GroupCommit } from '../group-commit.ts'
import type { Leftover } from '../leftovers.ts'
import type { Listener } from '../listeners.ts'
import { changedBy } from '../loaded.ts'
import type { StoreLimits } from '../pools.ts'
import { SlowReads, STORE_LIMITS } from '../slow-reads.ts'
import type { Cleared, DumpRow, SignedCheckpoint, Store, StoreInfo, Tile, Tree, Unit } from '../store.ts'
import { type Ask, askWith, inTurn, type Trip, tripOn } from './connection/ask.ts'
import { SERVER_MS } from './connection/clock.ts'
import { type Connections, prepareConnections, withClient } from './connection/connect.ts'
import { call } from './connection/round-trip.ts'
import { Signals } from './connection/signals.ts'
import { dump, restore } from './copy.ts'
import { IS_DUE, PUT_RIGHT } from './leases.ts'
import { migrate } from './migrate.ts'
import { postgresQueries } from './reading/queries.ts'
import { addCheckpoint, growTree } from './reading/tree.ts'
import { putAway, scrub } from './redact.ts'
import type { Replica } from './replica.ts'
import { fieldOf } from './tables.ts'
import { runTransaction } from './transaction.ts'
import { openWorkspace, retireWorkspace, type Workspace } from './workspace.ts'

export interface PostgresStoreOptions {
  /** For example `postgres://user@host:5432/database`. */
  readonly url: string
  readonly workspace: string
  readonly limits?: Partial<StoreLimits>
  /** The address of a standby that answers lists and searches. */
  readonly replica?: string | undefined
  readonly readOnly?: boolean
  /** Runs migrations that an older program could not live beside. */
  readonly upgrade?: boolean
  /** Told the name of the log of a workspace before that is there for others. */
  readonly onMake?: (origin: string, location: string) => void
}

const MAX_BATCH = 256
/** Whether rows say that something is due, and whether it is. */
const DUE = {
  name: 'due',
  text: `SELECT ${SERVER_MS}, EXISTS (SELECT FROM baton.handoff WHERE ws = $1 AND due_at <= $2)::text,
    EXISTS (SELECT FROM baton.handoff WHERE ${IS_DUE})::text`,
}

const PUT_LIVE = `INSERT INTO baton.live VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (ws, uid, attempt) DO UPDATE SET at = excluded.at, text = excluded.text`
const END_LIVE = 'DELETE FROM baton.live WHERE ws = $1 AND (at < $2 OR (uid = $3 AND attempt = $4))'

/** Opens a workspace of a shared store; makes schema and workspace when they are not there. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, workspace: name, readOnly = false, upgrade = false, onMake } = options
  const limits = { ...STORE_LIMITS, ...options.limits }
  const connections = await prepareConnections({ url, limits, readOnly })
  try {
    return await withClient(connections, 'writes', async (client) => {
      const schema = await migrate(client, { readOnly, upgrade })
      const workspace = await openWorkspace(client, name, {
        readOnly,
        onMake: (origin) => onMake?.(origin, connections.location),
      })
      const replica =
        options.replica && (await import('./replica.ts')).Replica.at(options.replica, limits, connections)
      const about = { name, schema, readOnly, limits, replica: (await replica) || undefined }
      const store = new PostgresStore(connections, workspace, about)
      return Object.assign(store, store.queries(workspace.id))
    })
  } catch (error) {
    await connections.end()
    throw error
  }
}

/** Above the numbers of workspaces. */
const WORDS_LOCK = 0x776f_7264_0000

class PostgresStore {
  info: StoreInfo
  readonly #connections: Connections
  readonly #ws: number
  readonly #ask: Ask
  readonly #slow: SlowReads
  readonly #replica: Replica | undefined
  readonly #signals: Signals
  readonly #group: GroupCommit
  #closing: Promise<void> | undefined
  #search: Store['search'] | undefined

  constructor(
    connections: Connections,
    workspace: Workspace,
    {
      name,
      schema,
      readOnly,
      limits,
      replica,
    }: { name: string; schema: number; readOnly: boolean; limits: StoreLimits; replica: Replica | undefined },
  ) {
    this.#replica = replica
    this.#connections = connections
    this.#ws = workspace.id
    this.#ask = askWith(tripOn(connections, 'writes'), workspace.id)
    this.#slow = new SlowReads(limits)
    this.#signals = new Signals(connections, workspace.id)
    const { location } = connections
    const { id: _, ...kept } = workspace
    this.info = { engine: 'postgres', location, workspace: name, schema, readOnly, ...kept }
    this.#group = new GroupCommit({
      run: (units, settled) =>
        runTransaction(
          {
            connections,
            ws: this.#ws,
            origin: this.info.origin,
            onCommit: (writes) => this.#signals.send(changedBy(writes)),
          },
          units,
          settled,
        ),
      lanes: limits.writers,
      maxBatch: MAX_BATCH,
    })
  }

  now(): Date {
    return this.#connections.clock.now()
  }

  queries(ws: number) {
    const [trip, first] = [tripOn(this.#connections, 'reads'), tripOn(this.#connections, 'first reads')]
    const quick: Trip = (calls) => (this.#slow.reader?.isFirst ? first : trip)(calls)
    const history = this.#replica?.before(quick, 'reads') ?? quick
    return postgresQueries({ quick, history, slow: this.#slowTrip() }, ws)
  }

  #slowTrip(before?: () => Promise<unknown>): Trip {
    const trip = tripOn(this.#connections, 'slow reads')
    const read = this.#replica?.before(trip, 'slow reads') ?? trip
    return (calls) => this.#slow.run((signal) => read(calls, signal), before)
  }

  replicaReads = () => this.#replica?.reads

  search: Store['search'] = async (query, page) => {
    const { postgresSearch } = await import('./search.ts')
    this.#search ??= postgresSearch(this as unknown as Store, this.#ws, {
      write: this.#ask,
      trip: tripOn(this.#connections, 'reads'),
      slowTrip: (before) => this.#slowTrip(before),
      inTurn: (work) => inTurn(this.#connections, WORDS_LOCK + this.#ws, work),
      // A command reads for itself.
      rest: (ms) => pause(this.#slow.reader ? 2 * ms : 0),
    })
    return this.#search(query, page)
  }

  readAs: Store['readAs'] = (reader, work) => this.#slow.readAs(reader, work)

  pools(): ReturnType<Store['pools']> {
    const { writes, reads } = this.#connections.places
    return { writes: writes.state, reads: reads.state, slow_reads: this.#slow.state }
  }

  async transact<T>(unit: Unit<T>): Promise<T> {
    this.#refuseReadOnly()
    if (this.#closing) throw new BatonError('unavailable', 'the store was closed')
    return this.#group.submit(unit).catch((error: unknown) => this.#orMoved(error))
  }

  /** A workspace that was retired since it was opened refuses by a constraint; the reason is looked up. */
  async #orMoved(error: unknown): Promise<never> {
    if (!(error instanceof BatonError && error.details.sqlstate === '23514')) throw error
    const [row] = await this.#ask(undefined, `SELECT value FROM baton.meta WHERE ws = $1 AND key = 'moved'`)
    throw (await import('../moved.ts')).movedAway({ ...this.info, moved: row?.[0] ?? 'another store' })
  }

  onDue(settle: Parameters<Store['onDue']>[0]): void {
    this.#group.onDue(settle)
  }

  async settle(at: string): Promise<number> {
    if (this.info.readOnly || this.info.moved) return 0
    const trip = tripOn(this.#connections, 'reads')
    const [rows = []] = await trip([call(DUE, this.#ws, at)])
    this.#connections.clock.hear(rows)
    const [, isNear, isDue] = rows[0] ?? []
    if (isNear === 'true') await trip([call(PUT_RIGHT, this.#ws, at)])
    return isDue === 'true' ? this.#group.settle(at) : 0
  }

  async growTree(expectedSize: number, next: Tree, tiles: readonly Tile[]): Promise<boolean> {
    this.#refuseReadOnly()
    return growTree(this.#ask, expectedSize, next, tiles)
  }

  async addCheckpoint(checkpoint: SignedCheckpoint): Promise<void> {
    this.#refuseReadOnly()
    await addCheckpoint(this.#ask, checkpoint)
  }

  putAway: Store['putAway'] = (entries) => putAway(this.#ask, entries).catch(refuseForOwner)

  keepLive: Store['keepLive'] = async ({ uid, attempt, at, text }, before) => {
    this.#refuseReadOnly()
    if (text === undefined) await this.#ask('end_live', END_LIVE, before, uid, attempt)
    else await this.#ask('put_live', PUT_LIVE, uid, attempt, at, text)
  }

  ping = () =>
    this.info.readOnly
      ? this.#ask('ping', 'SELECT FROM baton.token WHERE ws = $1 AND hash = $2', '')
      : this.transact(EMPTY_UNIT)

  subscribe(listener: Listener): () => void {
    return this.#signals.subscribe(listener)
  }

  async gc(before: string, apply: boolean, most?: number): Promise<Cleared> {
    if (apply) this.#refuseReadOnly()
    const { leftovers } = await import('../leftovers.ts')
    const sweep = async ([name, table, where]: Leftover) => {
      const old = `FROM baton.${table} WHERE ws = $1 AND ${where.replace('?', '$2')}`
      // Another server may clear at the same time.
      const rows = `SELECT ctid ${old} LIMIT ${most ?? 'ALL'} FOR UPDATE SKIP LOCKED`
      const text = apply
        ? `WITH gone AS (DELETE FROM baton.${table} WHERE ctid = ANY (ARRAY(${rows})) RETURNING 1) SELECT count(*) FROM gone`
        : `SELECT count(*) ${old}`
      return [name, Number((await this.#ask(undefined, text, before))[0]?.[0])]
    }
    const old = leftovers(fieldOf)
    const cleared = []
    for (const each of old) cleared.push(await sweep(each))
    return Object.fromEntries(cleared)
  }

  async scrub(): Promise<readonly string[]> {
    this.#refuseReadOnly()
    return scrub(this.#connections)
  }

  async retire(to?: string): Promise<boolean> {
    this.#refuseReadOnly()
    const isChanged = await withClient(this.#connections, 'writes', (client) =>
      retireWorkspace(client, this.#ws, this.info.moved, to),
    ).catch(refuseForOwner)
    if (isChanged) this.info = { ...this.info, moved: to }
    return isChanged
  }

  dump(): AsyncIterable<DumpRow> {
    return dump(this.#connections, this.#ws)
  }

  async restore(rows: AsyncIterable<DumpRow>): Promise<number> {
    this.#refuseReadOnly()
    const { count, origin } = await restore(this.#connections, this.#ws, rows).catch(refuseForOwner)
    this.info = { ...this.info, origin }
    this.#signals.send()
    return count
  }

  async keepSettings(text: string): Promise<void> {
    this.#refuseReadOnly()
    const put = `INSERT INTO baton.meta (ws, key, value) VALUES ($1, 'settings', $2)
      ON CONFLICT (ws, key) DO UPDATE SET value = excluded.value`
    await this.#ask(undefined, put, text)
    this.info = { ...this.info, settings: text }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#group.drained()
    this.#signals.close()
    await this.#signals.sent()
    await Promise.all([this.#connections.end(), this.#replica?.close()])
  }

  #refuseReadOnly(): void {
    if (!this.info.readOnly) return
    const { location } = this.info
    throw new BatonError('unavailable', `the store at ${location} was opened for reading only`, { location })
  }
}

/** `store grants` does not give these rights: they change tables and numbers that all workspaces share. */
function refuseForOwner(error: unknown): never {
  if (!(error instanceof BatonError && error.details.sqlstate === '42501')) throw error
  const text = `PostgreSQL at ${error.details.location}: only the owner of the tables can copy or archive this store or restore into it. Repeat the command with the owner in this address`
  throw new BatonError('store_refused', text, error.details, error)
}
