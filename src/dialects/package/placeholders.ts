/** A blank of a template that stands for the whole value: `[agent-id]`, `...`, `{name}`, `{{NAME}}`, `<title>`. */
const BLANK = /^(?:\[[^\]]*\]|\{[^}]*\}|\{\{[^}]*\}\}|<[^<>]*>|\.\.\.|…)$/u

/** A blank inside a sentence. A route such as `/users/{id}` looks the same, so it is never more than a hint. */
const INNER = /\{\{?([\p{L}_][\p{L}\p{N}_-]*)\}/u

export const isPlaceholder = (text: string): boolean => BLANK.test(text.trim())

/** The first blank inside a text, as written. */
export const blankIn = (text: string): string | undefined => INNER.exec(text)?.[0]
