import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { repeat } from './repeat.ts'

/**
 * Settles what is due again and again, one run at a time. A run that fails is told once for each new reason and
 * tried again: a store that was away for an hour must not fill the log. Stopping waits for the run in progress.
 */
export function startSettlementWorker(service: Service, log: Log, everyMs = 1_000): () => Promise<void> {
  let told = ''
  const run = async (): Promise<void> => {
    try {
      const settled = await service.settle()
      told = ''
      if (settled > 0) log('info', 'settled', { handoffs: settled })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== told) log('error', 'settling failed', { error: reason })
      told = reason
    }
  }
  return repeat(run, everyMs)
}
