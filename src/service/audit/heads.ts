import { type Checkpoint, readCheckpoint } from '../../audit/checkpoint.ts'
import { verifyConsistency } from '../../audit/merkle.ts'
import { openNote, readVkey } from '../../audit/note.ts'
import { storeRefused } from '../../domain/errors.ts'
import type { ServiceDeps } from '../deps.ts'
import { nodeSha256, toText, verifyEd25519 } from './hashes.ts'
import { rootOfEntries } from './log-reader.ts'
import { TreeReader } from './tree-reader.ts'

/** The head that a note holds, if this key signed it. */
export function openCheckpoint(note: string, vkey: string): Checkpoint | undefined {
  const verifier = readVkey(nodeSha256, vkey)
  const opened = verifier && openNote(note, verifier, verifyEd25519)
  return opened && readCheckpoint(opened.text)
}

/** Whether the tree of this size begins with that checkpoint, by a proof that is verified. */
export async function doesExtend(reader: TreeReader, before: Checkpoint, size: number): Promise<boolean> {
  if (before.size > size) return false
  if (before.size === 0) return true
  const [root2, proof] = await Promise.all([reader.rootAt(size), reader.consistency(before.size, size)])
  return verifyConsistency(nodeSha256, { size1: before.size, size2: size, root1: before.root, root2, proof })
}

/** Refuses a log whose entries, hashed again, are not those that its tree was made of. */
export async function demandEntries(deps: ServiceDeps): Promise<void> {
  const { store } = deps
  const { size } = await store.tree()
  const [made, kept] = await Promise.all([rootOfEntries(store, size), new TreeReader(store).rootAt(size)])
  if (toText(made) !== toText(kept)) throw forked(deps, 'its entries are not those of its tree', { size })
}

/** A log that was rolled back, rewritten or replaced. Nothing here mends that: a person has to look. */
export const forked = (
  deps: ServiceDeps,
  reason: string,
  details: Record<string, unknown>,
  wayOut = '--reset',
) =>
  storeRefused(
    `the log ${deps.store.info.origin} is not the one it was: ${reason}. It was rolled back, rewritten or replaced, so nothing is signed. Restore the right copy, or let a person start over with: baton audit trust ${wayOut}`,
    { origin: deps.store.info.origin, ...details },
  )
