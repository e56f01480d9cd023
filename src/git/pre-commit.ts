import { type GitEnvironment, noRepository, openRepository, type Repository } from './git.ts'
import type { StagedFile, StagedProblem } from './pre-commit-judge.ts'

export interface PreCommitOptions {
  /** The environment of git; inside a hook it names the index that is about to be committed. */
  readonly env: GitEnvironment
  /** Refuse what is only warned of otherwise: a wrong place within `_handoffs/`, a name that is not the id. */
  readonly strict?: boolean
}

export interface PreCommitCheck {
  /** 0: nothing speaks against the commit. 1: an offence does. */
  readonly exit: 0 | 1
  /** For people; empty where there is nothing to say. */
  readonly text: string
  readonly offences: readonly StagedProblem[]
}

interface StagedEntry {
  readonly path: string
  readonly blob: string
}

const FILE_MODE = /^1[02]/
const NO_BLOB = /^0+$/
/** Files that may hold a handoff: documents, and files without an extension. */
const DOCUMENT = /(?:\.(?:md|markdown|mdx|txt)|(?:^|\/)[^./]+)$/i
/** More than any handoff; a larger file is known by its name alone. */
const MAX_STAGED_BYTES = 1024 * 1024
const BATCH_BYTES = 32 * 1024 * 1024

/**
 * Judges what is about to be committed: the staged files with their staged content, never the working tree. What is
 * only deleted is not looked at, so that handoffs can leave a wrong place.
 */
export async function runPreCommit(root: string, options: PreCommitOptions): Promise<PreCommitCheck> {
  const repository = await openRepository(root, options.env)
  if (!repository) throw noRepository(root, 'baton hook pre-commit')
  const staged = (await stagedEntries(repository)).filter(({ path }) => DOCUMENT.test(path))
  if (staged.length === 0) return { exit: 0, text: '', offences: [] }
  // Most commits hold no document: only the others pay for loading the reader.
  const { judgeStaged, stagedText } = await import('./pre-commit-judge.ts')
  const files = await withContent(repository, staged)
  const offences = judgeStaged(files, await filed(repository, staged), options.strict ?? false)
  const isRefused = offences.some(({ severity }) => severity === 'error')
  return { exit: isRefused ? 1 : 0, text: stagedText(offences), offences }
}

/** Added, changed and renamed files; a renamed one counts where it is now. */
async function stagedEntries(repository: Repository): Promise<readonly StagedEntry[]> {
  const args = ['diff', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', '--no-relative']
  const limits = ['--no-ext-diff', '--diff-filter=AMT', '--ignore-submodules=all']
  const staged = await repository.paths([...args, ...limits])
  return staged.flatMap(({ path, head }) => {
    const [, mode = '', , blob = ''] = head.slice(1).split(' ')
    return FILE_MODE.test(mode) ? [{ path, blob }] : []
  })
}

async function withContent(
  repository: Repository,
  entries: readonly StagedEntry[],
): Promise<readonly StagedFile[]> {
  const sizes = await sizesOf(repository, entries)
  const texts = new Map<string, string>()
  for (const batch of batches(sizes))
    for (const [blob, text] of await repository.blobs(batch)) texts.set(blob, text)
  return entries.map(({ path, blob }) => ({ path, text: texts.get(blob) }))
}

async function sizesOf(
  repository: Repository,
  entries: readonly StagedEntry[],
): Promise<ReadonlyMap<string, number>> {
  const blobs = [...new Set(entries.map(({ blob }) => blob))].filter((blob) => !NO_BLOB.test(blob))
  const text = await repository.run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    input: blobs.map((blob) => `${blob}\n`).join(''),
  })
  const lines = text.split('\n').map((line) => line.split(' '))
  return new Map(
    lines.flatMap(([blob = '', size = '']) => (/^\d+$/.test(size) ? [[blob, Number(size)] as const] : [])),
  )
}

function batches(sizes: ReadonlyMap<string, number>): readonly (readonly string[])[] {
  const all: string[][] = []
  let room = 0
  for (const [blob, size] of sizes) {
    if (size > MAX_STAGED_BYTES) continue
    if (size > room) {
      all.push([])
      room = BATCH_BYTES
    }
    all.at(-1)!.push(blob)
    room -= size
  }
  return all
}

/** Every path below `_handoffs/` as it will be committed, where something of it is. */
async function filed(repository: Repository, staged: readonly StagedEntry[]): Promise<readonly string[]> {
  if (!staged.some(({ path }) => path.startsWith('_handoffs/'))) return []
  return repository.fields(['ls-files', '--cached', '-z', '--full-name', '--', '_handoffs'])
}
