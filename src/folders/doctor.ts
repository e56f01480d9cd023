import { lstatSync, readdirSync } from 'node:fs'
import { sameData } from '../dialects/difference.ts'
import type { Draft } from '../dialects/draft.ts'
import { isHandoffFile } from '../dialects/markdown/is-handoff.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { orElse } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import { inWords } from '../domain/texts/visible.ts'
import { EXTRA_BYTES, freshAboutOf } from './about.ts'
import { NO_TEXT } from './extras.ts'
import { LOCK_WAIT_MS } from './files/lock.ts'
import { besideName, type FolderEntry, isTemporary, Tree } from './files/tree.ts'
import { besideOf } from './project.ts'
import { isProblem } from './reconcile.ts'
import {
  everyHandoff,
  type FoldersOptions,
  type LiveFolder,
  syncFolders,
  withFolders,
  workOn,
} from './sync.ts'
import { baseName, type Happened, inProject, readQuietly, textFor, utf8Text, type Work } from './work.ts'

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

const finding = (code: FolderProblem['code'], path: string, message: string, fix?: string) => ({
  code,
  path,
  message,
  ...present({ fix }),
})
const remark = (code: FolderProblem['code'], path: string, message: string): FolderProblem => ({
  ...finding(code, path, message),
  isNote: true,
})

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
  for (const where of paths.values()) {
    const [first] = where
    const message = `${first!.id} has ${where.length} files: ${where.map(({ path }) => path).join(', ')}`
    if (where.length > 1) findings.push(finding('duplicate', inProject(work, first!.path), message, KEEP_ONE))
  }
  findings.push(...(await missingFiles(work)), ...index(work))
  return findings
}

const KEEP_ONE = 'keep the one that the engine knows; the text of the others is kept in a .problem beside it'

async function examineEntry(work: Work, path: string, entry: FolderEntry, paths: Paths) {
  const { name, kind, why } = entry
  const at = inProject(work, path)
  if (isTemporary(name))
    return [finding('left_behind', at, 'a process died while it wrote this', 'clear it away')]
  if (isProblem(name)) {
    const isSettled = work.state.fileAt(work.path, path.replace(/\.[^.]+$/, ''))?.open === false
    return isSettled ? [] : [remark('problem', at, 'read it, then delete it')]
  }
  if (!work.kind.isCandidate(name)) return []
  if (kind === 'odd') return [finding('odd', at, why ?? 'it is not a file')]
  return examineFile(work, path, paths)
}

async function examineFile(work: Work, path: string, paths: Paths): Promise<readonly FolderProblem[]> {
  const at = inProject(work, path)
  const found = readQuietly(work, path)
  if (found === undefined) return []
  if (typeof found === 'string') return [finding('odd', at, found)]
  const row = work.state.fileAt(work.path, path)
  if (!row && isAnswered(work, path))
    return [remark('problem', at, 'it was refused; the .problem beside it says why')]
  const text = utf8Text(found)
  const says = text === undefined ? undefined : work.kind.read(text, path)
  if (says?.is === 'nothing') return []
  if (says?.is !== 'handoff') return [finding('unreadable', at, says?.reason ?? 'it is not UTF-8 text')]
  const id = says.draft.id ?? path
  const key = `${work.kind.scope?.(path) ?? ''}\0${id}`
  paths.set(key, [...(paths.get(key) ?? []), { id, path }])
  const findings: FolderProblem[] = []
  const stem = baseName(path).replace(/\.[^.]+$/, '')
  if (says.draft.id !== undefined && says.draft.id !== stem)
    findings.push(finding('wrong_name', at, `its id is ${says.draft.id}`, 'put it under its own name'))
  const { store } = work.service.deps
  const uid = says.uid ?? row?.uid
  const handoff = (uid !== undefined && (await store.handoff(uid))) || (await store.handoff(id))
  if (!handoff) {
    const fix = 'apply it, or say in a .problem why not'
    return [...findings, finding('unknown', at, 'the engine knows no such handoff', fix)]
  }
  const place = `${handoff.id} is ${inWords(handoff.state)}; its place is ${work.kind.place(handoff) ?? 'nowhere'}`
  if (!work.kind.fits(handoff, path) && row?.kept !== 'git')
    findings.push(finding('wrong_place', at, place, 'put it in its place'))
  else if (row && row.sha256 !== found.sha256)
    findings.push(finding('changed', at, NOT_APPLIED, 'apply the change, or refuse it'))
  else if (row && row.rev < handoff.rev)
    findings.push(finding('differs', at, `it shows revision ${row.rev} of ${handoff.rev}`, 'write it'))
  else if (
    row?.kept === 'git' &&
    text !== undefined &&
    (says.isBehind || !(await agrees(work, handoff, text, says.draft)))
  )
    findings.push(remark('differs', at, OF_GIT))
  return findings
}

const NOT_APPLIED = 'it was changed, and the change is not applied yet'
const OF_GIT = 'git brought another version; it is written again with the next step'

/** Whether a file says what the engine would write into it today. */
async function agrees(work: Work, handoff: Handoff, text: string, draft: Draft): Promise<boolean> {
  const made = await textFor(work, handoff, text)
  if (typeof made !== 'string') return true
  const says = work.kind.read(made, work.kind.place(handoff) ?? '')
  return says.is === 'handoff' && sameData(says.draft, draft)
}

/** A file that is nobody's and that somebody was told about. */
function isAnswered(work: Work, path: string): boolean {
  return readQuietly(work, besideOf(path, besideName(baseName(path), 'problem'))) !== undefined
}

/** Handoffs of the engine that have no file. */
async function missingFiles(work: Work): Promise<readonly FolderProblem[]> {
  const findings: FolderProblem[] = []
  const { store } = work.service.deps
  for await (const handoff of everyHandoff(store)) {
    const place = handoff.home === work.kind.dialect ? work.kind.place(handoff) : undefined
    if (place === undefined) continue
    const row = work.state.file(work.path, handoff.uid)
    if (work.tree.read(row?.path ?? place)) continue
    const path = inProject(work, row?.path ?? place)
    const text = row?.kept === 'absent' ? undefined : await textFor(work, handoff)
    if (text === undefined) findings.push(remark('missing', path, whyAbsent(work)))
    else if (typeof text === 'string')
      findings.push(finding('missing', path, `${handoff.id} has no file`, 'write it'))
    else findings.push(remark('unwritable', path, text.message))
  }
  return findings
}

const whyAbsent = ({ kind }: Work): string =>
  kind.movesAreSteps ? 'it was deleted, also by git' : 'git took it away'

function index(work: Work): readonly FolderProblem[] {
  return work.kind
    .extras(freshAboutOf(work))
    .flatMap(({ path, same, keeps, problem, remarks = [] }): FolderProblem[] => {
      const found = readQuietly(work, path, EXTRA_BYTES)
      const text = typeof found === 'object' ? utf8Text(found) : undefined
      const notes = remarks.map((each) => remark('artifact', inProject(work, each.path), each.message))
      const isText = found === undefined || text !== undefined
      const why = problem ?? (keeps && !isText ? NO_TEXT : undefined)
      if (why !== undefined) return [...notes, finding('unreadable', inProject(work, path), why)]
      if (text !== undefined && same(text)) return notes
      const message = text === undefined ? 'it is not there' : 'it says something else than the handoffs'
      return [...notes, finding('index', inProject(work, path), message, 'make it again')]
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
    const place = slash < 0 ? 'the project itself' : path.slice(0, slash)
    const message = `handoffs belong into ${markdown.path}/; this one is in ${place}; move it with: baton migrate --from v1 .`
    findings.push(finding('stray', path, message))
  }
  return findings
}

function readIn(tree: Tree, path: string): string | undefined {
  const found = orElse(() => tree.read(path), undefined)
  return found && found.bytes.length <= MAX_HANDOFF_BYTES ? utf8Text(found) : undefined
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
