/** Deeper values are refused; a value that holds itself would never end. */
const MAX_DEPTH = 200
/** Finds quotes, backslashes, control characters and surrogates. A string without them needs only quotes around it. */
const SPECIAL = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/**
 * The one JSON text of a value (RFC 8785): the same bytes on every machine. Throws a TypeError on everything that
 * JSON would drop or change without a word: undefined, NaN, lone surrogates, dates, maps, instances, functions.
 * A `toJSON` is never called.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0)
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no ${value}`)
      // JSON has no negative zero; the rest is ECMAScript's own form, which is what RFC 8785 asks for.
      return String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (depth === MAX_DEPTH) throw new TypeError('canonical JSON is not that deep')
      return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth)
    default:
      throw new TypeError(`canonical JSON has no ${typeof value}`)
  }
}

function writeArray(array: readonly unknown[], depth: number): string {
  if (Object.getPrototypeOf(array) !== Array.prototype) throw new TypeError('canonical JSON has no instances')
  let text = '['
  for (let index = 0; index < array.length; index += 1) {
    if (index > 0) text += ','
    text += write(array[index], depth + 1)
  }
  return `${text}]`
}

function writeObject(object: object, depth: number): string {
  const prototype = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('canonical JSON has no instances')
  }
  const keys = Object.keys(object)
  if (!isSorted(keys)) keys.sort()
  let text = '{'
  for (const key of keys) {
    if (text !== '{') text += ','
    text += `${quote(key)}:${write((object as Readonly<Record<string, unknown>>)[key], depth + 1)}`
  }
  return `${text}}`
}

/** Strings compare by UTF-16 code units here and in `sort`: the order that RFC 8785 asks for. */
function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1) {
    if (keys[index - 1]! > keys[index]!) return false
  }
  return true
}

function quote(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new TypeError('canonical JSON has no lone surrogates')
  return JSON.stringify(text)
}
