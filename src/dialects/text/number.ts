import { shortLine } from './quoted.ts'
import { type NotationProblem, problemAt } from './tree.ts'

const DECIMAL = /^[+-]?(\d*)\.?(\d*)(?:e([+-]?\d{1,9}))?$/i
/** A double carries every number of fewer characters. */
const FEWEST = 16

/** Whether behind a colon there is a number of many characters or with an exponent: that one is looked at again. */
export function mayHoldLongNumber(text: string): boolean {
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let start = at + 1
    while (text.charCodeAt(start) <= 0x20) start++
    let end = start
    let code = text.charCodeAt(end)
    while (isDigit(code) || code === 0x2d || code === 0x2e) code = text.charCodeAt(++end)
    if (end - start >= FEWEST || (end > start && (code === 0x65 || code === 0x45))) return true
  }
  return false
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/**
 * The number that a text writes, or the text itself where the number would be another one: a hash of digits, an
 * account, `12e4567`. Zeros at the end do not matter, nor how many digits of it were written, while they are right.
 */
export function numberOrText(raw: string, value: number): number | string {
  if (!Number.isFinite(value)) return raw
  const written = decimalOf(raw)
  if (written === undefined) return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : raw
  // The language's own form of a number is that number, also where `toPrecision` rounds a tie the other way.
  if (written === decimalOf(String(value))) return value
  // A long whole number is printed with zeros at the end.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return raw
  // The language prints 100 digits at most.
  return written === decimalOf(value.toPrecision(Math.min(100, digitsIn(written)))) ? value : raw
}

export function longNumber(raw: string, at: number): NotationProblem {
  const message = `${shortLine(raw)} is more than a number can hold exactly, so it is kept as text; put it in quotes`
  return problemAt('warning', 'long_number', message, at)
}

const digitsIn = (decimal: string): number => decimal.indexOf('e') || 1

/** Digits without zeros at either end, and the power of ten. */
function decimalOf(text: string): string | undefined {
  const [found, whole = '', fraction = '', power = '0'] = DECIMAL.exec(text) ?? []
  if (found === undefined || whole + fraction === '') return undefined
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return '0e0'
  return `${short}e${Number(power) - fraction.length + digits.length - short.length}`
}
