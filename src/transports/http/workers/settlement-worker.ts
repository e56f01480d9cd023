import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { repeat } from './repeat.ts'

/** Settles what is due again and again, one run at a time. Stopping waits for the run in progress. */
export function startSettlementWorker(service: Service, log: Log, everyMs = 1_000): () => Promise<void> {
  const run = async (): Promise<void> => {
    const settled = await service.settle()
    if (settled > 0) log('info', 'settled', { handoffs: settled })
  }
  return repeat(run, everyMs, { log, work: 'settling' })
}
