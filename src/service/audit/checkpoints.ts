import { printCheckpoint, readCheckpoint } from '../../audit/checkpoint.ts'
import { rootOf } from '../../audit/merkle.ts'
import { BatonError, storeRefused } from '../../domain/errors.ts'
import type { SignedCheckpoint, Tree } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import { nodeSha256, toBytes, toText } from './hashes.ts'
import { doesExtend, forked, openCheckpoint } from './heads.ts'
import { logKeysOf, signingKey } from './log-key.ts'
import { missingFromStore } from './log-reader.ts'
import { sequence } from './sequence.ts'
import { TreeReader } from './tree-reader.ts'
import { recognise } from './trust.ts'

/** A checkpoint that was read back and verified. */
export interface Verified extends SignedCheckpoint {
  readonly origin: string
  /** Base64. */
  readonly root: string
  readonly vkey: string
}

/**
 * Takes the log up to now into the tree and signs its head; one that is signed already is answered as it stands.
 * The root is made in two ways, and the new head must extend what this key has signed before.
 */
export async function newCheckpoint(deps: ServiceDeps): Promise<Verified> {
  const { store } = deps
  const key = await signingKey(deps)
  const tree = await sequence(store)
  const reader = new TreeReader(store)
  const root = await rootInTwoWays(reader, tree)
  const [newest] = await store.checkpoints({ limit: 1 })
  if (newest?.size !== tree.size) {
    const checkpoint = { origin: store.info.origin, size: tree.size, root }
    const note = await key.sign(printCheckpoint(checkpoint), (last) => demandSigned(deps, last))
    await store.addCheckpoint({ size: tree.size, at: deps.now().toISOString(), note })
  }
  const [kept] = await store.checkpoints({ before: tree.size + 1, limit: 1 })
  if (kept?.size !== tree.size) throw new BatonError('internal', 'a checkpoint was signed and is not there')
  return verified(deps, kept, reader)
}

/** The newest checkpoint there is, verified; undefined before the first. */
export async function newestCheckpoint(deps: ServiceDeps): Promise<Verified | undefined> {
  const [newest] = await deps.store.checkpoints({ limit: 1 })
  if (newest) return verified(deps, newest, new TreeReader(deps.store))
  const { origin } = deps.store.info
  const before = await (await deps.keys?.())?.remembered(origin)
  const seen = before && openCheckpoint(before.note, before.vkey)
  if (!seen) return undefined
  throw forked(deps, `you have seen ${seen.size} entries of it signed, and no checkpoint is here`, {
    remembered: seen.size,
  })
}

/** The checkpoint of exactly this size. */
export async function checkpointAt(deps: ServiceDeps, size: number): Promise<Verified> {
  const [found] = await deps.store.checkpoints({ before: size + 1, limit: 1 })
  if (found?.size !== size) throw missingFromStore(`the checkpoint of size ${size}`, { size })
  return verified(deps, found, new TreeReader(deps.store))
}

/**
 * Opens a signed note with the log's key, compares it with the tree and with what this user remembers of the log,
 * and remembers it when it is newer.
 */
async function verified(deps: ServiceDeps, signed: SignedCheckpoint, reader: TreeReader): Promise<Verified> {
  const keys = await logKeysOf(deps)
  const signer = keys.findLast(({ vkey }) => openCheckpoint(signed.note, vkey))
  const current = keys.at(-1)
  const checkpoint = signer && openCheckpoint(signed.note, signer.vkey)
  const { origin } = deps.store.info
  const { size } = signed
  const forkedAt = (why: string) => forked(deps, `its checkpoint of size ${size} is not ${why}`, { size })
  if (!checkpoint || checkpoint.origin !== origin || checkpoint.size !== size)
    throw forkedAt('signed with its key')
  if (toText(await reader.rootAt(size)) !== toText(checkpoint.root)) throw forkedAt('that of its entries')
  await recognise(deps, { origin, vkey: current?.vkey ?? signer.vkey, checkpoint, note: signed.note }, reader)
  return { ...signed, origin, root: toText(checkpoint.root), vkey: signer.vkey }
}

async function rootInTwoWays(reader: TreeReader, tree: Tree): Promise<Uint8Array> {
  const byEdge = rootOf(nodeSha256, { size: tree.size, hashes: tree.edge.map(toBytes) })
  const byTiles = await reader.rootAt(tree.size)
  if (toText(byEdge) === toText(byTiles)) return byEdge
  throw storeRefused(
    `the tree of the log contradicts its ${tree.size} entries: somebody has changed the store. Nothing was signed; compare it with a backup`,
    { size: tree.size },
  )
}

/** Refuses to sign over a log that does not hold what this key has signed before. */
async function demandSigned(deps: ServiceDeps, last: string | undefined): Promise<void> {
  const before = last === undefined ? undefined : readCheckpoint(last)
  if (!before) return
  const reader = new TreeReader(deps.store)
  const { size } = await deps.store.tree()
  if (await doesExtend(reader, before, size)) return
  const here = size < before.size ? `has only ${size}` : 'is another history'
  const why = `this key has signed ${before.size} entries of it, and what is here ${here}`
  throw forked(deps, why, { signed: before.size, size }, '--reset --new-key')
}
