import { present } from '../domain/present.ts'

export type Schema = Readonly<Record<string, unknown>>

export const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

export const text = (description?: string): Schema => ({
  type: 'string',
  minLength: 1,
  ...present({ description }),
})

/** Unknown keys are kept on every round trip, so no mapping is closed. */
export const mapping = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required: [...required] }),
})

/** How messages name the whole value. */
export const VALUE_ROOT = '$'

/** A path into a value: `items[0].name`. */
export function fieldPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return VALUE_ROOT
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}

/** A path into the schema of a value: `$.items[*].name`. */
export const wildcardPath = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[*]` : `${text}.${step}`),
    VALUE_ROOT,
  )
