import type { Dialect } from '../dialect.ts'
import { reasonIn } from '../table/derive.ts'
import { findForm } from './form.ts'
import { interpret } from './parse.ts'
import { WRITEBACK } from './table.ts'
import { STATUS_OF } from './words.ts'
import { print, SLOT, toNative } from './write.ts'

/** Document 003: what an agent writes back about a task, as the arguments of two tools. */
export const writeback: Dialect = {
  id: 'writeback',
  title: 'Writeback',
  formOf: (source) => findForm(source)?.form,
  interpret,
  toNative,
  print,
  reasonFor: (field, draft) => {
    const word = draft.state && STATUS_OF[draft.state]
    if (field === 'state') return word && `writing back says ${word} for ${draft.state}`
    if (field === 'record.status') return word && `the state says ${word}`
    return reasonIn(WRITEBACK, field, draft)
  },
  slot: SLOT,
}
