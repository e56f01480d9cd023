import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { alarmOf, repeat } from './repeat.ts'

/** Deadlines are settled every second, so a minute means that something is in the way. */
const ALARM_S = 60

/** How many handoffs are past a deadline that was not settled, and how late the oldest is. */
export async function settlingLag({ deps: { store, now } }: Service) {
  const at = now()
  const { count, since } = await store.overdue(at.toISOString())
  return { count, seconds: since === undefined ? 0 : (at.getTime() - Date.parse(since)) / 1_000 }
}

/** Settles what is due again and again, one run at a time. Stopping waits for the run in progress. */
export function startSettlementWorker(service: Service, log: Log, everyMs = 1_000): () => Promise<void> {
  const alarm = alarmOf(log, 'deadlines are settled late')
  const run = async (): Promise<void> => {
    const settled = await service.settle()
    if (settled > 0) log('info', 'settled', { handoffs: settled })
  }
  const watch = async (): Promise<void> => {
    const { count, seconds } = await settlingLag(service)
    if (seconds > ALARM_S) alarm({ handoffs: count, seconds: Math.round(seconds) })
  }
  const stops = [
    repeat(run, everyMs, { log, work: 'settling' }),
    repeat(watch, 10 * everyMs, { log, work: 'watching deadlines' }),
  ]
  return async () => {
    for (const stop of stops) await stop()
  }
}
