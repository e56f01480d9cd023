import type { Native } from '../dialect.ts'
import { type Data, keysOf, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { isIn } from '../table/row.ts'
import { askedIn, writeRows } from '../table/write.ts'
import { prettyJson } from '../text/json/json.ts'
import { WRITEBACK } from './table.ts'

/** The keys that tell of the work. */
export const OF_COMPLETION: readonly string[] = WRITEBACK.rows
  .filter((row) => !isIn(row, 'task_update') && row.kind === 'row')
  .map(({ key }) => key)

/** The document has no place for anything else, so the slot brings its own key. */
export const SLOT = ['metadata', 'x_baton'] as const

export function toNative({ extra = {}, ...draft }: Draft): Native {
  const form = isUpdate(draft) ? 'task_update' : 'thought_record'
  const value = writeRows(WRITEBACK, draft, form)
  const missing = askedIn(WRITEBACK, value, form)
  for (const key of keysOf(extra)) if (isFree(key)) put(value, key, own(extra, key))
  return missing.length > 0 ? { ok: false, missing, value } : { ok: true, value }
}

export const print = ({ value }: { readonly value: Readonly<Data> }): string => prettyJson(value)

/** A record that says nothing of the work is an update, or opens the task again: the same keys. */
const isUpdate = ({ record }: Draft): boolean =>
  record !== undefined && !OF_COMPLETION.some((key) => own(record, key) !== undefined)

/** Keys of other formats that would mean something here, or that stood deeper, are left out. */
const isFree = (key: string): boolean =>
  key !== 'id' &&
  !key.includes('.') &&
  !WRITEBACK.rows.some((row) => row.key === key && row.kind !== 'kept' && row.lossy === undefined)
