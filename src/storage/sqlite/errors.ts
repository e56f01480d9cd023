import { BatonError, type ErrorCode } from '../../domain/errors.ts'

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

type Refusal = (code: ErrorCode, message: string) => BatonError

const fullDisk = (path: string): string =>
  `the disk under ${path} is full; nothing was written, make room and repeat the call`

/** A failure of SQLite as a refusal that names the way out; anything else is passed on as it is. */
export function toBatonError(error: unknown, path: string): unknown {
  const refusal: Refusal = (code, message) =>
    new BatonError(code, message, { store: 'sqlite', file: path }, error)
  switch (primary(error)) {
    case undefined:
      return fromFileSystem(error, path, refusal)
    case BUSY:
    case LOCKED:
      return refusal(
        'unavailable',
        `another program holds the lock on ${path}; try again, or find it with: lsof ${path}`,
      )
    case READONLY:
      return refusal(
        'unavailable',
        `${path} cannot be written; check the permissions of the file and its folder`,
      )
    case FULL:
      return refusal('unavailable', fullDisk(path))
    case IOERR:
      return refusal('unavailable', `reading or writing ${path} failed on disk`)
    case CANTOPEN:
      return refusal(
        'store_refused',
        `${path} cannot be opened; check that its folder exists and that you may write there`,
      )
    case CORRUPT:
    case NOTADB:
      return refusal(
        'store_refused',
        `${path} is damaged or not a Baton store; keep the file, and restore a backup with: baton store restore <file>`,
      )
    case CONSTRAINT:
      return refusal('conflict', 'something with this id exists already')
    default:
      return refusal('internal', `SQLite refused the statement: ${(error as Error).message}`)
  }
}

/** Errors before SQLite was asked: the folder could not be made, or the new file not be put there. */
function fromFileSystem(error: unknown, path: string, refusal: Refusal): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  if (code === 'ENOSPC' || code === 'EDQUOT') return refusal('unavailable', fullDisk(path))
  return refusal(
    'store_refused',
    `${path} cannot be made there (${code}); check that its folder is one and that you may write in it`,
  )
}
