import { setTimeout as pause } from 'node:timers/promises'
import { DAY_MS } from '../dialects/text/time.ts'
import { aboutOf, EXTRA_BYTES } from './about.ts'
import { type FoundFile, msOf, sameStamp, sha256Of } from './files/tree.ts'
import type { Extra } from './folder.ts'
import { isOfGitSoon } from './ingest.ts'
import { keepBeside, look } from './project.ts'
import { refuseFile } from './refuse.ts'
import { isSameFolder, note, quietly, utf8Text, type Work } from './work.ts'

/** Nothing of these is anybody's handoff. */
const NOBODY = ''

/**
 * Files that are made from the others. They are derived: what somebody wrote into one is kept beside it and made
 * again. What git checked out stays until a handoff changes.
 */
export async function extraFiles(work: Work): Promise<void> {
  const beside = changedBeside(work)
  const isChanged =
    work.isThorough || beside.length > 0 || work.happened.some(({ what }) => CHANGES.has(what))
  let made: readonly Extra[] | undefined
  for (const path of work.kind.extraPaths) {
    const there = work.tree.read(path, EXTRA_BYTES)
    const seen = work.state.look(work.path, path)
    // What happened lately is no longer late after a while, although nothing else changed.
    const isOld = seen !== undefined && Date.now() - seen.at > DAY_MS
    if (there && seen && sameStamp(seen, there.stamp) && !isChanged && !isOld) continue
    const isOther = there !== undefined && !isChanged && seen !== undefined && !sameStamp(seen, there.stamp)
    const isGits = work.isMovedByGit && !isChanged
    // A checkout that is not yet through must not be taken for somebody who wrote into it.
    if (isGits || (isOther && (await isOfGitSoon(work, path, there.bytes)))) {
      if (there) look(work, path, there.sha256, there.stamp)
      continue
    }
    // It changed again while we waited: the next pass looks at it.
    const now = isOther ? work.tree.read(path, EXTRA_BYTES) : there
    if (isOther && !(now && sameStamp(now.stamp, there.stamp))) continue
    made ??= work.kind.extras(aboutOf(work, work.isThorough || work.isFirst))
    const extra = made.find((each) => each.path === path)
    if (extra) await putExtra(work, extra)
  }
  for (const { folder, stamp, at } of beside) work.state.putStamp(work.path, folder, { stamp, at, cost: 0 })
}

/** Folders beside the handoffs in which something came or went since these files were made. */
function changedBeside({ kind, tree, state, path }: Work) {
  return (kind.beside?.(tree) ?? []).flatMap((folder) => {
    const at = Date.now()
    const now = quietly(() => tree.folderStamp(folder))
    return !now || isSameFolder(state.stamp(path, folder), now) ? [] : [{ folder, stamp: now.stamp, at }]
  })
}

const CHANGES: ReadonlySet<string> = new Set(['written', 'moved', 'taken_in', 'created', 'put_back'])

export const NO_TEXT = 'it is not UTF-8 text; correct it, or delete it and run: baton folders sync'

async function putExtra(work: Work, extra: Extra): Promise<void> {
  const { path, text, problem } = extra
  const there = work.tree.read(path, EXTRA_BYTES)
  const old = there && utf8Text(there)
  const reason = problem ?? (there && old === undefined && extra.keeps ? NO_TEXT : undefined)
  if (there && reason !== undefined) {
    if (await isBeingWritten(work, path, there)) return note(work, { what: 'left', path, reason: JUST_NOW })
    // Every pass says it again, until somebody has mended it.
    work.state.dropLook(work.path, path)
    return refuseFile(work, { path, found: there, reason })
  }
  if (there && old !== undefined && extra.same(old)) {
    // Whoever wrote it, it is what Baton would have written: what replaces it later loses nothing.
    work.state.willWrite(work.path, there.sha256, NOBODY, 0)
    look(work, path, there.sha256, there.stamp)
    return
  }
  if (there && work.state.wrote(work.path, there.sha256) === undefined && !work.isFirst && !extra.keeps)
    keepBeside(work, path, there, 'it is made from the handoffs; text that others wrote into it is kept here')
  const sha256 = sha256Of(text)
  work.state.willWrite(work.path, sha256, NOBODY, 0)
  const put = work.tree.put(path, text, there)
  if (put.ok) look(work, path, sha256, put.stamp)
  else note(work, { what: 'left', path, reason: JUST_NOW })
}

const JUST_NOW = 'somebody wrote to it just now; the next pass makes it again'
/** A file that cannot be read gets this long to become whole. */
const WHOLE_MS = 250

async function isBeingWritten({ tree }: Work, path: string, { stamp }: FoundFile): Promise<boolean> {
  const age = Date.now() - msOf(stamp.mtime)
  if (age < 0 || age >= WHOLE_MS) return false
  await pause(WHOLE_MS - age)
  const now = tree.read(path, EXTRA_BYTES)
  return !now || !sameStamp(now.stamp, stamp)
}
