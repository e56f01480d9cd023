import type { Dialect } from '../dialect.ts'
import { isData, own, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { reasonIn } from '../table/derive.ts'
import type { Source } from '../text/source.ts'
import { seconds } from '../text/time.ts'
import { parseIndex } from './index-file.ts'
import { TIME } from './kinds.ts'
import { parseName, stemOf } from './names.ts'
import { parseHandoff } from './parse.ts'
import { statusFor } from './status.ts'
import { normalKey, TABLE } from './table.ts'
import { hasV1Keys, isV1 } from './v1-form.ts'
import { print, toNative } from './write.ts'

/** Document 000: markdown with front matter in `_handoffs/`, its index, and what agents wrote before it. */
export const markdown: Dialect = {
  id: 'markdown',
  title: 'Markdown handoff',
  formOf,
  interpret(source: Source, form: string) {
    if (form === 'index') return { diagnostics: parseIndex(source).diagnostics }
    return parseHandoff(source, form === 'v1' ? 'v1' : 'handoff')
  },
  toNative,
  print,
  reasonFor: markdownLossReason,
  slot: ['x_baton'],
}

const TIMES: ReadonlySet<string> = new Set([
  ...TABLE.rows.flatMap(({ fields, as }) => (as.schema === TIME ? fields : [])),
  'verification.verified_at',
])

/** Why no key says a field, where that depends on the rest of the draft. */
function markdownLossReason(field: string, draft: Draft): string | undefined {
  const { state, package: pack } = draft
  const value = valueAt(draft, field.split('.'))
  if (TIMES.has(field) && typeof value === 'string' && seconds(value) !== value)
    return 'times are written to the second'
  if (field === 'state') return state && `written as ${statusFor(state)}`
  if (field === 'ended_at') return `no key for it in ${state ?? 'no state'}`
  if (field === 'error' && state === 'failed') return 'only its message, as a reason'
  if (field === 'to_reason' && pack?.purpose === undefined) return 'written as purpose'
  if (field === 'package.summary' && pack?.context === undefined) return 'written as context'
  return field === 'body' ? undefined : reasonIn(TABLE, field, draft)
}

const FORM_KEYS: ReadonlySet<string> = new Set(['handoff_id', 'from_agent', 'to_agent', 'related_task'])
const PLACE = /(?:^|\/)_handoffs\/(?:active|archived)\/(?:.*\/)?handoff-[^/]*\.md$/is
const OLD_PLACE = /(?:^|\/)_agents\//
const WITHIN = /(?:^|\/)_handoffs\//
const INDEX = /(?:^|\/)_handoffs\/_index\.ya?ml$/i

/** Which form of this dialect a text has. Version 2 is known by its keys, and where they are lost, by its place. */
function formOf(source: Source): 'handoff' | 'v1' | 'index' | undefined {
  const { kind, value, path = '' } = source
  if (kind !== 'markdown' && kind !== 'yaml') return undefined
  if (isData(value)) {
    if (own(value, 'active_handoffs') !== undefined || own(value, 'counts_by_agent') !== undefined)
      return 'index'
    const count = Object.keys(value).filter((key) => FORM_KEYS.has(normalKey(key))).length
    if (count > (kind === 'markdown' ? 0 : 1) || isNested(value)) return 'handoff'
  }
  if (INDEX.test(path)) return 'index'
  // A YAML file of its own is some other data; pasted text may be front matter that lost its marks.
  if (kind === 'yaml' && path !== '') return undefined
  if (hasV1Keys(value)) return 'v1'
  if (kind === 'markdown' && isPlaced(path)) return 'handoff'
  return isV1(source) ? 'v1' : undefined
}

/** Where version 2 keeps its files, or a name that only version 2 gives. */
const isPlaced = (path: string): boolean =>
  !OLD_PLACE.test(path) && (PLACE.test(path) || (WITHIN.test(path) && parseName(stemOf(path)).ok))

/** `handoff: { id, from_agent, … }`. Other formats have a mapping of that name too, with `from` in it. */
function isNested(value: unknown): boolean {
  const handoff = own(value, 'handoff')
  if (!isData(handoff)) return false
  const has = (key: string) => own(handoff, key) !== undefined
  return has('from_agent') || has('to_agent') || (has('id') && !has('from') && !has('to') && has('status'))
}
