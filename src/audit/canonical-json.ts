/** Deeper values are refused; a value that holds itself would never end. */
const MAX_DEPTH = 200
/** Strings that stand in JSON as they are. */
const UNESCAPED = /^[ !#-[\]-~]*$/

/**
 * The one JSON text of a value (RFC 8785): the same bytes on every machine. Throws a TypeError on everything
 * that JSON would drop or change without a word: undefined, NaN, lone surrogates, dates, maps, instances,
 * functions. A `toJSON` is never called.
 */
export function canonicalJson(value: unknown): string {
  // With its keys in order a value's usual text is the canonical one, made in half the time.
  return isInOrder(value, 0) && !('toJSON' in []) ? JSON.stringify(value) : canonicalText(value)
}

/** Whether the keys of all objects are sorted. Throws where the value has no canonical text. */
function isInOrder(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no ${value}`)
      return true
    case 'boolean':
      return true
    case 'object':
      if (value === null) return true
      if (depth === MAX_DEPTH) throw new TypeError('canonical JSON is not that deep')
      return Array.isArray(value) ? isArrayInOrder(value, depth) : isObjectInOrder(value, depth)
    default:
      throw new TypeError(`canonical JSON has no ${typeof value}`)
  }
}

function isArrayInOrder(array: readonly unknown[], depth: number): boolean {
  if (Object.getPrototypeOf(array) !== Array.prototype) throw new TypeError('canonical JSON has no instances')
  let inOrder = true
  // By index: a hole must be seen.
  for (let index = 0; index < array.length; index += 1) {
    if (!isInOrder(array[index], depth + 1)) inOrder = false
  }
  return inOrder
}

function isObjectInOrder(object: object, depth: number): boolean {
  const prototype = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('canonical JSON has no instances')
  }
  let inOrder = true
  let before = ''
  for (const key of Object.keys(object)) {
    isWellFormed(key)
    // Strings compare by UTF-16 code units here and in `sort`: the order that RFC 8785 asks for.
    if (key < before) inOrder = false
    before = key
    if (!isInOrder((object as Readonly<Record<string, unknown>>)[key], depth + 1)) inOrder = false
  }
  return inOrder
}

function isWellFormed(text: string): true {
  if (!text.isWellFormed()) throw new TypeError('canonical JSON has no lone surrogates')
  return true
}

/**
 * The canonical text of a value that passed `isInOrder`, or that is kept as JSON: what `JSON.stringify` drops is not
 * there. Members that are left out are those of the value itself.
 */
export function canonicalText(value: unknown, leftOut?: readonly string[]): string {
  if (typeof value === 'string' && UNESCAPED.test(value)) return `"${value}"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map((each) => canonicalText(each)).join(',')}]`
  const object = value as Readonly<Record<string, unknown>>
  let members = ''
  for (const key of Object.keys(object).sort()) {
    if (object[key] === undefined || leftOut?.includes(key)) continue
    members += `${members && ','}${canonicalText(key)}:${canonicalText(object[key])}`
  }
  return `{${members}}`
}
