import { shortened } from '../domain/tasks/writeback-rules.ts'
import type { Dialect, DialectId, DraftProblem, Loss, Native } from './dialect.ts'
import { type Data, fieldDifferences, isData, keysOf, own, put, sameData, withPath } from './difference.ts'
import type { Draft } from './draft.ts'
import { readDocuments } from './read.ts'
import { dialectOf, endingOf } from './registry.ts'
import { readNative } from './rewrite.ts'
import { bytesOf, SLOT_BYTES, slotFor } from './slot.ts'
import type { Path } from './text/source.ts'

export type Conversion =
  | { readonly ok: true; readonly text: string; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly missing: readonly DraftProblem[] }

export interface ConvertOptions {
  /** Carry what the dialect cannot say in its `x_baton` slot, so that the way back is exact. */
  readonly slot?: boolean
  /** What the dialect demands and the draft does not say. */
  readonly supply?: Partial<Draft>
}

/**
 * A draft in the words of a dialect. The text is read again and compared with the draft: what the reader
 * would not get is the list of losses, so the list cannot forget anything.
 */
export function convert(draft: Draft, to: DialectId, options: ConvertOptions = {}): Conversion {
  const dialect = dialectOf(to)
  const wanted = supplied(draft, options.supply)
  let plain = ''
  const made = writtenOf(wanted, dialect, (native, of) => {
    plain = dialect.print(native)
    return readAs(dialect, plain, of)
  })
  if (!made.ok) return made
  const { native, read } = made
  const reasons = reasonsOf(dialect, made.draft)
  const losses = lossesBetween(wanted, read, dialect, reasons)
  if (!options.slot) return { ok: true, text: plain, losses }

  const slot = slotFor(wanted, read)
  if (slot === undefined) return { ok: true, text: plain, losses }
  const size = bytesOf(slot)
  const without = (reason: string): Conversion => ({
    ok: true,
    text: plain,
    losses: [...losses, { field: 'x_baton', reason: `${reason}, so it was not written` }],
  })
  if (size > SLOT_BYTES) return without(`the slot would take ${size} bytes and may take ${SLOT_BYTES}`)
  const text = dialect.print({ ...native, value: withPath(native.value, dialect.slot, slot) })
  const left = lossesBetween(wanted, readAs(dialect, text, wanted), dialect, reasons)
  // An acknowledgment that stands alone has no place for a slot: with one it would be something else.
  if (left.length > losses.length) return without(`this form of ${dialect.title} has no place for the slot`)
  return { ok: true, text, losses: left }
}

type NativeValue = Native & { readonly ok: true }
type Spoken =
  | { readonly ok: true; readonly draft: Draft; readonly native: NativeValue; readonly read: Draft }
  | { readonly ok: false; readonly missing: readonly DraftProblem[]; readonly read?: undefined }

/** A draft in the keys of a dialect and what these say, without a text in between. */
export const spoken = (draft: Draft, to: DialectId, path: string): Spoken =>
  writtenOf(draft, dialectOf(to), (native) => readNative(to, native, path).draft ?? {})

/** Keys that a document of another dialect had beside are kept only where they do not come to mean something. */
function writtenOf(
  draft: Draft,
  dialect: Dialect,
  readBack: (native: NativeValue, draft: Draft) => Draft,
): Spoken {
  const native = dialect.toNative(draft)
  if (!native.ok) return { ok: false, missing: native.missing }
  const read = readBack(native, draft)
  if (draft.extra === undefined || sameData(read.extra, draft.extra)) return { ok: true, draft, native, read }
  const { extra: _foreign, ...own } = draft
  return writtenOf(own, dialect, readBack)
}

/** Fields win over the draft's; mappings such as `package` are completed field by field. */
function supplied(draft: Draft, supply: Partial<Draft> = {}): Draft {
  const result: Data = { ...draft }
  for (const key of keysOf(supply)) {
    const [old, value] = [own(draft, key), own(supply, key)]
    put(result, key, isData(old) && isData(value) ? { ...old, ...value } : value)
  }
  return result as Draft
}

/** A body may hold blocks of its own, so of several documents the one that was meant is taken. */
function readAs({ id }: Dialect, text: string, wanted: Draft): Draft {
  const drafts = readDocuments(text, { path: `handoff${endingOf(id)}` }).flatMap(({ dialect, draft }) =>
    dialect === id && draft ? [draft] : [],
  )
  if (drafts.length < 2) return drafts[0] ?? {}
  const distances = drafts.map((draft) => fieldDifferences(wanted, draft).length)
  return drafts[distances.indexOf(Math.min(...distances))] ?? {}
}

function lossesBetween(draft: Draft, read: Draft, { title }: Dialect, reasonFor: ReasonFor): Loss[] {
  return fieldDifferences(draft, read)
    .filter(({ before }) => before !== undefined)
    .map(({ path, after }) => {
      const seen =
        after === undefined ? 'has no place for it' : `says it as ${shortened(JSON.stringify(after))}`
      return { field: path.join('.'), reason: reasonFor(path) ?? `${title} ${seen}` }
    })
}

type ReasonFor = (path: Path) => string | undefined

/** The dialect's own reason for the loss of a field, or of the field that it is part of. */
export const reasonsOf =
  (dialect: Dialect, written: Draft): ReasonFor =>
  (path) =>
    dialect.reasonFor(path.join('.'), written) ?? dialect.reasonFor(String(path[0]), written)
