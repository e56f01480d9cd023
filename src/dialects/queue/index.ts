import type { Dialect } from '../dialect.ts'
import { reasonIn } from '../table/derive.ts'
import { formOf, interpret } from './parse.ts'
import { queueTable } from './table.ts'
import { print, toNative } from './write.ts'

/** Document 001: JSON files in `handoffs/pending`, `in-progress`, `completed` and `failed`. */
export const queue: Dialect = {
  id: 'queue',
  title: 'JSON queue (001)',
  formOf,
  interpret,
  toNative,
  print,
  reasonFor: (field, draft) => reasonIn(queueTable(), field, draft),
  slot: ['x_baton'],
}
