import { stringify } from 'yaml'
import { present } from '../../domain/present.ts'
import type { Native } from '../dialect.ts'
import { type Data, keysOf, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { askedIn, writeRows } from '../table/write.ts'
import { FORM_TABLES, isOwn, type PackageForm } from './table.ts'

/** A draft in the keys of document 004, in their order. Keys that the document does not know come after its own. */
export function toNative(draft: Draft): Native {
  const form = formFor(draft)
  // What was read from a package without them can still be changed elsewhere.
  if (isOwn(draft))
    return { ok: true, value: writeRows(FORM_TABLES[form], draft, form), ...present({ body: draft.body }) }
  const { extra: _foreign, ...rest } = draft
  const value = writeRows(FORM_TABLES[form], rest, form)
  const missing = askedIn(FORM_TABLES[form], value, form)
  return missing.length > 0 ? { ok: false, missing, value } : { ok: true, value }
}

/** The answer of a receiver in the words of document 004. */
export const nativeAcknowledgment = (draft: Draft): Data | undefined =>
  own(writeRows(FORM_TABLES.acknowledgment, draft, 'acknowledgment'), 'acknowledgment') as Data | undefined

/** An answer without the package that it answers says nothing else. */
function formFor(draft: Draft): PackageForm {
  const { acknowledgment, gate, accepted_at, accepted_by, ack_notes, extra, ...rest } = draft
  if (keysOf(rest).length > 0) return 'package'
  if (acknowledgment !== undefined && gate === undefined) return 'acknowledgment'
  const answered = gate?.response !== undefined && gate.name === undefined && gate.type === undefined
  return answered && acknowledgment === undefined ? 'gate_response' : 'package'
}

/** The strict form: block style, and in quotes whatever an older reader would take for a truth value or a number. */
export function print(native: { readonly value: Record<string, unknown>; readonly body?: string }): string {
  const yaml = stringify(native.value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 })
  return native.body === undefined || native.body === '' ? yaml : `---\n${yaml}---\n${native.body}`
}
