import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '../domain/errors.ts'
import { checkoutAt } from '../git/checkout.ts'

/** A document as it lies there. */
export interface ScannedFile {
  /** From the root, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly modified: number
}

/** A file or folder that was seen and not read. */
export interface LeftAlone {
  readonly path: string
  readonly why: string
}

export interface Scan {
  readonly root: string
  readonly folders: number
  readonly files: number
  readonly documents: readonly ScannedFile[]
  readonly left: readonly LeftAlone[]
  /** Half-written files of a run that was cut off. */
  readonly drafts: readonly string[]
}

/** Machinery, copies and other people's files. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.baton'])
export const OTHER_REPOSITORY = 'a repository of its own'
const DOCUMENT = /\.(?:md|markdown|mdx)$/i
/** The name of an unfinished file below `_handoffs/`, with the id of the process that writes it. */
const DRAFT = /^_handoffs\/(?:.*\/)?\.(?:handoff-[^/]+\.md|_index\.yaml)\.(\d+)\.[0-9a-f]{8}$/
/** More than any handoff. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024

/** Every document below a folder. Links are not followed, and a repository within is another project. */
export function scan(root: string): Scan {
  const found = { folders: 0, files: 0, documents: [] as ScannedFile[], left: [] as LeftAlone[] }
  const drafts: string[] = []
  const open = ['']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    found.folders++
    for (const entry of entriesOf(root, folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (SKIPPED.has(entry.name)) continue
        if (checkoutAt(join(root, path))) found.left.push({ path, why: OTHER_REPOSITORY })
        else open.push(path)
        continue
      }
      found.files++
      if (DOCUMENT.test(entry.name)) take(root, path, found)
      else if (isAbandoned(path)) drafts.push(path)
    }
  }
  return { root, ...found, documents: found.documents.sort(byPath), left: found.left.sort(byPath), drafts }
}

export const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1)

function take(root: string, path: string, found: { documents: ScannedFile[]; left: LeftAlone[] }): void {
  const file = join(root, path)
  try {
    const stats = lstatSync(file)
    if (stats.isSymbolicLink()) found.left.push({ path, why: 'a link, which is not followed' })
    else if (!stats.isFile()) found.left.push({ path, why: 'no file' })
    else if (stats.size > MAX_DOCUMENT_BYTES) found.left.push({ path, why: 'larger than any handoff' })
    else found.documents.push({ path, text: decoded(readFileSync(file)), modified: stats.mtimeMs })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isText = code !== 'ERR_ENCODING_INVALID_ENCODED_DATA'
    found.left.push({ path, why: isText ? `cannot be read (${code})` : 'not UTF-8 text' })
  }
}

function isAbandoned(path: string): boolean {
  const writer = DRAFT.exec(path)?.[1]
  if (writer === undefined) return false
  try {
    process.kill(Number(writer), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

const decoded = (bytes: Buffer): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

function entriesOf(root: string, folder: string) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
  } catch (error) {
    // A folder that is closed to us must not pass for an empty one.
    const { code } = error as NodeJS.ErrnoException
    const path = join(root, folder)
    throw new BatonError(
      code === 'ENOENT' || code === 'ENOTDIR' ? 'not_found' : 'not_allowed',
      `the folder ${path} cannot be read (${code}); check its permissions and run the same command again`,
      { folder: path },
      error,
    )
  }
}
