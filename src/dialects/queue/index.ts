import type { Dialect } from '../dialect.ts'
import { queueLossReason } from './losses.ts'
import { formOf, interpret } from './parse.ts'
import { print, toNative } from './write.ts'

/** Document 001: JSON files in `handoffs/pending`, `in-progress`, `completed` and `failed`. */
export const queue: Dialect = {
  id: 'queue',
  title: 'JSON queue (001)',
  formOf,
  interpret,
  toNative,
  print,
  reasonFor: queueLossReason,
  slot: ['x_baton'],
}
