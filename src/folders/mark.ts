import type { DialectId } from '../dialects/dialect.ts'
import { type Data, valueAt } from '../dialects/difference.ts'
import { type Document, dialectOf } from '../dialects/index.ts'
import { asChanged } from '../dialects/rewrite.ts'
import { withChange } from '../dialects/text/edit/change.ts'
import type { Change, Path } from '../dialects/text/source.ts'
import type { KnownHandoff } from './folder.ts'

/** Live files carry which handoff they are, its revision and what was said about it, and nothing else of the engine's. */
export const markChanges = (
  path: Path,
  { handoff: { uid, rev }, thread = [] }: Pick<KnownHandoff, 'handoff' | 'thread'>,
): readonly Change[] => [
  // It stays the last key.
  { path, value: undefined },
  { path, value: { uid, rev, ...(thread.length > 0 && { thread }) } },
]

/** The document as it reads without its mark. A mark says only which handoff it is, so nothing else has to be read again. */
export function unmarked(path: Path, document: Document | undefined): Document | undefined {
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
