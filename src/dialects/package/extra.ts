import { type Data, isData, keysOf, own, put } from '../difference.ts'
import type { Fields } from '../fields.ts'
import type { Path } from '../text/source.ts'

/** Lists whose elements may have unknown keys of their own. These stand in `extra` as `artifacts[0]`. */
const ELEMENT = /^(decisions|artifacts|open_questions)\[(\d{1,6})\]$/

/** The native value with the keys that the draft has no field for. What the draft says wins. */
export function withExtra(native: Data, extra: Readonly<Data>): Data {
  const result: Data = { ...native }
  for (const key of keysOf(extra)) {
    const kept = own(extra, key)
    const element = ELEMENT.exec(key)
    if (element) putElement(result, element[1]!, Number(element[2]), kept)
    else put(result, key, mergedExtra(own(native, key), kept))
  }
  return result
}

function putElement(result: Data, name: string, index: number, kept: unknown): void {
  const list = own(result, name)
  if (!Array.isArray(list) || !isData(kept)) return
  const changed = list.map((each: unknown, i) => (i === index && isData(each) ? withExtra(each, kept) : each))
  put(result, name, changed)
}

function mergedExtra(written: unknown, kept: unknown): unknown {
  if (written === undefined) return kept
  return isData(written) && isData(kept) ? withExtra(written, kept) : written
}

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
