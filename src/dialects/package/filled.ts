import { type Data, keysOf, own, put } from '../difference.ts'

/** Any of the fields, as a reader finds them: a key may be there without a value. */
export type MaybeUndefined<T> = { [K in keyof T]?: T[K] | undefined }

/** What is left of a type when the keys without a value are gone. */
type Filled<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without the keys that have no value; `null` is one. */
export function filled<T extends object>(data: T): Filled<T> {
  const result: Data = {}
  for (const key of keysOf(data as Data)) put(result, key, own(data, key))
  return result as Filled<T>
}

/** The same, and nothing where no key is left. */
export function orNothing<T extends object>(data: T): Filled<T> | undefined {
  const result = filled(data)
  return Object.keys(result).length > 0 ? result : undefined
}

export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
