import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { RecentTexts } from '../dialects/text/sources.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { present } from '../domain/present.ts'
import { itemsOf, type Service, type Store } from '../service/service.ts'
import { extraFiles } from './extras.ts'
import { LOCK_WAIT_MS } from './files/lock.ts'
import { byAge, type Hints, listed, lookedInto, namedFirst, type Seen } from './files/scan.ts'
import { type Replaced, Tree } from './files/tree.ts'
import type { Acceptable, FolderKind, Git } from './folder.ts'
import { KeptState } from './kept-state.ts'
import { lateWrites, replacedIn } from './late-writes.ts'
import { tidy } from './project.ts'
import { reconcileFile, reconcileHandoff } from './reconcile.ts'
import type { FolderState } from './state.ts'
import { folderOf, type Happened, note, quietly, type Work } from './work.ts'

/** One live folder of a workspace. */
export interface LiveFolder {
  readonly kind: FolderKind
  /** Relative to the project: `_handoffs`. */
  readonly path: string
  readonly accept: readonly Acceptable[]
}

export interface FoldersOptions {
  /** Real path of the project. */
  readonly root: string
  /** Where what is known of the folders is kept: `.baton`. */
  readonly dir: string
  readonly folders: readonly LiveFolder[]
  readonly service: Service
  readonly git?: Git | undefined
  /** Which machine this is. */
  readonly host: string
  /** Stays open between the passes of whoever makes many. */
  readonly kept?: KeptState
}

export interface SyncOptions {
  /** How long to wait for another process that is at the folders. */
  readonly waitMs?: number
  /** Looks at every file and every handoff again, archives too. */
  readonly thorough?: boolean
  /** Lists every folder in which something came or went, however large it is. */
  readonly complete?: boolean
  /** Of each live folder the paths that the system named to whoever watches. */
  readonly touched?: ReadonlyMap<string, ReadonlySet<string>>
}

const HANDOFF_PAGE = 500
const GIT_WAIT_MS = 3_000

/**
 * One pass over the live folders: takes in what others wrote, writes what changed in the engine, and makes the
 * index. The cost follows what changed: archives are walked only the first time.
 */
export async function syncFolders(
  options: FoldersOptions,
  { waitMs = LOCK_WAIT_MS, ...how }: SyncOptions = {},
): Promise<readonly Happened[]> {
  return withFolders(options, waitMs, async (state) => {
    await options.service.settle()
    const happened: Happened[] = []
    for (const folder of options.folders) happened.push(...(await syncOne(options, state, folder, how)))
    return happened
  })
}

/** The files of a live folder. */
export const treeOf = (
  { root }: Pick<FoldersOptions, 'root'>,
  { path }: LiveFolder,
  replaced?: Replaced,
): Tree => new Tree(path === '.' ? root : `${root}/${path}`, replaced)

/** Where the file of a handoff lies, relative to the project; undefined where it has none. */
export function fileOf({ root, folders }: FoldersOptions, handoff: Handoff): string | undefined {
  for (const { kind, path } of folders) {
    const place = handoff.home === kind.dialect ? kind.place(handoff) : undefined
    const file = place === undefined ? undefined : path === '.' ? place : `${path}/${place}`
    if (file !== undefined && existsSync(`${root}/${file}`)) return file
  }
  return undefined
}

/** Runs alone at the folders of this checkout, with what is known of them. */
export async function withFolders<T>(
  { dir, host, kept }: FoldersOptions,
  waitMs: number,
  work: (state: FolderState) => Promise<T>,
): Promise<T> {
  const own = kept ?? new KeptState(dir)
  try {
    return await own.use(waitMs, (state) => {
      state.own(host, Date.now())
      return work(state)
    })
  } finally {
    if (!kept) own.close()
  }
}

export function workOn(
  options: FoldersOptions,
  state: FolderState,
  folder: LiveFolder,
  isThorough = false,
): Work {
  const { cursor, head, isSeen } = state.folder(folder.path)
  const recent = new RecentTexts()
  return {
    kind: folder.kind,
    tree: treeOf(options, folder, replacedIn(options.dir, state, folder.path, cursor === undefined)),
    state,
    service: options.service,
    git: options.git,
    accept: new Set(folder.accept),
    path: folder.path,
    isFirst: cursor === undefined,
    isAdopting: !isSeen,
    isThorough,
    get isMovedByGit() {
      return head !== undefined && options.git !== undefined && head !== options.git.head()
    },
    happened: [],
    recent,
    turns: new Map(),
    read: (text, path) => recent.made(text, `says ${path}`, () => folder.kind.read(text, path, recent)),
  }
}

/** One pass over one folder, by whoever has the lock. */
export async function syncOne(
  options: FoldersOptions,
  state: FolderState,
  folder: LiveFolder,
  { thorough = false, complete = false, touched }: Omit<SyncOptions, 'waitMs'> = {},
): Promise<readonly Happened[]> {
  prepare(options, folder)
  await whileBusy(options.git)
  const head = options.git?.head()
  const work = workOn(options, state, folder, thorough)
  const { store } = options.service.deps
  const archives = new Set(work.kind.archives?.(work.tree))
  const flat = work.kind.flat(work.tree)
  const hints = { flat, archives, complete, touched: touched?.get(folder.path) ?? new Set<string>() }
  await reconcileEach(
    work,
    namedFirst(work, hints).toSorted((a, b) => byAge(a.entry, b.entry)),
  )
  for (const each of new Set([...flat, ...work.kind.extraPaths.map(folderOf), '']))
    if (thorough || !archives.has(each)) tidy(work, each)
  await takeIn(work, hints)
  const { cursor = (await store.changes(undefined, 1)).cursor } = state.folder(folder.path)
  if (work.isFirst || thorough)
    for await (const handoff of everyHandoff(store))
      if (thorough || (state.file(folder.path, handoff.uid)?.rev ?? -1) < handoff.rev)
        await reconcileUid(work, handoff.uid)
  const reached = await catchUp(work, cursor)
  await extraFiles(work)
  lateWrites(work, options.dir)
  state.putFolder(folder.path, { cursor: reached, ...present({ head }) })
  return work.happened
}

/** Baton's own notes beside the handoffs are for whoever is there, not for the history. */
export const IGNORED = '.baton-*\n*.problem\n*.problem-*\n*.conflict\n*.conflict-*\n'

/** The folder itself, and what keeps Baton's own notes in it out of git. */
export function prepare(options: Pick<FoldersOptions, 'root'>, folder: LiveFolder): void {
  const { kind, path } = folder
  if (path !== '.') new Tree(options.root).make(path)
  const tree = treeOf(options, folder)
  for (const each of kind.made) tree.make(each)
  if (path !== '.' && tree.entries('', ['.gitignore']).length === 0) tree.put('.gitignore', IGNORED)
}

async function whileBusy(git: Git | undefined): Promise<void> {
  for (const deadline = Date.now() + GIT_WAIT_MS; git?.isBusy() && Date.now() < deadline; ) await pause(20)
}

/** What others changed in the folders that they write into, and what came into those of ended handoffs. */
async function takeIn(work: Work, hints: Hints): Promise<void> {
  const { kind, tree, isFirst, isThorough } = work
  const isWhole = isFirst || isThorough
  const { flat, archives } = hints
  const folders = new Set([...(isWhole ? kind.every(tree) : flat), ...archives])
  const gone: string[] = []
  for (const folder of folders) {
    const seen = scanned(work, folder, !isWhole && archives.has(folder) ? hints : undefined)
    if (!seen) continue
    gone.push(...seen.gone)
    const changed = seen.changed.toSorted(byAge).map(({ name }) => ({ path: `${folder}/${name}` }))
    await reconcileEach(work, changed)
    if (archives.has(folder)) seen.done()
  }
  for (const path of gone) await wentAway(work, path)
}

/** So many files that were there before Baton came are taken in at once, and share their transactions. */
const TOGETHER = 64

async function reconcileEach(work: Work, files: readonly { readonly path: string }[]): Promise<void> {
  const { recent, turns, tree, isAdopting } = work
  const many = isAdopting ? TOGETHER : 1
  for (let from = 0; from < files.length; from += many) {
    for (const each of [recent, turns]) each.clear()
    const group = (): Promise<void>[] =>
      files.slice(from, from + many).map(({ path }) => reconcileFile(work, path))
    for (const done of await tree.together(() => Promise.allSettled(group())))
      if (done.status === 'rejected') throw done.reason
  }
}

/** One folder that is a link must not keep the others from being looked at. */
function scanned(work: Work, folder: string, hints: Hints | undefined): Seen | undefined {
  return quietly(
    () => (hints ? lookedInto(work, folder, hints) : listed(work, folder)),
    (reason) => {
      note(work, { what: 'left', path: folder, reason })
      return undefined
    },
  )
}

async function wentAway(work: Work, path: string): Promise<void> {
  const row = work.state.fileAt(work.path, path)
  // The look stays where the file belongs: it may be back by now, and gone again before the next pass.
  if (!row || row.kept === 'absent') return work.state.dropLook(work.path, path)
  await reconcileUid(work, row.uid)
}

async function reconcileUid(work: Work, uid: string): Promise<void> {
  work.recent.clear()
  const handoff = await work.service.deps.store.handoff(uid)
  if (handoff) await reconcileHandoff(work, handoff)
}

export const everyHandoff = (store: Store): AsyncIterable<Handoff> =>
  itemsOf((page) => store.handoffs({}, page), 200)

/** Follows the log from where the last pass ended. */
async function catchUp(work: Work, from: string): Promise<string> {
  const { store } = work.service.deps
  for (let cursor = from; ; ) {
    const page = await store.changes(cursor, HANDOFF_PAGE)
    for (const uid of new Set(page.entries.map(({ subject }) => subject))) await reconcileUid(work, uid)
    cursor = page.cursor
    if (page.entries.length < HANDOFF_PAGE) return cursor
  }
}
