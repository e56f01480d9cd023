import { stringify } from 'yaml'
import { lineAt } from '../lines.ts'
import { type Branch, type Entry, isMapping, type ScalarStyle, type Tree } from '../tree.ts'
import { OLDER_READERS } from '../yaml/older-readers.ts'
import { indentAt, isFirstOnLine, type Splice, withoutLines } from './splice.ts'

/** How YAML in lines is written. */
export interface BlockStyle {
  readonly eol: string
  readonly indentSeq: boolean
  readonly indent: number
  /** Lists and mappings in brackets on one line, and texts in double quotes: ugly, and never misread. */
  readonly isPlain?: boolean
}

const STRING_TYPES = {
  plain: 'PLAIN',
  single: 'QUOTE_SINGLE',
  double: 'QUOTE_DOUBLE',
  block: 'PLAIN',
} as const satisfies Record<ScalarStyle, string>

/** Mappings and lists in lines, as YAML. */
export function printBlock(value: unknown, style: BlockStyle, quotes: ScalarStyle = 'plain'): string {
  if (style.isPlain) return `${oneLineJson(value)}${style.eol}`
  const text = plainLines(value, quotes) ?? libraryLines(value, style, quotes)
  return style.eol === '\n' ? text : text.replaceAll('\n', style.eol)
}

const libraryLines = (value: unknown, { indent, indentSeq }: BlockStyle, quotes: ScalarStyle): string =>
  stringify(value, {
    lineWidth: 0,
    indent,
    indentSeq,
    defaultStringType: STRING_TYPES[quotes],
    defaultKeyType: 'PLAIN',
    blockQuote: 'literal',
    aliasDuplicateObjects: false,
    schema: OLDER_READERS,
  })

/** JSON is YAML too, but for signs that YAML wants escaped. */
function oneLineJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A list or mapping in lines that is to be edited. */
export interface BlockSite {
  readonly text: string
  readonly branch: Branch
  readonly style: BlockStyle
}

export function replaceInBlock(site: BlockSite, entry: Entry, value: unknown): Splice[] {
  const { node } = entry
  const written = entryText(site, { value, quotes: node.kind === 'scalar' ? node.style : 'plain' })
  const isOnLine = node.kind === 'scalar' && node.style !== 'block' && node.start < node.end
  const sure = isPlain(site, { k: value }) ? '' : undefined
  if (isOnLine && !written.includes('\n'))
    return [{ at: node.start, end: node.end, text: written.trimStart(), sure }]
  return [{ at: entry.valueFrom, end: endOf(site.text, entry), text: written }]
}

/** Adds an entry below the last one. `key` is undefined in lists. */
export function insertInBlock(site: BlockSite, key: string | undefined, value: unknown): Splice[] {
  const { text, branch, style } = site
  const at = lineAt(text, endOf(text, branch.entries.at(-1)!)).end
  const indent = indentAt(text, branch.entries[0]!.start)
  const written = entryText(site, { key: key ?? '', value, quotes: quotesOf(branch) })
  const isBelow = isFirstOnLine(text, branch.entries[0]!.start) && /^ *$/.test(indent) && !endsInBlock(branch)
  const isMap = branch.kind === 'map' && key !== undefined
  const sure = isMap && isBelow && isPlain(site, { [key]: value }) ? `${indent}${key}` : undefined
  return [{ at, end: at, text: `${style.eol}${indent}${written}`, sure }]
}

/** Whether lines that say this read so whatever stands around them, and nothing around them refers to others. */
const isPlain = ({ text }: BlockSite, value: unknown): boolean =>
  !/[*\t]|\r(?!\n)/.test(text) && plainLines(value, 'plain') !== undefined

/** The last lines of such a text may belong to it or not. */
function endsInBlock(tree: Tree): boolean {
  if (tree.kind === 'scalar') return tree.style === 'block'
  return tree.kind !== 'alias' && !tree.flow && endsInBlock(tree.entries.at(-1)!.node)
}

/** The last entry of a mapping or list cannot be taken away: nothing would say what it was. */
export function removeFromBlock({ text, branch }: BlockSite, index: number): Splice[] {
  const entry = branch.entries[index]!
  if (isFirstOnLine(text, entry.start)) return [withoutLines(text, entry.start, endOf(text, entry))]
  const next = branch.entries[index + 1]
  return next ? [{ at: entry.start, end: next.start, text: '' }] : []
}

/** After the last sign of an entry that says something. */
export function endOf(text: string, entry: Entry): number {
  return Math.max(endOfTree(text, entry.node), entry.valueFrom)
}

export function endOfTree(text: string, tree: Tree): number {
  if (tree.kind === 'map' || tree.kind === 'list') {
    const last = tree.flow ? undefined : tree.entries.at(-1)
    return last ? endOf(text, last) : tree.end
  }
  if (tree.kind !== 'scalar' || tree.style !== 'block') return tree.end
  let end = tree.end
  // A text that keeps its last blank lines ends with them.
  if (/^[|>][1-9]?\+/.test(text.slice(tree.start, tree.start + 3))) {
    if (text[end - 1] === '\n') end--
    return text[end - 1] === '\r' ? end - 1 : end
  }
  while (end > tree.start && text.charCodeAt(end - 1) <= 0x20) end--
  return end
}

interface NewEntry {
  readonly key?: string
  readonly value: unknown
  readonly quotes: ScalarStyle
}

/**
 * An entry's text from its key or dash on, or from after its colon or dash when `key` is undefined, with the
 * lines below the first indented like the branch.
 */
function entryText({ text, branch, style }: BlockSite, { key, value, quotes }: NewEntry): string {
  const isList = branch.kind === 'list'
  if (style.isPlain) {
    const head = key === undefined ? '' : isList ? '-' : `${oneLineJson(key)}:`
    return `${head} ${oneLineJson(value)}`
  }
  const indent = indentAt(text, branch.entries[0]!.start)
  const whole = isList ? [value] : Object.fromEntries([[key ?? 'k', value]])
  const printed = printBlock(whole, style, quotes).slice(0, -style.eol.length)
  const from = key === undefined ? (isList ? 1 : 2) : 0
  return printed.slice(from).replace(/\n(?=[^\r\n])/g, `\n${indent}`)
}

/** New entries are quoted like their neighbours. */
function quotesOf({ entries }: Branch): ScalarStyle {
  const texts = entries.flatMap(({ node }) =>
    node.kind === 'scalar' && typeof node.value === 'string' && node.style !== 'block' ? [node.style] : [],
  )
  return texts.length > 0 && texts.every((style) => style === texts[0]) ? texts[0]! : 'plain'
}

/** Texts that every reader takes for texts, also without quotes. */
const PLAIN_WORDS = /^(?!(?:yes|no|on|off|true|false|null)$)[a-z](?:[\w./ -]*\w)?$/i
const PLAIN_UID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const PLAIN_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const PLAIN_KEY = /^(?!(?:yes|no|on|off|true|false|null)$)[a-z_]\w{0,60}$/i

const QUOTE_SIGNS = { plain: '', block: '', single: "'", double: '"' } as const satisfies Record<
  ScalarStyle,
  string
>

/**
 * Mappings of plain texts and whole numbers as YAML, the way the library prints them, in a tenth of its time; undefined
 * where there is anything else.
 */
function plainLines(value: unknown, quotes: ScalarStyle, indent = ''): string | undefined {
  if (!isMapping(value)) return undefined
  let lines = ''
  for (const [key, item] of Object.entries(value)) {
    if (!PLAIN_KEY.test(key)) return undefined
    const below = isMapping(item)
      ? plainLines(item, quotes, `${indent}  `)
      : plainScalar(item, QUOTE_SIGNS[quotes])
    if (below === undefined) return undefined
    lines += isMapping(item) ? `${indent}${key}:\n${below}` : `${indent}${key}: ${below}\n`
  }
  return lines === '' ? undefined : lines
}

function plainScalar(value: unknown, mark: string): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined
  const isPlain =
    typeof value === 'string' && [PLAIN_WORDS, PLAIN_UID, PLAIN_INSTANT].some((form) => form.test(value))
  return isPlain ? `${mark}${value}${mark}` : undefined
}
