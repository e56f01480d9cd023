import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { startClearingWorker } from './clearing-worker.ts'
import { startDeliveryWorker } from './delivery-worker.ts'
import { startSequenceWorker } from './sequence-worker.ts'
import { startSettlementWorker } from './settlement-worker.ts'

/** Starts the background work of an open workspace. Stopping waits for what is under way. */
export function startWorkers(
  service: Service,
  log: Log,
  times: Readonly<Record<'settleMs' | 'deliverMs' | 'sequenceMs' | 'clearMs', number>>,
): () => Promise<void> {
  const stops = [
    startSettlementWorker(service, log, times.settleMs),
    startDeliveryWorker(service, log, times.deliverMs),
    startSequenceWorker(service, log, { everyMs: times.sequenceMs }),
    startClearingWorker(service, log, times.clearMs),
  ]
  return async () => {
    for (const stop of stops) await stop()
  }
}
