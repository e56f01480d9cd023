import { skipBlank } from '../json/json-read.ts'
import { lineAt } from '../lines.ts'
import type { Branch, Entry } from '../tree.ts'
import { indentAt, indentOfLine, isFirstOnLine, type Splice, withoutLines } from './splice.ts'

/** How values are written in brackets. */
export interface FlowStyle {
  readonly eol: string
  /** One level of indentation; undefined where everything stands on one line. */
  readonly unit: string | undefined
  /** A value, with the indentation of the line it starts on. */
  value(value: unknown, indent: string): string
  entry(key: string, value: unknown, indent: string): string
}

const REST_OF_LINE = /^[ \t]*(?:(?:\/\/|#).*)?$/

/** A list or mapping in brackets that is to be edited. */
export interface FlowSite {
  readonly text: string
  readonly branch: Branch
  readonly style: FlowStyle
}

export function replaceInFlow({ text, style }: FlowSite, { node, start }: Entry, value: unknown): Splice[] {
  const written = style.value(value, indentOfLine(text, start))
  return [{ at: node.start, end: node.end, text: node.start === node.end ? ` ${written}` : written }]
}

/** Adds an entry after the last one. `key` is undefined in lists. */
export function insertInFlow(site: FlowSite, key: string | undefined, value: unknown): Splice[] {
  const { text, branch, style } = site
  const write = (indent: string) =>
    key === undefined ? style.value(value, indent) : style.entry(key, value, indent)
  const last = branch.entries.at(-1)
  if (last === undefined) return [intoEmpty(site, write)]
  const first = branch.entries[0]!
  const comma = commaAfter(text, last)
  const end = comma === undefined ? last.node.end : comma + 1
  const missing = comma === undefined ? [{ at: end, end, text: ',' }] : []
  if (!text.slice(branch.start, first.start).includes('\n'))
    return [{ at: end, end, text: `${comma === undefined ? ', ' : ' '}${write('')}` }]
  const indent = indentAt(text, first.start)
  const lineEnd = lineAt(text, end).end
  const at = REST_OF_LINE.test(text.slice(end, lineEnd)) ? lineEnd : end
  const added = `${style.eol}${indent}${write(indent)}`
  if (at === end && missing.length > 0) return [{ at, end: at, text: `,${added}` }]
  return [...missing, { at, end: at, text: added }]
}

export function removeFromFlow({ text, branch }: FlowSite, index: number): Splice[] {
  const entry = branch.entries[index]!
  const { node } = entry
  if (branch.entries.length === 1 && isBlankAround(text, branch, entry))
    return [{ at: branch.start + 1, end: branch.end - 1, text: '' }]
  const comma = commaAfter(text, entry)
  const end = comma === undefined ? node.end : comma + 1
  const before = comma === undefined ? branch.entries[index - 1] : undefined
  const commaBefore = before && commaAfter(text, before)
  const isWholeLine =
    isFirstOnLine(text, entry.start) && REST_OF_LINE.test(text.slice(end, lineAt(text, end).end))
  if (isWholeLine) {
    const line = withoutLines(text, entry.start, end)
    return commaBefore === undefined ? [line] : [{ at: commaBefore, end: commaBefore + 1, text: '' }, line]
  }
  if (commaBefore !== undefined) return [{ at: commaBefore, end, text: '' }]
  const space = /^[ \t]*/.exec(text.slice(end, end + 100))![0].length
  return [{ at: entry.start, end: end + space, text: '' }]
}

function intoEmpty({ text, branch, style }: FlowSite, write: (indent: string) => string): Splice {
  const inner = text.slice(branch.start + 1, branch.end - 1)
  const isBlank = inner.trim() === ''
  const at = branch.start + 1
  const end = isBlank ? branch.end - 1 : at
  if (style.unit === undefined && isBlank) return { at, end, text: write('') }
  const outer = indentOfLine(text, branch.start)
  const indent = `${outer}${style.unit ?? '  '}`
  const added = `${style.eol}${indent}${write(indent)}`
  return { at, end, text: isBlank ? `${added}${style.eol}${outer}` : added }
}

function isBlankAround(text: string, branch: Branch, { start, node }: Entry): boolean {
  const around = text.slice(branch.start + 1, start) + text.slice(node.end, branch.end - 1)
  return /^[\s,]*$/.test(around)
}

function commaAfter(text: string, { node }: Entry): number | undefined {
  const { at } = skipBlank(text, node.end)
  return text[at] === ',' ? at : undefined
}
