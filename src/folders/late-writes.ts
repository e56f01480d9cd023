import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { LATE_MS, type Replaced, Tree } from './files/tree.ts'
import { keepBeside } from './project.ts'
import type { FolderState } from './state.ts'
import type { Work } from './work.ts'

/** Below `.baton`. */
export const REPLACED = 'replaced'

/** Keeps what was replaced while it was new for a moment, so that nothing is lost that its author still writes. */
export function replacedIn(dir: string, state: FolderState, folder: string, isFirst: boolean): Replaced {
  mkdirSync(`${dir}/${REPLACED}`, { recursive: true, mode: 0o700 })
  return {
    folder: `${dir}/${REPLACED}`,
    isFirst,
    keep: (file, path, sha256) => state.keepLate(folder, { file, path, sha256 }, Date.now()),
  }
}

/** Looks once more at what was replaced a while ago: what was written into it since goes beside its handoff. */
export function lateWrites(work: Work, dir: string): void {
  if (work.isFirst)
    for (const file of readdirSync(`${dir}/${REPLACED}`))
      if (!work.state.isLate(file)) unlinkSync(`${dir}/${REPLACED}/${file}`)
  const late = work.state.lateBefore(work.path, Date.now() - LATE_MS)
  if (late.length === 0) return
  const tree = new Tree(dir)
  for (const { file, path, sha256 } of late) {
    const found = tree.read(`${REPLACED}/${file}`)
    if (found && found.sha256 !== sha256)
      keepBeside(work, path, found, 'it was written to after Baton had replaced it')
    if (found) tree.remove(`${REPLACED}/${file}`, found)
    work.state.dropLate(file)
  }
}
