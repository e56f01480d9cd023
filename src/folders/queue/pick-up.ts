import { lstatSync, renameSync } from 'node:fs'
import { FOLDER_OF, isSafeName, type QueueStatus, STATUS_OF, STATUSES } from '../../dialects/queue/names.ts'
import { BatonError } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { Service } from '../../service/service.ts'
import { LOCK_WAIT_MS, withLock } from '../files/lock.ts'
import { withFolder } from '../files/open-folder.ts'
import { Tree } from '../files/tree.ts'
import { type FoldersOptions, syncFolders } from '../sync.ts'
import { utf8Text } from '../work.ts'
import { inputProblem } from './judge.ts'
import { queueFolder } from './kind.ts'
import { failing } from './plan.ts'

type Commit = () => Promise<Handoff | undefined>
/** As long as a pass over the folders may take. */

/**
 * Claims a handoff whose file anybody may move: the file goes to `in-progress/` first, then the claim is committed,
 * and the file goes back when that is refused and on to `failed/` when the input does not do. Whoever moves it first has the work; the lock keeps passes of other
 * processes away meanwhile. Undefined where another program was faster.
 */
export async function pickUp(
  options: FoldersOptions,
  handoff: Handoff,
  commit: Commit,
): Promise<Handoff | undefined> {
  const tree = treeOf(options)
  const id = handoff.aliases?.queue ?? handoff.id
  if (!tree || !isSafeName(id)) return commit()
  const name = `${id}.json`
  const claimed = await withLock(`${options.dir}/folders.lock`, LOCK_WAIT_MS, async () => {
    if (!isAt(tree, 'pending', name))
      // No file yet: the next pass writes one where it belongs.
      return STATUSES.some((status) => isAt(tree, status, name)) ? 'gone' : { taken: await commit() }
    if (!move(tree, name, 'pending', 'in_progress')) return 'gone'
    const committed = await commit().catch((error: unknown) => {
      move(tree, name, 'in_progress', 'pending')
      throw error
    })
    const isOurs = committed?.uid === handoff.uid
    const taken = isOurs ? await withInput(options.service, committed, tree) : committed
    // The move was ours: a file that stayed where the work no longer is would pass for somebody's version of it.
    const status = isOurs && taken ? STATUS_OF[taken.state] : 'pending'
    if (status !== 'in_progress') move(tree, name, 'in_progress', status)
    return { taken }
  })
  if (claimed === 'gone') {
    await syncFolders(options)
    return undefined
  }
  return claimed.taken
}

function treeOf({ root, folders }: FoldersOptions): Tree | undefined {
  const live = folders.find(({ kind }) => kind.dialect === 'queue')
  return live && new Tree(live.path === '.' ? root : `${root}/${live.path}`)
}

const folderOf = (status: QueueStatus): string => `handoffs/${FOLDER_OF[status]}`

const isAt = (tree: Tree, status: QueueStatus, name: string): boolean =>
  withFolder(tree.root, folderOf(status), (dir) => lstatSync(dir.at(name), { throwIfNoEntry: false })) !==
  undefined

/** Only a rename lets exactly one of several win: a link and a removal would let two. */
function move(tree: Tree, name: string, from: QueueStatus, to: QueueStatus): boolean {
  try {
    return (
      withFolder(tree.root, folderOf(from), (source) =>
        withFolder(
          tree.root,
          folderOf(to),
          (target) => {
            if (lstatSync(target.at(name), { throwIfNoEntry: false })) return false
            renameSync(source.at(name), target.at(name))
            return true
          },
          true,
        ),
      ) ?? false
    )
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code !== 'EXDEV') throw error
    if (from === 'in_progress') return copied(tree, `${folderOf(from)}/${name}`, `${folderOf(to)}/${name}`)
    throw new BatonError(
      'unavailable',
      `${folderOf(from)} and ${folderOf(to)} are on different file systems; put all of handoffs/ on one`,
      { from: folderOf(from), to: folderOf(to) },
    )
  }
}

/** The work is claimed: nobody else moves its file, so a copy does as well. */
function copied(tree: Tree, source: string, target: string): boolean {
  const found = tree.read(source)
  return found !== undefined && tree.put(target, found.bytes).ok && tree.remove(source, found)
}

/** Document 001 judges the input after the file was picked up: what is wrong with it fails the handoff. */
async function withInput(service: Service, taken: Handoff, tree: Tree): Promise<Handoff> {
  const path = `${folderOf('in_progress')}/${taken.aliases?.queue ?? taken.id}.json`
  const found = tree.read(path)
  const text = found && utf8Text(found)
  const says = text === undefined ? undefined : queueFolder.read(text, path)
  const problem = says?.is === 'handoff' ? await inputProblem(says.draft, tree) : undefined
  if (!problem || taken.state !== 'in_progress') return taken
  const { input } = failing(taken.uid, taken.to, problem)
  const { code, message, details } = input as {
    code: string
    message: string
    details?: Record<string, unknown>[]
  }
  const actor = { name: taken.to, kind: 'specialist', auth: 'os-user' } as const
  return service.receiving.fail({ actor }, taken.uid, {
    code,
    message,
    attempt: taken.attempt,
    ...present({ details }),
  })
}
