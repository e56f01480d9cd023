import { isMapping, type ScalarStyle } from '../tree.ts'

/** Texts that every reader takes for texts, also without quotes. */
const PLAIN_WORDS = /^(?!(?:yes|no|on|off|true|false|null)$)[a-z](?:[\w./ -]*\w)?$/i
const PLAIN_UID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const PLAIN_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const PLAIN_KEY = /^(?!(?:yes|no|on|off|true|false|null)$)[a-z_]\w{0,60}$/i

const QUOTE_SIGNS = { plain: '', block: '', single: "'", double: '"' } as const satisfies Record<
  ScalarStyle,
  string
>

/**
 * Mappings of plain texts and whole numbers as YAML, the way the library prints them, in a tenth of its time; undefined
 * where there is anything else.
 */
export function plainLines(value: unknown, quotes: ScalarStyle, indent = ''): string | undefined {
  if (!isMapping(value)) return undefined
  let lines = ''
  for (const [key, item] of Object.entries(value)) {
    if (!PLAIN_KEY.test(key)) return undefined
    const below = isMapping(item)
      ? plainLines(item, quotes, `${indent}  `)
      : plainScalar(item, QUOTE_SIGNS[quotes])
    if (below === undefined) return undefined
    lines += isMapping(item) ? `${indent}${key}:\n${below}` : `${indent}${key}: ${below}\n`
  }
  return lines === '' ? undefined : lines
}

function plainScalar(value: unknown, mark: string): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined
  const isPlain =
    typeof value === 'string' && [PLAIN_WORDS, PLAIN_UID, PLAIN_INSTANT].some((form) => form.test(value))
  return isPlain ? `${mark}${value}${mark}` : undefined
}
