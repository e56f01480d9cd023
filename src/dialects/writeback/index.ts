import type { Dialect } from '../dialect.ts'
import { findForm } from './form.ts'
import { writebackLossReason } from './losses.ts'
import { interpret } from './parse.ts'
import { print, SLOT, toNative } from './write.ts'

/** Document 003: what an agent writes back about a task, as the arguments of two tools. */
export const writeback: Dialect = {
  id: 'writeback',
  title: 'Writeback',
  formOf: (source) => findForm(source)?.form,
  interpret,
  toNative,
  print,
  reasonFor: writebackLossReason,
  slot: SLOT,
}
