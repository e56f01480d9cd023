import type { Path } from './text/source.ts'
import { isMapping, keysOf, own, sameData, setOwn } from './text/tree.ts'

export { isMapping as isData, keysOf, own, sameData, setOwn as put, valueAt } from './text/tree.ts'

export type Data = Record<string, unknown>

export interface Difference {
  readonly path: Path
  /** Undefined where one side has nothing there. */
  readonly before: unknown
  readonly after: unknown
}

/** Where two values differ. A list is entered only while it keeps its length: what moved has not changed. */
export function differences(before: unknown, after: unknown, path: Path = []): Difference[] {
  if (sameData(before, after)) return []
  if (isMapping(before) && isMapping(after))
    return allKeys(before, after).flatMap((key) =>
      differences(own(before, key), own(after, key), [...path, key]),
    )
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((each, i) => differences(each, after[i], [...path, i]))
  return [{ path, before, after }]
}

/** The differences of two drafts, by field or by field of a field: `priority`, `package.summary`. */
export function fieldDifferences(before: Readonly<Data>, after: Readonly<Data>): Difference[] {
  return allKeys(before, after).flatMap((field) => {
    const [from, to] = [own(before, field), own(after, field)]
    if (sameData(from, to)) return []
    if (!isMapping(from ?? {}) || !isMapping(to ?? {})) return [{ path: [field], before: from, after: to }]
    const below = allKeys(from ?? {}, to ?? {}).filter((key) => !sameData(own(from, key), own(to, key)))
    if (below.length === 0) return [{ path: [field], before: from, after: to }]
    return below.map((key) => ({ path: [field, key], before: own(from, key), after: own(to, key) }))
  })
}

const allKeys = (a: object, b: object): string[] => [...new Set([...keysOf({ ...a }), ...keysOf({ ...b })])]

/** The values of these keys that are there, in the order of the keys. */
export function pickKeys(value: unknown, keys: readonly string[]): Data {
  const result: Data = {}
  for (const key of keys) if (own(value, key) !== undefined) setOwn(result, key, own(value, key))
  return result
}

/** With a value at a path, whose parents are made where they are not there. */
export function withPath(data: Readonly<Data>, [key, ...rest]: Path, value: unknown): Data {
  const result: Data = { ...data }
  if (key === undefined) return result
  const below = own(data, key)
  const next = rest.length === 0 ? value : withPath(isMapping(below) ? below : {}, rest, value)
  setOwn(result, String(key), next)
  return result
}

/** Without a value, and without the mappings that are empty then. */
export function withoutPath(data: Readonly<Data>, [key, ...rest]: Path): Data {
  const result: Data = {}
  for (const name of keysOf(data)) {
    const value = own(data, name)
    if (name !== String(key)) setOwn(result, name, value)
    else if (rest.length > 0 && isMapping(value)) {
      const below = withoutPath(value, rest)
      if (keysOf(below).length > 0) setOwn(result, name, below)
    }
  }
  return result
}
