interface Blanks {
  readonly pattern: RegExp
  /** In small letters. */
  readonly words?: readonly string[]
  readonly longest?: number
}

/** The blanks of templates differ by format, and no format judges by the blanks of another. */
const BLANKS = {
  /** `[agent-id]`, `{name}`, `<who>`; not with a space before it. */
  field: { pattern: /^(?:\[[^\]]*\]|\{[^}]*\}|<[^>]*>)\s*$/ },
  /** `{{name}}`, `[[name]]`, `...`, `???`, `___`, `XXX`, `TBD` too; no bracket inside another. */
  markdown: {
    pattern:
      /^\s*(?:\[[^[\]]*\]|\[\[[^[\]]*\]\]|\{{1,2}[^{}]*\}{1,2}|<[^<>]*>|tbd|tbc|todo|fixme|x{3,}|\.{3}|…|\?+|_{3,})\s*$/i,
  },
  /** `{{NAME}}` and `...` too. */
  package: { pattern: /^\s*(?:\[[^\]]*\]|\{[^}]*\}|\{\{[^}]*\}\}|<[^<>]*>|\.{3}|…)\s*$/ },
  /** Short ones only, also `@[name]` and `[X]%`, and the texts of the document's own sketch. */
  block: {
    pattern:
      /^\s*@?(?:\[[A-Za-z_ -]{1,40}\]|\{{1,2}[A-Za-z_ .-]{1,40}\}{1,2}|<[A-Za-z_ |.-]{1,40}>|\.{3}|…)\s?[%a-z]{0,3}\s*$/,
    words: ['string', 'number', 'iso-8601', '@agent-name', '@agent-name | none', 'task-id'],
    longest: 120,
  },
} as const satisfies Readonly<Record<string, Blanks>>

/** Whether a whole value is a blank of a template, left to be filled in. */
export function isPlaceholder(text: string, format: keyof typeof BLANKS): boolean {
  const { pattern, words, longest = text.length }: Blanks = BLANKS[format]
  if (text.length > longest) return false
  return pattern.test(text) || words?.includes(text.trim().toLowerCase()) === true
}

/** The first blank inside a sentence. A route such as `/users/{id}` looks the same: it is only worth a hint. */
export const blankIn = (text: string): string | undefined =>
  /\{\{?([\p{L}_][\p{L}\p{N}_-]*)\}/u.exec(text)?.[0]

/** Without quotes, `[agent-id]` and `{name}` are a list and a mapping to YAML. As written, if it is one of those. */
export function leftOpen(value: object, text: string): string | undefined {
  const [only, ...others]: unknown[] = Array.isArray(value) ? value : Object.keys(value)
  if (typeof only !== 'string' || others.length > 0) return undefined
  if (!Array.isArray(value) && (value as Record<string, unknown>)[only] !== null) return undefined
  const written = Array.isArray(value) ? `[${only}]` : `{${only}}`
  return text.includes(written) ? written : undefined
}
