import type { Native } from '../dialect.ts'
import { type Data, isData, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { askedIn, writeRows } from '../table/write.ts'
import { prettyJson } from '../text/json/json.ts'
import { formFor, queueTable } from './table.ts'

export function toNative(draft: Draft): Native {
  const native = nativeOf(draft)
  const missing = askedIn(queueTable(), native, formFor(draft))
  const value = formFor(draft) === 'request' ? withData(native) : native
  return missing.length > 0 ? { ok: false, missing, value } : { ok: true, value }
}

export const print = ({ value }: { readonly value: Readonly<Data> }): string => prettyJson(value)

/** All that the draft says, in the document's keys and order, whether or not it is enough. */
export const nativeOf = (draft: Draft): Data => writeRows(queueTable(), draft, formFor(draft))

/** A request always has data, if only an empty object: specialists read it without asking. */
export function withData(native: Data): Data {
  const input = own(native, 'input')
  if (!isData(input) || own(input, 'data') !== undefined) return native
  return { ...native, input: { ...input, data: {} } }
}
