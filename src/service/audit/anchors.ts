import { readCheckpoint } from '../../audit/checkpoint.ts'
import { readNote } from '../../audit/note.ts'
import type { ServiceDeps } from '../deps.ts'
import { demandEntries, doesExtend, openCheckpoint } from './heads.ts'
import { logKeysOf } from './log-key.ts'
import { sequence } from './sequence.ts'
import { TreeReader } from './tree-reader.ts'

/** A checkpoint that was kept outside the store, and where. */
export interface Anchored {
  readonly place: string
  readonly note: string
}

export interface AnchorReport {
  /** Entries that the log has now. */
  readonly size: number
  /** Checkpoints of this log that it still extends, and the largest of them. */
  readonly held: number
  readonly newest?: number
  /** Notes that are not checkpoints of this log. */
  readonly others: number
  readonly broken: readonly { readonly place: string; readonly reason: string }[]
}

/** Compares what others remember of the log with its tree as it is: each must be a beginning of it. */
export async function compareAnchors(deps: ServiceDeps, anchors: readonly Anchored[]): Promise<AnchorReport> {
  const { store } = deps
  const keys = await logKeysOf(deps)
  const isOfThisLog = ({ note }: Anchored): boolean =>
    readCheckpoint(readNote(note)?.text ?? '')?.origin === store.info.origin
  const own = anchors.filter(isOfThisLog)
  const { size } = own.length === 0 || store.info.readOnly ? await store.tree() : await sequence(store)
  if (own.length > 0) await demandEntries(deps)
  const reader = new TreeReader(store)
  const broken: { place: string; reason: string }[] = []
  let [held, newest] = [0, 0]
  for (const { place, note } of own) {
    const [checkpoint] = keys.flatMap(({ vkey }) => openCheckpoint(note, vkey) ?? [])
    if (!checkpoint) broken.push({ place, reason: 'it is not signed with a key of this log' })
    else if (await doesExtend(reader, checkpoint, size)) {
      held += 1
      newest = Math.max(newest, checkpoint.size)
    } else
      broken.push({
        place,
        reason:
          checkpoint.size > size
            ? `it remembers ${checkpoint.size} entries, and the log has only ${size}`
            : `the first ${checkpoint.size} entries are not the ones it remembers`,
      })
  }
  return { size, held, ...(held > 0 && { newest }), others: anchors.length - own.length, broken }
}
