import { type FSWatcher, lstatSync, watch } from 'node:fs'
import { BatonError } from '../domain/errors.ts'
import { type FoldersOptions, prepare, syncFolders } from './sync.ts'
import { Tree } from './tree.ts'
import type { Happened } from './work.ts'

export interface WatchOptions {
  readonly signal: AbortSignal
  readonly onPass?: (happened: readonly Happened[]) => void
  /** A pass that failed is tried again; whoever watches is told. */
  readonly onFailure?: (error: Error) => void
  readonly lookAgainMs?: number
}

/** Signals are hints: whoever watches looks for itself this often. */
const LOOK_AGAIN_MS = 1_000

/**
 * Keeps the live folders in step until the signal: woken by the system when a file changes and by the store when
 * something was committed. Only the flat folders are watched, never the archives.
 */
export async function watchFolders(options: FoldersOptions, how: WatchOptions): Promise<void> {
  const { signal, onPass, onFailure, lookAgainMs = LOOK_AGAIN_MS } = how
  let wake: () => void = () => undefined
  const woken = (): void => wake()
  const unsubscribe = options.service.deps.store.subscribe(woken)
  signal.addEventListener('abort', woken, { once: true })
  const watchers = new Map<string, Watched>()
  try {
    while (!signal.aborted) {
      // Before the look, so that a change in between is not missed.
      const next = new Promise<void>((resolve) => {
        wake = resolve
      })
      watchFlat(options, watchers, woken)
      const happened = await pass(options, onFailure)
      if (happened.length > 0) onPass?.(happened)
      const timer = setTimeout(woken, lookAgainMs)
      await next
      clearTimeout(timer)
    }
  } finally {
    unsubscribe()
    for (const { watcher } of watchers.values()) watcher.close()
  }
}

async function pass(
  options: FoldersOptions,
  onFailure: WatchOptions['onFailure'],
): Promise<readonly Happened[]> {
  try {
    return await syncFolders(options)
  } catch (error) {
    onFailure?.(error instanceof Error ? error : new BatonError('internal', String(error)))
    return []
  }
}

interface Watched {
  readonly watcher: FSWatcher
  /** Of the folder: a watch stays with it when it is moved. */
  readonly ino: number | undefined
}

/** A folder that was taken away and made again needs a new watch; the look each second finds that out too. */
function watchFlat(options: FoldersOptions, watchers: Map<string, Watched>, onChange: () => void): void {
  for (const folder of options.folders) {
    try {
      prepare(options, folder)
    } catch {
      // The pass says it.
      continue
    }
    const base = folder.path === '.' ? options.root : `${options.root}/${folder.path}`
    for (const flat of folder.kind.flat(new Tree(base))) watchOne(`${base}/${flat}`, watchers, onChange)
  }
}

function watchOne(path: string, watchers: Map<string, Watched>, onChange: () => void): void {
  const ino = lstatSync(path, { throwIfNoEntry: false })?.ino
  const forget = (): void => {
    watchers.get(path)?.watcher.close()
    watchers.delete(path)
  }
  const watched = watchers.get(path)
  if (watched && watched.ino === ino) return
  forget()
  try {
    const watcher = watch(path, { persistent: true }, (event, name) => {
      // The folder itself went away.
      if (event === 'rename' && name !== null && path.endsWith(`/${name}`)) forget()
      onChange()
    })
    watcher.on('error', forget)
    watchers.set(path, { watcher, ino })
  } catch {
    // Too many watches, or no folder yet: the look each second does without.
  }
}
