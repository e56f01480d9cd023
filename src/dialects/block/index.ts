import type { Dialect } from '../dialect.ts'
import { isData, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { OF_BLOCK, OF_CONTEXT, OF_PACKAGE } from '../package/index.ts'
import { reasonIn } from '../table/derive.ts'
import type { Source } from '../text/source.ts'
import { interpret } from './parse.ts'
import { isSummary, readSummary } from './summary.ts'
import { BLOCK } from './table.ts'
import { isScalar } from './values.ts'
import { STATUS_OF } from './words.ts'
import { print, toNative } from './write.ts'

/** Document 002: a YAML block in an agent's summary. */
export const block: Dialect = {
  id: 'block',
  title: 'Handoff block',
  formOf,
  interpret: (source, form) => (form === 'summary' ? readSummary(source) : interpret(source, form)),
  toNative,
  print,
  reasonFor,
  slot: ['handoff', 'context', 'x_baton'],
}

function reasonFor(field: string, draft: Draft): string | undefined {
  const { state, retry } = draft
  if (field === 'state') return state && `a block says ${STATUS_OF[state]} for ${state}`
  if (field === 'on_failure.retry' && retry?.max !== undefined)
    return `a block has one number of retries, and it says ${retry.max}`
  return reasonIn(BLOCK(), field, draft)
}

/** Front matter of document 000 may hold anything else besides. */
const OF_MARKDOWN = ['handoff_id', 'from_agent']
/**
 * - `block`: below `handoff` with the document's keys. A mapping as `from` is document 004's.
 * - `handback`: `from_agent` and `to_agent` below `handoff`, as projects write it into front matter.
 * - `summary`: a summary without a block, as agents wrote it before there were blocks.
 */
function formOf(source: Source): string | undefined {
  if (source.kind === 'markdown' && source.value === undefined)
    return isSummary(source) ? 'summary' : undefined
  if (source.value === undefined) return isBroken(source) ? 'block' : undefined
  const handoff = fieldsOf(source, ['handoff'])
  if (!handoff || OF_MARKDOWN.some((key) => own(source.value, key) !== undefined)) return undefined
  const from = handoff.value('from')
  if (isScalar(from)) return isPackage(handoff) ? undefined : 'block'
  if (from !== undefined && from !== null) return undefined
  if (isScalar(handoff.value('from_agent')) || isScalar(handoff.value('to_agent'))) return 'handback'
  return isBlockWithoutSender(handoff) ? 'block' : undefined
}

/** Names as sender and receiver are no proof of a block where it has neither phase nor status. */
function isPackage(handoff: Fields): boolean {
  if (handoff.has('phase') || handoff.has('status')) return false
  const context = handoff.value('context')
  return (
    isData(handoff.value('to')) ||
    OF_PACKAGE.some((key) => handoff.has(key)) ||
    OF_CONTEXT.some((key) => own(context, key) !== undefined)
  )
}

function isBlockWithoutSender(handoff: Fields): boolean {
  const to = handoff.value('to')
  const toAgent = typeof to === 'string' && (to.startsWith('@') || to === 'None')
  const has = (key: string) => handoff.has(key)
  return !OF_PACKAGE.some(has) && !isData(to) && (toAgent || OF_BLOCK.some(has))
}

/** A block so broken that nothing could be read, but that begins like one. */
function isBroken({ kind, text, start, end }: Source): boolean {
  if (kind !== 'fence' && kind !== 'yaml') return false
  const head = text.slice(start, Math.min(end, start + 4_000))
  return /^\s*handoff:/m.test(head) && /^\s+(?:phase|status):/m.test(head)
}
