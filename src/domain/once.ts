import type * as z from 'zod'

/**
 * Builds a value when it is first asked for, and only once. Schemas are made this way: building all of them
 * would be a tenth of what a command costs to start.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The answer of `ask`, or `fallback` where it throws. */
export function orElse<T, F>(ask: () => T, fallback: F): T | F {
  try {
    return ask()
  } catch {
    return fallback
  }
}

/** A field that may be left out, with its purpose. */
export const optional = <T extends z.ZodType>(schema: T, purpose: string): z.ZodOptional<T> =>
  schema.optional().describe(purpose)

/** A checked input with these fields. */
export type InputOf<Fields extends () => z.ZodRawShape> = z.output<z.ZodObject<ReturnType<Fields>>>

/** The same for callers whose lists must not change. */
export type Given<Fields extends () => z.ZodRawShape> = Frozen<InputOf<Fields>>
type Frozen<T> = {
  readonly [K in keyof T]: T[K] extends (infer Item)[] | undefined
    ? readonly Item[] | Extract<T[K], undefined>
    : T[K]
}

/** An answer with this schema, as the service gives it: its lists do not change, and an absent field is left out. */
export type AnswerOf<Schema extends () => z.ZodType> = Exact<z.output<ReturnType<Schema>>>
type Exact<T> = T extends readonly (infer Item)[]
  ? readonly Exact<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Exact<Exclude<T[K], undefined>> }
    : T
