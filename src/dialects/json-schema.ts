export type Schema = Readonly<Record<string, unknown>>

export const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

export const text = (description?: string): Schema => ({
  type: 'string',
  minLength: 1,
  ...(description !== undefined && { description }),
})

/** Unknown keys are kept on every round trip, so no mapping is closed. */
export const mapping = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required: [...required] }),
})
