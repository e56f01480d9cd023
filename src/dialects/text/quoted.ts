import { MAX_QUOTED } from './limits.ts'

/** A value inside a message: on one line, without signs that a terminal would obey, and not too long. */
export const quoted = (value: unknown): string => `"${shortLine(value)}"`

/** A text inside a message, in quotes that it cannot leave. */
export const quotedText = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)

export function shortLine(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, 2 * MAX_QUOTED) : jsonOf(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line
}

/** Large values would cost more to write out than to read. */
function jsonOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const size = Object.keys(value).length
  if (size > 20) return `${size} values`
  return (JSON.stringify(value) ?? '').slice(0, 2 * MAX_QUOTED)
}
