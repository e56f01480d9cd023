import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Handoff } from '../domain/handoff.ts'
import type { Service, Store } from '../service/service.ts'
import { extraFiles } from './extras.ts'
import type { Acceptable, FolderKind, Git } from './folder.ts'
import { lateWrites, replacedIn } from './late.ts'
import { withLock } from './lock.ts'
import { isProblem, reconcileFile, reconcileHandoff } from './reconcile.ts'
import { FolderState, type Look } from './state.ts'
import { type Entry, isTemporary, sameStamp, Tree } from './tree.ts'
import { type Happened, note, type Work } from './work.ts'

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
}

export interface SyncOptions {
  /** How long to wait for another process that is at the folders. */
  readonly waitMs?: number
  /** Looks at every file and every handoff again, archives too. */
  readonly thorough?: boolean
}

/** What a change in the same instant would not show in a stamp: file systems count in steps of some milliseconds. */
const SAME_INSTANT_MS = 50
const PAGE = 500
const WAIT_MS = 10_000
const GIT_WAIT_MS = 3_000

/**
 * One pass over the live folders: takes in what others wrote, writes what changed in the engine, and makes the
 * index. The cost follows what changed: archives are walked only the first time.
 */
export async function syncFolders(
  options: FoldersOptions,
  { waitMs = WAIT_MS, thorough = false }: SyncOptions = {},
): Promise<readonly Happened[]> {
  return withFolders(options, waitMs, async (state) => {
    await options.service.settle()
    const happened: Happened[] = []
    for (const folder of options.folders) happened.push(...(await syncOne(options, state, folder, thorough)))
    return happened
  })
}

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
export function withFolders<T>(
  { dir, host }: FoldersOptions,
  waitMs: number,
  work: (state: FolderState) => Promise<T>,
): Promise<T> {
  return withLock(`${dir}/folders.lock`, waitMs, async () => {
    const state = new FolderState(`${dir}/folders.db`)
    try {
      state.own(host, Date.now())
      return await work(state)
    } finally {
      state.close()
    }
  })
}

export function workOn(options: FoldersOptions, state: FolderState, folder: LiveFolder): Work {
  const { cursor, head } = state.folder(folder.path)
  return {
    kind: folder.kind,
    tree: new Tree(
      folder.path === '.' ? options.root : `${options.root}/${folder.path}`,
      replacedIn(options.dir, state, folder.path),
    ),
    state,
    service: options.service,
    git: options.git,
    accept: new Set(folder.accept),
    path: folder.path,
    isFirst: cursor === undefined,
    get isMovedByGit() {
      return head !== undefined && options.git !== undefined && head !== options.git.head()
    },
    happened: [],
  }
}

async function syncOne(
  options: FoldersOptions,
  state: FolderState,
  folder: LiveFolder,
  thorough: boolean,
): Promise<readonly Happened[]> {
  prepare(options, folder)
  await whileBusy(options.git)
  const head = options.git?.head()
  const work = workOn(options, state, folder)
  const { store } = options.service.deps
  const { cursor = (await store.changes(undefined, 1)).cursor } = state.folder(folder.path)
  lateWrites(work, options.dir)
  for (const flat of work.kind.flat(work.tree)) tidy(work, flat)
  await takeIn(work, thorough)
  if (work.isFirst || thorough) for await (const uid of everyHandoff(store)) await reconcileUid(work, uid)
  const reached = await catchUp(work, cursor)
  extraFiles(work)
  state.putFolder(folder.path, { cursor: reached, ...(head !== undefined && { head }) })
  return work.happened
}

/** Baton's own notes beside the handoffs are for whoever is there, not for the history. */
export const IGNORED = '.baton-*\n*.problem\n*.problem-*\n*.conflict\n*.conflict-*\n'

/** The folder itself, and what keeps Baton's own notes in it out of git. */
export function prepare({ root }: Pick<FoldersOptions, 'root'>, { kind, path }: LiveFolder): void {
  const project = new Tree(root)
  if (path !== '.') project.make(path)
  const tree = new Tree(path === '.' ? root : `${root}/${path}`)
  for (const folder of kind.made) tree.make(folder)
  if (path !== '.' && !tree.read('.gitignore')) tree.put('.gitignore', IGNORED)
}

async function whileBusy(git: Git | undefined): Promise<void> {
  for (const deadline = Date.now() + GIT_WAIT_MS; git?.isBusy() && Date.now() < deadline; ) await pause(20)
}

function tidy(work: Work, folder: string): void {
  const isKnown = (sha256: string): boolean => work.state.wrote(work.path, sha256) !== undefined
  for (const kept of work.tree.tidy(folder, isKnown))
    note(work, {
      what: 'conflict',
      path: `${folder}/${kept}`,
      reason: 'a process died while it replaced this file',
    })
}

/** What others changed in the folders that they write into. */
async function takeIn(work: Work, thorough: boolean): Promise<void> {
  const looks = work.state.looks(work.path)
  const folders = work.isFirst || thorough ? [...work.kind.every(work.tree)] : [...work.kind.flat(work.tree)]
  const seen = new Set<string>()
  for (const folder of folders) {
    const changed: Entry[] = []
    for (const entry of work.tree.list(folder)) {
      const path = `${folder}/${entry.name}`
      if (!isCandidate(work, entry)) continue
      seen.add(path)
      if (entry.kind === 'odd') note(work, { what: 'left', path, ...(entry.why && { reason: entry.why }) })
      else if (thorough || !isUnchanged(looks.get(path), entry)) changed.push(entry)
    }
    // Who wrote first comes first: what is taken from a queue is taken by age.
    changed.sort((a, b) => Number(BigInt(a.mtime) - BigInt(b.mtime)) || (a.name < b.name ? -1 : 1))
    for (const { name } of changed) await reconcileFile(work, `${folder}/${name}`)
  }
  const gone = [...looks.keys()].filter((path) => !seen.has(path) && folders.includes(folderOf(path)))
  for (const path of gone) await wentAway(work, path)
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

function isCandidate({ kind }: Work, { name }: Entry): boolean {
  return !isTemporary(name) && !isProblem(name) && kind.isCandidate(name)
}

function isUnchanged(look: Look | undefined, entry: Entry): boolean {
  if (!look || !sameStamp(look, entry)) return false
  return Number(BigInt(entry.mtime) / 1_000_000n) + SAME_INSTANT_MS < look.at
}

async function wentAway(work: Work, path: string): Promise<void> {
  const row = work.state.fileAt(work.path, path)
  // The look stays where the file belongs: it may be back by now, and gone again before the next pass.
  if (!row || row.kept === 'absent') return work.state.dropLook(work.path, path)
  await reconcileUid(work, row.uid)
}

async function reconcileUid(work: Work, uid: string): Promise<void> {
  const handoff = await work.service.deps.store.handoff(uid)
  if (handoff) await reconcileHandoff(work, handoff)
}

export async function* everyHandoff(store: Store): AsyncIterable<string> {
  for (let cursor: string | undefined; ; ) {
    const page = await store.handoffs({}, { limit: 200, ...(cursor !== undefined && { cursor }) })
    for (const { uid } of page.items) yield uid
    if (page.next === undefined) return
    cursor = page.next
  }
}

/** Follows the log from where the last pass ended. */
async function catchUp(work: Work, from: string): Promise<string> {
  const { store } = work.service.deps
  for (let cursor = from; ; ) {
    const page = await store.changes(cursor, PAGE)
    for (const uid of new Set(page.entries.map(({ subject }) => subject))) await reconcileUid(work, uid)
    cursor = page.cursor
    if (page.entries.length < PAGE) return cursor
  }
}
