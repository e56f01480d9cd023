import { stringify } from 'yaml'
import { present } from '../../domain/present.ts'
import { placedProblem } from '../../domain/problem.ts'
import type { Dialect, Interpretation, Native } from '../dialect.ts'
import { type Data, isData, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { OF_BLOCK, OF_CONTEXT, OF_PACKAGE } from '../package/index.ts'
import { reasonIn } from '../table/derive.ts'
import { readRows } from '../table/read.ts'
import { askedIn, writeRows } from '../table/write.ts'
import type { Source } from '../text/source.ts'
import { bodyOf, canStandAbove, withBlock } from './body.ts'
import { isNobody, lint } from './check.ts'
import { readHandback } from './handback.ts'
import { addRest, type Reading } from './reading.ts'
import { bare, readRequired } from './required.ts'
import { BLOCK } from './table.ts'
import { isScalar } from './values.ts'
import { phaseFor, STATUS_OF } from './words.ts'

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

function interpret(source: Source, form: string): Interpretation {
  const root = fieldsOf(source)
  const fields = root?.below('handoff')
  const nothing = () => placedProblem('error', 'unreadable_block', UNREADABLE, source.position(source.start))
  if (!root || !fields) return { diagnostics: root?.diagnostics ?? [nothing()] }
  const reading: Reading = { source, fields, draft: {}, extra: {} }
  const { draft, extra } = reading
  readRequired(reading, form === 'block')
  Object.assign(draft, readRows(BLOCK(), root, form, reading))
  if (form === 'handback') readHandback(reading, root)
  lint(fields, draft as Draft)
  addRest(extra, 'handoff.', fields.rest())
  addRest(extra, '', root.rest())
  if (Object.keys(extra).length > 0) draft.extra = extra
  const body = bodyOf(source)
  if (body !== undefined) draft.body = body
  return { draft: draft as Draft, diagnostics: root.diagnostics, places: root.places }
}

const UNREADABLE =
  'This handoff block cannot be read. Write handoff: and below it, indented, phase, from, to and status.'

function toNative({ extra = {}, ...draft }: Draft): Native {
  const written = writeRows(BLOCK(), draft, 'block')
  const missing = askedIn(BLOCK(), written, 'block')
  const handoff: Data = { ...(own(written, 'handoff') as Data | undefined) }
  addExtra(extra, handoff)
  const native = { value: { handoff }, ...present({ body: draft.body }) }
  return missing.length > 0 ? { ok: false, missing, ...native } : { ok: true, ...native }
}

/** The strict form: a fenced block, every text in quotes, because an agent's `@` is no YAML without them. */
function print(native: { readonly value: Record<string, unknown>; readonly body?: string }): string {
  const yaml = stringify(native.value, {
    aliasDuplicateObjects: false,
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    // A line of a longer text could look like the end of the fence.
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    lineWidth: 0,
  })
  const block = `\`\`\`yaml\n${yaml}\`\`\`\n`
  const { body } = native
  return body !== undefined && canStandAbove(body) ? withBlock(body, block) : block
}

/** Unknown keys of a block go back to where they stood; those of other formats are none of its business. */
function addExtra(extra: Readonly<Data>, handoff: Data): void {
  for (const path of Object.keys(extra)) {
    if (!path.startsWith('handoff.')) continue
    const key = path.slice('handoff.'.length)
    const value = own(extra, path)
    const below = key.startsWith('on_failure.') ? key.slice('on_failure.'.length) : undefined
    const rules = own(handoff, 'on_failure')
    if (below !== undefined && (rules === undefined || isData(rules))) {
      const data: Data = rules ?? {}
      if (!Object.hasOwn(data, below)) put(data, below, value)
      put(handoff, 'on_failure', data)
    } else if (value !== null && !Object.hasOwn(handoff, key)) put(handoff, key, value)
  }
}

/** Summaries are short; what stands further down belongs to something else. */
const MAX_LOOKED_AT = 20_000

const NEXT = /^[ \t]*\*{0,2}Next Agent:?\*{0,2}:?[ \t]*(\S[^\n]*)$/im
const TITLE = /^#{1,3}[ \t]+([A-Za-z]+)[ \t]+COMPLETE[ \t]*$/im
const TESTS = /Tests passed:[ \t]*(\d{1,9})[ \t]*\/[ \t]*(\d{1,9})/i
const COVERAGE = /Coverage:[ \t]*(\d{1,3}(?:\.\d{1,4})?%)/i
const DURATION = /Execution time:[ \t]*(\d[\dhms. ]{0,20}[hms])/i

const summaryText = ({ body = '' }: Source): string => body.slice(0, MAX_LOOKED_AT)

/** A summary as agents wrote it before there were blocks: it names the next agent in bold and has no block. */
function isSummary(source: Source): boolean {
  const text = summaryText(source)
  return NEXT.test(text) && !/^[ \t]*["']?handoff["']?[ \t]*:/m.test(source.body ?? '')
}

/** Best effort: everything is inferred, and said to be. */
function readSummary(source: Source): Interpretation {
  const text = summaryText(source)
  const draft: Data = {}
  const next = NEXT.exec(text)
  const name = next?.[1]?.replaceAll('*', '').trim() ?? ''
  if (next) draft.to = isNobody(name) ? null : bare(name)
  const phase = phaseFor(TITLE.exec(text)?.[1] ?? '')
  if (phase) Object.assign(draft, { phase, state: 'completed' })
  const metrics = metricsIn(text)
  if (Object.keys(metrics).length > 0) draft.metrics = metrics
  if (source.body) draft.body = source.body
  const inferred = Object.keys(draft).filter((key) => key !== 'body')
  const message = `This summary has no handoff block; ${inferred.join(', ')} were inferred from its lines. A YAML block below it that begins with handoff: would say it for certain.`
  const at = source.position(source.bodyAt + (next?.index ?? 0))
  return { draft: draft as Draft, diagnostics: [placedProblem('info', 'inferred', message, at)] }
}

function metricsIn(text: string): Data {
  const [, passed, total] = TESTS.exec(text) ?? []
  const coverage = COVERAGE.exec(text)?.[1]
  const duration = DURATION.exec(text)?.[1]
  return {
    ...(passed !== undefined && { tests_passed: Number(passed), tests_total: Number(total) }),
    ...present({ coverage, execution_time: duration }),
  }
}
