import { BatonError, type ErrorCode } from '../../../domain/errors.ts'
import { RoundTripFailed } from './round-trip.ts'

/** PostgreSQL's error codes (SQLSTATE) with our code and the way out. A class has two characters. */
// biome-ignore format: read as a table
const STATES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  '08':    ['unavailable',   'the connection failed; repeat the call'],
  '22012': ['unavailable',   'an agent was changed by another call at the same moment; repeat the call'],
  '22021': ['invalid_input', 'a text holds a character that cannot be stored; remove it'],
  '23505': ['unavailable',   'another call made the same row at the same moment; repeat the call'],
  '25006': ['unavailable',   'this server or role only reads; use the primary, or set default_transaction_read_only = off for the role'],
  '28':    ['store_refused', 'correct the user or the password in the address of the store'],
  '3D000': ['store_refused', 'create it with: createdb <name>'],
  '3F000': ['store_refused', 'the schema baton is gone; restore a backup with: baton store restore <file>'],
  '40':    ['unavailable',   'other calls changed the same rows at the same moment; repeat the call'],
  '42501': ['store_refused', 'let the owner open the store once, then give this user its rights with: baton store grants <role>'],
  '42P01': ['store_refused', 'a table of the schema baton is gone; restore a backup with: baton store restore <file>'],
  '53':    ['unavailable',   'the server is out of connections, memory or disk; make room and repeat the call'],
  '54':    ['too_large',     'a value is too long to be stored; shorten it'],
  '55P03': ['timed_out',     'another session holds a lock for too long; find it in pg_stat_activity'],
  '57014': ['timed_out',     'the statement took too long and was stopped; look for waiting locks in pg_stat_activity'],
  '57':    ['unavailable',   'repeat the call when the server is up again'],
}

/** Ids that callers choose: taken is taken, and trying again does not help. */
const CHOSEN = new Set([
  'handoff_pkey',
  'handoff_id',
  'task_pkey',
  'task_id',
  'notice_pkey',
  'record_uid',
  'artifact_pkey',
])

/** Messages of `pg` itself, without a code, when a connection fails or cannot be had. */
const PG_CONNECTION =
  /^Connection terminated|^timeout e|not queryable|answer in time|after calling end on the pool|SSL connection|^SASL/

interface ServerError {
  readonly code: string
  readonly message: string
  readonly constraint?: string
  readonly detail?: string
}

/** A failure of PostgreSQL or of the way to it as a refusal that names the way out. Holds no secret. */
export function toBatonError(error: unknown, location: string): BatonError {
  if (error instanceof BatonError) return error
  if (error instanceof RoundTripFailed) return toBatonError(error.cause, location)
  const details = { store: 'postgres', location }
  if (!isServerError(error)) {
    if (!isConnectionError(error)) return new BatonError('internal', messageOf(error), details, error)
    const text = `PostgreSQL at ${location} cannot be reached (${messageOf(error)}); check that it runs, check the address, then try again`
    return new BatonError('unavailable', text, details, error)
  }
  const facts = { ...details, sqlstate: error.code }
  if (error.code === '23505' && CHOSEN.has(error.constraint ?? '')) return taken(error, facts)
  const [code, advice] = STATES[error.code] ?? STATES[error.code.slice(0, 2)] ?? ['internal', '']
  const text = `PostgreSQL at ${location}: ${error.message}${advice && `; ${advice}`}`
  return new BatonError(code, text, facts, error)
}

/**
 * Whether the server surely did not commit: it answered with an error (and skipped the `COMMIT`), or it ended
 * the session before the `COMMIT` was its turn. Otherwise the answer to the `COMMIT` was lost on the way.
 */
export function isSurelyLost(error: unknown, beforeCommit: number): boolean {
  if (!(error instanceof RoundTripFailed)) return false
  if (!isServerError(error.cause)) return !error.sent
  if (error.answered !== beforeCommit) return error.answered < beforeCommit
  return !endsSession(error.cause.code)
}

/** The connection was there and then ended: another one may do. A server that is not there is another matter. */
export function isEnded(error: unknown): boolean {
  if (error instanceof RoundTripFailed || error instanceof BatonError) return isEnded(error.cause)
  if (isServerError(error)) return /^57P0[125]$/.test(error.code)
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  return (
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    /^Connection terminated u|is not queryable/.test(messageOf(error))
  )
}

/** A row has changed since (a guard failed: only they divide), or a row taken for new was there already. */
export const isOutdated = (error: unknown): boolean => /^(?:22012|23505)$/.test(stateOf(error) ?? '')

const stateOf = (error: unknown): string | undefined =>
  error instanceof RoundTripFailed && isServerError(error.cause) ? error.cause.code : undefined

/** Also a disk that was full or broken while the commit was written: the server goes down, and may find it written. */
const endsSession = (code: string): boolean =>
  /^5[38]/.test(code) ||
  code.startsWith('57P') ||
  code.startsWith('08') ||
  code.startsWith('XX') ||
  /^25P0[345]$/.test(code)

function taken(error: ServerError, details: Readonly<Record<string, unknown>>): BatonError {
  // "Key (ws, id)=(1, HO-2026-001) already exists."
  const id = /=\(\d+, (.*)\) already exists/.exec(error.detail ?? '')?.[1]
  const text = id === undefined ? 'something with this id exists already' : `${id} exists already`
  return new BatonError('conflict', text, { ...details, ...(id !== undefined && { id }) }, error)
}

function isServerError(error: unknown): error is ServerError {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as object)
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  if (
    syscall !== undefined ||
    (code !== undefined && /^(E[A-Z]+|ERR_(SSL|TLS)_.*|[A-Z_]*CERT[A-Z_]*)$/.test(code))
  )
    return true
  return PG_CONNECTION.test(error.message)
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
