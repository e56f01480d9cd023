const PLACEHOLDER = /^(?:\[[^\]]*\]|\{[^}]*\}|<[^>]*>)$/

/** Whether a text was left to be filled in: `[agent-id]`, `{name}`, `<who>`. */
export function isPlaceholder(text: string): boolean {
  const sign = text.charCodeAt(0)
  return (sign === 0x5b || sign === 0x7b || sign === 0x3c) && PLACEHOLDER.test(text.trim())
}

/** Without quotes, `[agent-id]` and `{name}` are a list and a mapping to YAML. As written, if it is one of those. */
export function leftOpen(value: object, text: string): string | undefined {
  const [only, ...others]: unknown[] = Array.isArray(value) ? value : Object.keys(value)
  if (typeof only !== 'string' || others.length > 0) return undefined
  if (!Array.isArray(value) && (value as Record<string, unknown>)[only] !== null) return undefined
  const written = Array.isArray(value) ? `[${only}]` : `{${only}}`
  return text.includes(written) ? written : undefined
}
