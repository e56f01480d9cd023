import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from '../../../service/service.ts'

const ANSWER_MS = 2_000

/** Whether the store answers in time and would take a write. */
export function isReady({ deps: { store } }: Service): Promise<boolean> {
  const answer = store.ping().then(
    () => true,
    () => false,
  )
  return Promise.race([answer, pause(ANSWER_MS, false, { ref: false })])
}
