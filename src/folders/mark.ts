import type { spoken } from '../dialects/convert.ts'
import type { DialectId } from '../dialects/dialect.ts'
import { type Data, own, valueAt } from '../dialects/difference.ts'
import type { Draft } from '../dialects/draft.ts'
import { type Document, dialectOf, readDocuments } from '../dialects/index.ts'
import { asChanged, rewriting } from '../dialects/rewrite.ts'
import { withChange } from '../dialects/text/edit/change.ts'
import type { Change } from '../dialects/text/source.ts'
import type { RecentTexts } from '../dialects/text/sources.ts'
import type { FileText, KnownHandoff } from './folder.ts'

/** Live files carry which handoff they are, its revision and what was said about it, and nothing else of the engine's. */
export function markChanges(
  id: DialectId,
  { handoff: { uid, rev }, thread = [] }: Pick<KnownHandoff, 'handoff' | 'thread'>,
): readonly Change[] {
  const path = dialectOf(id).slot
  const value = { uid, rev, ...(thread.length > 0 && { thread }) }
  // It stays the last key.
  return [
    { path, value: undefined },
    { path, value },
  ]
}

/** The handoff and the revision that a file says it is. */
export function markIn(id: DialectId, value: unknown): { readonly uid?: string; readonly rev?: number } {
  const mark = valueAt(value, dialectOf(id).slot)
  const [uid, rev] = [own(mark, 'uid'), own(mark, 'rev')]
  return {
    ...(typeof uid === 'string' && { uid }),
    ...(typeof rev === 'number' && Number.isInteger(rev) && { rev }),
  }
}

/** The handoff in a text, which is read as if it lay at this path. */
export const documentIn = (text: string, path: string, recent?: RecentTexts): Document | undefined =>
  readDocuments(text, { path, recent }).find(({ draft }) => draft !== undefined)

/** The document as it reads without its mark. A mark says only which handoff it is, so nothing else has to be read again. */
export function unmarked(id: DialectId, document: Document | undefined): Document | undefined {
  const path = dialectOf(id).slot
  if (!document?.draft || valueAt(document.source.value, path) === undefined) return document
  const { source, draft, carried } = document
  if (carried.join() !== 'uid') return asChanged(document, [{ path, value: undefined }])
  const { uid: _, ...rest } = draft
  return {
    ...document,
    source: { ...source, value: withChange(source.value, path, undefined) },
    draft: rest,
    carried: [],
  }
}

/** A new file, where the draft says enough for one. */
export function newFile(id: DialectId, whole: ReturnType<typeof spoken>, mark: readonly Change[]): FileText {
  if (whole.ok) return { ok: true, text: printWith(id, whole.native, ...mark) }
  return { ok: false, missing: whole.missing.map(({ field, reason }) => `${field} (${reason})`).join('; ') }
}

/** The document that a handoff was made of, as if it lay there; undefined where the text is another by now. */
export function sourceIn({ base, source }: KnownHandoff, dialect: DialectId, path: string) {
  const isIt = source?.dialect === dialect && !source.format && source.source.text === base
  return isIt ? { ...source, source: { ...source.source, path } } : undefined
}

/** The draft that a file is to say, as it is wanted and as the dialect reads that. */
export interface Wanted {
  readonly wanted: Draft
  readonly strict: () => Draft | undefined
  /** With what is the file's own. */
  readonly after: (said: Draft) => Draft
}

/**
 * Compared as the dialect reads it: what it cannot say must not count as a change. A new file says all but what changed
 * already, so that need not be found out where it comes to say all that is wanted.
 */
export function rewritingTo(document: Document, isNew: boolean, { wanted, strict, after }: Wanted) {
  const to = (said: Draft) => {
    const whole = after(said)
    return { after: whole, ...rewriting(document, whole) }
  }
  const made = isNew ? to(wanted) : undefined
  return made?.isExact ? made : to(strict() ?? wanted)
}

/** The text of a new file. */
export const printWith = (
  id: DialectId,
  native: { value: Data; body?: string },
  ...changes: readonly Change[]
): string => {
  const value = changes.reduce<unknown>(
    (to, change) => withChange(to, change.path, change.value),
    native.value,
  )
  return dialectOf(id).print({ ...native, value: value as Data })
}
