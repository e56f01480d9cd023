import type { GradedProblem, Severity } from '../../domain/problem.ts'
import { MAX_ALIAS_VALUES, MAX_ALIASES, MAX_DEPTH, MAX_NOTES } from './limits.ts'
import { quoted } from './quoted.ts'
import type { Path } from './source.ts'

/** Something wrong with the notation, at an offset of the piece that was read. */
export interface NotationProblem extends GradedProblem {
  readonly at: number
  /** A line stands too far left or right. */
  readonly isIndent?: boolean
  /** A second offset that the message names as `{line}`. */
  readonly other?: number
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'block'

/** Where the parts of a piece stand in its text. Offsets count from the start of the piece. */
export type Tree = Branch | Leaf | Alias

export interface Branch {
  readonly kind: 'map' | 'list'
  readonly start: number
  readonly end: number
  /** In brackets, as all of JSON is. */
  readonly flow: boolean
  readonly entries: readonly Entry[]
}

export interface Leaf {
  readonly kind: 'scalar'
  readonly start: number
  readonly end: number
  readonly style: ScalarStyle
  readonly value: unknown
  /** As written, without quotes. */
  readonly raw: string
}

export interface Alias {
  readonly kind: 'alias'
  readonly start: number
  readonly end: number
  readonly target: Tree | undefined
}

export interface Entry {
  /** Empty in lists. */
  readonly key: string
  /** The key, or the dash of a list in lines, or the value of a list in brackets. */
  readonly start: number
  readonly keyEnd: number
  /** Right after the colon or the dash; the start of the value in a list in brackets. */
  readonly valueFrom: number
  readonly node: Tree
  /** The comma after the value, in brackets. */
  readonly comma?: number
}

/** What reading a piece of text gave. */
export interface Reading {
  readonly value: unknown
  readonly notes: readonly NotationProblem[]
  tree(): Tree | undefined
}

/** A reading of nothing, and why. */
export const unread = (...notes: readonly NotationProblem[]): Reading => ({
  value: undefined,
  notes,
  tree: () => undefined,
})

export const problemAt = (
  severity: Severity,
  code: string,
  message: string,
  at: number,
): NotationProblem => ({ severity, code, message, at })

/** Notes are kept in a list that does not grow for ever. */
export function addNote(notes: NotationProblem[], note: NotationProblem): void {
  if (notes.length < MAX_NOTES) notes.push(note)
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Own data even for keys that mean something to objects. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key in target)
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  else (target as Record<string, unknown>)[key] = value
}

/** An own value: a key of a foreign document never reaches a prototype. */
export const own = (data: unknown, key: string | number): unknown =>
  typeof data === 'object' && data !== null && Object.hasOwn(data, key)
    ? (data as Readonly<Record<string | number, unknown>>)[key]
    : undefined

/** Keys that have a value; a key without one is no key. */
export const keysOf = (data: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(data).filter((key) => own(data, key) !== undefined)

/** Equal as data, whatever the order of keys. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((each, i) => sameData(each, b[i]))
  if (!isMapping(a) || !isMapping(b)) return false
  const keys = keysOf(a)
  return keys.length === keysOf(b).length && keys.every((key) => sameData(own(a, key), own(b, key)))
}

/** What is below a value at a path; undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string | number, unknown>)[step]
  }
  return found
}

/** From how many entries on a table is made; most mappings have ten. */
const MANY = 16
const tables = new WeakMap<Branch, ReadonlyMap<string, Entry>>()

/** The first of a name counts. */
export function entryOf(tree: Tree, step: string | number): Entry | undefined {
  if (tree.kind === 'map') {
    const name = String(step)
    if (tree.entries.length <= MANY) return tree.entries.find(({ key }) => key === name)
    let table = tables.get(tree)
    if (!table) {
      table = new Map(tree.entries.toReversed().map((entry) => [entry.key, entry]))
      tables.set(tree, table)
    }
    return table.get(name)
  }
  return tree.kind === 'list' && typeof step === 'number' ? tree.entries[step] : undefined
}

/** Where aliases lead is not where they stand, so a path does not go on below one, except to be read. */
export function treeAt(tree: Tree | undefined, path: Path): Tree | undefined {
  let found = tree
  for (const step of path) {
    while (found?.kind === 'alias') found = found.target
    found = found && entryOf(found, step)?.node
  }
  while (found?.kind === 'alias') found = found.target
  return found
}

/** No canonical text, and so no log entry, can hold half of a character. */
const LONE_SURROGATE =
  'this text holds half of a character (a lone surrogate, such as \\ud800); write the whole character, or remove it'
const TOO_MANY_ALIASES = `more than ${MAX_ALIASES} aliases (*), or too much behind them; write the values out`

/** The plain data of a tree. Where a key is given twice the first one counts, and the second is reported. */
export function plainData(root: Tree, notes: NotationProblem[]): unknown {
  let aliases = 0
  let aliasValues = 0
  let inAlias = 0
  return dataOf(root, 0)

  function dataOf(tree: Tree, depth: number): unknown {
    if (inAlias > 0) aliasValues++
    if (tree.kind === 'scalar') {
      if (typeof tree.value === 'string') checkText(tree.value, tree.start)
      return tree.value
    }
    if (tree.kind === 'alias') return aliasData(tree, depth)
    if (depth > MAX_DEPTH) return null
    if (tree.kind === 'list') return tree.entries.map(({ node }) => dataOf(node, depth + 1))
    const data: Record<string, unknown> = {}
    const lines = new Map<string, number>()
    for (const { key, start, node } of tree.entries) {
      checkText(key, start)
      if (Object.hasOwn(data, key)) {
        const message = `${quoted(key)} is given twice, first on line {line}; keep one of them (the first is used)`
        const other = lines.get(key) ?? start
        addNote(notes, { ...problemAt('error', 'duplicate_key', message, start), other })
      } else {
        lines.set(key, start)
        setOwn(data, key, dataOf(node, depth + 1))
      }
    }
    return data
  }

  function checkText(text: string, at: number): void {
    if (inAlias === 0 && !text.isWellFormed())
      addNote(notes, problemAt('error', 'lone_surrogate', LONE_SURROGATE, at))
  }

  function aliasData({ start, target }: Alias, depth: number): unknown {
    if (target === undefined) return null
    if (++aliases > MAX_ALIASES || aliasValues > MAX_ALIAS_VALUES) {
      if (!notes.some(({ code }) => code === 'too_many_aliases'))
        addNote(notes, problemAt('error', 'too_many_aliases', TOO_MANY_ALIASES, start))
      return null
    }
    inAlias++
    const data = dataOf(target, depth + 1)
    inAlias--
    return data
  }
}
