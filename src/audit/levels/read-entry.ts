import { type AuditRecord, checkRecord, type Decoded, decodeEntry, type Entry } from '../entry.ts'

export interface Digest {
  readonly name: string
  readonly digest: string
}

/** An entry in its one form. */
export interface GoodEntry extends Omit<Entry, 'record'> {
  readonly ok: true
  /** The record, where it is valid in a log of this version. */
  readonly record: AuditRecord | undefined
  /** Otherwise the field that has no place in it, and whether it is of a later version. */
  readonly wrong?: string
  readonly later?: boolean
  readonly digests: readonly Digest[]
  readonly redacts: readonly string[]
}

export type ReadEntry = GoodEntry | Extract<Decoded, { readonly ok: false }>

const NONE: readonly never[] = []

/** Reads an entry in its one form. */
export function readEntry(text: string): ReadEntry {
  const entry = decodeEntry(text)
  if (!entry.ok) return entry
  const { origin, stream, seq, prev, record } = entry
  const wrong = checkRecord(record)
  // `checkRecord` has just said so.
  const known = wrong === undefined ? (record as unknown as AuditRecord) : undefined
  return {
    ok: true,
    origin,
    stream,
    seq,
    prev,
    record: known,
    ...(wrong !== undefined && { wrong, later: record.v !== 1 }),
    digests: digestsOf(record),
    redacts: redactedDigests(record),
  }
}

function digestsOf({ sd }: Readonly<Record<string, unknown>>): readonly Digest[] {
  if (typeof sd !== 'object' || sd === null) return NONE
  return Object.entries(sd).flatMap(([name, digest]) =>
    typeof digest === 'string' ? [{ name, digest }] : [],
  )
}

/** The digests that a record takes the text away from. What it says cannot be taken back: the record stays. */
function redactedDigests(record: Readonly<Record<string, unknown>>): readonly string[] {
  if (record.act !== 'audit.redact') return NONE
  const { h } = record
  if (typeof h === 'string') return [h]
  return Array.isArray(h) ? h.filter((digest) => typeof digest === 'string') : NONE
}
