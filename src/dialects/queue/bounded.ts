import type { Fields } from '../fields.ts'

export type Parts<T> = { readonly [K in keyof T]: T[K] | undefined }

/** What a name may have in a draft. */
export const NAME_LENGTH = 200

/** A number within its bounds; one outside of them is reported and not used. */
export function ranged(
  fields: Fields,
  key: string,
  { min, max = Number.MAX_SAFE_INTEGER, whole = false }: { min: number; max?: number; whole?: boolean },
  ...others: readonly string[]
): number | undefined {
  const value = fields.number(key, ...others)
  if (value === undefined || (value >= min && value <= max && (!whole || Number.isInteger(value))))
    return value
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`
  fields.report(
    'warning',
    'number_range',
    `${[...fields.path, key].join('.')} is ${value}; write a ${whole ? 'whole ' : ''}number, ${range}`,
    key,
  )
  return undefined
}

/** A short text; a long one is reported and not used. */
export function name(fields: Fields, ...keys: readonly string[]): string | undefined {
  const value = fields.text(...keys)
  if (value === undefined || value.length <= NAME_LENGTH) return value
  const key = keys.find((each) => fields.has(each)) ?? ''
  fields.report('warning', 'too_long', `${key} has ${value.length} characters; ${NAME_LENGTH} are read`, key)
  return undefined
}

/** Without keys that have no value; nothing where no key is left. The cast holds: only absent keys go. */
export function compact<T extends object>(parts: Parts<T>): T | undefined {
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? (Object.fromEntries(entries) as T) : undefined
}
