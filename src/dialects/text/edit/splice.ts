import { lineAt } from '../lines.ts'

/** Text to put in the place of what stands from `at` to `end`. */
export interface Splice {
  readonly at: number
  readonly end: number
  readonly text: string
  /** The line that it adds or changes, up to its colon, where that reads as it was meant and changes nothing else. */
  readonly sure?: string | undefined
}

export function spliced(text: string, splices: readonly Splice[]): string {
  const parts: string[] = []
  let done = 0
  for (const splice of [...splices].sort((a, b) => a.at - b.at)) {
    parts.push(text.slice(done, splice.at), splice.text)
    done = splice.end
  }
  parts.push(text.slice(done))
  return parts.join('')
}

/** Whether nobody has to read a text back: each piece is sure, and those in one place stand side by side. */
export function areSure(splices: readonly Splice[]): boolean {
  const depth = (line: string): number => line.search(/[^ ]/)
  const isAlike = ({ at, sure }: Splice, i: number): boolean => {
    const before = splices[i - 1]
    return sure !== undefined && (before?.at !== at || depth(before.sure ?? '') === depth(sure))
  }
  const lines = new Set(splices.map(({ at, sure }) => `${at} ${sure}`))
  return lines.size === splices.length && splices.every(isAlike)
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** What stands before an offset on its line, when that is only space; otherwise as many spaces. */
export function indentAt(text: string, at: number): string {
  const before = text.slice(lineStart(text, at), at)
  return before.trim() === '' ? before : ' '.repeat(before.length)
}

/** The space that the line of an offset starts with. */
export function indentOfLine(text: string, at: number): string {
  const start = lineStart(text, at)
  return /^[ \t]*/.exec(text.slice(start, lineAt(text, start).end))![0]
}

/** Whether nothing but space stands before an offset on its line. */
export function isFirstOnLine(text: string, at: number): boolean {
  return text.slice(lineStart(text, at), at).trim() === ''
}

/** Takes whole lines away; at the end of a text without a last line break, the break before goes instead. */
export function withoutLines(text: string, from: number, to: number): Splice {
  const start = lineStart(text, from)
  const last = lineAt(text, to)
  if (last.next > last.end || start === 0) return { at: start, end: last.next, text: '' }
  const before = text[start - 2] === '\r' ? start - 2 : start - 1
  return { at: before, end: last.end, text: '' }
}

export function eolOf(text: string): string {
  const feed = text.indexOf('\n')
  return feed > 0 && text[feed - 1] === '\r' ? '\r\n' : '\n'
}
