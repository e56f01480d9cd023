import type { Store } from '../storage/store.ts'
import { RowDigest } from './row-digest.ts'
import { type ChainReport, demandCopied, type LongWork } from './store-verify.ts'

export { backup, restore } from './store-backup.ts'
export { type ChainReport, type LongWork, verifyChains } from './store-verify.ts'

/** Copies a whole store into an empty one and reads it back: every field is compared, every chain verified. */
export async function copyStore(
  source: Store,
  target: Store,
  work: LongWork = {},
): Promise<{ rows: number; chains: ChainReport }> {
  const sent = new RowDigest()
  await target.restore(sent.through(source.dump(), work, 'copying'))
  return { rows: sent.rows, chains: await demandCopied(sent, target, work) }
}
