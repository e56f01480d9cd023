import type { Dialect } from '../dialect.ts'
import { type Data, isData, keysOf, own } from '../difference.ts'
import { reasonIn } from '../table/derive.ts'
import type { Source } from '../text/source.ts'
import { isSessionPage } from './files/session.ts'
import { interpret } from './parse.ts'
import { PROSE_IN } from './rules.ts'
import { isOwn, PACKAGE_TABLE } from './table.ts'
import { ACKNOWLEDGMENT } from './values.ts'
import { print, toNative } from './write.ts'

export { artifactsAgainstGit } from './artifacts.ts'
export { checkSending } from './rules.ts'
export { pathOfField } from './table.ts'

/** Document 004: packages, what is answered to them, and where a project keeps them. */
export const pack: Dialect = {
  id: 'package',
  title: 'Handoff package',
  formOf,
  interpret,
  toNative,
  print,
  // A package read as such has a place for text.
  reasonFor: (field, draft) =>
    field === 'body' && isOwn(draft) ? undefined : reasonIn(PACKAGE_TABLE, field, draft),
  slot: ['handoff', 'x_baton'],
}

const ARCHIVE = /(?:^|\/)\.project\/07-audit\/(?:.*\/)?handoffs\/[^/]*\.ya?ml$/i
const STATE = /(?:^|\/)state\/current\.json$/i

/** The place decides first: what a project keeps there is of this format however it was written. */
function formOf(source: Source): string | undefined {
  const { path = '', value } = source
  if (STATE.test(path)) return 'state'
  if (!isData(value)) return isSessionPage(source) ? 'session' : undefined
  const handoff = own(value, ownKey(value, 'handoff'))
  if (handoff !== undefined && ARCHIVE.test(path)) return 'package'
  if (isData(handoff)) return isPackage(handoff) ? 'package' : undefined
  if (ACKNOWLEDGMENT.some((key) => isData(own(value, key)))) return 'acknowledgment'
  if (own(value, 'gate_response') !== undefined) return 'gate_response'
  return Array.isArray(own(value, 'handoffs')) && !isIndex(value) ? 'state' : undefined
}

const ownKey = (value: Readonly<Data>, name: string): string =>
  Object.hasOwn(value, name) ? name : (keysOf(value).find((key) => key.toLowerCase() === name) ?? name)

/** Document 000's list of handoffs. */
const isIndex = (value: Data): boolean => 'active_handoffs' in value || 'counts_by_agent' in value

/** Keys that a package has and a block (document 002) has not. */
export const OF_PACKAGE = ['expectations', 'workflow_state', 'validation_request', 'clarification', 'gate']
export const OF_CONTEXT = ['summary', ...Object.keys(PROSE_IN)]
export const OF_BLOCK = ['phase', 'status', 'retry_count', 'metrics', 'on_failure']

/**
 * A mapping as `from` or `to` is document 004's. Where both are names, the other keys decide; a name as `from` with
 * a phase or a status is document 002's, and `from_agent` belongs to neither of this document's forms.
 */
function isPackage(handoff: Readonly<Data>): boolean {
  const has = (key: string) => Object.hasOwn(handoff, key)
  const [from, to] = [own(handoff, 'from'), own(handoff, 'to')]
  if (isData(from)) return true
  if (typeof from === 'string') return !has('phase') && !has('status') && (isData(to) || hasShape(handoff))
  if (has('from_agent') || has('to_agent')) return false
  if (isData(to) || OF_PACKAGE.some(has)) return true
  const isOfBlock = OF_BLOCK.some(has) || (typeof to === 'string' && (to.startsWith('@') || to === 'None'))
  return !isOfBlock && (has('context') || has('reason') || has('type'))
}

function hasShape(handoff: Readonly<Data>): boolean {
  const context = own(handoff, 'context')
  return (
    OF_PACKAGE.some((key) => Object.hasOwn(handoff, key)) ||
    (isData(context) && OF_CONTEXT.some((key) => Object.hasOwn(context, key)))
  )
}
