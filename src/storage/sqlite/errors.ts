import { BatonError } from '../../domain/errors.ts'

const BUSY = 5
const LOCKED = 6
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const CONSTRAINT = 19
const NOTADB = 26

const primary = (error: unknown): number | undefined => {
  const code = (error as { errcode?: unknown } | undefined)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

export const isBusy = (error: unknown): boolean => primary(error) === BUSY || primary(error) === LOCKED

/** A failure of SQLite as a refusal that names the way out; anything else is passed on as it is. */
export function toBatonError(error: unknown, path: string): unknown {
  const details = { store: 'sqlite', file: path }
  switch (primary(error)) {
    case undefined:
      return fromFileSystem(error, path, details)
    case BUSY:
    case LOCKED:
      return new BatonError(
        'unavailable',
        `another program holds the lock on ${path}; try again, or find it with: lsof ${path}`,
        details,
        error,
      )
    case READONLY:
      return new BatonError(
        'unavailable',
        `${path} cannot be written; check the permissions of the file and its folder`,
        details,
        error,
      )
    case FULL:
      return new BatonError(
        'unavailable',
        `the disk under ${path} is full; nothing was written, make room and repeat the call`,
        details,
        error,
      )
    case IOERR:
      return new BatonError('unavailable', `reading or writing ${path} failed on disk`, details, error)
    case CANTOPEN:
      return new BatonError(
        'store_refused',
        `${path} cannot be opened; check that its folder exists and that you may write there`,
        details,
        error,
      )
    case CORRUPT:
    case NOTADB:
      return new BatonError(
        'store_refused',
        `${path} is damaged or not a Baton store; keep the file, and restore a backup with: baton store restore <file>`,
        details,
        error,
      )
    case CONSTRAINT:
      return new BatonError('conflict', 'something with this id exists already', details, error)
    default:
      return new BatonError(
        'internal',
        `SQLite refused the statement: ${(error as Error).message}`,
        details,
        error,
      )
  }
}

/** Errors before SQLite was asked: the folder could not be made, or the new file not be put there. */
function fromFileSystem(error: unknown, path: string, details: Readonly<Record<string, unknown>>): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new BatonError(
      'unavailable',
      `the disk under ${path} is full; nothing was written, make room and repeat the call`,
      details,
      error,
    )
  return new BatonError(
    'store_refused',
    `${path} cannot be made there (${code}); check that its folder is one and that you may write in it`,
    details,
    error,
  )
}
