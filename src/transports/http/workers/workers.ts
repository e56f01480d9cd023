import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { startClearingWorker } from './clearing-worker.ts'
import { repeat } from './repeat.ts'
import { startSequenceWorker } from './sequence-worker.ts'
import { startSettlementWorker } from './settlement-worker.ts'

/** Starts the background work of an open workspace. Stopping waits for what is under way. */
export function startWorkers(
  service: Service,
  log: Log,
  times: Readonly<Record<'settleMs' | 'deliverMs' | 'sequenceMs' | 'clearMs', number>>,
): () => Promise<void> {
  const deliver = async (signal: AbortSignal): Promise<void> => {
    const { sent, failed, given_up, dropped } = await service.deliver(signal)
    if (sent + failed + given_up + dropped > 0)
      log(failed + given_up > 0 ? 'warn' : 'info', 'messages', { sent, failed, given_up, dropped })
  }
  const stops = [
    startSettlementWorker(service, log, times.settleMs),
    ...(service.deps.notify ? [repeat(deliver, times.deliverMs, { log, work: 'sending messages' })] : []),
    startSequenceWorker(service, log, { everyMs: times.sequenceMs }),
    startClearingWorker(service, log, times.clearMs),
  ]
  return async () => {
    for (const stop of stops) await stop()
  }
}
