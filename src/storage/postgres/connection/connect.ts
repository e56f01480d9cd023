import type { ClientBase, Pool } from 'pg'
import { BatonError } from '../../../domain/errors.ts'
import { SERVER_MS, ServerClock } from './clock.ts'
import { toBatonError } from './errors.ts'

export interface Connections {
  readonly pool: Pool
  /** A connection of its own, for listening: notifications come on the one that asked for them. */
  readonly alone: () => ClientBase & { end(): Promise<void> }
  /** Host, port and database, without user and password. */
  readonly location: string
  readonly clock: ServerClock
}

const OLDEST_VERSION = 15
const CONNECT_WITHIN_MS = 10_000
/** Readers beside the transactions that may be under way. */
const READERS = 4

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
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '30s',
  // Not of the server: see parties.ts.
  'baton.parties': 'kept',
}

/** Prepares connections to the database; none is opened yet. `pg` is loaded here, so that others do not pay for it. */
export async function prepareConnections(options: {
  readonly url: string
  readonly lanes: number
  readonly readOnly: boolean
}): Promise<Connections> {
  const { default: pg } = await import('pg')
  const config = {
    connectionString: options.url,
    application_name: 'baton',
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_WITHIN_MS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
  }
  const location = locate(() => new pg.Client(config))
  const clock = new ServerClock()
  const pool = new pg.Pool({
    ...config,
    max: options.lanes + READERS,
    onConnect: (client) => prepareSession(client, { location, clock }, options.readOnly),
  })
  // A connection that dies while nobody uses it is taken out of the pool; without a listener it ends the process.
  pool.on('error', () => {})
  const alone = () => {
    const client = new pg.Client(config)
    client.on('error', () => {})
    return client
  }
  return { pool, alone, location, clock }
}

/** Runs `work` on a connection of the pool; one on which something failed is not used again. */
export async function withClient<T>(
  { pool, location }: Connections,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  try {
    const client = await pool.connect()
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
export async function inTransaction(client: ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await work()
    await client.query('COMMIT')
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
  { location, clock }: Pick<Connections, 'location' | 'clock'>,
  readOnly: boolean,
): Promise<void> {
  client.on('error', () => {})
  const settings = Object.entries({ ...SETTINGS, ...(readOnly && { default_transaction_read_only: 'on' }) })
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes,
       current_setting('synchronous_commit') AS synchronous_commit, pg_is_in_recovery() AS recovering,
       (SELECT concat(pid, ' ', extract(epoch FROM backend_start)) FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS session,
       (SELECT count(set_config(name, value, false)) FROM unnest($1::text[], $2::text[]) AS s(name, value)) AS set,
       ${SERVER_MS} AS server_ms`,
    [settings.map(([name]) => name), settings.map(([, value]) => value)],
  )
  const found = rows[0]
  sessions.set(client, found.session ?? undefined)
  clock.hear([[found.server_ms]])
  const refuse = (reason: string): never => {
    throw new BatonError('store_refused', `PostgreSQL at ${location} ${reason}`, {
      store: 'postgres',
      location,
    })
  }
  const version = Math.floor(found.version / 10_000)
  if (version < OLDEST_VERSION)
    refuse(`has version ${version}; Baton needs ${OLDEST_VERSION} or newer: upgrade the server`)
  if (found.recovering)
    refuse('is a standby, where changes may be seen out of order; use the address of the primary')
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

function locate(client: () => { host: string; port: number; database?: string | undefined }): string {
  try {
    const { host, port, database } = client()
    return `${host}:${port}/${database ?? ''}`
  } catch {
    // The reason would repeat the address, and with it the password.
    throw new BatonError(
      'store_refused',
      'the address of the store is not a PostgreSQL address; it looks like postgres://user@host:5432/database',
    )
  }
}
