import { lstatSync, readdirSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { BatonError, notFound } from '../../../../domain/errors.ts'

/** A file to look at. */
export interface Target {
  /** As people typed it, or below the folder that they typed; `-` is what comes through the pipe. */
  readonly file: string
  readonly path: string
  /** Found in a folder and not named: it need not be a handoff. */
  readonly isWalked: boolean
}

export const STDIN = '-'

/** Folders that hold copies, machinery and other people's files. */
const SKIPPED = new Set(['.git', 'node_modules', '.baton'])
const DOCUMENT = /\.(?:md|markdown|mdx|json|jsonc|yaml|yml|txt)$/i

/** The files that words name, in the order given; a folder gives its documents in the order of their names. */
export function filesAt(words: readonly string[], cwd: string): readonly Target[] {
  const found = new Map<string, Target>()
  for (const word of words)
    for (const target of word === STDIN ? [fromPipe()] : targetsOf(word, cwd))
      if (!found.has(target.path)) found.set(target.path, target)
  return [...found.values()]
}

const fromPipe = (): Target => ({ file: STDIN, path: STDIN, isWalked: false })

function targetsOf(word: string, cwd: string): readonly Target[] {
  const path = resolve(cwd, word)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw notFound(`there is no file or folder ${word}; check the path`, { file: word })
  if (!found.isDirectory()) return [{ file: word, path, isWalked: false }]
  return walk(path).map((file) => ({ file: typedPath(word, path, file), path: file, isWalked: true }))
}

/** Links are not followed: they could lead out of the folder, or round in a circle. */
function walk(folder: string): readonly string[] {
  const files: string[] = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop())
    for (const entry of entriesOf(next)) {
      const path = `${next}${sep}${entry.name}`
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path)
      else if (entry.isFile() && DOCUMENT.test(entry.name)) files.push(path)
    }
  return files.sort((a, b) => (a < b ? -1 : 1))
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    // A folder that was removed in this moment holds nothing; one that is closed to us must not pass unseen.
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return []
    const { code } = error as NodeJS.ErrnoException
    throw new BatonError('unavailable', `the folder ${folder} cannot be read (${code})`, { folder }, error)
  }
}

const typedPath = (word: string, folder: string, file: string): string =>
  `${word.replace(/[\\/]+$/, '') || '/'}/${relative(folder, file)}`.replaceAll(sep, '/').replace(/^\.\//, '')
