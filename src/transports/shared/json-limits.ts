import { BatonError } from '../../domain/errors.ts'

const MAX_BODY_DEPTH = 32
const MAX_KEYS = 1_000
const MAX_VALUES = 50_000

const QUOTE = 0x22
const COLON = 0x3a
const COMMA = 0x2c
const BACKSLASH = 0x5c
const [SQUARE_OPEN, SQUARE_CLOSE] = [0x5b, 0x5d]
const [CURLY_OPEN, CURLY_CLOSE] = [0x7b, 0x7d]

/**
 * Reads JSON that somebody else wrote. Nesting and keys are counted in the text, before anything is built of it, so
 * that a small body cannot become a big value.
 */
export function parseJson(text: string): unknown {
  refuseBombs(text)
  const value = parsedBody(text)
  if (HUGE.test(text) && !isFiniteDeep(value))
    throw new BatonError('invalid_input', 'the body holds a number that is too large; write it as a text')
  return value
}

function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may hold what must not be repeated.
    throw new BatonError('invalid_input', 'the body is not JSON')
  }
}

/** Only such a number can become infinite, which is kept nowhere: it would be stored as null. */
const HUGE = /\d[eE]\+?\d{3}|\d{300}/

const isFiniteDeep = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value !== 'object' || value === null || Object.values(value).every(isFiniteDeep)

function refuseBombs(text: string): void {
  let depth = 0
  let keys = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === SQUARE_CLOSE || code === CURLY_CLOSE) depth--
    else if ((code === SQUARE_OPEN || code === CURLY_OPEN) && ++depth > MAX_BODY_DEPTH)
      throw new BatonError('invalid_input', `the body is nested deeper than ${MAX_BODY_DEPTH} levels`, {
        depth: MAX_BODY_DEPTH,
      })
    else if (code === COLON && ++keys > MAX_KEYS)
      throw new BatonError('invalid_input', `the body has more than ${MAX_KEYS} keys`, { keys: MAX_KEYS })
    else if (code === COMMA && ++values > MAX_VALUES)
      throw new BatonError('invalid_input', `the body has more than ${MAX_VALUES} values`, {
        values: MAX_VALUES,
      })
  }
}

/** The index at which the string that opens at `start` closes; the end of the text when it never does. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((at - before) % 2 === 0) return at
  }
  return text.length
}
