import { present } from '../../domain/present.ts'
import type { Fields } from '../fields.ts'
import { type Schema, text as textSchema } from '../json-schema.ts'
import type { Words } from '../text/words.ts'
import type { Codec, KeyPlace, ValueOf } from './row.ts'

/** The codec of a field. */
export type Of<F> = Codec<ValueOf<F>>

const itself = (value: unknown): unknown => value
export const codec = <T, C = unknown>(
  schema: Schema | undefined,
  read: (at: KeyPlace<C>) => T | undefined,
  write: (value: T) => unknown = itself,
): Codec<T, C> => ({ ...present({ schema }), read, write })

type PlainKind = 'text' | 'time' | 'boolean' | 'list' | 'number'
/** As the tolerant reader reads it. */
export const plain = <K extends PlainKind>(
  schema: Schema,
  kind: K,
): Codec<NonNullable<ReturnType<Fields[K]>>> =>
  codec(
    schema,
    ({ fields, names }) => fields[kind](...names) as NonNullable<ReturnType<Fields[K]>> | undefined,
  )

export const TIME: Schema = {
  type: 'string',
  format: 'date-time',
  description: 'UTC, for example 2026-01-13T10:00:00Z',
}
export const text = plain(textSchema(), 'text')
export const time = plain(TIME, 'time')
export const flag = plain({ type: 'boolean' }, 'boolean')
export const texts = plain({ type: 'array', items: { type: 'string' } }, 'list')
/** Anything, as it stands. */
export const any: Codec<unknown> = codec({}, ({ fields, names }) => fields.value(...names))
/** Anything, and the schema does not show it. */
export const hidden: Codec<unknown> = { read: any.read!, write: itself }
/** The rest of a mapping. */
export const bag: Codec<Record<string, unknown>> = { write: itself }
/** Read by the dialect itself or not at all, and shown in the schema where there is one. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for every type.
export const shown = (schema?: Schema): Codec<any> => ({ ...present({ schema }), write: itself })

export const words = <T extends string>(
  known: Words<T>,
  schema: Schema = { enum: [...known.words] },
): Codec<T> => codec(schema, ({ fields, names }) => fields.word(known, ...names))

/** The length that a name may have in a draft. */
export const NAME_LENGTH = 200

/** A short text; a long one is reported and not used. */
export const name: Codec<string> = codec(textSchema(), ({ fields, names }) => {
  const value = fields.text(...names)
  if (value === undefined || value.length <= NAME_LENGTH) return value
  const key = keyIn(fields, names)
  fields.report('warning', 'too_long', `${key} has ${value.length} characters; ${NAME_LENGTH} are read`, key)
  return undefined
})

export interface Range {
  readonly min?: number
  readonly max?: number
  readonly whole?: boolean
}

/** A number within its bounds; one outside of them is reported and not used. */
export const number = ({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  whole = false,
}: Range = {}): Codec<number> =>
  codec(
    {
      type: whole ? 'integer' : 'number',
      minimum: min,
      ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
    },
    ({ fields, names }) => {
      const value = fields.number(...names)
      if (value === undefined || (value >= min && value <= max && (!whole || Number.isInteger(value))))
        return value
      const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`
      const message = `${[...fields.path, names[0]].join('.')} is ${value}; write a ${whole ? 'whole ' : ''}number, ${range}`
      fields.report('warning', 'number_range', message, keyIn(fields, names))
      return undefined
    },
  )

/** The key that stands there. */
export const keyIn = (fields: Fields, names: readonly string[]): string =>
  names.find((each) => fields.has(each)) ?? names[0] ?? ''
