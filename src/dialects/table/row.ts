/**
 * A dialect is a table: one row for each field at one key of the format. The place of a row in the list is the order
 * of the keys. Reading, writing, required keys, losses, JSON Schema, the lists of the folder kind and the page follow.
 *
 * - `tableFor<Form>()` gives `row`, `bundle`, `kept` and `table`; the codecs are in `codecs.ts`.
 * - `row(field, key, codec, rest)`: one field. Two rows with one field are two spellings; the first that is read wins.
 *   Two rows with one key stand in different forms (`in`).
 * - `bundle(fields, key, codec, rest)`: one key that says several fields; its codec reads and writes parts of a draft.
 * - `kept(key, codec, rest)`: a key of the format without a field. It has its order, its schema and, in every form, its
 *   reports; its value stays in `extra`.
 * - `context.*` stands for all keys below `context` that no row with a field has.
 * - A field of `Draft` that has neither a row nor a reason in `lost` does not compile. A reason for `gate` holds for
 *   `gate.name` too. `lost` may also give the reasons of fields that have a row.
 * - `readRows` (`read.ts`), `writeRows`, `askedIn`, `leftOver` (`write.ts`), `reasonIn`, `schemaOf`, `liveOf`,
 *   `fieldsThat`, `keyOfField` (`derive.ts`). `scripts/fields.ts` makes the page.
 * - A table is built in `once(() => table({…}))` where it asks a zod schema for its keys: programs start without them.
 */
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import type { Schema } from '../json-schema.ts'

/** Every field of a draft: a name, or `group.name` where the value is a mapping with known names. */
export type FieldOf = Exclude<
  { [K in keyof Draft & string]-?: Below<K, NonNullable<Draft[K]>> }[keyof Draft & string],
  'extra'
>
type Below<K extends string, T> = T extends readonly unknown[]
  ? K
  : T extends object
    ? string extends keyof T
      ? K
      : `${K}.${keyof T & string}`
    : K
/** A free mapping such as `metrics` may be said key by key, and a group as a whole. */
export type SaidField = FieldOf | `${FieldOf}.${string}` | (keyof Draft & string)

export type ValueOf<F, M = Draft> = F extends keyof M
  ? Exclude<M[F], undefined>
  : F extends `${infer Group}.${infer Name}`
    ? Group extends keyof M
      ? ValueOf<Name, NonNullable<M[Group]>>
      : unknown
    : unknown

/** The place where a codec finds its value: a mapping, and the key with its other spellings, best first. */
export interface KeyPlace<C = unknown> {
  readonly fields: Fields
  readonly names: readonly [string, ...string[]]
  /** A lone value stands where the group belongs: `source: "@x"`. */
  readonly isLone: boolean
  /** The dialect gives it to `readRows`. */
  readonly context: C
}

/** How one kind of value stands in a format. */
export interface Codec<T, C = unknown> {
  /** Asks the tolerant reader, which reports. Absent where the dialect reads the field by itself. */
  readonly read?: (at: KeyPlace<C>) => T | undefined
  /** `undefined`: the key cannot say this value. */
  readonly write: (value: T) => unknown
  /** Absent for keys that the schema does not show. */
  readonly schema?: Schema | ((form: string) => Schema)
}

/**
 * The meaning of an author's edit in a live folder. `author`: it stays, the engine never writes it. `sent`: the file is
 * refused, and the engine never writes it. `fixed`: the file is refused. `follows`: the engine sets it with a step and
 * replaces it. `step`: it is taken with a step and refused without one. `amend`: it asks for an amendment.
 */
export type Live = 'author' | 'sent' | 'fixed' | 'follows' | 'step' | 'amend'

export interface Row<F extends string = string, Form extends string = string> {
  /** None for a key that is only kept, several for a bundle. */
  readonly fields: readonly F[]
  readonly kind: 'row' | 'bundle' | 'kept'
  /** A dotted path; `context.*` for the rest of a mapping. */
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: `row` has checked the type of each codec.
  readonly as: Codec<any, any>
  /** As the document shows it. */
  readonly example?: unknown
  /** The forms in which it is read and written; absent: all. */
  readonly in?: readonly Form[]
  /** The forms that need it. */
  readonly need?: readonly Form[]
  /** Other key paths under which it is read and never written. */
  readonly also?: readonly string[]
  /** The native value, worked out of the whole draft instead of taken from the field. */
  readonly from?: (draft: Draft) => unknown
  /** Whether a native value does here; one that does not is asked for. */
  readonly fits?: (value: unknown) => boolean
  /** Why a writer asks for it, and under which name where that is not the field. */
  readonly asked?: string | ((value: unknown) => string)
  readonly askedAs?: string
  /** Whether every mapping of its kind has it, for the schema. */
  readonly core?: boolean
  /** For the rest of a mapping: values that other rows could not read belong to it too. */
  readonly isOpen?: boolean
  /** For the page. */
  readonly says?: string
  /** Why the key may say less than the field. */
  readonly lossy?: string
  /** Absent: `author`. A bundle may tell its fields apart. */
  readonly live?: Live | ((field: string) => Live)
  /** Over the schema of the codec. */
  readonly schema?: Schema
}

/** A mapping that people spell otherwise, or leave out around a lone value. */
export interface Group {
  readonly also?: readonly string[]
  /** The key below that a lone value stands for. */
  readonly lone?: string
  /** Absent: everything that is not a mapping is lone. */
  readonly isLone?: (value: unknown) => boolean
  /** A lone value that cannot be read stays a key of its own. */
  readonly keepsUnread?: boolean
  /** Says what is odd about a lone value. */
  readonly report?: (fields: Fields, key: string) => void
  /** Looks for it where the dialect knows; the parent alone has no say then. */
  // biome-ignore lint/suspicious/noExplicitAny: what the dialect gave to `readRows`.
  readonly find?: (parent: Fields, context: any) => Fields | undefined
}

export interface Table {
  readonly rows: readonly Row[]
  readonly groups?: Readonly<Record<string, Group>>
  /** Why a field has no key, or less than it says. */
  readonly lost: Readonly<Record<string, string>>
}

type Rest<Form extends string> = Partial<Omit<Row<string, Form>, 'fields' | 'kind' | 'key' | 'as'>>

/** Fields that neither rows `R` nor reasons `L` cover; the name of a group covers its parts. */
type Uncovered<R extends string, L> = Exclude<
  FieldOf,
  R | `${R}.${string}` | (keyof L & string) | `${keyof L & string}.${string}`
>

export function tableFor<Form extends string, C = unknown>() {
  return {
    row: <F extends SaidField>(
      field: F,
      key: string,
      as: Codec<ValueOf<F>, C>,
      rest: Rest<Form> = {},
    ): Row<F, Form> => ({ fields: [field], kind: 'row', key, as, ...rest }),

    bundle: <F extends SaidField>(
      fields: readonly F[],
      key: string,
      as: Codec<Draft, C>,
      rest: Rest<Form> = {},
    ): Row<F, Form> => ({ fields, kind: 'bundle', key, as, ...rest }),

    // biome-ignore lint/suspicious/noExplicitAny: the value is only reported on.
    kept: (key: string, as: Codec<any, C>, rest: Rest<Form> = {}): Row<never, Form> => ({
      fields: [],
      kind: 'kept',
      key,
      as,
      ...rest,
    }),

    /** A field without a row and without a reason is asked for as the property `uncovered`. */
    table: <const R extends readonly Row<string, Form>[], const L extends Readonly<Record<string, string>>>(
      table: { readonly rows: R; readonly lost: L; readonly groups?: Readonly<Record<string, Group>> } & ([
        Uncovered<R[number]['fields'][number], L>,
      ] extends [never]
        ? unknown
        : { readonly uncovered: Uncovered<R[number]['fields'][number], L> }),
    ): Table => table,
  }
}

/** Worked out once for each table and name: documents are read by the thousand. */
export function perTable<V>(make: (table: Table, name: string) => V): (table: Table, name: string) => V {
  const tables = new WeakMap<Table, Map<string, V>>()
  return (table, name) => {
    const known = tables.get(table) ?? new Map<string, V>()
    tables.set(table, known)
    if (!known.has(name)) known.set(name, make(table, name))
    return known.get(name)!
  }
}

export const isIn = (row: Row, form: string): boolean => row.in === undefined || row.in.includes(form)
export const rowsIn = perTable(({ rows }, form) => rows.filter((row) => isIn(row, form)))

const PATHS = new Map<string, readonly string[]>()
/** The steps of a key of a table. */
export function pathOf(key: string): readonly string[] {
  const path = PATHS.get(key) ?? key.split('.')
  PATHS.set(key, path)
  return path
}

export const isRest = ({ key }: { readonly key: string }): boolean => key.endsWith('.*')
/** The key of the mapping above. */
export const groupOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('.')))
export const lastOf = (key: string): string => key.slice(key.lastIndexOf('.') + 1)
