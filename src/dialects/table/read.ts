import { type Data, isData, keysOf, own, put, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, placedAt } from '../fields.ts'
import {
  groupOf,
  isIn,
  isRest,
  type KeyPlace,
  lastOf,
  pathOf,
  perTable,
  type Row,
  type Table,
} from './row.ts'

/** The draft that the rows of a form find, with reports and places. Values under another key than the row's are placed there. */
export function readRows(table: Table, root: Fields, form: string | undefined, context?: unknown): Draft {
  const draft: Data = {}
  const open = opener(table, root, context)
  const athome = new Set<string>()
  for (const row of rowsToRead(table, form ?? '')) {
    const value = isRest(row)
      ? restOf(table, row, open, athome)
      : valueIn(row, { open, draft, context, athome })
    if (value === undefined) continue
    if (row.kind === 'bundle') for (const [path, each] of draftParts(value as Draft)) fill(draft, path, each)
    else if (row.kind === 'row') fill(draft, pathOf(row.fields[0]!), value)
  }
  return draft as Draft
}

const rowsToRead = perTable(({ rows }, form) => rows.filter((row) => row.kind === 'kept' || isIn(row, form)))

/** A mapping of the document that stands for a group, or the lone value that stands in its place. */
interface Opened {
  readonly fields: Fields
  /** The key of a lone value, and the key that it stands for. */
  readonly lone?: { readonly key: string; readonly for: string; readonly keepsUnread: boolean }
  readonly isMoved?: boolean
  readonly value: unknown
}
type Open = (group: string) => Opened | undefined

function opener({ groups = {} }: Table, root: Fields, context: unknown): Open {
  const known = new Map<string, Opened | undefined>([['', { fields: root, value: undefined }]])
  const open: Open = (name) => {
    if (!known.has(name)) known.set(name, find(name))
    return known.get(name)
  }
  function find(name: string): Opened | undefined {
    const parent = open(groupOf(name))
    const group = groups[name]
    const [last = '', ...others] = [lastOf(name), ...(group?.also ?? [])]
    if (!parent || parent.lone) return undefined
    const { fields } = parent
    if (group?.find) {
      const found = group.find(fields, context)
      if (found && found.path.join('.') !== name) found.places.set(name, found.path)
      return found && { fields: found, value: undefined }
    }
    const key = [last, ...others].find((each) => fields.has(each))
    if (key === undefined) return undefined
    const value = fields.value(key)
    if (group?.isLone ? group.isLone(value) : !isData(value)) {
      if (group?.lone === undefined) return undefined
      group.report?.(fields, key)
      return { fields, value, lone: { key, for: group.lone, keepsUnread: group.keepsUnread ?? false } }
    }
    const below = isData(value) ? fields.below(key) : undefined
    if (below && key !== last) fields.places.set(name, placeOf(fields, key))
    return below && { fields: below, value, isMoved: below.path.join('.') !== name }
  }
  return open
}

const placeOf = (fields: Fields, key: string): readonly (string | number)[] =>
  fields.places.get([...fields.path, key].join('.')) ?? [...fields.path, key]

interface Rows {
  readonly open: Open
  readonly draft: Data
  readonly context: unknown
  /** The keys of rows that were read where they belong. */
  readonly athome: Set<string>
}

interface RowPlace {
  readonly group: string
  readonly names: readonly string[]
  readonly isHome: boolean
}
const ROW_PLACES = new WeakMap<Row, readonly RowPlace[]>()

/** The mappings in which a row may stand, its own first. Paths of one mapping are asked for together. */
function placesOf(row: Row): readonly RowPlace[] {
  const known = ROW_PLACES.get(row)
  if (known) return known
  const paths = [row.key, ...(row.also ?? [])]
  const places = [...new Set(paths.map(groupOf))].map((group) => ({
    group,
    names: paths.filter((path) => groupOf(path) === group).map(lastOf),
    isHome: group === groupOf(row.key),
  }))
  ROW_PLACES.set(row, places)
  return places
}

/** The first of the row's key paths that gives a value. */
function valueIn(row: Row, { open, draft, context, athome }: Rows): unknown {
  const { read } = row.as
  for (const { group, names, isHome } of read ? placesOf(row) : []) {
    // A value elsewhere counts only where nothing better is said.
    if (!isHome && row.fields.some((field) => valueAt(draft, pathOf(field)) !== undefined)) continue
    const opened = open(group)
    const at = opened && placeIn(opened, names, isHome, context)
    if (!at) continue
    const value = read!(at)
    if (value !== undefined || (isHome && !opened.lone?.keepsUnread)) notePlace(at, row.key)
    if (isHome && value !== undefined) athome.add(row.key)
    if (value !== undefined) return value
  }
  return undefined
}

/** Only the canonical key is asked for together with its other spellings: the reader notes these by itself. */
function placeIn(
  { fields, lone, isMoved }: Opened,
  names: readonly string[],
  isHome: boolean,
  context: unknown,
): KeyPlace | undefined {
  if (lone) return names.includes(lone.for) ? { fields, names: [lone.key], isLone: true, context } : undefined
  const found = names.find((each) => fields.has(each))
  if (isHome && (!isMoved || found === undefined))
    return { fields, names: names as [string, ...string[]], isLone: false, context }
  return found === undefined ? undefined : { fields, names: [found], isLone: false, context }
}

function notePlace({ fields, names }: KeyPlace, home: string): void {
  const isHome = names[0] === lastOf(home) && fields.path.join('.') === groupOf(home)
  // The reader notes other spellings by itself.
  if (isHome || !fields.has(...names)) return
  const place = placeOf(fields, names[0])
  if (placedAt(pathOf(home), fields.places).join('\0') !== place.join('\0')) fields.places.set(home, place)
}

/** All of a mapping but the keys that rows with fields have. */
function restOf(table: Table, { key: rest, isOpen }: Row, open: Open, athome: ReadonlySet<string>) {
  const { value, lone } = open(groupOf(rest)) ?? {}
  if (lone || !isData(value)) return undefined
  const taken = namesBelow(table, groupOf(rest))
  const left: Data = {}
  for (const key of keysOf(value)) {
    const isTaken = isOpen ? athome.has(`${groupOf(rest)}.${key}`) : taken.has(key)
    if (!isTaken) put(left, key, own(value, key))
  }
  return keysOf(left).length > 0 ? left : undefined
}

/** The keys below a group that rows with fields have. */
export const namesBelow = perTable(
  ({ rows }, group): ReadonlySet<string> =>
    new Set(
      rows.flatMap((row) =>
        row.fields.length > 0 && !isRest(row) && groupOf(row.key) === group ? [lastOf(row.key)] : [],
      ),
    ),
)

/** The parts of a draft, by field or by field of a group. */
const draftParts = (draft: Draft): readonly (readonly [readonly string[], unknown])[] =>
  keysOf(draft as Data).flatMap((field): (readonly [readonly string[], unknown])[] => {
    const value = own(draft, field)
    const below = isData(value) ? keysOf(value) : []
    return below.length > 0 ? below.map((key) => [[field, key], own(value, key)]) : [[[field], value]]
  })

/** Puts a value into an empty place; mappings are completed. */
function fill(draft: Data, [field = '', key]: readonly string[], value: unknown): void {
  const before = own(draft, field)
  const added: unknown = key === undefined ? value : { [key]: value }
  if (before === undefined) put(draft, field, added)
  else if (isData(before) && isData(added)) put(draft, field, { ...before, ...added, ...before })
}
