import type { Checkpoint } from '../../audit/checkpoint.ts'
import type { StoreInfo } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import { doesExtend, forked, openCheckpoint } from './heads.ts'
import type { RememberedLog, StorePlace } from './keys.ts'
import type { TreeReader } from './tree-reader.ts'

/**
 * Compares a verified checkpoint with what this user has seen of the log, and remembers it when it is newer. The
 * first contact with a log believes it; from then on its name and its key are pinned to the place it was found.
 * `vkey` is the key that signs now; a checkpoint of one before it is compared and not remembered.
 */
export async function recognise(
  deps: ServiceDeps,
  { origin, vkey, note, checkpoint: now }: RememberedLog & { readonly checkpoint: Checkpoint },
  reader: TreeReader,
): Promise<void> {
  const { store } = deps
  const keys = await deps.keys?.()
  if (!keys) return
  const place = storePlace(store.info)
  const found = await keys.originAt(place)
  if (found !== undefined && found !== origin)
    throw forked(deps, `the log in this place was called ${found}`, { place, remembered: found })
  const before = await keys.remembered(origin)
  const isCurrent = openCheckpoint(note, vkey) !== undefined
  if (!before) return isCurrent ? keys.remember(place, { origin, vkey, note }) : undefined
  if (before.vkey !== vkey)
    throw forked(deps, `its key was ${before.vkey} and is ${vkey}`, { remembered: before.vkey, vkey })
  const seen = openCheckpoint(before.note, before.vkey)
  if (!seen) throw forked(deps, 'the remembered checkpoint is not signed with its key', {})
  await demandSeen(deps, seen, now.size, reader)
  if (isCurrent && now.size > seen.size) await keys.remember(place, { origin, vkey, note })
  else if (found === undefined) await keys.remember(place, before)
}

/** A smaller checkpoint is compared with the tree as a whole: it may be an old one of the same history. */
async function demandSeen(deps: ServiceDeps, seen: Checkpoint, wanted: number, reader: TreeReader) {
  const size = seen.size > wanted ? (await deps.store.tree()).size : wanted
  if (await doesExtend(reader, seen, size)) return
  const here = size < seen.size ? `now has only ${size}` : 'is another history now'
  throw forked(deps, `it had ${seen.size} entries when you saw it last, and ${here}`, {
    remembered: seen.size,
    size,
  })
}

/** The place of a store, as its user names it. */
export const storePlace = ({ engine, location, workspace }: StoreInfo): StorePlace =>
  `${engine} ${location} ${workspace}`
