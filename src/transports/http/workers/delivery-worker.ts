import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { repeat } from './repeat.ts'

/** Sends what is due to webhooks and mail servers again and again, one run at a time. Stopping waits for the last one. */
export function startDeliveryWorker(service: Service, log: Log, everyMs = 5_000): () => Promise<void> {
  if (!service.deps.notify) return async () => undefined
  const stopping = new AbortController()
  let told = ''
  const run = async (): Promise<void> => {
    try {
      const { sent, failed, given_up, dropped } = await service.deliver(stopping.signal)
      told = ''
      if (sent + failed + given_up + dropped > 0)
        log(failed + given_up > 0 ? 'warn' : 'info', 'messages', { sent, failed, given_up, dropped })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== told) log('error', 'sending messages failed', { error: reason })
      told = reason
    }
  }
  const stop = repeat(run, everyMs)
  return () => {
    stopping.abort()
    return stop()
  }
}
