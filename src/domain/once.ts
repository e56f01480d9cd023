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
