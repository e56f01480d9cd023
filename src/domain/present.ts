/** The fields of `T`: one that may be undefined is optional instead. */
export type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

const OWN = { configurable: true, enumerable: true, writable: true }

/**
 * The object without the fields that are undefined, in the same order. Stored documents, log records and answers
 * are built with it, because there a missing field and an undefined one are not the same.
 */
export function present<T extends object>(value: T): Present<T> {
  // `Object.entries` would take four times as long, and every stored handoff comes through here.
  const kept: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const field = value[key as keyof T]
    if (field === undefined) continue
    // A plain assignment would change the prototype, and its fields would count as fields of the object.
    if (key === '__proto__') Object.defineProperty(kept, key, { ...OWN, value: field })
    else kept[key] = field
  }
  return kept as Present<T>
}
