import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { present } from '../../domain/present.ts'
import type { Folder } from './open-folder.ts'
import {
  COARSE_MS,
  type FoundFile,
  msOf,
  readIn,
  type Stamp,
  sameStamp,
  sha256Of,
  stampOf,
} from './read-file.ts'

export type Put =
  | { readonly ok: true; readonly stamp: Stamp; readonly late?: string }
  /** Somebody else wrote there first; nothing of theirs was touched. */
  | { readonly ok: false; readonly late?: string }

/** What a caller has looked at: the whole file, or what it is known by. */
export type Before = Stamp | (Pick<FoundFile, 'stamp' | 'sha256'> & Partial<FoundFile>)

/** Where files lie that were replaced a moment ago: whoever has one open may still write into it. */
export interface Replaced {
  readonly folder: string
  /** Old ones stay there until the pass ends: ext4 without a journal looks past every inode that was freed of late. */
  readonly isFirst: boolean
  keep(file: string, path: string, sha256: string): void
}

/** Nobody takes longer over one file. */
export const LATE_MS = 2_000
const TEMPORARY = /^\.baton-[0-9a-f]{16}\.(?:(?:(.+)\.)?old|tmp)$/s
const LONGEST_NAME = 255

/** A file by its path below the root and by its name in the folder that is open. */
export interface NamedFile {
  readonly path: string
  readonly name: string
  readonly replaced: Replaced | undefined
}

export function putIn(dir: Folder, named: NamedFile, bytes: Buffer, before: Before | undefined): Put {
  const { name } = named
  const draft = temporary('tmp')
  const made = writeDraft(dir, draft, bytes)
  try {
    if (before === undefined) {
      if (!linkNew(dir, draft, name)) return { ok: false }
      return { ok: true, stamp: made }
    }
    // A process that dies now leaves the old file under a name from which it is put back.
    const aside = temporary(`${name}.old`)
    const isShort = Buffer.byteLength(aside) <= LONGEST_NAME
    const taken = takeAside(dir, name, before, isShort ? aside : undefined)
    if (taken === undefined) return { ok: false }
    // What was written in the instant in which the old one was away is the newest.
    const isPut = linkNew(dir, draft, name)
    const late = present({ late: keepLate(dir, taken, named) })
    return isPut ? { ok: true, stamp: made, ...late } : { ok: false, ...late }
  } finally {
    unlinkQuietly(dir.at(draft))
  }
}

/** Takes a file away if it is the one that was looked at. */
export function takeAway(dir: Folder, named: NamedFile, before: Before): boolean {
  const taken = takeAside(dir, named.name, before)
  if (!taken) return false
  keepLate(dir, taken, named)
  return true
}

export const isTemporary = (name: string): boolean => TEMPORARY.test(name)

/** The name that a file had which was to be replaced; undefined for one that was to go. */
export const nameBefore = (name: string): string | undefined => TEMPORARY.exec(name)?.[1]

const temporary = (ending: string): string => `.baton-${randomUUID().slice(-17).replace('-', '')}.${ending}`

interface Taken {
  readonly name: string
  readonly sha256: string
  /** Of a file that was old when it was looked at: whoever writes into it changes this. */
  readonly old: Stamp | undefined
}

/**
 * Moves a file aside under a name of ours, if it is the one that was looked at. To rename over it would be
 * shorter, and would lose what somebody put there a moment ago.
 */
function takeAside(dir: Folder, name: string, looked: Before, aside = temporary('old')): Taken | undefined {
  const before = 'stamp' in looked ? looked.stamp : looked
  const seen = lstatSync(dir.at(name), { bigint: true, throwIfNoEntry: false })
  if (!seen || !sameStamp(stampOf(seen), before)) return undefined
  // Clocks of file systems go in steps: within one, another text of the same length has the same stamp.
  const isOld = 'sha256' in looked && (looked.at ?? 0) - msOf(before.mtime) > COARSE_MS
  const sha256 = isOld ? looked.sha256 : (readIn(dir, name)?.sha256 ?? '')
  if ('sha256' in looked && looked.sha256 !== sha256) return undefined
  try {
    renameSync(dir.at(name), dir.at(aside))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const moved = lstatSync(dir.at(aside), { bigint: true })
  if (sameStamp(stampOf(moved), before)) return { name: aside, sha256, old: isOld ? before : undefined }
  // Another file came between the look and the move: back with it, or beside it where a third came.
  if (linkNew(dir, aside, name)) unlinkSync(dir.at(aside))
  else renameSync(dir.at(aside), dir.at(freeName(dir, besideName(name, 'conflict'))))
  return undefined
}

/** Whoever had the old file open may have written into it since: that is kept. */
function keepLate(dir: Folder, taken: Taken, { path, name, replaced }: NamedFile): string | undefined {
  const { old } = taken
  const found = old ? undefined : readIn(dir, taken.name)
  const stamp = found?.stamp ?? stampOf(lstatSync(dir.at(taken.name), { bigint: true }))
  if (old ? sameStamp(stamp, old) : found?.sha256 === taken.sha256) {
    const isRecent = Date.now() - msOf(stamp.mtime) < LATE_MS
    const isKept = replaced && (isRecent || replaced.isFirst)
    if (!isKept || !putAway(dir, taken, isRecent ? path : undefined, replaced)) unlinkSync(dir.at(taken.name))
    return undefined
  }
  const beside = freeName(dir, besideName(name, 'conflict'))
  renameSync(dir.at(taken.name), dir.at(beside))
  return beside
}

/** Noted first where its author may still write: a file that nobody knows of could never be looked at again. */
function putAway(dir: Folder, { name, sha256 }: Taken, path: string | undefined, replaced: Replaced) {
  const file = name.slice(1)
  try {
    if (path !== undefined) replaced.keep(file, path, sha256)
    renameSync(dir.at(name), `${replaced.folder}/${file}`)
    return true
  } catch {
    // Another disk, or no such folder: then this is not looked at again.
    return false
  }
}

function writeDraft(dir: Folder, name: string, bytes: Buffer): Stamp {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  const descriptor = openSync(dir.at(name), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666)
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
    fsyncSync(descriptor)
    return stampOf(fstatSync(descriptor, { bigint: true }))
  } catch (error) {
    unlinkQuietly(dir.at(name))
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** A second name for a file that does not replace anything; false where the name is taken. */
function linkNew(dir: Folder, from: string, to: string): boolean {
  try {
    linkSync(dir.at(from), dir.at(to))
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // Some file systems have no hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error
    if (lstatSync(dir.at(to), { throwIfNoEntry: false })) return false
    renameSync(dir.at(from), dir.at(to))
    return true
  }
}

/** A name beside a file, cut where the system allows no longer one. */
export function besideName(name: string, ending: 'problem' | 'conflict'): string {
  const room = 255 - ending.length - 1 - 4
  if (Buffer.byteLength(name) <= room) return `${name}.${ending}`
  const cut = Buffer.from(name)
    .subarray(0, room - 9)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return `${cut}~${sha256Of(name).slice(0, 8)}.${ending}`
}

export function freeName(dir: Folder, name: string): string {
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}-${n}`
    if (!lstatSync(dir.at(candidate), { throwIfNoEntry: false })) return candidate
  }
}

export function fsyncFolder(dir: Folder): void {
  try {
    const descriptor = openSync(dir.path, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    // Not every system lets a folder be synced; the file itself was.
    if (!['EINVAL', 'EPERM', 'EACCES', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {}
}
