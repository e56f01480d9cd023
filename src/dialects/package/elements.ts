import { type Data, own, put } from '../difference.ts'
import { fieldPath, mapping, type Schema } from '../json-schema.ts'
import type { Codec, KeyPlace } from '../table/row.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { findWord, type Words } from '../text/words.ts'
import { keepAt, keepRest } from './extra.ts'
import { isBlank, type PackageReading } from './values.ts'

type At = KeyPlace<PackageReading>

/** One key of the elements of a list. */
interface Part {
  readonly key: string
  readonly read?: (at: At) => unknown
  readonly schema?: Schema
  readonly also?: readonly string[]
  /** A value that is not understood stays as it stands. */
  readonly isKept?: boolean
}

/** A list of mappings. The main key is what each element is about; an element that is only a text says that. */
export function elements<T>(
  main: string,
  parts: readonly Part[],
  isDroppedEmpty = false,
): Codec<T[], PackageReading> {
  const keys = parts.map(({ key }) => key)
  const properties = parts.flatMap(({ key, schema }) => (schema ? [[key, schema]] : []))
  return {
    schema: { type: 'array', items: mapping(Object.fromEntries(properties), [main]) },
    write: (list) => list.map((each) => pickKeys(each, keys)),
    read: (at) => {
      const { fields, names } = at
      const list = fields.each(...names)
      const all: Data[] = []
      for (const [i, each] of list?.entries() ?? []) {
        const made =
          typeof each === 'string' ? { [main]: each } : readElement({ ...at, fields: each }, parts, main)
        if (typeof each === 'string' && !isPlaceholder(each, 'package')) {
          const place = `handoff.context.${names[0]}[${i}]`
          const message = `${place} has keys of its own; "${each}" is only a text`
          fields.report('warning', 'element_as_text', message, names[0], i)
        }
        if (isDroppedEmpty && own(made, main) === '') continue
        if (typeof each !== 'string')
          keepParts({ ...at, fields: each }, parts, made, ['handoff', 'context', names[0], all.length])
        all.push(made)
      }
      return list && (all as T[])
    },
  }
}

function pickKeys(element: unknown, keys: readonly string[]): Data {
  const result: Data = {}
  for (const key of keys) if (own(element, key) !== undefined) put(result, key, own(element, key))
  return result
}

/** An element without its main text is reported and stays, empty, so that the others keep their places. */
function readElement(at: At, parts: readonly Part[], main: string): Data {
  const element: Data = {}
  for (const { key, also = [], read = readText } of parts) {
    const names = [key, ...also] as const
    const found = read({ ...at, names })
    if (key === main && found === undefined && isBlank(at.fields.value(...names)))
      at.fields.report('error', `missing_${key}`, `write what this is about as ${key}`)
    if (found !== undefined || key === main) put(element, key, found ?? '')
  }
  return element
}

const readText = ({ fields, names }: At): string | undefined => fields.text(...names)

/** Unknown keys go with the element that is kept, wherever it ends up. */
function keepParts(
  { fields, context }: At,
  parts: readonly Part[],
  element: Data,
  path: (string | number)[],
): void {
  keepRest(context.extra, fields, path)
  for (const { key, isKept } of parts)
    if (isKept && own(element, key) === undefined && fields.has(key))
      keepAt(context.extra, [...path, key], fields.value(key))
}

/** A word of a table, or an error that names the place and the words. */
export const knownWord =
  <T extends string>(words: Words<T>) =>
  ({ fields, names: [key] }: At): T | undefined => {
    const found = fields.value(key)
    if (typeof found !== 'string' || found.trim() === '' || isPlaceholder(found, 'package')) return undefined
    if (findWord(words, found)) return fields.word(words, key)
    const message = `${fieldPath(fields.path)}.${key} says "${found}"; write one of ${words.words.join(', ')}`
    return fields.report('error', `unknown_${words.name}`, message, key)
  }
