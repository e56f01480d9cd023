import type { spoken } from '../dialects/convert.ts'
import type { DialectId } from '../dialects/dialect.ts'
import { type Data, own, valueAt } from '../dialects/difference.ts'
import { type Document, dialectOf, readDocuments } from '../dialects/index.ts'
import { asChanged } from '../dialects/rewrite.ts'
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
