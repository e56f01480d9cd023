import { setTimeout } from 'node:timers/promises'
import { present } from '../../../domain/present.ts'

/** Resolves after this time, or as soon as the signal ends. */
export const rest = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, present({ signal })).catch(() => undefined)
