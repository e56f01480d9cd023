import { BatonError, type ErrorCode } from '../../domain/errors.ts'

type Refusal = readonly [code: ErrorCode, message: (path: string) => string]

const HELD: Refusal = [
  'unavailable',
  (path) => `another program holds the lock on ${path}; try again, or find it with: lsof ${path}`,
]
const FULL: Refusal = [
  'unavailable',
  (path) => `the disk under ${path} is full; nothing was written, make room and repeat the call`,
]
const DAMAGED: Refusal = [
  'store_refused',
  (path) =>
    `${path} is damaged or not a Baton store; keep the file, and restore a backup with: baton store restore <file>`,
]

const UNWRITABLE: Refusal = [
  'unavailable',
  (path) => `${path} cannot be written; check the permissions of the file and its folder`,
]
const UNOPENED: Refusal = [
  'store_refused',
  (path) => `${path} cannot be opened; check that its folder exists and that you may write there`,
]

/** SQLite's primary result codes with our code and the way out. */
// biome-ignore format: read as a table
const REFUSALS: Readonly<Record<number, Refusal>> = {
  /* BUSY */       5: HELD,
  /* LOCKED */     6: HELD,
  /* READONLY */   8: UNWRITABLE,
  /* IOERR */      10: ['unavailable', (path) => `reading or writing ${path} failed on disk`],
  /* CORRUPT */    11: DAMAGED,
  /* FULL */       13: FULL,
  /* CANTOPEN */   14: UNOPENED,
  /* CONSTRAINT */ 19: ['conflict', () => 'something with this id exists already'],
  /* NOTADB */     26: DAMAGED,
}

function refusalOf(error: unknown): Refusal | undefined {
  const { errcode, code, syscall } = (error ?? {}) as NodeJS.ErrnoException & { readonly errcode?: unknown }
  if (typeof errcode === 'number')
    return (
      REFUSALS[errcode & 0xff] ?? [
        'internal',
        () => `SQLite refused the statement: ${(error as Error).message}`,
      ]
    )
  if (code === undefined || syscall === undefined) return undefined
  // Before SQLite was asked: the folder could not be made, or the new file not be put there.
  if (code === 'ENOSPC' || code === 'EDQUOT') return FULL
  return [
    'store_refused',
    (path) =>
      `${path} cannot be made there (${code}); check that its folder is one and that you may write in it`,
  ]
}

export const isBusy = (error: unknown): boolean => refusalOf(error) === HELD

/** A trigger refused, and only those of a store whose work went elsewhere do. */
export const isRetired = (error: unknown): boolean => (error as { errcode?: unknown }).errcode === 1811

/** A failure of SQLite as a refusal that names the way out; anything else is passed on as it is. */
export function toBatonError(error: unknown, path: string): unknown {
  const [code, message] = refusalOf(error) ?? []
  return code && message ? new BatonError(code, message(path), { store: 'sqlite', file: path }, error) : error
}
