import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { BatonError, type ErrorCode } from '../../../domain/errors.ts'
import type { StoreLimits } from '../../pools.ts'
import { SERVER_MS, ServerClock } from './clock.ts'
import { toBatonError } from './errors.ts'
import { Places } from './places.ts'

/** `pg` has these two, and its types do not. */
type Alone = ClientBase & { end(): Promise<void>; ref(): void; unref(): void }

export interface Connections {
  /** How many there may be at once. */
  readonly size: number
  readonly end: () => Promise<unknown>
  /** Writes wait for writes and reads for reads, never one for the other. */
  readonly places: { readonly writes: Places; readonly reads: Places }
  /** A connection of the pool to the host that takes writes, of those that the address names. */
  readonly connect: (use: Use) => Promise<PoolClient>
  /** A connection of its own, for listening: notifications come on the one that asked for them. */
  readonly alone: () => Alone
  /** Host, port and database, without user and password. */
  readonly location: string
  readonly clock: ServerClock
}

/** Slow reads have places of their own: see slow-reads.ts. */
export type Use = 'writes' | 'reads' | 'first reads' | 'slow reads' | 'signals'

const OLDEST_VERSION = 15
const CONNECT_WITHIN_MS = 10_000
/** Connections beside those of transactions, for the tree of the log, and beside those of reads, for signals. */
const BESIDE = 1
/** How often a pooler is asked whether it lends one session to several clients, and how long at most. */
const PROBES = 5
const PROBE_MS = 2_000

/**
 * Settings of every session. Statements are prepared, so planning each again (`auto`) costs more than running
 * them; a plan made while a table was small must not read the whole of it later. A process that hangs between
 * its two round trips must not hold its locks for ever.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  search_path: 'pg_catalog',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
  // Not of the server: see lists.ts.
  'baton.parties': 'kept',
  'baton.lists': 'kept',
}

/** Prepares connections to the database; none is opened yet. `pg` is loaded here, so that others do not pay for it. */
export async function prepareConnections(options: {
  readonly url: string
  readonly limits: StoreLimits
  readonly readOnly: boolean
  readonly connectMs?: number
  /** A standby, and nothing else. */
  readonly isReplica?: boolean
}): Promise<Connections> {
  const { default: pg } = await import('pg')
  const config = {
    application_name: 'baton',
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_WITHIN_MS,
    connectionTimeoutMillis: options.connectMs ?? CONNECT_WITHIN_MS,
  }
  const addresses = addressesIn(options.url)
  let current = 0
  class Client extends pg.Client {
    constructor() {
      super({ ...config, connectionString: addresses[current] })
    }
  }
  const location = locate(() => addresses.map((connectionString) => new pg.Client({ connectionString })))
  const clock = new ServerClock()
  const alone = (): Alone => {
    const client = new Client()
    client.on('error', () => {})
    return client as Client & Alone
  }
  const { writers, readers, slowReaders } = options.limits
  const places = { writes: new Places(writers + BESIDE), reads: new Places(readers) }
  const poolOf = (max: number): Pool => {
    const onConnect = (client: ClientBase) => prepareSession(client, { location, clock, alone }, options)
    const pool = new pg.Pool({ ...config, Client, max, onConnect })
    // A connection that dies while nobody uses it is taken out of the pool; without a listener it ends the process.
    pool.on('error', () => {})
    return pool
  }
  // Each connection that runs a transaction prepares and plans all its statements: few do.
  const pools = [poolOf(writers + BESIDE), poolOf(readers + slowReaders + BESIDE)] as const
  const connected = async (pool: Pool): Promise<PoolClient> => {
    for (let tried = 1; ; tried++) {
      const chosen = current
      try {
        return await pool.connect()
      } catch (error) {
        if (tried === addresses.length) throw error
        if (current === chosen) current = (current + 1) % addresses.length
      }
    }
  }
  const connect = async (use: Use): Promise<PoolClient> => {
    const connectTo = () => connected(use === 'writes' ? pools[0] : pools[1])
    if (use === 'slow reads' || use === 'signals') return connectTo()
    return places[use === 'writes' ? use : 'reads'].lend(connectTo, use === 'first reads')
  }
  const size = pools.reduce((sum, pool) => sum + pool.options.max, 0)
  const end = () => Promise.all(pools.map((pool) => pool.end()))
  return { places, connect, alone, location, clock, size, end }
}

/** One address for each host: `postgres://a,b/db` names two servers with the same database. */
function addressesIn(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url]
}

/** Runs `work` on a connection of the pool; one on which something failed is not used again. */
export async function withClient<T>(
  { connect, location }: Connections,
  use: Use,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  try {
    const client = await connect(use)
    let failure: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      client.release(failure)
    }
  } catch (error) {
    throw toBatonError(error, location)
  }
}

/** All that `work` does is committed, or nothing of it. */
export async function inTransaction<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const value = await work()
    await client.query('COMMIT')
    return value
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

const sessions = new WeakMap<ClientBase, string | undefined>()

/** Which process of the server a connection has, and since when: no later one is called the same. */
export const sessionOf = (client: ClientBase): string | undefined => sessions.get(client)

/** Refuses a server on which an acknowledged commit can be lost, whoever changed its settings and when. */
async function prepareSession(
  client: ClientBase,
  { location, clock, alone }: Pick<Connections, 'location' | 'clock' | 'alone'>,
  { readOnly, limits, isReplica }: Parameters<typeof prepareConnections>[0],
): Promise<void> {
  client.on('error', () => {})
  const settings = Object.entries({
    ...SETTINGS,
    statement_timeout: `${limits.queryMs}ms`,
    ...(readOnly && { default_transaction_read_only: 'on' }),
  })
  const [names, values] = [settings.map(([name]) => name), settings.map(([, value]) => value)]
  // A session that a pooler lends is not ours to set.
  const { processID } = client as ClientBase & { readonly processID?: number }
  const ask = async (pid: number | undefined) => {
    const { rows } = await client.query(
      `SELECT current_setting('server_version_num')::integer AS version, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes,
       current_setting('synchronous_commit') AS synchronous_commit, pg_is_in_recovery() AS recovering,
       pg_backend_pid() AS pid, ${SERVER_MS} AS server_ms,
       (SELECT concat(pid, ' ', extract(epoch FROM backend_start)) FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS session,
       (SELECT count(set_config(name, value, false)) FROM unnest($1::text[], $2::text[]) AS s(name, value)
        WHERE pg_backend_pid() = $3) AS set`,
      [names, values, pid],
    )
    return rows[0]
  }
  let found = await ask(processID)
  const refuse = (reason: string, code: ErrorCode = 'store_refused'): never => {
    throw new BatonError(code, `PostgreSQL at ${location} ${reason}`, {
      store: 'postgres',
      location,
    })
  }
  if (found.pid !== processID) {
    if (!(await holdsItsSession(client, alone())))
      refuse(
        'is behind a pooler in transaction or statement mode; set pool_mode = session, or use the address of the server',
      )
    found = await ask(found.pid)
  }
  sessions.set(client, found.session ?? undefined)
  clock.hear([[found.server_ms]])
  const version = Math.floor(found.version / 10_000)
  if (version < OLDEST_VERSION)
    refuse(`has version ${version}; Baton needs ${OLDEST_VERSION} or newer: upgrade the server`)
  // Of several hosts one may be about to take over.
  const standby = location.includes(',') ? 'unavailable' : 'store_refused'
  if (found.recovering && !isReplica)
    refuse('is a standby, where changes may be seen out of order; use the address of the primary', standby)
  if (readOnly) return
  if (found.fsync !== 'on')
    refuse(`has fsync off and can lose everything on a crash; set fsync = on in postgresql.conf and reload`)
  if (found.full_page_writes !== 'on')
    refuse('has full_page_writes off and can damage pages on a crash; set full_page_writes = on and reload')
  if (found.synchronous_commit === 'off')
    refuse(
      'acknowledges commits before they are on disk; set synchronous_commit = on for this user, database and server',
    )
}

/** Whether a client of a pooler keeps the session that it was lent: in another mode two clients meet in one. */
async function holdsItsSession(client: ClientBase, other: Alone): Promise<boolean> {
  const pidOf = async (one: ClientBase) => (await one.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
  const isHeld = async () => {
    await other.connect()
    const pid = await pidOf(client)
    for (let probe = 0; probe < PROBES; probe++)
      if ((await pidOf(other)) === pid || (await pidOf(client)) !== pid) return false
    return true
  }
  try {
    // A second client that gets no session at all waits for the one that the first one holds.
    return await Promise.race([isHeld(), pause(PROBE_MS, true, { ref: false })])
  } finally {
    void other.end().catch(() => undefined)
  }
}

function locate(
  clients: () => readonly { host: string; port: number; database?: string | undefined }[],
): string {
  try {
    const found = clients()
    return `${found.map(({ host, port }) => `${host}:${port}`).join(',')}/${found[0]?.database ?? ''}`
  } catch {
    // The reason would repeat the address, and with it the password.
    throw new BatonError(
      'store_refused',
      'the address of the store is not a PostgreSQL address; it looks like postgres://user@host:5432/database',
    )
  }
}
