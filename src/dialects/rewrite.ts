import type { DialectId, Native } from './dialect.ts'
import { type Data, type Difference, differences, fieldDifferences, isData, valueAt } from './difference.ts'
import type { Draft } from './draft.ts'
import { placedAt } from './fields.ts'
import { type Document, readSource } from './read.ts'
import { dialectOf } from './registry.ts'
import { nativeOnly, slotFor } from './slot.ts'
import { withChange } from './text/edit/change.ts'
import type { Change, Path, Source } from './text/source.ts'

/** A second pass mends what the first one moved; a third has never been needed. */
const PASSES = 3
/** More than a draft has fields. */
const WANTED = 1_000

export interface Rewriting {
  /** As it will read. Its text and the places in it are still the old ones. */
  readonly document: Document
  /** Whether it will read as it should, field by field. */
  readonly isExact: boolean
  /** The new text, with more changes in the same edit. */
  text(more?: readonly Change[]): string
}

/**
 * The document with what changed between its draft and `after`, and every other byte as it was: both drafts are
 * put into the dialect's keys, and where these differ the text is edited in the place where it said so. Of several
 * ways the one that reads nearest to `after` is taken. It is looked for in the values; the text is edited once.
 */
export function rewriting(document: Document, after: Draft): Rewriting {
  const wrongIn = measure(document.draft ?? {}, after)
  let best: Attempt = { document, changes: [], wrong: wrongIn(document) }
  for (let pass = 0; pass < PASSES && best.wrong > 0; pass++) {
    const next = nearest(best, after, wrongIn)
    if (next === undefined || next.wrong >= best.wrong) break
    best = next
  }
  const { document: made, changes, wrong } = best
  const text: Rewriting['text'] = (more = []) => textWith(document, [...changes, ...more], made.source.body)
  return { document: made, isExact: wrong === 0, text }
}

/**
 * Writes a changed draft into the text of its document. Every byte that says nothing of the change stays as it was.
 *
 * ```ts
 * const changed = rewrite(document, { ...document.draft, to: 'gemini' })
 * ```
 */
export function rewrite(document: Document, after: Draft): string {
  return rewriting(document, after).text()
}

interface Attempt {
  /** As it will read. */
  readonly document: Document
  /** Since the text as it is. */
  readonly changes: readonly Change[]
  readonly wrong: number
}

type Measure = (document: Document) => number

/** How many fields read otherwise than they should; those that were to change count most. */
function measure(before: Draft, after: Draft): Measure {
  const wanted = new Set(fieldDifferences(before, after).map(({ path }) => path.join('.')))
  return ({ draft = {} }) =>
    fieldDifferences(draft, after).reduce(
      (sum, { path }) => sum + (wanted.has(path.join('.')) ? WANTED : 1),
      0,
    )
}

/** All changes, or all but one: a key that is made from others must not follow them where nobody wrote it. */
function nearest(from: Attempt, after: Draft, wrongIn: Measure): Attempt | undefined {
  const { document } = from
  const { dialect: id, draft } = document
  if (id === undefined || draft === undefined) return undefined
  const [old, now] = [draft, after].map((each) => dialectOf(id).toNative(each)) as [Native, Native]
  const { source } = document
  const body = old.body === now.body ? source.body : bodyWith(source, old.body ?? '', now.body ?? '')
  const changes = changesBetween(old.value, now.value, document)
  const attempt = (some: readonly Change[]): Attempt => {
    const made = asChanged(document, some, body)
    const slot = newSlot(made, after)
    const whole = slot.length > 0 ? asChanged(made, slot) : made
    return { document: whole, changes: [...from.changes, ...some, ...slot], wrong: wrongIn(whole) }
  }
  let best = attempt(changes)
  let kept = changes
  for (const change of changes) {
    if (best.wrong === 0 || kept.length <= 1) break
    const fewer = kept.filter((each) => each !== change)
    const next = attempt(fewer)
    if (next.wrong < best.wrong) {
      best = next
      kept = fewer
    }
  }
  return best
}

/** The document as it will read with these changes, without a text of its own. */
export function asChanged(
  document: Document,
  changes: readonly Change[],
  body = document.source.body,
): Document {
  const { source, dialect, format } = document
  if (dialect === undefined || (changes.length === 0 && body === source.body)) return document
  let { value } = source
  for (const change of changes) value = withChange(value, change.path, change.value)
  const isNew = (path: Path): boolean =>
    changes.some((each) => {
      const from = each.value === undefined ? each.path.slice(0, -1) : each.path
      return from.every((step, i) => path[i] === step)
    })
  const raw: Source['raw'] = (path) => (isNew(path) ? plainScalar(valueAt(value, path)) : source.raw(path))
  return readSource({ ...source, value, body, raw }, dialect, format)
}

const plainScalar = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'object' ? undefined : String(value)

/** The document that these values are the whole file of, as if it had been written and read again. */
export function readNative(
  id: DialectId,
  { value, body = '' }: { readonly value: Data; readonly body?: string },
  path: string,
): Document {
  const isMarkdown = path.endsWith('.md')
  const first = { line: 1, column: 1 }
  const source: Source = {
    kind: isMarkdown ? 'markdown' : path.endsWith('.json') ? 'json' : 'yaml',
    ...{ text: '', path, start: 0, end: 0, value, bodyAt: 0, diagnostics: [] },
    body: isMarkdown ? body : undefined,
    locate: () => first,
    position: () => first,
    raw: (at) => plainScalar(valueAt(value, at)),
    edit: () => '',
  }
  return readSource(source, id)
}

/** A document that has a slot gets one that fits what its own keys say now. */
function newSlot({ source, form, dialect: id, carried }: Document, after: Draft): readonly Change[] {
  const dialect = id && dialectOf(id)
  if (!dialect || form === undefined || valueAt(source.value, dialect.slot) === undefined) return []
  const native = dialect.interpret(source, form).draft
  const slot = native && slotFor(after, nativeOnly(native, dialect.slot))
  return slot === undefined && carried.length === 0 ? [] : [{ path: dialect.slot, value: slot }]
}

/** The body stands at the end of the text, so its place is counted from there. */
function textWith({ source }: Document, changes: readonly Change[], body: string | undefined): string {
  const edited = changes.length > 0 ? source.edit(changes) : source.text
  if (body === source.body) return edited
  return edited.slice(0, edited.length - (source.text.length - source.bodyAt)) + body
}

function changesBetween(from: Data, to: Data, { source, places }: Document): readonly Change[] {
  const changes = new Map<string, Change>()
  for (const difference of differences(from, to)) {
    const change = changeFor(difference, { from, to, source, places })
    changes.set(JSON.stringify(change.path), change)
  }
  return [...changes.values()]
}

interface Sides {
  readonly from: Data
  readonly to: Data
  readonly source: Source
  readonly places: ReadonlyMap<string, Path>
}

/**
 * The change goes as deep as the document has the shape of the native value. Where a person wrote a lone text for
 * a mapping or a list, or a list of another length, that whole value is replaced.
 */
function changeFor({ path, after }: Difference, { from, to, source, places }: Sides): Change {
  const found = placedAt(path, places)
  const offset = found.length - path.length
  for (let depth = Math.max(1, offset + 1); depth < found.length; depth++) {
    const there = valueAt(source.value, found.slice(0, depth))
    if (there === undefined) break
    const native = path.slice(0, depth - offset)
    if (!sameShape(there, valueAt(from, native)))
      return { path: found.slice(0, depth), value: valueAt(to, native) }
  }
  return { path: found, value: after }
}

function sameShape(there: unknown, native: unknown): boolean {
  if (Array.isArray(native)) return Array.isArray(there) && there.length === native.length
  return isData(there)
}

/** A text that the body does not have is left alone. */
function bodyWith({ body = '' }: Source, from: string, to: string): string {
  const native = (each: string): string => (body.includes('\r\n') ? each.replaceAll(/\r?\n/g, '\r\n') : each)
  const at = from === '' ? body.length : body.indexOf(native(from))
  return at < 0 ? body : body.slice(0, at) + native(to) + body.slice(at + native(from).length)
}
