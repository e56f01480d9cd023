import type { Handoff } from '../domain/handoffs/handoff.ts'
import { isEnd } from '../domain/lifecycle.ts'
import { besideName, type FoundFile, type Stamp, sha256Of } from './files/tree.ts'
import type { FileRow } from './state.ts'
import { baseName, folderOf, note, textFor, utf8Text, type Work } from './work.ts'

export interface Target {
  /** What lies there now and may be replaced; absent where nothing does. */
  readonly at?: { readonly path: string; readonly found: FoundFile }
  /** The text that stays wherever the engine says nothing else. */
  readonly base?: string | undefined
}

/**
 * Brings the file of a handoff to what the engine says: the new text in the new place, then the old file away. False
 * when somebody wrote there meanwhile: then the pass looks again.
 */
export async function project(work: Work, handoff: Handoff, target: Target): Promise<boolean> {
  const place = work.kind.place(handoff)
  if (place === undefined) return true
  const text = await textFor(work, handoff, target.base)
  if (typeof text !== 'string') {
    note(work, { what: 'left', path: place, id: handoff.id, uid: handoff.uid, reason: text.message })
    return true
  }
  const at = target.at
  const path = at && work.kind.fits(handoff, at.path) ? at.path : place
  const sha256 = sha256Of(text)
  if (at?.path === path && at.found.sha256 === sha256) {
    return agree(work, handoff, { path, text, ...at.found })
  }
  await work.kind.prepare?.(handoff, { tree: work.tree, store: work.service.deps.store })
  await work.state.soon(() => {
    work.state.willWrite(work.path, sha256, handoff.uid, handoff.rev)
    if (at) work.state.willReplace(work.path, at.found.sha256, handoff.uid)
  })
  const stamp = putThere(work, path, { text, uid: handoff.uid }, at)
  if (stamp === undefined) return false
  const moved = at !== undefined && at.path !== path
  await agree(work, handoff, { path, text, sha256, stamp })
  note(work, { what: moved ? 'moved' : 'written', path, id: handoff.id, uid: handoff.uid })
  if (moved && isEnd(handoff.state)) takeAlong(work, at.path, path)
  return moved ? withdraw(work, at) : true
}

/** Pages about refused versions follow their handoff into the archive: nobody has to act on them any more. */
function takeAlong(work: Work, from: string, to: string): void {
  const first = besideOf(from, besideName(baseName(from), 'problem'))
  for (let n = 1; ; n++) {
    const page = n === 1 ? first : `${first}-${n}`
    const found = work.tree.read(page)
    if (!found) return
    putBeside(work, to, 'problem', found.bytes, found.sha256)
    work.tree.remove(page, found)
  }
}

/** Takes the file away that another one has replaced. */
function withdraw(work: Work, at: { readonly path: string; readonly found: FoundFile }): boolean {
  if (!work.tree.remove(at.path, at.found)) return false
  work.state.dropLook(work.path, at.path)
  return true
}

function putThere(
  work: Work,
  path: string,
  { text, uid }: { readonly text: string; readonly uid: string },
  at: Target['at'],
): Stamp | undefined {
  const before = at?.path === path ? at.found : undefined
  const put = work.tree.put(path, text, before)
  if (put.late !== undefined) note(work, { what: 'conflict', path: besideOf(path, put.late), reason: LATE })
  if (put.ok) return put.stamp
  if (at?.path === path) return undefined
  // Archives are not cleared up in every pass: a process that died there may have left the file under two names.
  tidy(work, folderOf(path))
  const there = work.tree.read(path)
  if (!there) return undefined
  // A version of ours that a pass left behind when it died, or the very one that was taken in, which its author moved
  // there meanwhile. Another one of this author is looked at; anything else is somebody's and goes beside it.
  const isTaken = [sha256Of(text), at?.found.sha256].includes(there.sha256)
  if (!isTaken && work.state.wrote(work.path, there.sha256) === undefined) {
    const said = utf8Text(there)
    const says = said === undefined ? undefined : work.read(said, path)
    if (says && says.is !== 'nothing' && says.uid === uid) return undefined
    keepBeside(work, path, there, 'another file was in the place of the handoff')
  }
  const again = work.tree.put(path, text, there)
  return again.ok ? again.stamp : undefined
}

/** Clears up after a process that died while it replaced a file. */
export function tidy(work: Work, folder: string): void {
  const isKnown = (sha256: string): boolean => work.state.knows(work.path, sha256) !== undefined
  for (const kept of work.tree.tidy(folder, isKnown))
    note(work, {
      what: 'conflict',
      path: folder === '' ? kept : `${folder}/${kept}`,
      reason: 'a process died while it replaced this file',
    })
}

const LATE = 'it was written to while Baton replaced it; that version is kept here'

export const besideOf = (path: string, name: string): string =>
  path.slice(0, path.lastIndexOf('/') + 1) + name

/** Keeps the bytes of a file as `<name>.conflict`; the same bytes once. */
export function keepBeside(work: Work, path: string, { bytes, sha256 }: FoundFile, reason: string): void {
  const beside = putBeside(work, path, 'conflict', bytes, sha256)
  note(work, { what: 'conflict', path: beside, reason })
}

/** Puts a file beside another under the first free name; where one of the same content lies, that is it. */
export function putBeside(
  work: Work,
  path: string,
  ending: 'problem' | 'conflict',
  content: string | Uint8Array,
  sha256 = sha256Of(content),
): string {
  const first = besideOf(path, besideName(baseName(path), ending))
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? first : `${first}-${n}`
    if (work.tree.put(candidate, content).ok) return candidate
    if (work.tree.read(candidate)?.sha256 === sha256) return candidate
  }
}

/** Notes that file and engine say the same: nothing is left to do. */
export async function agree(
  work: Work,
  handoff: Handoff,
  file: { readonly path: string; readonly text: string; readonly sha256: string; readonly stamp: Stamp },
  kept: FileRow['kept'] = 'ours',
): Promise<true> {
  const { path, text, sha256, stamp } = file
  const { state, kind, service } = work
  const facts = await kind.facts(handoff, text, service.deps.store, work.recent)
  await state.soon(() => {
    state.putFile(work.path, {
      uid: handoff.uid,
      path,
      rev: handoff.rev,
      sha256,
      text,
      open: !isEnd(handoff.state),
      kept,
      // A document may not say when it ended.
      ...(isEnd(handoff.state) && { ended_at: handoff.ended_at ?? handoff.updated_at }),
      facts,
    })
    look(work, path, sha256, stamp)
  })
  return true
}

/** The file was dealt with and is not read again while its stamp stays. */
export function look(work: Work, path: string, sha256: string, stamp: Stamp): void {
  work.state.putLook(work.path, { path, sha256, ...stamp, at: Date.now() })
}
