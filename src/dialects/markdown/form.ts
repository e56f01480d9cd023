import { isData, own } from '../difference.ts'
import type { Source } from '../text/source.ts'
import { parseName, stemOf } from './names.ts'
import { normalKey } from './table.ts'
import { hasV1Keys, isV1 } from './v1-form.ts'

export const FORMS = ['handoff', 'v1', 'index'] as const
export type MarkdownForm = (typeof FORMS)[number]

const FORM_KEYS: ReadonlySet<string> = new Set(['handoff_id', 'from_agent', 'to_agent', 'related_task'])
const PLACE = /(?:^|\/)_handoffs\/(?:active|archived)\/(?:.*\/)?handoff-[^/]*\.md$/is
const OLD_PLACE = /(?:^|\/)_agents\//
const WITHIN = /(?:^|\/)_handoffs\//
const INDEX = /(?:^|\/)_handoffs\/_index\.ya?ml$/i

/** Which form of this dialect a text has. Version 2 is known by its keys, and where they are lost, by its place. */
export function formOf(source: Source): MarkdownForm | undefined {
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
