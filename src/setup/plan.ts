import { type FileEdit, placeIn, readText } from './file-edit.ts'
import { type Part, saysNothing } from './part.ts'
import { AGENT_TARGET_NAMES, type AgentTargetName, fileParts, type TargetOptions } from './targets.ts'
import type { SetupEdit, UndoFile } from './undo.ts'

/** The edits that set a program up in this folder. Nothing is written. */
export async function planTarget(
  root: string,
  name: AgentTargetName,
  options: TargetOptions,
): Promise<readonly SetupEdit[]> {
  return Promise.all(
    fileParts(name, options).map(async (part) => {
      const path = await placeIn(root, part.file)
      const before = readText(path)
      const after = part.add(before ?? '')
      const isClean = before === undefined || part.remove(before) === before
      return { path, before, after, why: part.why, isClean }
    }),
  )
}

/** The edits that undo it: the file as it was, or, where somebody has changed it since, without what is Baton's. */
export async function planRemoval(
  root: string,
  name: AgentTargetName,
  options: TargetOptions,
  undo: UndoFile,
): Promise<readonly FileEdit[]> {
  const shared = await filesOfOthers(root, name, options)
  const edits = await Promise.all(
    fileParts(name, options).map(async (part): Promise<FileEdit | undefined> => {
      const path = await placeIn(root, part.file)
      const before = readText(path)
      if (before === undefined || shared.has(path)) return undefined
      const kept = await undo.original(path, before)
      const after = kept ? kept.before : withoutPart(part, before)
      return { path, before, after, why: `without ${part.why}` }
    }),
  )
  return edits.filter((edit) => edit !== undefined)
}

function withoutPart(part: Part, text: string): string | undefined {
  const after = part.remove(text)
  return after !== text && saysNothing(after) ? undefined : after
}

/** Files that another program set up here needs as well: AGENTS.md is read by three. */
async function filesOfOthers(
  root: string,
  name: AgentTargetName,
  options: TargetOptions,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const other of AGENT_TARGET_NAMES.filter((each) => each !== name)) {
    const [first, ...rest] = fileParts(other, options)
    if (first === undefined || !(await isThere(root, first))) continue
    for (const part of rest) found.add(await placeIn(root, part.file))
  }
  return found
}

async function isThere(root: string, part: Part): Promise<boolean> {
  const text = readText(await placeIn(root, part.file))
  if (text === undefined) return false
  try {
    return part.remove(text) !== text
  } catch {
    // A file that cannot be read is its own target's business.
    return false
  }
}
