import { MAX_DEPTH } from '../limits.ts'
import { mayHoldLongNumber, numberOrText } from '../number.ts'
import { type NotationProblem, plainData, type Reading, type Tree } from '../tree.ts'
import { type JsonTree, readJsonTree } from './json-read.ts'

/** One JSON value that fills the text. */
export const readJson = (text: string): Reading => fastReading(text) ?? slowReading(readJsonTree(text))

/** Strict JSON with two spaces and a newline at the end. */
export const prettyJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

/** An escape that may be half of a character. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/** Undefined where the text is not strict JSON, holds a number that is no double or a surrogate, names a key twice or is nested too deeply. */
export function fastReading(text: string): Reading | undefined {
  if (SURROGATE.test(text)) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const seen = { hasBareNumber: typeof value === 'number' }
  const keys = keysIn(value, 0, seen)
  if (keys !== mostKeys(text) && keys !== keysWritten(text)) return undefined
  if ((seen.hasBareNumber || mayHoldLongNumber(text)) && hasLongNumber(text)) return undefined
  let tree: Tree | undefined
  return { value, notes: [], tree: () => (tree ??= readJsonTree(text).tree) }
}

/** The text of a number is the reviver's since Node 21, and not yet in its declaration. */
function hasLongNumber(text: string): boolean {
  let isFound = false
  const look = (_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown => {
    if (typeof value === 'number' && typeof numberOrText(source, value) === 'string') isFound = true
    return value
  }
  JSON.parse(text, look)
  return isFound
}

export function slowReading({ tree, notes }: JsonTree): Reading {
  const all = [...notes]
  const value = tree === undefined || isCutAtStart(tree, notes) ? undefined : plainData(tree, all)
  return { value, notes: all, tree: () => tree }
}

/** A bracket that nothing follows says nothing. */
function isCutAtStart(tree: Tree, notes: readonly NotationProblem[]): boolean {
  return 'entries' in tree && tree.entries.length === 0 && notes.some(({ code }) => code === 'truncated')
}

/** A key that is given twice is once in the value and twice in the text. Notes where a number has no key of its own. */
function keysIn(value: unknown, depth: number, seen: { hasBareNumber: boolean }): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth >= MAX_DEPTH) return Number.NaN
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === 'object') count += keysIn(item, depth + 1, seen)
      else if (typeof item === 'number') seen.hasBareNumber = true
    }
    return count
  }
  // JSON.parse makes plain objects: all of their enumerable keys are own ones.
  for (const key in value) {
    count++
    const item = (value as Record<string, unknown>)[key]
    if (typeof item === 'object') count += keysIn(item, depth + 1, seen)
  }
  return count
}

/** At least as many as there are keys, and mostly as many: colons after a quote or a space. */
function mostKeys(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1)
    if (before === 0x22 || before <= 0x20) count++
  }
  return count
}

/** Counts strings that a colon follows. The text is strict JSON, so every quote outside of a string opens one. */
function keysWritten(text: string): number {
  let count = 0
  let open = text.indexOf('"')
  while (open !== -1) {
    let close = text.indexOf('"', open + 1)
    while (isEscaped(text, close)) close = text.indexOf('"', close + 1)
    let next = close + 1
    let code = text.charCodeAt(next)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++next)
    if (code === 0x3a) count++
    open = text.indexOf('"', next)
  }
  return count
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0
  while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes++
  return slashes % 2 === 1
}
