import { lstatSync, opendirSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { BatonError } from '../../domain/errors.ts'
import { type Folder, withFolder } from './open-folder.ts'
import { type FoundFile, type Hashed, hashIn, oddity, readIn, type Stamp, stampOf } from './read-file.ts'
import {
  type Before,
  besideName,
  freeName,
  fsyncFolder,
  isTemporary,
  type NamedFile,
  nameBefore,
  type Put,
  putIn,
  type Replaced,
  takeAway,
} from './replace-file.ts'

export {
  COARSE_MS,
  type FoundFile,
  msOf,
  SAME_INSTANT_MS,
  type Stamp,
  sameStamp,
  sha256Of,
} from './read-file.ts'
export { besideName, isTemporary, LATE_MS, type Replaced } from './replace-file.ts'

export interface FolderEntry extends Stamp {
  readonly name: string
  readonly ctime: string
  /** `odd`: a link, a folder, a pipe, a file with two names, or a name that is no text. */
  readonly kind: 'file' | 'odd'
  readonly why?: string
}

export interface FolderStamp {
  readonly stamp: string
  /** When it last changed, by the clock of the file system. */
  readonly atNs: bigint
}

/**
 * A folder of the project whose files Baton and others write. Links are never followed, nothing outside is read or
 * written, and no file is replaced that is not the one that was looked at.
 */
export class Tree {
  readonly root: string
  readonly #replaced: Replaced | undefined
  #unsynced: Set<string> | undefined

  /** The root is a real path: whoever opens it has resolved it. */
  constructor(root: string, replaced?: Replaced) {
    this.root = root
    this.#replaced = replaced
  }

  /** What lies in a folder; empty where it is not there. */
  list(folder: string): readonly FolderEntry[] {
    return (
      withFolder(this.root, folder, (dir) =>
        readdirSync(dir.path, { encoding: 'buffer' }).flatMap((raw) => {
          const name = raw.toString('utf8')
          return Buffer.from(name, 'utf8').equals(raw) ? entryIn(dir, name) : [oddName(raw)]
        }),
      ) ?? []
    )
  }

  /** The names in a folder that are text; empty where it is not there. */
  names(folder: string): readonly string[] {
    return withFolder(this.root, folder, (dir) => readdirSync(dir.path)) ?? []
  }

  /** The same where there are no more than so many; a large folder is not read to its end. */
  fewNames(folder: string, most: number): readonly string[] | undefined {
    const names = withFolder(this.root, folder, (dir) => {
      const found: string[] = []
      const open = opendirSync(dir.path)
      try {
        for (let entry = open.readSync(); entry && found.length <= most; entry = open.readSync())
          found.push(entry.name)
      } finally {
        open.closeSync()
      }
      return found
    })
    return names && names.length > most ? undefined : (names ?? [])
  }

  /** These of a folder; what is not there is left out. */
  entries(folder: string, names: Iterable<string>): readonly FolderEntry[] {
    return withFolder(this.root, folder, (dir) => [...names].flatMap((name) => entryIn(dir, name))) ?? []
  }

  /** Changes whenever something in the folder comes, goes or gets another name; undefined where it is not there. */
  folderStamp(folder: string): FolderStamp | undefined {
    return withFolder(this.root, folder, (dir) => {
      const { ino, mtimeNs, ctimeNs } = statSync(dir.path, { bigint: true })
      const at = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
      return { stamp: `${ino} ${mtimeNs} ${ctimeNs}`, atNs: at }
    })
  }

  /** What a plain file hashes to, however large it is; undefined where there is none. */
  hash(path: string): Hashed | undefined {
    const [folder, name] = splitPath(path)
    return withFolder(this.root, folder, (dir) => hashIn(dir, name))
  }

  /** Whether a plain file lies there. */
  isFile(path: string): boolean {
    try {
      const [folder, name] = splitPath(path)
      const stats = withFolder(this.root, folder, (dir) => lstatSync(dir.at(name), { throwIfNoEntry: false }))
      return stats?.isFile() === true && stats.nlink === 1
    } catch (error) {
      if (error instanceof BatonError) return false
      throw error
    }
  }

  /** Undefined where there is no such file. A link, a pipe or a file with two names is refused. */
  read(path: string, most?: number): FoundFile | undefined {
    const [folder, name] = splitPath(path)
    return withFolder(this.root, folder, (dir) => readIn(dir, name, most))
  }

  /**
   * Puts a whole file in place, or leaves what is there: `before` is what the caller has looked at, absent for a new
   * file. What somebody wrote into the old file after that is kept beside it, and its name is answered.
   */
  put(path: string, text: string | Uint8Array, before?: Before): Put {
    const use = (dir: Folder, named: NamedFile) => putIn(dir, named, Buffer.from(text), before)
    return this.#change(path, use, true) ?? { ok: false }
  }

  /** Takes a file away if it is still the one that was looked at; false when it is not. */
  remove(path: string, before: Before): boolean {
    return this.#change(path, (dir, named) => takeAway(dir, named, before)) ?? false
  }

  #change<T>(path: string, use: (dir: Folder, named: NamedFile) => T, make = false): T | undefined {
    const [folder, name] = splitPath(path)
    const named = { path, name, replaced: this.#replaced }
    try {
      const done = withFolder(this.root, folder, (dir) => use(dir, named), make)
      this.#sync(folder)
      return done
    } catch (error) {
      throw cannotWrite(path, error)
    }
  }

  /** Waits for the disk once for each folder that is written into meanwhile, not once for each file. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    const folders = new Set<string>()
    this.#unsynced = folders
    return work().finally(() => {
      this.#unsynced = undefined
      for (const folder of folders) this.#sync(folder)
    })
  }

  #sync(folder: string): void {
    if (this.#unsynced) this.#unsynced.add(folder)
    else withFolder(this.root, folder, fsyncFolder)
  }

  make(folder: string): void {
    withFolder(this.root, folder, () => undefined, true)
  }

  /** Clears what a process that died in the middle left here; a file that it had taken away is put back. */
  tidy(folder: string, isKnown: (sha256: string) => boolean): readonly string[] {
    const kept: string[] = []
    withFolder(this.root, folder, (dir) => {
      for (const name of readdirSync(dir.path).filter((each) => isTemporary(each))) {
        const stats = lstatSync(dir.at(name), { throwIfNoEntry: false })
        if (!stats || stats.isDirectory()) continue
        // A draft, or a file that has its own name again: whoever died had no time to take the second one away.
        const isSpare = name.endsWith('.tmp') || !stats.isFile() || stats.nlink > 1
        const found = isSpare ? undefined : readIn(dir, name)
        const before = nameBefore(name)
        if (found && before !== undefined && !lstatSync(dir.at(before), { throwIfNoEntry: false }))
          renameSync(dir.at(name), dir.at(before))
        else if (found && !isKnown(found.sha256)) {
          const own = before === undefined ? `${name.slice(1, -4)}.conflict` : besideName(before, 'conflict')
          const beside = freeName(dir, own)
          renameSync(dir.at(name), dir.at(beside))
          kept.push(beside)
        } else unlinkSync(dir.at(name))
      }
    })
    return kept
  }
}

function entryIn(dir: Folder, name: string): readonly FolderEntry[] {
  const stats = lstatSync(dir.at(name), { bigint: true, throwIfNoEntry: false })
  if (!stats) return []
  const why = oddity(stats)
  const about = { name, ...stampOf(stats), ctime: String(stats.ctimeNs) }
  return [why === undefined ? { ...about, kind: 'file' } : { ...about, kind: 'odd', why }]
}

function oddName(raw: Buffer): FolderEntry {
  const name = raw.toString('latin1')
  const none = { ino: '', size: 0, mtime: '', ctime: '' }
  return { name, ...none, kind: 'odd', why: 'its name is not UTF-8' }
}

/** Names come from ids and from lists of folders; one that leads elsewhere is a fault of ours. */
function splitPath(path: string): readonly [string, string] {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  if ([name, ...parts].some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
    throw new BatonError('not_allowed', `${JSON.stringify(path)} is not a path within the folder`, { path })
  return [parts.join('/'), name]
}

function cannotWrite(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof BatonError || code === undefined) return error
  const advice =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'the disk is full; make room and run: baton folders sync'
      : code === 'EROFS' || code === 'EACCES' || code === 'EPERM'
        ? 'it may not be written; check its permissions and run: baton folders sync'
        : `the system refused it (${code}); fix that and run: baton folders sync`
  return new BatonError('unavailable', `${path} could not be written: ${advice}`, { path, code }, error)
}
