import { BatonError } from '../../domain/errors.ts'

/** Within these a schema compiles in a moment; past them it can keep a validator busy for minutes. */
export const SCHEMA_LIMITS = { bytes: 64 * 1024, depth: 32, nodes: 1_000, items: 10_000 } as const

const SCALARS: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null']

/** Refuses a schema that is too large, too deep, or asks for work that grows with the square of its data. */
export function checkSchemaLimits(schema: unknown): void {
  const bytes = sizeOf(schema)
  if (bytes > SCHEMA_LIMITS.bytes)
    refuseSchema('too_large', `it has ${bytes} bytes and may have ${SCHEMA_LIMITS.bytes}`)
  let nodes = 0
  // A stack of our own: a schema that is nested too deeply must not end ours.
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: schema, depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (typeof value !== 'object' || value === null) continue
    nodes += 1
    if (nodes > SCHEMA_LIMITS.nodes)
      refuseSchema('too_large', `it has more than ${SCHEMA_LIMITS.nodes} parts`)
    if (depth > SCHEMA_LIMITS.depth)
      refuseSchema('too_large', `it is more than ${SCHEMA_LIMITS.depth} levels deep`)
    if (comparesObjects(value))
      refuseSchema(
        'invalid_input',
        'uniqueItems needs items of one plain type, for example {"type": "string"}',
      )
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 })
  }
}

/** Whether all lists in the data together hold more items than are looked at. */
export function hasTooManyItems(data: unknown): boolean {
  let items = 0
  const open: unknown[] = [data]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) items += value.length
    if (items > SCHEMA_LIMITS.items) return true
    for (const child of Object.values(value)) open.push(child)
  }
  return false
}

/** Comparing each object of a list with each other one takes seconds where plain values take none. */
function comparesObjects(schema: object): boolean {
  const { uniqueItems, items } = schema as { uniqueItems?: unknown; items?: { type?: unknown } }
  return uniqueItems === true && !SCALARS.includes(items?.type)
}

function sizeOf(schema: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(schema) ?? '')
  } catch (error) {
    throw new BatonError('invalid_input', 'the schema cannot be used: it is not JSON', {}, error)
  }
}

function refuseSchema(code: 'too_large' | 'invalid_input', why: string): never {
  throw new BatonError(code, `the schema cannot be used: ${why}`, { limits: SCHEMA_LIMITS })
}
