import type { Erasing } from '../service/deps.ts'
import { LOCK_WAIT_MS } from './files/lock.ts'
import { type FoundFile, isTemporary, sha256Of, Tree } from './files/tree.ts'
import { REPLACED } from './late-writes.ts'
import { agree } from './project.ts'
import { isProblem } from './reconcile.ts'
import type { FileRow } from './state.ts'
import { type FoldersOptions, syncOne, treeOf, withFolders, workOn } from './sync.ts'
import { baseName, inProject, quietly, textFor, utf8Text, type Work } from './work.ts'

/** As large as a stored file may be. */
const MAX_STORED_BYTES = 10 * 1024 * 1024
const IS_FOLDER = 'it is a folder'
const GONE = 'The text that was kept on this page was redacted.\nThis page may be deleted.\n'

/**
 * Takes texts out of all that Baton wrote and keeps in the live folders: files of handoffs, its notes beside them,
 * copies of what it replaced, and what it knows of the files. Answers the files of others that may hold them.
 */
export function eraseInFolders(options: FoldersOptions, erasing: Erasing): Promise<readonly string[]> {
  return withFolders(options, LOCK_WAIT_MS, async (state) => {
    const left: string[] = []
    for (const folder of options.folders) {
      // What others wrote is taken in or refused first, and the new revisions are written.
      await syncOne(options, state, folder)
      const work = { ...workOn(options, state, folder), tree: treeOf(options, folder) }
      for (const top of topsOf(work)) left.push(...(await eraseBelow(work, top, erasing)))
      eraseRows(work, erasing)
    }
    eraseReplaced(options.dir, erasing)
    state.scrub()
    return [...new Set(left)].toSorted()
  })
}

/** A folder that is the project itself holds much that is not Baton's. */
function topsOf({ kind, path }: Work): readonly string[] {
  if (path !== '.') return ['']
  const files = [...kind.made, ...kind.extraPaths].map((each) => each.split('/')[0]!)
  return [...new Set(files)]
}

async function eraseBelow(work: Work, folder: string, erasing: Erasing): Promise<readonly string[]> {
  const left: string[] = []
  for (const { name, why } of quietly(() => work.tree.list(folder)) ?? []) {
    const path = folder === '' ? name : `${folder}/${name}`
    if (why === IS_FOLDER) left.push(...(await eraseBelow(work, path, erasing)))
    else if (!(await eraseFile(work, path, erasing))) left.push(inProject(work, path))
  }
  return left
}

/** False where the text stays, because somebody else wrote it. */
async function eraseFile(work: Work, path: string, erasing: Erasing): Promise<boolean> {
  const { eraser, blobs } = erasing
  const found = quietly(() => work.tree.read(path, MAX_STORED_BYTES))
  if (!found) return true
  const isBlob = blobs.has(found.sha256)
  if (!isBlob && !eraser.mayBeIn(found.bytes)) return true
  const name = baseName(path)
  if (isBlob || isTemporary(name)) return work.tree.remove(path, found)
  if (isProblem(name)) return work.tree.put(path, GONE, found).ok
  const row = work.state.fileAt(work.path, path)
  if (row?.sha256 === found.sha256) return eraseHandoff(work, row, found, erasing)
  const text = utf8Text(found)
  const isOurs = work.state.wrote(work.path, found.sha256) !== undefined
  if (!isOurs || text === undefined) return false
  const next = eraser.words(text)
  work.state.willWrite(work.path, sha256Of(next), '', 0)
  return work.tree.put(path, next, found).ok && !eraser.mayBeIn(Buffer.from(next))
}

/** What an author added to the file of a handoff that held the text may quote it in any form, and goes with it. */
async function eraseHandoff(work: Work, row: FileRow, found: FoundFile, erasing: Erasing): Promise<boolean> {
  const { eraser, handoffs } = erasing
  const handoff = await work.service.deps.store.handoff(row.uid)
  const text = utf8Text(found)
  if (!handoff || text === undefined) return false
  const less = eraser.words(text)
  const isWhole = work.kind.read(less, row.path).is === 'handoff' && !eraser.mayBeIn(Buffer.from(less))
  // Another handoff may say the same words in its own right.
  if (!isWhole && !handoffs.has(row.uid) && less === text) return false
  const strict = isWhole ? less : await textFor(work, handoff)
  const next = typeof strict === 'string' ? strict : less
  const sha256 = sha256Of(next)
  work.state.willWrite(work.path, sha256, row.uid, row.rev)
  const put = work.tree.put(row.path, next, found)
  if (!put.ok) return false
  return agree(work, handoff, { path: row.path, text: next, sha256, stamp: put.stamp }, row.kept)
}

/** Of a handoff whose file is away the last text is still known. */
function eraseRows(work: Work, { eraser, handoffs }: Erasing): void {
  for (const row of [...work.state.all(work.path)]) {
    const isIn = row.text !== undefined && eraser.mayBeIn(Buffer.from(row.text))
    const goes = isIn && (handoffs.has(row.uid) || eraser.words(row.text) !== row.text)
    const facts = eraser.deep(row.facts)
    if (!goes && facts === row.facts) continue
    const { text, ...rest } = row
    work.state.putFile(work.path, { ...rest, facts, ...(!goes && text !== undefined && { text }) })
  }
}

function eraseReplaced(dir: string, { eraser, blobs }: Erasing): void {
  const tree = new Tree(dir)
  for (const name of tree.names(REPLACED)) {
    const path = `${REPLACED}/${name}`
    const found = tree.read(path, MAX_STORED_BYTES)
    if (found && (blobs.has(found.sha256) || eraser.mayBeIn(found.bytes))) tree.remove(path, found)
  }
}
