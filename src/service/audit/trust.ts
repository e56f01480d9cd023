import type { StoreInfo } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import { doesExtend, forked, openCheckpoint } from './heads.ts'
import type { RememberedLog, StorePlace } from './keys.ts'
import type { TreeReader } from './tree-reader.ts'

/**
 * Compares a verified checkpoint with what this user has seen of the log, and remembers it when it is newer. The
 * first contact with a log believes it; from then on its name and its key are pinned to the place it was found.
 */
export async function recognise(deps: ServiceDeps, log: RememberedLog, reader: TreeReader): Promise<void> {
  const { store } = deps
  const keys = await deps.keys?.()
  if (!keys) return
  const place = placeOf(store.info)
  const origin = await keys.originAt(place)
  if (origin !== undefined && origin !== log.origin)
    throw forked(deps, `the log in this place was called ${origin}`, { place, remembered: origin })
  const before = await keys.remembered(log.origin)
  if (!before) return keys.remember(place, log)
  if (before.vkey !== log.vkey)
    throw forked(deps, `its key was ${before.vkey} and is ${log.vkey}`, {
      remembered: before.vkey,
      vkey: log.vkey,
    })
  const [seen, now] = [openCheckpoint(before.note, before.vkey), openCheckpoint(log.note, log.vkey)]
  if (!seen || !now) throw forked(deps, 'what is remembered of it is not signed with its key', {})
  const size = Math.max(now.size, seen.size > now.size ? (await store.tree()).size : 0)
  if (!(await doesExtend(reader, seen, size))) {
    const here = size < seen.size ? `now has only ${size}` : 'is another history now'
    throw forked(deps, `it had ${seen.size} entries when you saw it last, and ${here}`, {
      remembered: seen.size,
      size,
    })
  }
  if (now.size > seen.size || origin === undefined)
    await keys.remember(place, now.size > seen.size ? log : before)
}

/** Where a store is, as its user names it. */
export const placeOf = ({ engine, location, workspace }: StoreInfo): StorePlace =>
  `${engine} ${location} ${workspace}`
