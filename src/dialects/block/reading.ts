import { type Data, own, put, valueAt } from '../difference.ts'
import type { Fields } from '../fields.ts'
import type { Source } from '../text/source.ts'

/** What the parts of the reader share: where they read and what they found. */
export interface Reading {
  readonly source: Source
  /** The fields below `handoff`. */
  readonly fields: Fields
  /** Becomes a `Draft`. */
  readonly draft: Data
  /** What has no place in a draft, by its native path: `handoff.cycle`. */
  readonly extra: Data
}

type Names = readonly [string, ...string[]]

/** The key that a field was written under; to be asked after the field was read. */
export function keyOf(fields: Fields, [name]: Names): string {
  return String(fields.places.get([...fields.path, name].join('.'))?.at(-1) ?? name)
}

/** A scalar as it was written, also `[X]`, which is a list to YAML. Lists and mappings are the caller's. */
export const written = (reading: Reading, fields: Fields, names: Names): string | undefined =>
  exact(reading, fields, names)?.trim()

/** The same with the spaces around it, which the document's words do not have. */
export function exact({ source }: Reading, fields: Fields, names: Names): string | undefined {
  const value = fields.value(...names)
  const only = Array.isArray(value) && value.length === 1 ? own(value, 0) : undefined
  if (typeof only === 'string' && !only.startsWith('@')) return `[${only}]`
  if (value === null || value === undefined || typeof value === 'object') return undefined
  if (typeof value !== 'string') return source.raw([...fields.path, keyOf(fields, names)]) ?? String(value)
  return value.trim() === '' ? undefined : value
}

/** A value that is looked at without counting as read. */
export const peek = ({ source }: Reading, fields: Fields, key: string): unknown =>
  valueAt(source.value, [...fields.path, key])

/** Notes that the document says below `found` what a block says below `native`. */
export function notePlace({ fields }: Reading, native: string, found: readonly string[]): void {
  if (native !== found.join('.')) fields.places.set(native, found)
}

/** Keeps what nobody asked for in a mapping, by its native path. */
export function addRest(extra: Data, prefix: string, rest: Readonly<Data>): void {
  for (const key of Object.keys(rest)) put(extra, prefix + key, own(rest, key))
}

/** Keeps a value that the draft cannot say. */
export function keep({ extra }: Reading, key: string, value: unknown): void {
  put(extra, `handoff.${key}`, value ?? null)
}
