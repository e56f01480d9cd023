import { lstatSync, renameSync } from 'node:fs'
import { FOLDER_OF, isSafeName, type QueueStatus, STATUS_OF, STATUSES } from '../../dialects/queue/names.ts'
import { unavailable } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { Service } from '../../service/service.ts'
import { LOCK_WAIT_MS, withLock } from '../files/lock.ts'
import { withFolder } from '../files/open-folder.ts'
import type { Tree } from '../files/tree.ts'
import type { FolderKind } from '../folder.ts'
import { type FoldersOptions, syncFolders, treeOf } from '../sync.ts'
import { utf8Text } from '../work.ts'
import { inputProblem } from './judge.ts'
import { failing } from './plan.ts'

/**
 * Claims a handoff whose file anybody may move: the file goes to `in-progress/` first, then the claim is committed,
 * and the file goes back when that is refused and on to `failed/` when the input does not do. Whoever moves it first has the work; the lock keeps passes of other
 * processes away meanwhile. Undefined where another program was faster.
 */
export async function pickUp(
  options: FoldersOptions,
  handoff: Handoff,
  commit: () => Promise<Handoff | undefined>,
): Promise<Handoff | undefined> {
  const live = liveQueue(options)
  const id = handoff.aliases?.queue ?? handoff.id
  if (!live || !isSafeName(id)) return commit()
  const name = `${id}.json`
  const claimed = await withLock(`${options.dir}/folders.lock`, LOCK_WAIT_MS, async () => {
    if (!isAt(live, 'pending', name))
      // No file yet: the next pass writes one where it belongs.
      return STATUSES.some((status) => isAt(live, status, name)) ? 'gone' : { taken: await commit() }
    if (!move(live, name, 'pending', 'in_progress')) return 'gone'
    const committed = await commit().catch((error: unknown) => {
      move(live, name, 'in_progress', 'pending')
      throw error
    })
    const isOurs = committed?.uid === handoff.uid
    const taken = isOurs ? await withInput(options.service, committed, live) : committed
    // The move was ours: a file that stayed where the work no longer is would pass for somebody's version of it.
    const status = isOurs && taken ? STATUS_OF[taken.state] : 'pending'
    if (status !== 'in_progress') move(live, name, 'in_progress', status)
    return { taken }
  })
  if (claimed === 'gone') {
    await syncFolders(options)
    return undefined
  }
  return claimed.taken
}

/** The live folder of the queue format, in a team's own form of it too. */
function liveQueue(options: FoldersOptions): LiveQueue | undefined {
  const live = options.folders.find(({ kind }) => kind.dialect === 'queue')
  return live && { tree: treeOf(options, live), kind: live.kind }
}

interface LiveQueue {
  readonly tree: Tree
  readonly kind: FolderKind
}

function folderFor({ kind }: LiveQueue, status: QueueStatus): string {
  const folder = `handoffs/${FOLDER_OF[status]}`
  return kind.at?.(folder) ?? folder
}

const isAt = (live: LiveQueue, status: QueueStatus, name: string): boolean =>
  withFolder(live.tree.root, folderFor(live, status), (dir) =>
    lstatSync(dir.at(name), { throwIfNoEntry: false }),
  ) !== undefined

/** Only a rename lets exactly one of several win: a link and a removal would let two. */
function move(live: LiveQueue, name: string, from: QueueStatus, to: QueueStatus): boolean {
  const { tree } = live
  const [left, right] = [folderFor(live, from), folderFor(live, to)]
  try {
    return (
      withFolder(tree.root, left, (source) =>
        withFolder(
          tree.root,
          right,
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
    if (from === 'in_progress') return copied(tree, `${left}/${name}`, `${right}/${name}`)
    throw unavailable(`${left} and ${right} are on different file systems; put both on one`, {
      from: left,
      to: right,
    })
  }
}

/** The work is claimed: nobody else moves its file, so a copy does as well. */
function copied(tree: Tree, source: string, target: string): boolean {
  const found = tree.read(source)
  return found !== undefined && tree.put(target, found.bytes).ok && tree.remove(source, found)
}

/** Document 001 judges the input after the file was picked up: what is wrong with it fails the handoff. */
async function withInput(service: Service, taken: Handoff, live: LiveQueue): Promise<Handoff> {
  const { tree, kind } = live
  const path = `${folderFor(live, 'in_progress')}/${taken.aliases?.queue ?? taken.id}.json`
  const found = tree.read(path)
  const text = found && utf8Text(found)
  const says = text === undefined ? undefined : kind.read(text, path)
  const problem = says?.is === 'handoff' ? await inputProblem(says.draft, tree) : undefined
  if (!problem || taken.state !== 'in_progress') return taken
  const { code, message, details } = failing(taken.uid, taken.to, problem).input as typeof problem
  const actor = { name: taken.to, kind: 'specialist', auth: 'os-user' } as const
  const failed = { code, message, attempt: taken.attempt, ...present({ details }) }
  return service.receiving.fail({ actor }, taken.uid, failed)
}
