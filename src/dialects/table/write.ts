import type { DraftProblem } from '../dialect.ts'
import { type Data, isData, keysOf, own, put, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Path } from '../text/source.ts'
import { namesBelow } from './read.ts'
import { groupOf, isRest, pathOf, perTable, type Row, rowsIn, type Table } from './row.ts'

/** All that the draft says, in the keys of the format and their order, whether or not it is enough. */
export function writeRows(table: Table, draft: Draft, form: string): Data {
  const native: Data = {}
  const made = new Set<object>()
  for (const row of rowsIn(table, form)) {
    const said = saidBy(row, draft)
    if (said === undefined) continue
    if (!isRest(row)) putAt(native, pathOf(row.key), said, made)
    else if (isData(said)) {
      const taken = namesBelow(table, groupOf(row.key))
      for (const key of keysOf(said)) {
        const path = [...pathOf(row.key).slice(0, -1), key]
        if (row.isOpen ? valueAt(native, path) === undefined : !taken.has(key))
          putAt(native, path, own(said, key), made)
      }
    }
  }
  return inOrder(draft.extra ? withExtra(native, draft.extra) : native, orderIn(table, form), '')
}

/** The native value of one row. */
export function saidBy({ kind, fields, from, as }: Row, draft: Draft): unknown {
  if (from) return from(draft)
  if (kind === 'bundle') return as.write(draft)
  const value = kind === 'kept' ? undefined : valueAt(draft, pathOf(fields[0]!))
  return value === undefined ? undefined : as.write(value)
}

/** Sets a value below mappings; where something else stands in the way, it is left out. Values of others are copied. */
function putAt(native: Data, path: readonly string[], value: unknown, made: Set<object>): void {
  let at = native
  for (const key of path.slice(0, -1)) {
    const below = own(at, key) ?? {}
    if (!isData(below)) return
    const next = made.has(below) ? below : { ...below }
    made.add(next)
    put(at, key, next)
    at = next
  }
  put(at, path.at(-1)!, value)
}

/** Elements of a list may have unknown keys of their own. These stand in `extra` as `artifacts[0]`. */
const ELEMENT = /^(.+)\[(\d{1,6})\]$/

/** Puts kept keys where the fields of the draft left room. */
function withExtra(native: Data, extra: Readonly<Data>): Data {
  const result: Data = { ...native }
  for (const key of keysOf(extra)) {
    const [written, kept] = [own(native, key), own(extra, key)]
    const [, name = '', index] = ELEMENT.exec(key) ?? []
    const list = own(result, name)
    const completed = (each: unknown, i: number): unknown =>
      i === Number(index) && isData(each) && isData(kept) ? withExtra(each, kept) : each
    if (Array.isArray(list)) put(result, name, list.map(completed))
    else if (written === undefined) put(result, key, kept)
    else if (isData(written) && isData(kept) && written !== kept) put(result, key, withExtra(written, kept))
  }
  return result
}

type Order = ReadonlyMap<string, readonly string[]>

/** The keys below each group. What is a row itself is the author's data and keeps its order. */
const orderIn = perTable((table, form): Order => {
  const order = new Map<string, string[]>()
  const rows = rowsIn(table, form).filter((row) => !isRest(row))
  const keys = new Set(rows.map(({ key }) => key))
  for (const { key } of rows) {
    const path = pathOf(key)
    for (const [depth, name] of path.entries()) {
      const group = path.slice(0, depth).join('.')
      if (keys.has(group)) break
      const names = order.get(group) ?? []
      if (!names.includes(name)) order.set(group, [...names, name])
    }
  }
  return order
})

function inOrder(data: Readonly<Data>, order: Order, group: string): Data {
  const known = (order.get(group) ?? []).filter((key) => own(data, key) !== undefined)
  const result: Data = {}
  for (const key of [...known, ...keysOf(data).filter((each) => !known.includes(each))]) {
    const [value, below] = [own(data, key), group === '' ? key : `${group}.${key}`]
    put(result, key, isData(value) && order.has(below) ? inOrder(value, order, below) : value)
  }
  return result
}

/** The rows that a form needs and a native value lacks. */
export const lackingIn = (table: Table, native: Readonly<Data>, form: string): readonly Row[] =>
  rowsIn(table, form).filter(
    ({ key, need }) => need?.includes(form) && valueAt(native, pathOf(key)) === undefined,
  )

/** A writer asks for needed keys that have a reason, and for values that do not do here. */
export function askedIn(table: Table, native: Readonly<Data>, form: string): readonly DraftProblem[] {
  const lacking = new Set(lackingIn(table, native, form))
  return rowsIn(table, form).flatMap((row): DraftProblem[] => {
    const value = valueAt(native, pathOf(row.key))
    const isAsked = lacking.has(row) || (value !== undefined && row.fits?.(value) === false)
    if (!isAsked || row.asked === undefined) return []
    const reason = typeof row.asked === 'string' ? row.asked : row.asked(value)
    return [{ field: row.askedAs ?? row.fields[0]!, reason }]
  })
}

/**
 * The keys of a document that what would be written does not say, where they stood: the `extra` of its draft. A value
 * that is only written otherwise is said. `places` are those of the reading.
 */
export const leftOver = (
  found: unknown,
  written: unknown,
  places: ReadonlyMap<string, Path>,
): Data | undefined =>
  leftBelow(found, written, new Map([...places].map(([native, path]) => [JSON.stringify(path), native])), [])

/** Places that were read under another name, and the native path that they stand for. */
type Covered = ReadonlyMap<string, string>

function leftBelow(found: unknown, written: unknown, covered: Covered, path: Path): Data | undefined {
  if (!isData(found) || found === written) return undefined
  const result: Data = {}
  for (const key of keysOf(found)) {
    const [value, here] = [own(found, key), [...path, key]]
    const native = covered.size === 0 ? undefined : covered.get(JSON.stringify(here))
    if (native?.includes('.')) continue
    const said = own(written, native ?? key)
    const isKept = native === undefined && said === undefined && !hasCovered(here, value, covered)
    const left = isKept ? value : leftBelow(value, said, covered, here)
    if (left !== undefined) put(result, native ?? key, left)
  }
  return keysOf(result).length > 0 ? result : undefined
}

/** A mapping of which one key was read under another name is kept without that key. */
const hasCovered = (path: Path, value: unknown, covered: Covered): boolean =>
  covered.size > 0 &&
  isData(value) &&
  keysOf(value).some((key) => covered.has(JSON.stringify([...path, key])))
