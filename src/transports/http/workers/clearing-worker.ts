import { setTimeout as pause } from 'node:timers/promises'
import { flowSpan } from '../../../domain/reports/flow.ts'
import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { repeat } from './repeat.ts'

/** Idempotency keys are promised for seven days. */
const KEPT_MS = 7 * 86_400_000
/** Rows of each kind that are removed at once. */
const STEP = 1_000
/** A step that takes longer shows that others need the store; the rest can wait. */
const BUSY_MS = 250
const PAUSE_MS = 50
/** They move on at the same moments, a few times a day. */
const LONG_WINDOWS = ['7d', '30d', '90d'] as const

/** Clears away old idempotency keys, seen notices, sent messages and ended sessions, in small steps and not under load. */
export function startClearingWorker(service: Service, log: Log, everyMs: number): () => Promise<void> {
  const { store, now } = service.deps
  let counted = 0
  const isBusy = () => Object.values(store.pools()).some(({ waiting }) => waiting > 0)
  const run = async (signal: AbortSignal): Promise<void> => {
    if (isBusy()) return
    const ended = await (await service.tokens()).endExpired(STEP)
    const before = new Date(now().getTime() - KEPT_MS).toISOString()
    let cleared = 0
    for (let more = true; more && !isBusy() && !signal.aborted; ) {
      const started = performance.now()
      const rows = Object.values(await store.gc(before, true, STEP))
      cleared += rows.reduce((sum, count) => sum + count, 0)
      more = rows.includes(STEP) && performance.now() - started < BUSY_MS
      if (more) await pause(PAUSE_MS)
    }
    // A long history is counted ahead of whoever asks for it first.
    const { sinceMs } = flowSpan('7d', now())
    if (sinceMs !== counted && !isBusy()) {
      for (const window of LONG_WINDOWS) if (!signal.aborted) await store.flow(window, now())
      counted = sinceMs
    }
    if (ended + cleared > 0) log('info', 'leftovers cleared', { rows: cleared, sessions_ended: ended })
  }
  return repeat(run, everyMs, { log, work: 'clearing leftovers' })
}
