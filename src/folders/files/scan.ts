import { tidy } from '../project.ts'
import { isProblem } from '../reconcile.ts'
import type { Look } from '../state.ts'
import { isSameFolder, note, type Work } from '../work.ts'
import { type FolderEntry, isTemporary, msOf, SAME_INSTANT_MS, sameStamp } from './tree.ts'

/** What a pass knows before it looks. */
export interface Hints {
  /** Folders that others write into, and those of ended handoffs; some are both. */
  readonly flat: readonly string[]
  readonly archives: ReadonlySet<string>
  /** Folders of ended handoffs are listed whenever something came or went there, whatever that costs. */
  readonly complete?: boolean
  /** Paths that the system named to whoever watches, relative to the live folder. */
  readonly touched?: ReadonlySet<string>
}

/** What has to be looked at in one folder. */
export interface Seen {
  readonly folder: string
  readonly changed: readonly FolderEntry[]
  readonly gone: readonly string[]
  /** To be called when that was done: what was listed need not be listed again. */
  readonly done: () => void
}

/** Ended handoffs whose files are looked at each time: who writes late writes into these. */
const RECENT = 200
/** A large folder is listed at most for this part of the time; the names that are waited for are asked for meanwhile. */
const SHARE = 20
/** What takes no longer is done each time, in milliseconds. */
const CHEAP_MS = 25

/** Of the paths that the system named those that are not as they were: whoever waits for them need not wait for the rest. */
export function namedFirst(work: Work, { flat, touched = new Set() }: Hints) {
  return flat.flatMap((folder) => {
    const names = [...touched].flatMap((path) =>
      path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
    )
    const entries = names.length === 0 ? [] : work.tree.entries(folder, names)
    return entries.flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      const isOne = entry.kind === 'file' && isCandidate(work, entry.name)
      return isOne && !isUnchanged(work.state.look(work.path, path), entry) ? [{ path, entry }] : []
    })
  })
}

/** Who wrote first comes first: what is taken from a queue is taken by age. */
export const byAge = (a: FolderEntry, b: FolderEntry): number =>
  Number(BigInt(a.mtime) - BigInt(b.mtime)) || (a.name < b.name ? -1 : 1)

/** The files in a folder that are not as they were when they were last dealt with. */
export function listed(work: Work, folder: string): Seen {
  const looks = work.state.looksIn(work.path, folder)
  const at = Date.now()
  const stamp = work.tree.folderStamp(folder)
  const started = performance.now()
  const changed = changedAmong(work, folder, work.tree.list(folder), (path) => {
    const look = looks.get(path)
    looks.delete(path)
    return look
  })
  const cost = performance.now() - started
  const done = (): void => {
    if (stamp) work.state.putStamp(work.path, folder, { stamp: stamp.stamp, at, cost })
  }
  return { folder, changed, gone: [...looks.keys()], done }
}

/**
 * The same for a folder of ended handoffs, which may hold a hundred thousand: it is listed when something came or
 * went, and of the files that were dealt with only those are looked at that may still change.
 */
export function lookedInto(work: Work, folder: string, hints: Hints): Seen {
  const { tree, state } = work
  const at = Date.now()
  const now = tree.folderStamp(folder)
  const before = state.stamp(work.path, folder)
  const names = new Set(state.unsettledIn(work.path, folder))
  for (const path of [...(hints.touched ?? []), ...state.newestEnded(work.path, RECENT)])
    if (path.startsWith(`${folder}/`)) names.add(path.slice(folder.length + 1))
  const isChanged = now !== undefined && !isSameFolder(before, now)
  const isListed = isChanged && (hints.complete || before === undefined || isDue(before, at))
  if (isChanged && !isListed) for (const name of state.openNames(work.path)) names.add(name)
  const list = isListed ? newNames(work, folder) : { cost: 0, added: [], gone: [] }
  for (const name of list.added) names.add(name)
  const seen = ofNames(work, folder, names)
  const isMissed = (): boolean => seen.changed.some(({ name }) => !state.look(work.path, `${folder}/${name}`))
  return {
    folder,
    changed: seen.changed,
    gone: [...new Set([...seen.gone, ...list.gone])],
    // A file that could not be dealt with must be found again.
    done: () => {
      if (isListed && !isMissed())
        state.putStamp(work.path, folder, { stamp: now.stamp, at, cost: list.cost })
    },
  }
}

const isDue = ({ at, cost }: { readonly at: number; readonly cost: number }, now: number): boolean =>
  cost < CHEAP_MS || now - at > cost * SHARE

/** Names that nobody has dealt with, and files that are no longer there. */
function newNames(work: Work, folder: string) {
  const started = performance.now()
  const known = work.state.namesIn(work.path, folder)
  const added: string[] = []
  let isLeft = false
  for (const name of work.tree.names(folder)) {
    if (known.delete(name)) continue
    if (isTemporary(name)) isLeft = true
    else if (isCandidate(work, name)) added.push(name)
  }
  if (isLeft) tidy(work, folder)
  return { added, gone: [...known].map((name) => `${folder}/${name}`), cost: performance.now() - started }
}

function ofNames(work: Work, folder: string, names: ReadonlySet<string>) {
  const left = new Set(names)
  const entries = work.tree.entries(folder, names)
  for (const { name } of entries) left.delete(name)
  const changed = changedAmong(work, folder, entries, (path) => work.state.look(work.path, path))
  const paths = [...left].map((name) => `${folder}/${name}`)
  return { changed, gone: paths.filter((path) => work.state.look(work.path, path) !== undefined) }
}

/** Those of the files that are not as they were when they were last dealt with. */
function changedAmong(
  work: Work,
  folder: string,
  entries: readonly FolderEntry[],
  lookAt: (path: string) => Look | undefined,
): readonly FolderEntry[] {
  return entries.filter((entry) => {
    const path = `${folder}/${entry.name}`
    if (!isCandidate(work, entry.name)) return false
    const look = lookAt(path)
    if (entry.kind !== 'odd') return work.isThorough || !isUnchanged(look, entry)
    note(work, { what: 'left', path, ...(entry.why && { reason: entry.why }) })
    return false
  })
}

function isCandidate({ kind }: Work, name: string): boolean {
  return !isTemporary(name) && !isProblem(name) && kind.isCandidate(name)
}

/** Whether a file is as it was when it was dealt with. */
export function isUnchanged(look: Look | undefined, entry: FolderEntry): boolean {
  if (!look || !sameStamp(look, entry)) return false
  return msOf(entry.mtime) + SAME_INSTANT_MS < look.at
}
