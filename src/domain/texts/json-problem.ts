import { isPlain } from './visible.ts'

export interface JsonProblem {
  /** The path of the value: `input.items[0].count`. */
  readonly field: string
  /** The fault, and what to write instead. */
  readonly what: string
}

/** Deeper values are not documents; a log entry takes twice as much. */
const MAX_VALUE_DEPTH = 100

// biome-ignore format: read as a table
const NOT_JSON: Readonly<Record<string, string>> = {
  bigint:   'is a bigint, which JSON cannot represent; use a number or a string',
  function: 'is a function, which JSON cannot represent; leave it out',
  symbol:   'is a symbol, which JSON cannot represent; use a string',
}

/**
 * The first thing in a value that JSON would refuse, or change without a word: a cycle, a bigint, a function, NaN, a
 * Map. Fields without a value are absent, as everywhere; what says itself how it looks in JSON, as a date, may.
 */
export const jsonProblem = (value: unknown, field = ''): JsonProblem | undefined => faultOf(value, field, [])

function faultOf(value: unknown, field: string, above: readonly object[]): JsonProblem | undefined {
  const fault = (what: string): JsonProblem => ({ field, what })
  const other = NOT_JSON[typeof value]
  if (other !== undefined) return fault(other)
  if (typeof value === 'number' && !Number.isFinite(value))
    return fault(`is ${value}, which JSON cannot represent; use a finite number, or leave it out`)
  if (typeof value !== 'object' || value === null) return undefined
  if (above.includes(value)) return fault('holds itself; JSON has no circles, give a copy without it')
  if (above.length === MAX_VALUE_DEPTH)
    return fault(`is nested deeper than ${MAX_VALUE_DEPTH} levels; make it flatter`)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return fault('is bytes, which JSON cannot represent; use a string, for example in base64')
  const inner = [...above, value]
  if (Array.isArray(value)) return listFault(value, field, inner)
  if ('toJSON' in value && typeof value.toJSON === 'function') return faultOf(value.toJSON(), field, inner)
  const entries = Object.entries(value)
  if (entries.length === 0 && !isPlain(value))
    return fault(
      `is a ${value.constructor?.name ?? 'thing'}, which JSON would write as {}; give a plain object or a list`,
    )
  return first(entries, ([key, each]) => faultOf(each, field === '' ? key : `${field}.${key}`, inner))
}

const listFault = (list: readonly unknown[], field: string, above: readonly object[]) =>
  // By index: a hole must be seen.
  first(
    Array.from(list, (each, i) => [each, `${field}[${i}]`] as const),
    ([each, at]) =>
      each === undefined
        ? { field: at, what: 'is undefined within a list; give null, or leave it out' }
        : faultOf(each, at, above),
  )

function first<T>(items: readonly T[], look: (item: T) => JsonProblem | undefined): JsonProblem | undefined {
  for (const item of items) {
    const found = look(item)
    if (found) return found
  }
  return undefined
}
