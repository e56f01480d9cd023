/** Keys in the usual spelling to keys as they stand, for those that are spelt otherwise. */
export function spellingsOf(mapping: Record<string, unknown>): Map<string, string> {
  const spellings = new Map<string, string>()
  for (const key of Object.keys(mapping)) {
    const name = usual(key)
    if (name !== key && !spellings.has(name)) spellings.set(name, key)
  }
  return spellings
}

/** `Assigned To`, `assigned-to` and `assignedTo` are all `assigned_to`. */
export function usual(name: string): string {
  if (/^[a-z0-9_]*$/.test(name)) return name
  return name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}
