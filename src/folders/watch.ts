import { type FSWatcher, lstatSync, watch } from 'node:fs'
import { BatonError } from '../domain/errors.ts'
import { LOOK_AGAIN_MS } from '../service/waits.ts'
import { KeptState } from './kept-state.ts'
import { type FoldersOptions, prepare, syncFolders, treeOf } from './sync.ts'
import type { Happened } from './work.ts'

export interface WatchOptions {
  readonly signal: AbortSignal
  readonly onPass?: (happened: readonly Happened[]) => void
  /** Called after each pass: from the first one on, files that were there are known. */
  readonly onReady?: () => void
  /** A pass that failed is tried again; whoever watches is told. */
  readonly onFailure?: (error: Error) => void
  readonly lookAgainMs?: number
}

/**
 * Keeps the live folders in step until the signal: woken by the system when a file changes and by the store when
 * something was committed. Only the flat folders are watched, never the archives.
 */
export async function watchFolders(given: FoldersOptions, how: WatchOptions): Promise<void> {
  const kept = new KeptState(given.dir)
  const options = { ...given, kept }
  const { signal, onPass, onReady, onFailure, lookAgainMs = LOOK_AGAIN_MS } = how
  let wake: () => void = () => undefined
  const woken = (): void => wake()
  let before: readonly Happened[] = []
  let touched: Touched = new Map()
  const touch = (folder: string, path: string): void => {
    touched.set(folder, (touched.get(folder) ?? new Set()).add(path))
  }
  const onChange: OnChange = (folder, path) => {
    if (path !== undefined) touch(folder, path)
    wake()
  }
  const unsubscribe = options.service.deps.store.subscribe(woken)
  signal.addEventListener('abort', woken, { once: true })
  const watchers = new Map<string, Watched>()
  try {
    // Before the first look, so that a change in between is not missed.
    watchFlat(options, watchers, onChange)
    while (!signal.aborted) {
      const next = Promise.withResolvers<void>()
      wake = next.resolve
      const named = touched
      touched = new Map()
      const happened = await pass(options, named, (error) => {
        for (const [folder, paths] of named) for (const path of paths) touch(folder, path)
        onFailure?.(error)
      })
      const news = happened.filter((each) => !isRepeated(each, before))
      before = happened
      if (news.length > 0) onPass?.(news)
      onReady?.()
      // What came into a new folder before it was watched is looked for at once.
      if (watchFlat(options, watchers, onChange)) continue
      const timer = setTimeout(woken, lookAgainMs)
      await next.promise
      clearTimeout(timer)
    }
  } finally {
    unsubscribe()
    for (const { watcher } of watchers.values()) watcher.close()
    kept.close()
  }
}

/** What nobody has mended since the last pass was said then; other bytes are kept under another name. */
const isRepeated = ({ what, path, reason }: Happened, before: readonly Happened[]): boolean =>
  (what === 'refused' || what === 'conflict' || what === 'left') &&
  before.some((each) => each.what === what && each.path === path && each.reason === reason)

/** Paths that the system named, by the live folder that they are relative to. */
type Touched = Map<string, Set<string>>
type OnChange = (folder: string, path: string | undefined) => void

async function pass(options: FoldersOptions, touched: Touched, onFailure: (error: Error) => void) {
  try {
    return await syncFolders(options, { touched })
  } catch (error) {
    onFailure(error instanceof Error ? error : new BatonError('internal', String(error)))
    return []
  }
}

interface Watched {
  readonly watcher: FSWatcher
  /** Of the folder: a watch stays with it when it is moved. */
  readonly ino: number | undefined
}

/** True where there is a new one: a folder that was taken away and made again needs another watch. */
function watchFlat(options: FoldersOptions, watchers: Map<string, Watched>, onChange: OnChange): boolean {
  let isNew = false
  for (const folder of options.folders) {
    try {
      prepare(options, folder)
    } catch {
      // The pass says it.
      continue
    }
    const tree = treeOf(options, folder)
    for (const flat of folder.kind.flat(tree)) {
      const changed = (name?: string) => onChange(folder.path, name && `${flat}/${name}`)
      isNew = watchOne(`${tree.root}/${flat}`, watchers, changed) || isNew
    }
  }
  return isNew
}

function watchOne(
  path: string,
  watchers: Map<string, Watched>,
  onChange: (name: string | undefined) => void,
): boolean {
  const ino = lstatSync(path, { throwIfNoEntry: false })?.ino
  const forget = (): void => {
    watchers.get(path)?.watcher.close()
    watchers.delete(path)
  }
  const watched = watchers.get(path)
  if (watched && watched.ino === ino) return false
  forget()
  try {
    const watcher = watch(path, { persistent: true }, (event, name) => {
      // The folder itself went away.
      if (event === 'rename' && name !== null && path.endsWith(`/${name}`)) forget()
      // A draft that will be renamed: a pass for it would only delay the one for the file.
      if (!name?.startsWith('.')) onChange(name ?? undefined)
    })
    watcher.on('error', forget)
    watchers.set(path, { watcher, ino })
    return true
  } catch {
    // Too many watches, or no folder yet: the look each second does without.
    return false
  }
}
