import { createHash, randomBytes } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { BatonError } from '../domain/errors.ts'
import { type Folder, withFolder } from './open-folder.ts'

/** By this a file is known again without reading it. */
export interface Stamp {
  readonly ino: string
  readonly size: number
  readonly mtime: string
}

export interface Entry extends Stamp {
  readonly name: string
  readonly ctime: string
  /** `odd`: a link, a folder, a pipe, a file with two names, or a name that is no text. */
  readonly kind: 'file' | 'odd'
  readonly why?: string
}

export interface Found {
  readonly bytes: Buffer
  readonly sha256: string
  readonly stamp: Stamp
  /** When it came to lie here, too. */
  readonly ctime: string
}

export type Put =
  | { readonly ok: true; readonly stamp: Stamp; readonly late?: string }
  /** Somebody else wrote there first; nothing of theirs was touched. */
  | { readonly ok: false; readonly late?: string }

/** What a caller has looked at: the whole file, or what it is known by. */
export type Before = Stamp | Pick<Found, 'stamp' | 'sha256'>

/** Where files lie that were replaced a moment ago: whoever has one open may still write into it. */
export interface Replaced {
  readonly folder: string
  keep(file: string, path: string, sha256: string): void
}

/** Nobody takes longer over one file. */
export const LATE_MS = 2_000
/** More than any handoff has. */
export const MOST_BYTES = 4_000_000
const TEMPORARY = /^\.baton-[0-9a-f]{16}\.(?:tmp|old)$/

/**
 * A folder of the project whose files Baton and others write. Links are never followed, nothing outside is read or
 * written, and no file is replaced that is not the one that was looked at.
 */
export class Tree {
  readonly root: string
  readonly #replaced: Replaced | undefined

  /** The root is a real path: whoever opens it has resolved it. */
  constructor(root: string, replaced?: Replaced) {
    this.root = root
    this.#replaced = replaced
  }

  /** What lies in a folder; empty where it is not there. */
  list(folder: string): readonly Entry[] {
    return (
      withFolder(this.root, folder, (dir) =>
        readdirSync(dir.path, { encoding: 'buffer' }).flatMap((raw) => {
          const name = raw.toString('utf8')
          if (!Buffer.from(name, 'utf8').equals(raw)) return [oddName(raw)]
          const stats = lstatSync(dir.at(name), { bigint: true, throwIfNoEntry: false })
          return stats ? [entryOf(name, stats)] : []
        }),
      ) ?? []
    )
  }

  /** Undefined where there is no such file. A link, a pipe or a file with two names is refused. */
  read(path: string): Found | undefined {
    const [folder, name] = splitPath(path)
    return withFolder(this.root, folder, (dir) => readIn(dir, name))
  }

  /**
   * Puts a whole file in place, or leaves what is there: `before` is what the caller has looked at, absent for a new
   * file. What somebody wrote into the old file after that is kept beside it, and its name is answered.
   */
  put(path: string, text: string | Uint8Array, before?: Before): Put {
    const [folder, name] = splitPath(path)
    try {
      const done = withFolder(this.root, folder, (dir) => putIn(dir, this.#named(path, name), Buffer.from(text), before), true)
      return done ?? { ok: false }
    } catch (error) {
      throw cannotWrite(path, error)
    }
  }

  /** Takes a file away if it is still the one that was looked at; false when it is not. */
  remove(path: string, before: Before): boolean {
    const [folder, name] = splitPath(path)
    try {
      return withFolder(this.root, folder, (dir) => takeAway(dir, this.#named(path, name), before)) ?? false
    } catch (error) {
      throw cannotWrite(path, error)
    }
  }

  #named(path: string, name: string): Named {
    return { path, name, replaced: this.#replaced }
  }

  make(folder: string): void {
    withFolder(this.root, folder, () => undefined, true)
  }

  /** The name of a file beside another; cut where the system allows no longer one. */
  besideName(name: string, ending: 'problem' | 'conflict'): string {
    return besideName(name, ending)
  }

  /** Clears what a process that died in the middle left here; a file that it had taken away is put back. */
  tidy(folder: string, isKnown: (sha256: string) => boolean): readonly string[] {
    const kept: string[] = []
    withFolder(this.root, folder, (dir) => {
      for (const name of readdirSync(dir.path).filter((each) => TEMPORARY.test(each))) {
        const found = readIn(dir, name)
        if (found && name.endsWith('.old') && !isKnown(found.sha256)) {
          const beside = freeName(dir, `${name.slice(1, -4)}.conflict`)
          renameSync(dir.at(name), dir.at(beside))
          kept.push(beside)
        } else unlinkSync(dir.at(name))
      }
    })
    return kept
  }
}

export const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

export const isTemporary = (name: string): boolean => TEMPORARY.test(name)

export const sameStamp = (a: Stamp, b: Stamp): boolean =>
  a.ino === b.ino && a.size === b.size && a.mtime === b.mtime

const stampOf = (stats: BigIntStats): Stamp => ({
  ino: String(stats.ino),
  size: Number(stats.size),
  mtime: String(stats.mtimeNs),
})

function entryOf(name: string, stats: BigIntStats): Entry {
  const why = oddity(stats)
  const about = { name, ...stampOf(stats), ctime: String(stats.ctimeNs) }
  return why === undefined ? { ...about, kind: 'file' } : { ...about, kind: 'odd', why }
}

function oddity(stats: BigIntStats): string | undefined {
  if (stats.isSymbolicLink()) return 'it is a symbolic link, which is not followed'
  if (stats.isDirectory()) return 'it is a folder'
  if (!stats.isFile()) return 'it is no regular file'
  if (stats.nlink > 1n)
    return 'it has a second name (a hard link), so a change here would change another file'
  return Number(stats.size) > MOST_BYTES ? `it is larger than ${MOST_BYTES} bytes` : undefined
}

function oddName(raw: Buffer): Entry {
  const name = raw.toString('latin1')
  const none = { ino: '', size: 0, mtime: '', ctime: '' }
  return { name, ...none, kind: 'odd', why: 'its name is not UTF-8' }
}

/** Names come from ids and from lists of folders; one that leads elsewhere is a fault of ours. */
function splitPath(path: string): readonly [string, string] {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  if ([name, ...parts].some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
    throw new BatonError('not_allowed', `${JSON.stringify(path)} is no path within the folder`, { path })
  return [parts.join('/'), name]
}

function readIn(dir: Folder, name: string): Found | undefined {
  let descriptor: number
  try {
    // A pipe would keep us waiting for ever.
    descriptor = openSync(dir.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw cannotRead(name, code === 'ELOOP' ? 'it is a symbolic link, which is not followed' : code, error)
  }
  try {
    const stats = fstatSync(descriptor, { bigint: true })
    const why = oddity(stats)
    if (why !== undefined) throw cannotRead(name, why)
    const bytes = readFileSync(descriptor)
    const after = fstatSync(descriptor, { bigint: true })
    return { bytes, sha256: sha256Of(bytes), stamp: stampOf(after), ctime: String(after.ctimeNs) }
  } finally {
    closeSync(descriptor)
  }
}

const temporary = (ending: 'tmp' | 'old'): string => `.baton-${randomBytes(8).toString('hex')}.${ending}`

interface Named {
  readonly path: string
  readonly name: string
  readonly replaced: Replaced | undefined
}

function putIn(dir: Folder, named: Named, bytes: Buffer, before: Before | undefined): Put {
  const { name } = named
  const draft = temporary('tmp')
  const made = writeDraft(dir, draft, bytes)
  try {
    if (before === undefined) {
      if (!linkNew(dir, draft, name)) return { ok: false }
      return { ok: true, stamp: made }
    }
    const taken = takeAside(dir, name, before)
    if (taken === undefined) return { ok: false }
    if (!linkNew(dir, draft, name)) {
      // Written in the instant in which the old one was away: theirs is the newest.
      const late = keepLate(dir, taken, named)
      return { ok: false, ...(late !== undefined && { late }) }
    }
    const late = keepLate(dir, taken, named)
    return { ok: true, stamp: made, ...(late !== undefined && { late }) }
  } finally {
    unlinkQuietly(dir.at(draft))
    fsyncFolder(dir)
  }
}

interface Taken {
  readonly name: string
  readonly sha256: string
}

/**
 * Moves a file aside under a name of ours, if it is the one that was looked at. To rename over it would be
 * shorter, and would lose what somebody put there a moment ago.
 */
function takeAside(dir: Folder, name: string, looked: Before): Taken | undefined {
  const before = 'stamp' in looked ? looked.stamp : looked
  const seen = lstatSync(dir.at(name), { bigint: true, throwIfNoEntry: false })
  if (!seen || !sameStamp(stampOf(seen), before)) return undefined
  // Clocks of file systems go in steps: within one, another text of the same length has the same stamp.
  const sha256 = readIn(dir, name)?.sha256 ?? ''
  if ('sha256' in looked && looked.sha256 !== sha256) return undefined
  const aside = temporary('old')
  try {
    renameSync(dir.at(name), dir.at(aside))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const moved = lstatSync(dir.at(aside), { bigint: true })
  if (sameStamp(stampOf(moved), before)) return { name: aside, sha256 }
  // Another file came between the look and the move: back with it, or beside it where a third came.
  if (linkNew(dir, aside, name)) unlinkSync(dir.at(aside))
  else renameSync(dir.at(aside), dir.at(freeName(dir, besideName(name, 'conflict'))))
  return undefined
}

/** Whoever had the old file open may have written into it since: that is kept. */
function keepLate(dir: Folder, taken: Taken, { path, name, replaced }: Named): string | undefined {
  const found = readIn(dir, taken.name)
  if (found?.sha256 === taken.sha256) {
    const isRecent = Date.now() - Number(BigInt(found.stamp.mtime) / 1_000_000n) < LATE_MS
    if (!isRecent || !replaced || !putAway(dir, taken, path, replaced)) unlinkSync(dir.at(taken.name))
    return undefined
  }
  const beside = freeName(dir, besideName(name, 'conflict'))
  renameSync(dir.at(taken.name), dir.at(beside))
  return beside
}

/** Noted first: a file that nobody knows of could never be looked at again. */
function putAway(dir: Folder, { name, sha256 }: Taken, path: string, replaced: Replaced): boolean {
  const file = name.slice(1)
  try {
    replaced.keep(file, path, sha256)
    renameSync(dir.at(name), `${replaced.folder}/${file}`)
    return true
  } catch {
    // Another disk, or no such folder: then this is not looked at again.
    return false
  }
}

function takeAway(dir: Folder, named: Named, before: Before): boolean {
  const taken = takeAside(dir, named.name, before)
  if (!taken) return false
  keepLate(dir, taken, named)
  fsyncFolder(dir)
  return true
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
function besideName(name: string, ending: 'problem' | 'conflict'): string {
  const room = 255 - ending.length - 1 - 4
  if (Buffer.byteLength(name) <= room) return `${name}.${ending}`
  const cut = Buffer.from(name)
    .subarray(0, room - 9)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return `${cut}~${sha256Of(name).slice(0, 8)}.${ending}`
}

function freeName(dir: Folder, name: string): string {
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}-${n}`
    if (!lstatSync(dir.at(candidate), { throwIfNoEntry: false })) return candidate
  }
}

function fsyncFolder(dir: Folder): void {
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

const cannotRead = (name: string, why: string | undefined, error?: unknown): BatonError =>
  new BatonError('not_allowed', `${JSON.stringify(name)} is not read: ${why}`, { file: name, why }, error)

function cannotWrite(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof BatonError || code === undefined) return error
  const advice =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'the disk is full; make room and run: baton folders sync'
      : code === 'EROFS' || code === 'EACCES' || code === 'EPERM'
        ? 'it may not be written; check its permissions and run: baton folders sync'
        : `the system refused it (${code}); mend that and run: baton folders sync`
  return new BatonError('unavailable', `${path} could not be written: ${advice}`, { path, code }, error)
}
