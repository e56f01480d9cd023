import { createHash } from 'node:crypto'
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { BatonError } from '../../domain/errors.ts'
import type { Folder } from './open-folder.ts'

/** By this a file is known again without reading it. */
export interface Stamp {
  readonly ino: string
  readonly size: number
  readonly mtime: string
}

export interface FoundFile {
  readonly bytes: Buffer
  readonly sha256: string
  readonly stamp: Stamp
  /** When it came to lie here, too. */
  readonly ctime: string
  /** When it was read. */
  readonly at: number
}

/** More than any handoff has. */
export const MAX_READ_BYTES = 4_000_000

/** Undefined where there is no such file. Throws for what is no plain file. */
export function readIn(dir: Folder, name: string, most = MAX_READ_BYTES): FoundFile | undefined {
  return withFile(dir, name, ['ENOENT'], (descriptor, stats) => {
    const why = oddity(stats, most)
    if (why !== undefined) throw cannotRead(name, why)
    const at = Date.now()
    const bytes = readFileSync(descriptor)
    const after = fstatSync(descriptor, { bigint: true })
    return { bytes, sha256: sha256Of(bytes), stamp: stampOf(after), ctime: String(after.ctimeNs), at }
  })
}

/** Runs with an open file; undefined where opening it fails with one of these codes. */
function withFile<T>(
  dir: Folder,
  name: string,
  absent: readonly string[],
  use: (descriptor: number, stats: BigIntStats) => T,
): T | undefined {
  let descriptor: number
  try {
    // A pipe would keep us waiting for ever.
    descriptor = openSync(dir.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== undefined && absent.includes(code)) return undefined
    throw cannotRead(name, code === 'ELOOP' ? LINK : code, error)
  }
  try {
    return use(descriptor, fstatSync(descriptor, { bigint: true }))
  } finally {
    closeSync(descriptor)
  }
}

export type Hashed = Pick<FoundFile, 'sha256' | 'stamp'>

const PIECE = 1 << 20
const LINK = 'it is a symbolic link, which is not followed'

/** Undefined where there is no plain file of one name. */
export function hashIn(dir: Folder, name: string): Hashed | undefined {
  return withFile(dir, name, ['ENOENT', 'ELOOP', 'EACCES'], (descriptor, stats) => {
    if (!stats.isFile() || stats.nlink > 1n) return undefined
    const hash = createHash('sha256')
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Number(stats.size) + 1))
    for (let read = -1; read !== 0; ) {
      read = readSync(descriptor, piece)
      hash.update(piece.subarray(0, read))
    }
    return { sha256: hash.digest('hex'), stamp: stampOf(fstatSync(descriptor, { bigint: true })) }
  })
}

/** Why something in a folder is not read. */
export function oddity(stats: BigIntStats, most = MAX_READ_BYTES): string | undefined {
  if (stats.isSymbolicLink()) return LINK
  if (stats.isDirectory()) return 'it is a folder'
  if (!stats.isFile()) return 'it is not a regular file'
  if (stats.nlink > 1n)
    return 'it has a second name (a hard link), so a change here would change another file'
  return Number(stats.size) > most ? `it is larger than ${most} bytes` : undefined
}

export const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** What a change in the same instant would not show in a stamp: file systems count in steps of some milliseconds. */
export const SAME_INSTANT_MS = 50

/** Some file systems count whole seconds, or two of them. */
export const COARSE_MS = 2_000

export const msOf = (ns: string): number => Number(BigInt(ns) / 1_000_000n)

export const sameStamp = (a: Stamp, b: Stamp): boolean =>
  a.ino === b.ino && a.size === b.size && a.mtime === b.mtime

export const stampOf = (stats: BigIntStats): Stamp => ({
  ino: String(stats.ino),
  size: Number(stats.size),
  mtime: String(stats.mtimeNs),
})

const cannotRead = (name: string, why: string | undefined, error?: unknown): BatonError =>
  new BatonError('not_allowed', `${JSON.stringify(name)} is not read: ${why}`, { file: name, why }, error)
