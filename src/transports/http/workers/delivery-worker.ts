import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { repeat } from './repeat.ts'

/** Sends what is due to webhooks and mail servers again and again, one run at a time. Stopping waits for the last one. */
export function startDeliveryWorker(service: Service, log: Log, everyMs = 5_000): () => Promise<void> {
  if (!service.deps.notify) return async () => undefined
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    const { sent, failed, given_up, dropped } = await service.deliver(stopping.signal)
    if (sent + failed + given_up + dropped > 0)
      log(failed + given_up > 0 ? 'warn' : 'info', 'messages', { sent, failed, given_up, dropped })
  }
  const stop = repeat(run, everyMs, { log, work: 'sending messages' })
  return () => {
    stopping.abort()
    return stop()
  }
}
