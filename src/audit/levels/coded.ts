import { HASH_BYTES } from '../sha256.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const STANDARD = codesOf(`${LETTERS}+/`)
const URL_SAFE = codesOf(`${LETTERS}-_`)
const PAD = 61

/** Whether a text is the base64 of the 32 bytes at `at`. Compared letter by letter: nothing is allocated. */
export const isBase64Of = (text: string, bytes: Uint8Array, at = 0): boolean =>
  text.length === 44 && text.charCodeAt(43) === PAD && isCodeOf(text, bytes, at, STANDARD)

/** Whether a text is the unpadded base64url of the 32 bytes. */
export const isBase64UrlOf = (text: string, bytes: Uint8Array): boolean =>
  text.length === 43 && isCodeOf(text, bytes, 0, URL_SAFE)

function isCodeOf(text: string, bytes: Uint8Array, at: number, codes: Uint8Array): boolean {
  let letter = 0
  for (let i = at; i < at + HASH_BYTES; i += 3) {
    // 32 is two more than a multiple of three: the last group has no third byte.
    const third = i + 2 < at + HASH_BYTES ? bytes[i + 2]! : 0
    const bits = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | third
    if (text.charCodeAt(letter) !== codes[bits >> 18]) return false
    if (text.charCodeAt(letter + 1) !== codes[(bits >> 12) & 63]) return false
    if (text.charCodeAt(letter + 2) !== codes[(bits >> 6) & 63]) return false
    if (letter < 40 && text.charCodeAt(letter + 3) !== codes[bits & 63]) return false
    letter += 4
  }
  return true
}

function codesOf(alphabet: string): Uint8Array {
  return new TextEncoder().encode(alphabet)
}
