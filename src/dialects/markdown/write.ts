import { stringify } from 'yaml'
import { present } from '../../domain/present.ts'
import type { Native } from '../dialect.ts'
import type { Data } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { askedIn, writeRows } from '../table/write.ts'
import { OLDER_READERS } from '../text/yaml/older-readers.ts'
import { renderBody } from './render.ts'
import { expiryOf, KNOWN_KEYS, purposeOf, TABLE } from './table.ts'

/** A draft in document 000's keys, in its order. Not enough where a required key would stay empty. */
export function toNative(draft: Draft): Native {
  const kept = Object.entries(draft.extra ?? {}).filter(([key]) => !KNOWN_KEYS.has(key))
  const value = writeRows(TABLE, { ...draft, extra: Object.fromEntries(kept) }, 'handoff')
  const body = draft.body ?? renderBody(asWritten(draft))
  const missing = askedIn(TABLE, value, 'handoff')
  return missing.length > 0 ? { ok: false, missing, value, body } : { ok: true, value, body }
}

/** With what the front matter is given by rule, so that the body repeats that too. */
function asWritten(draft: Draft): Draft {
  const [ack_deadline, purpose] = [expiryOf(draft), purposeOf(draft)]
  return {
    ...draft,
    ...present({ ack_deadline }),
    ...(purpose !== undefined && { package: { ...draft.package, purpose } }),
  }
}

/** The text of a native value. Long lines stay whole, so that a change shows as one line. */
export function print(native: { readonly value: Data; readonly body?: string }): string {
  return `---\n${stringify(native.value, { lineWidth: 0, aliasDuplicateObjects: false, schema: OLDER_READERS })}---\n${native.body ?? ''}`
}
