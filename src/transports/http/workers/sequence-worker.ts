import { BatonError } from '../../../domain/errors.ts'
import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { repeat } from './repeat.ts'

/** As many new entries are signed at once, however young they are. */
const LEAVES = 256
/** A log that has grown is not left unsigned for longer: what is not signed can be cut off unseen. */
const DIRTY_MS = 60_000

/**
 * Takes what was written into the tree of the log and signs its head, again and again, one run at a time. Where
 * the key is not, the tree grows all the same.
 */
export function startSequenceWorker(
  service: Service,
  log: Log,
  { everyMs = 1_000, dirtyMs = DIRTY_MS }: { readonly everyMs?: number; readonly dirtyMs?: number } = {},
): () => Promise<void> {
  let dirtySince: number | undefined
  const run = async (): Promise<void> => {
    const audit = await service.audit()
    const behind = await audit.behind()
    if (behind === 0) dirtySince = undefined
    else dirtySince ??= performance.now()
    if (dirtySince === undefined || (behind < LEAVES && performance.now() - dirtySince < dirtyMs)) return
    await signed(audit)
    dirtySince = undefined
  }
  return repeat(run, everyMs, { log, failed: 'signing the log failed' })
}

async function signed(audit: Awaited<ReturnType<Service['audit']>>): Promise<void> {
  try {
    await audit.checkpoint()
  } catch (error) {
    // The key is somewhere else: whoever has it signs what is put in order here.
    if (!(error instanceof BatonError && error.code === 'unmet')) throw error
    await audit.sequence()
  }
}
