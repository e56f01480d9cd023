import { readFileSync } from 'node:fs'
import { lstat, mkdir, realpath, stat, unlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { BatonError, conflict, invalidInput, notAllowed } from '../domain/errors.ts'
import { replaceFile, syncFolder } from './replace-file.ts'

/** One file before and after; undefined where the file is missing. Making an edit writes nothing. */
export interface FileEdit {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  /** Permissions of the file; without it those it has, or the usual ones of a new file. */
  readonly mode?: number
  readonly why: string
}

export const isChange = ({ before, after }: FileEdit): boolean => before !== after

/** The file that a name stands for below a folder. A link that leads out of the folder is refused. */
export async function placeIn(root: string, name: string): Promise<string> {
  const top = await realpath(root)
  const wanted = join(top, name)
  const present = await nearestPresent(wanted)
  const real = await realpath(present).catch((error: unknown) => {
    throw cannot('be followed', present, error, 'remove the link or repair what it points at')
  })
  const way = relative(top, real)
  if (way.split(sep)[0] === '..' || way.startsWith(sep))
    throw notAllowed(`${wanted} is a link that leads out of ${top}, to ${real}; edit that file by hand`, {
      path: wanted,
      target: real,
    })
  return join(real, relative(present, wanted))
}

/** The text of a file, every byte of it; undefined when it is not there. */
export function readText(path: string): string | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cannot('be read', path, error, 'check what it is and its permissions')
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw invalidInput(`${path} is not UTF-8 text; save it as UTF-8 and try again`, { path }, error)
  }
}

export interface Applied {
  readonly written: readonly FileEdit[]
  /** Folders that had to be made, outermost first. */
  readonly folders: readonly string[]
}

/**
 * Writes the edits, each file all or not at all. Refuses before the first write when a file has changed since the
 * edit was made, and checks again right before each one.
 */
export async function applyEdits(edits: readonly FileEdit[]): Promise<Applied> {
  const wanted = edits.filter(isChange)
  for (const edit of wanted) demandUnchanged(edit)
  const written: FileEdit[] = []
  const folders: string[] = []
  for (const edit of wanted) {
    try {
      folders.push(...(await applyEdit(edit)))
    } catch (error) {
      throw withDone(error, edit, written)
    }
    written.push(edit)
  }
  return { written, folders }
}

async function applyEdit(edit: FileEdit): Promise<readonly string[]> {
  const { path, before, after, mode } = edit
  if (after === undefined) {
    demandUnchanged(edit)
    await unlink(path)
    syncFolder(dirname(path))
    return []
  }
  const folders = await makeFolders(dirname(path))
  const isWritten = replaceFile(path, after, {
    mode: mode ?? (before === undefined ? undefined : await modeOf(path)),
    keep: before === undefined,
    check: () => demandUnchanged(edit),
  })
  if (!isWritten) throw appeared(path)
  return folders
}

function demandUnchanged({ path, before }: FileEdit): void {
  if (readText(path) === before) return
  throw conflict(
    `${path} has changed since it was looked at; nothing was written to it, run the same command again`,
    { path },
  )
}

async function makeFolders(folder: string): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw cannot('be made', folder, error, 'check the folder above it')
  })
  const made: string[] = []
  for (let at = folder; first !== undefined && at.length >= first.length; at = dirname(at)) made.unshift(at)
  return made
}

async function nearestPresent(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const found = await lstat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR')
        throw cannot('be read', at, error, 'check its permissions')
    })
    if (found !== undefined || at === dirname(at)) return at
  }
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777

function withDone(failure: unknown, { path }: FileEdit, written: readonly FileEdit[]): unknown {
  const error =
    failure instanceof BatonError ? failure : cannot('be written', path, failure, 'check its permissions')
  if (written.length === 0) return error
  const done = written.map((edit) => edit.path)
  return new BatonError(
    error.code,
    `${error.message}; already written: ${done.join(', ')}`,
    { ...error.details, written: done },
    error,
  )
}

function cannot(what: string, path: string, error: unknown, fix: string): BatonError {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return appeared(path, error)
  return notAllowed(`${path} cannot ${what} (${code}); ${fix}`, { path }, error)
}

const appeared = (path: string, cause?: unknown): BatonError =>
  conflict(`${path} appeared meanwhile; run the same command again`, { path }, cause)
