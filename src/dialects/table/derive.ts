import { isData, keysOf, valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { mapping, type Schema } from '../json-schema.ts'
import { isRest, type Live, lastOf, pathOf, type Row, rowsIn, type Table } from './row.ts'

/** Why the text does not say a field, or the group that it is part of. */
export function reasonIn({ rows, lost }: Table, field: string, draft: Draft): string | undefined {
  const value = valueAt(draft, field.split('.'))
  if (isData(value) && keysOf(value).length === 0) return 'it is empty'
  const row = rows.find(({ fields, lossy }) => lossy !== undefined && fields.includes(field))
  return row?.lossy ?? (Object.hasOwn(lost, field) ? lost[field] : undefined)
}

/** The meaning of an edit of a field in a live folder; the first row that has the field, or its group, says it. */
export function liveOf({ rows }: Table, field: string): Live {
  const [head = ''] = field.split('.')
  const row = [field, head].map((each) => rows.find(({ fields }) => fields.includes(each))).find(Boolean)
  return row ? liveIn(row, field) : head === 'extra' ? 'author' : 'sent'
}

/** The meaning of an edit of one of the fields of a row. */
export const liveIn = ({ live }: { readonly live?: Row['live'] | undefined }, field: string): Live =>
  (typeof live === 'function' ? live(field) : live) ?? 'author'

/** The fields of which an edit in a live folder means one of these. */
export const fieldsThat = (table: Table, ...lives: readonly Live[]): readonly string[] => {
  const fields = new Set(table.rows.flatMap((row) => row.fields))
  return [...fields].filter((field) => lives.includes(liveOf(table, field)))
}

/** The fields, and the groups of fields, that the engine writes in a live folder. */
export const ownedIn = (table: Table): readonly (keyof Draft)[] => {
  const fields = fieldsThat(table, 'fixed', 'follows', 'step', 'amend')
  return [...new Set(fields.map((field) => field.split('.')[0] as keyof Draft))]
}

/** The key that a person finds in the file. */
export const keyOfField = ({ rows }: Table, field: string): string =>
  rows.find(({ fields, kind }) => kind === 'row' && fields.includes(field))?.key ?? field

interface Entry {
  schema?: Schema
  readonly below: SchemaTree
  isNeeded: boolean
}
type SchemaTree = Map<string, Entry>

/** The properties of all rows, so that a key of another form is described too; what a form needs is its own. */
export function schemaOf(table: Table, form: string): Schema {
  const tree: SchemaTree = new Map()
  const own = new Set(rowsIn(table, form))
  for (const row of table.rows.toSorted((a, b) => Number(own.has(b)) - Number(own.has(a)))) {
    const needed = own.has(row) && row.need?.includes(form) === true
    for (const [name, schema] of schemasIn(row, form)) {
      let level = tree
      for (const group of pathOf(row.key).slice(0, -1)) level = entryAt(level, group, needed).below
      entryAt(level, name, needed || row.core === true).schema ??= schema
    }
  }
  return schemaBelow(tree)
}

/** The rest of a mapping describes some of its keys. */
function schemasIn(row: Row, form: string): readonly (readonly [string, Schema])[] {
  const { as, schema, says } = row
  if (isRest(row)) return Object.entries(schema ?? {}) as [string, Schema][]
  const base = typeof as.schema === 'function' ? as.schema(form) : as.schema
  return base
    ? [[lastOf(row.key), { ...base, ...(says !== undefined && { description: says }), ...schema }]]
    : []
}

function entryAt(tree: SchemaTree, name: string, needed: boolean): Entry {
  const entry: Entry = tree.get(name) ?? { below: new Map(), isNeeded: false }
  entry.isNeeded ||= needed
  tree.set(name, entry)
  return entry
}

const schemaBelow = (tree: SchemaTree): Schema =>
  mapping(
    Object.fromEntries([...tree].map(([name, { schema, below }]) => [name, schema ?? schemaBelow(below)])),
    [...tree].flatMap(([name, { isNeeded }]) => (isNeeded ? [name] : [])),
  )
