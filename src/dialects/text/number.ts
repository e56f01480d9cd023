import { shown } from './quoted.ts'
import type { Note } from './tree.ts'

const DECIMAL = /^[+-]?(\d*)\.?(\d*)(?:e([+-]?\d{1,9}))?$/i
/** What may hold a number that is looked at again: many digits, or an exponent, where a number can begin. */
const SUSPECT = /(?:^|[\s:,[])-?(?:[\d.]{16,}|[\d.]+e)/i

export const mayHoldLongNumber = (text: string): boolean => SUSPECT.test(text)

/**
 * The number that a text writes, or the text itself where the number would be another one: a hash of digits, an
 * account, `12e4567`. How often a zero is written at the end does not matter.
 */
export function numberOrText(raw: string, value: number): number | string {
  if (!Number.isFinite(value)) return raw
  const written = decimalOf(raw)
  if (written === undefined) return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : raw
  return written === decimalOf(String(value)) ? value : raw
}

export const longNumber = (raw: string, at: number): Note => ({
  severity: 'warning',
  code: 'long_number',
  message: `${shown(raw)} is more than a number can hold exactly, so it is kept as text; put it in quotes`,
  at,
})

/** Digits without zeros at either end, and the power of ten. */
function decimalOf(text: string): string | undefined {
  const [found, whole = '', fraction = '', power = '0'] = DECIMAL.exec(text) ?? []
  if (found === undefined || whole + fraction === '') return undefined
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return '0'
  return `${short}e${Number(power) - fraction.length + digits.length - short.length}`
}
