import { lstatSync, readdirSync } from 'node:fs'
import { sameData } from '../dialects/difference.ts'
import type { Draft } from '../dialects/draft.ts'
import { isHandoffFile } from '../dialects/markdown/is-handoff.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { inWords } from '../domain/texts/visible.ts'
import { EXTRA_BYTES, freshAboutOf } from './about.ts'
import { NO_TEXT } from './extras.ts'
import { LOCK_WAIT_MS } from './files/lock.ts'
import { type FolderEntry, isTemporary, Tree } from './files/tree.ts'
import { isProblem } from './reconcile.ts'
import {
  everyHandoff,
  type FoldersOptions,
  type LiveFolder,
  syncFolders,
  withFolders,
  workOn,
} from './sync.ts'
import { type Happened, inProject, readQuietly, textFor, Unwritable, utf8Text, type Work } from './work.ts'

/** One thing that is not as it should be. */
export interface FolderProblem {
  readonly code:
    | 'missing'
    | 'changed'
    | 'wrong_place'
    | 'wrong_name'
    | 'differs'
    | 'duplicate'
    | 'unknown'
    | 'unreadable'
    | 'odd'
    | 'index'
    | 'stray'
    | 'left_behind'
    | 'unwritable'
    | 'problem'
    | 'artifact'
  /** Relative to the project. */
  readonly path: string
  readonly message: string
  /** What `--fix` does about it; absent where a person has to. */
  readonly fix?: string
  /** Worth knowing, and no drift. */
  readonly isNote?: boolean
}

const SKIPPED = new Set(['.git', '.baton', 'node_modules'])
/** Front matter stands at the top; what is larger is no handoff. */
const MAX_HANDOFF_BYTES = 1_000_000

/** Where folder, name, front matter, index and engine say different things. Changes nothing. */
export function examineFolders(options: FoldersOptions): Promise<readonly FolderProblem[]> {
  return withFolders(options, LOCK_WAIT_MS, async (state) => {
    const findings: FolderProblem[] = []
    for (const folder of options.folders) {
      const work = workOn(options, state, folder)
      // Baton made it, and no pass has written anything there yet.
      if (work.isFirst && !work.isAdopting) continue
      findings.push(...(await examine(work)))
    }
    findings.push(...strays(options))
    return findings.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  })
}

/** Mends what can be mended: every file is looked at again, and all that is derived is made anew. */
export const mendFolders = (options: FoldersOptions): Promise<readonly Happened[]> =>
  syncFolders(options, { thorough: true })

/** Files that say the same id within what it is unique in. */
type Paths = Map<string, { readonly id: string; readonly path: string }[]>

async function examine(work: Work): Promise<readonly FolderProblem[]> {
  const findings: FolderProblem[] = []
  const paths: Paths = new Map()
  for (const folder of work.kind.every(work.tree))
    for (const entry of work.tree.list(folder)) {
      const path = `${folder}/${entry.name}`
      findings.push(...(await examineEntry(work, path, entry, paths)))
    }
  for (const where of paths.values())
    if (where.length > 1)
      findings.push({
        code: 'duplicate',
        path: inProject(work, where[0]!.path),
        message: `${where[0]!.id} has ${where.length} files: ${where.map(({ path }) => path).join(', ')}`,
        fix: 'keep the one that the engine knows; the text of the others is kept in a .problem beside it',
      })
  findings.push(...(await missingFiles(work)), ...index(work))
  return findings
}

async function examineEntry(
  work: Work,
  path: string,
  entry: FolderEntry,
  paths: Paths,
): Promise<readonly FolderProblem[]> {
  const { name, kind, why } = entry
  const at = inProject(work, path)
  if (isTemporary(name))
    return [
      { code: 'left_behind', path: at, message: 'a process died while it wrote this', fix: 'clear it away' },
    ]
  if (isProblem(name))
    return [{ code: 'problem', path: at, message: 'read it, then delete it', isNote: true }]
  if (!work.kind.isCandidate(name)) return []
  if (kind === 'odd') return [{ code: 'odd', path: at, message: why ?? 'it is not a file' }]
  return examineFile(work, path, paths)
}

async function examineFile(work: Work, path: string, paths: Paths): Promise<readonly FolderProblem[]> {
  const at = inProject(work, path)
  const found = readQuietly(work, path)
  if (found === undefined) return []
  if (typeof found === 'string') return [{ code: 'odd', path: at, message: found }]
  const row = work.state.fileAt(work.path, path)
  if (!row && isAnswered(work, path))
    return [
      { code: 'problem', path: at, message: 'it was refused; the .problem beside it says why', isNote: true },
    ]
  const text = utf8Text(found)
  const says = text === undefined ? undefined : work.kind.read(text, path)
  if (says?.is === 'nothing') return []
  if (says?.is !== 'handoff')
    return [{ code: 'unreadable', path: at, message: says?.reason ?? 'it is not UTF-8 text' }]
  const id = says.draft.id ?? path
  const key = `${work.kind.scope?.(path) ?? ''}\0${id}`
  paths.set(key, [...(paths.get(key) ?? []), { id, path }])
  const findings: FolderProblem[] = []
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '')
  if (says.draft.id !== undefined && says.draft.id !== stem)
    findings.push({
      code: 'wrong_name',
      path: at,
      message: `its id is ${says.draft.id}`,
      fix: 'put it under its own name',
    })
  const { store } = work.service.deps
  const uid = says.uid ?? row?.uid
  const handoff = (uid !== undefined && (await store.handoff(uid))) || (await store.handoff(id))
  if (!handoff) {
    const fix = 'apply it, or say in a .problem why not'
    return [...findings, { code: 'unknown', path: at, message: 'the engine knows no such handoff', fix }]
  }
  if (!work.kind.fits(handoff, path) && row?.kept !== 'git')
    findings.push({
      code: 'wrong_place',
      path: at,
      message: `${handoff.id} is ${inWords(handoff.state)}; its place is ${work.kind.place(handoff) ?? 'nowhere'}`,
      fix: 'put it in its place',
    })
  else if (row && row.sha256 !== found.sha256)
    findings.push({
      code: 'changed',
      path: at,
      message: 'it was changed, and the change is not applied yet',
      fix: 'apply the change, or refuse it',
    })
  else if (row && row.rev < handoff.rev)
    findings.push({
      code: 'differs',
      path: at,
      message: `it shows revision ${row.rev} of ${handoff.rev}`,
      fix: 'write it',
    })
  else if (
    row?.kept === 'git' &&
    text !== undefined &&
    (says.isBehind || !(await agrees(work, handoff, text, says.draft)))
  )
    findings.push({ code: 'differs', path: at, message: OF_GIT, isNote: true })
  return findings
}

const OF_GIT = 'git brought another version; it is written again with the next step'

/** Whether a file says what the engine would write into it today. */
async function agrees(work: Work, handoff: Handoff, text: string, draft: Draft): Promise<boolean> {
  try {
    const says = work.kind.read(await textFor(work, handoff, text), work.kind.place(handoff) ?? '')
    return says.is === 'handoff' && sameData(says.draft, draft)
  } catch (error) {
    if (error instanceof Unwritable) return true
    throw error
  }
}

/** A file that is nobody's and that somebody was told about. */
function isAnswered(work: Work, path: string): boolean {
  const slash = path.lastIndexOf('/')
  const beside = work.tree.besideName(path.slice(slash + 1), 'problem')
  return readQuietly(work, `${path.slice(0, slash + 1)}${beside}`) !== undefined
}

/** Handoffs of the engine that have no file. */
async function missingFiles(work: Work): Promise<readonly FolderProblem[]> {
  const findings: FolderProblem[] = []
  const { store } = work.service.deps
  for await (const uid of everyHandoff(store)) {
    const handoff = await store.handoff(uid)
    const place = handoff?.home === work.kind.dialect ? work.kind.place(handoff) : undefined
    if (!handoff || place === undefined) continue
    const row = work.state.file(work.path, uid)
    if (work.tree.read(row?.path ?? place)) continue
    const path = inProject(work, row?.path ?? place)
    if (row?.kept === 'absent')
      findings.push({ code: 'missing', path, message: whyAbsent(work), isNote: true })
    else findings.push(await whyMissing(work, handoff, path))
  }
  return findings
}

const whyAbsent = ({ kind }: Work): string =>
  kind.movesAreSteps ? 'it was deleted, also by git' : 'git took it away'

async function whyMissing(
  work: Work,
  handoff: Parameters<typeof textFor>[1],
  path: string,
): Promise<FolderProblem> {
  try {
    await textFor(work, handoff)
    return { code: 'missing', path, message: `${handoff.id} has no file`, fix: 'write it' }
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error
    return { code: 'unwritable', path, message: error.message, isNote: true }
  }
}

function index(work: Work): readonly FolderProblem[] {
  return work.kind
    .extras(freshAboutOf(work))
    .flatMap(({ path, same, keeps, problem, remarks = [] }): FolderProblem[] => {
      const found = readQuietly(work, path, EXTRA_BYTES)
      const text = typeof found === 'object' ? utf8Text(found) : undefined
      const notes = remarks.map(
        (each): FolderProblem => ({
          code: 'artifact',
          path: inProject(work, each.path),
          message: each.message,
          isNote: true,
        }),
      )
      const isText = found === undefined || text !== undefined
      const why = problem ?? (keeps && !isText ? NO_TEXT : undefined)
      if (why !== undefined)
        return [...notes, { code: 'unreadable', path: inProject(work, path), message: why }]
      if (text !== undefined && same(text)) return notes
      const message = text === undefined ? 'it is not there' : 'it says something else than the handoffs'
      return [...notes, { code: 'index', path: inProject(work, path), message, fix: 'make it again' }]
    })
}

/** Handoffs outside the folders that are theirs, in the whole project. */
function strays({ root, folders }: FoldersOptions): readonly FolderProblem[] {
  const markdown = folders.find(({ kind }) => kind.dialect === 'markdown')
  if (!markdown) return []
  const findings: FolderProblem[] = []
  for (const path of walk(root, '', markdown)) {
    const slash = path.lastIndexOf('/')
    const found = readIn(new Tree(root), path)
    if (found === undefined || !isHandoffFile(path, found)) continue
    const place = `${markdown.path}/`
    const message = `handoffs belong into ${place}; this one is in ${slash < 0 ? 'the project itself' : path.slice(0, slash)}`
    findings.push({ code: 'stray', path, message: `${message}; move it with: baton migrate --from v1 .` })
  }
  return findings
}

function readIn(tree: Tree, path: string): string | undefined {
  try {
    const found = tree.read(path)
    return found && found.bytes.length <= MAX_HANDOFF_BYTES ? utf8Text(found) : undefined
  } catch {
    return undefined
  }
}

function* walk(root: string, folder: string, live: LiveFolder): Iterable<string> {
  for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      // Another checkout has its own folder.
      const isOther = SKIPPED.has(entry.name) || lstatSync(`${root}/${path}/.git`, { throwIfNoEntry: false })
      if (!isOther && path !== live.path) yield* walk(root, path, live)
    } else if (entry.isFile() && /\.(?:md|markdown|mdx)$/i.test(entry.name)) yield path
  }
}
