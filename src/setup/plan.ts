import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type FileEdit, placeIn, readText } from './file-edit.ts'
import { type Part, saysNothing } from './part.ts'
import {
  AGENT_TARGET_NAMES,
  type AgentTargetName,
  fileParts,
  permissionParts,
  type TargetOptions,
  targetOf,
} from './targets.ts'
import type { SetupEdit, UndoFile } from './undo.ts'

/** The folders that files are named from, each with the copies of what was there before. */
export interface Ground {
  readonly root: string
  readonly home: string
  /** Baton's own folder in the home; it holds the user's keys. */
  readonly own: string
  readonly undo: UndoFile
  readonly homeUndo: UndoFile
}

const isOfHome = ({ file }: Part): boolean => file.startsWith('~/')

const pathOf = (ground: Ground, part: Part): Promise<string> =>
  isOfHome(part) ? placeIn(ground.home, part.file.slice(2)) : placeIn(ground.root, part.file)

/** A linked worktree has git's own folder elsewhere. */
const isPossible =
  ({ root }: Ground) =>
  ({ file }: Part): boolean =>
    !file.startsWith('.git/') ||
    (statSync(join(root, '.git'), { throwIfNoEntry: false })?.isDirectory() ?? false)

/** A home file is remembered in the home: other projects use it too. */
export interface PlannedEdit extends SetupEdit {
  readonly isOfHome: boolean
}

/** The edits that add these parts, on top of earlier edits of the same files. Nothing is written. */
export async function planParts(
  ground: Ground,
  parts: readonly Part[],
  earlier: readonly FileEdit[] = [],
): Promise<readonly PlannedEdit[]> {
  return Promise.all(
    parts.filter(isPossible(ground)).map(async (part) => {
      const path = await pathOf(ground, part)
      const done = earlier.find((edit) => edit.path === path)
      const before = done ? done.after : readText(path)
      const after = part.add(before ?? '')
      const isClean = before === undefined || part.remove(before) === before
      return { path, before, after, why: part.why, isClean, isOfHome: isOfHome(part) }
    }),
  )
}

/** The edits that undo it: the file as it was, or, where somebody has changed it since, without what is Baton's. */
export async function planRemoval(
  ground: Ground,
  parts: readonly Part[],
  shared: ReadonlySet<string>,
): Promise<readonly PlannedEdit[]> {
  const edits = await Promise.all(
    parts.filter(isPossible(ground)).map(async (part): Promise<PlannedEdit | undefined> => {
      const path = await pathOf(ground, part)
      const before = readText(path)
      if (before === undefined || shared.has(path)) return undefined
      // The copy of a home file is from before other projects wrote to it too.
      const isShared = isOfHome(part) && ground.root !== ground.home
      const kept = isShared ? undefined : await ground.undo.original(path, before)
      const after = kept ? kept.before : withoutPart(part, before)
      return { path, before, after, why: `without ${part.why}`, isClean: false, isOfHome: isOfHome(part) }
    }),
  )
  return edits.filter((edit) => edit !== undefined)
}

function withoutPart(part: Part, text: string): string | undefined {
  const after = part.remove(text)
  return after !== text && saysNothing(after) ? undefined : after
}

/** Files that others need too: several programs read AGENTS.md, several projects a permission in the home. */
export async function filesOfOthers(
  ground: Ground,
  name: AgentTargetName,
  options: TargetOptions,
  projects: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const personal = { ...options, shared: false }
  const [permission] = targetOf(name).isWide && !options.user ? permissionParts(name, personal) : []
  for (const root of [ground.home, ...projects].filter((each) => each !== ground.root)) {
    const [server] = fileParts(name, { ...options, user: root === ground.home })
    if (permission && server && (await isThere({ ...ground, root }, server)))
      found.add(await pathOf(ground, permission))
  }
  for (const other of AGENT_TARGET_NAMES.filter((each) => each !== name)) {
    const [first, ...rest] = fileParts(other, options)
    if (first === undefined || !(await isThere(ground, first))) continue
    for (const part of rest) found.add(await pathOf(ground, part))
  }
  return found
}

async function isThere(ground: Ground, part: Part): Promise<boolean> {
  try {
    const text = readText(await pathOf(ground, part))
    return text !== undefined && part.remove(text) !== text
  } catch {
    // A file that cannot be read is its own target's business.
    return false
  }
}
