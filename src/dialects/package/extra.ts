import { type Data, isData, keysOf, own, put } from '../difference.ts'
import type { Fields } from '../fields.ts'
import type { Path } from '../text/source.ts'

/** Notes what nobody asked for in a mapping, under the path where the strict form has the mapping. */
export function keepRest(extra: Data, fields: Fields, path: Path): void {
  const rest = fields.rest()
  for (const key of keysOf(rest)) keepAt(extra, [...path, key], own(rest, key))
}

export function keepAt(extra: Data, path: Path, value: unknown): void {
  const keys = joined(path)
  const last = keys.pop()
  if (last === undefined) return
  let data = extra
  for (const key of keys) {
    const below = own(data, key)
    const next: Data = isData(below) ? below : {}
    put(data, key, next)
    data = next
  }
  put(data, last, value)
}

/** `['artifacts', 0, 'x']` as `['artifacts[0]', 'x']`. */
function joined(path: Path): string[] {
  const keys: string[] = []
  for (const key of path) {
    if (typeof key === 'number' && keys.length > 0) keys.push(`${keys.pop()}[${key}]`)
    else keys.push(String(key))
  }
  return keys
}
