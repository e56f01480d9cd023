import { canonicalText } from './canonical-json.ts'

/** 128 bits in base64url. With less, a short value could be guessed from its digest. */
const SALT = /^[A-Za-z0-9_-]{22,}$/
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const CODES = encoder.encode(ALPHABET)

/** Texts up to this length share two arrays: to allocate them costs more than to fill them. */
const SHORT_BYTES = 4_096
const input = new Uint8Array(3 * SHORT_BYTES)
const output = new Uint8Array(4 * SHORT_BYTES)

/**
 * One value with its name and salt as a string that can be hashed, kept and given away (RFC 9901). Keep this
 * very string: the same value written another way has another digest. What is committed is the value's JSON.
 */
export function encodeDisclosure(salt: string, name: string, value: unknown): string {
  if (!SALT.test(salt)) throw new TypeError('a disclosure needs a salt of 128 bits in base64url')
  const json = JSON.stringify(value)
  if (json === undefined) throw new TypeError(`${name} has no value to disclose`)
  return toBase64Url(`["${salt}",${JSON.stringify(name)},${json}]`)
}

/** Unpadded base64url of a text's UTF-8 bytes; runs without `Buffer`. */
function toBase64Url(text: string): string {
  const isShort = text.length <= SHORT_BYTES
  const bytes = isShort ? input : encoder.encode(text)
  const size = isShort ? encoder.encodeInto(text, input).written : bytes.length
  const target = isShort ? output : new Uint8Array(Math.ceil((size * 4) / 3))
  return decoder.decode(target.subarray(0, fill(bytes, size, target)))
}

function fill(bytes: Uint8Array, size: number, target: Uint8Array): number {
  let to = 0
  let from = 0
  for (; from + 2 < size; from += 3) {
    const bits = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!
    target[to++] = CODES[bits >> 18]!
    target[to++] = CODES[(bits >> 12) & 63]!
    target[to++] = CODES[(bits >> 6) & 63]!
    target[to++] = CODES[bits & 63]!
  }
  const left = size - from
  if (left > 0) {
    const bits = (bytes[from]! << 16) | (left === 2 ? bytes[from + 1]! << 8 : 0)
    target[to++] = CODES[bits >> 18]!
    target[to++] = CODES[(bits >> 12) & 63]!
    if (left === 2) target[to++] = CODES[(bits >> 6) & 63]!
  }
  return to
}

/** Name and value of a disclosure: RFC 9901 keeps them behind a salt. Nothing where the text is not one. */
export function openDisclosure(disclosure: string): { readonly name: string; readonly value: unknown } {
  try {
    const coded = atob(disclosure.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = new Uint8Array(coded.length)
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = coded.charCodeAt(at)
    const [, name, value] = JSON.parse(decoder.decode(bytes)) as unknown[]
    return { name: String(name), value }
  } catch {
    return { name: '', value: undefined }
  }
}

/** The name under which an entry commits to a row that it leaves; a second row has `state.2`. */
export const STATE = 'state'
export const isState = (name: string): boolean => name === STATE || name.startsWith(`${STATE}.`)

/** The name of a row, and the hash of it that an entry commits to. */
export function committedIn(value: unknown): [name: string, state: string] {
  const text = String(value)
  const at = text.lastIndexOf(' ')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Members of a row that change without an entry: the log does not bind them. Neither does it bind deliveries. */
// biome-ignore format: read as a table
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  handoff:       ['gated'],
  run:           ['numbered'],
  audit_session: ['state', 'lease', 'receipt'],
}

/** The canonical JSON of a row (RFC 8785), whose SHA-256 an entry commits to. */
export const stateText = (table: string, row: object): string => canonicalText(row, OUTSIDE[table])
