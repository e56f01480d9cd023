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

/** The document as it reads without its mark. */
export const unmarked = (path: Path, document: Document | undefined): Document | undefined =>
  document && valueAt(document.source.value, path) !== undefined
    ? asChanged(document, [{ path, value: undefined }])
    : document

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
