import { present } from '../domain/present.ts'
import type { Dialect } from './dialect.ts'
import { type Data, type Difference, differences, fieldDifferences, own, withoutPath } from './difference.ts'
import type { Draft } from './draft.ts'
import { placedAt } from './fields.ts'
import { type Document, readDocuments } from './read.ts'
import { dialectOf } from './registry.ts'
import { nativeOnly, slotFor } from './slot.ts'
import { standIns } from './stand-ins.ts'
import type { Change, Path, Source } from './text/source.ts'
import { isMapping, valueAt } from './text/tree.ts'

interface WrittenParts {
  readonly value: Data
  readonly body: string
}

/** A second pass mends what the first one moved; a third has never been needed. */
const PASSES = 3
/** More than a draft has fields. */
const WANTED = 1_000

/**
 * The document with what changed between its draft and `after`, and every other byte as it was: both drafts are
 * put into the dialect's keys, and where these differ the text is edited in the place where it said so. The result
 * is read again, and of several ways the one that comes nearest to `after` is taken.
 */
export function rewrite(document: Document, after: Draft): string {
  const wrongIn = measure(document.draft ?? {}, after)
  let best: Attempt = { document, wrong: wrongIn(document) }
  for (let pass = 0; pass < PASSES && best.wrong > 0; pass++) {
    const next = nearest(best.document, after, wrongIn)
    if (next === undefined || next.wrong >= best.wrong) break
    best = next
  }
  return best.document.source.text
}

interface Attempt {
  readonly document: Document
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
function nearest(document: Document, after: Draft, wrongIn: Measure): Attempt | undefined {
  const { dialect: id, draft: before } = document
  if (id === undefined || before === undefined) return undefined
  const [from, to] = [writtenParts(dialectOf(id), before), writtenParts(dialectOf(id), after)]
  if (!from || !to) return undefined
  const changes = changesBetween(from.value, to.value, document)
  const attempt = (some: readonly Change[]): Attempt | undefined => {
    const made = readAgain(changedText(document, some, [from.body, to.body]), document)
    const whole = made && readAgain(withNewSlot(made, after), made)
    return whole && { document: whole, wrong: wrongIn(whole) }
  }
  let best = attempt(changes)
  let kept = changes
  for (const change of changes) {
    if (best?.wrong === 0 || kept.length <= 1) break
    const fewer = kept.filter((each) => each !== change)
    const next = attempt(fewer)
    if (next && (best === undefined || next.wrong < best.wrong)) {
      best = next
      kept = fewer
    }
  }
  return best
}

function changedText(
  { source }: Document,
  changes: readonly Change[],
  [from, to]: readonly [string, string],
): string {
  const edited = changes.length > 0 ? source.edit(changes) : source.text
  return from === to ? edited : withBody(edited, source, from, to)
}

/** The same piece of the changed text. A piece starts where it did; a text has one markdown piece at most. */
function readAgain(text: string, document: Document): Document | undefined {
  const { kind, start, path, text: old } = document.source
  if (text === old) return document
  const formats = document.format ? [document.format] : []
  return readDocuments(text, { ...present({ path }), formats }).find(
    ({ source: each }) => each.kind === kind && (kind === 'markdown' || each.start === start),
  )
}

/** A document that has a slot gets one that fits what its own keys say now. */
function withNewSlot({ source, form, dialect: id, carried }: Document, after: Draft): string {
  const dialect = id && dialectOf(id)
  if (!dialect || form === undefined || valueAt(source.value, dialect.slot) === undefined) return source.text
  const native = dialect.interpret(source, form).draft
  const slot = native && slotFor(after, nativeOnly(native, dialect.slot))
  if (slot === undefined && carried.length === 0) return source.text
  return source.edit([{ path: dialect.slot, value: slot }])
}

/**
 * A draft in the dialect's keys, however little it says. What the dialect demands and the draft does not say is
 * filled in twice with different values, and whatever then differs is left out again.
 */
export function writtenParts(dialect: Dialect, draft: Draft): WrittenParts | undefined {
  const [first, second] = standIns().map((standIn) => filled(dialect, draft, standIn))
  if (!first || !second) return undefined
  const value = differences(first.value, second.value).reduce(
    (kept, { path }) => withoutPath(kept, path),
    first.value,
  )
  return { value, body: first.body === second.body ? first.body : '' }
}

/** Each round supplies what the last one missed; a dialect may ask for more once it knows the form. */
function filled(dialect: Dialect, draft: Draft, standIn: Draft): WrittenParts | undefined {
  let whole: Data = { ...draft }
  for (let round = 0; round < 8; round++) {
    const native = dialect.toNative(whole as Draft)
    if (native.ok) return { value: native.value, body: native.body ?? '' }
    for (const { field } of native.missing) {
      const [top = '', below] = field.split('.')
      const value = own(standIn, top)
      const old = own(whole, top)
      const next =
        below === undefined ? value : { ...(isMapping(old) ? old : {}), [below]: own(value, below) }
      whole = { ...whole, [top]: next }
    }
  }
  return undefined
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
  return isMapping(there)
}

/** The body stands at the end of the text, so its place is counted from there. What is not found is left alone. */
function withBody(text: string, source: Source, from: string, to: string): string {
  const body = source.body ?? ''
  const native = (each: string): string => (body.includes('\r\n') ? each.replaceAll(/\r?\n/g, '\r\n') : each)
  const at = from === '' ? body.length : body.indexOf(native(from))
  if (at < 0) return text
  const head = text.slice(0, text.length - (source.text.length - source.bodyAt))
  return head + body.slice(0, at) + native(to) + body.slice(at + native(from).length)
}
