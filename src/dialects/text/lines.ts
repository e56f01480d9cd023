import type { Position } from './source.ts'

/** Line and column of offsets of one text. The table of lines is made when the first place is asked for. */
export class Lines {
  readonly #text: string
  #starts: number[] | undefined

  constructor(text: string) {
    this.#text = text
  }

  position(offset: number): Position {
    this.#starts ??= lineStarts(this.#text)
    const at = Math.min(Math.max(offset, 0), this.#text.length)
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#starts[middle]! <= at) low = middle
      else high = middle - 1
    }
    // Editors do not show a byte order mark, so it does not count as a column.
    const mark = low === 0 && at > 0 && this.#text.charCodeAt(0) === 0xfeff ? 1 : 0
    return { line: low + 1, column: at - this.#starts[low]! + 1 - mark }
  }
}

export interface Line {
  readonly start: number
  /** Without the line ending. */
  readonly end: number
  /** Where the next line starts. */
  readonly next: number
}

/** The line that starts at an offset. */
export function lineAt(text: string, start: number): Line {
  const feed = text.indexOf('\n', start)
  if (feed === -1) return { start, end: text.length, next: text.length }
  return { start, end: feed > start && text[feed - 1] === '\r' ? feed - 1 : feed, next: feed + 1 }
}

/** The offset of each line. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
