import { styleText } from 'node:util'
import { present } from '../../../domain/present.ts'
import { oneLine, plainText } from './plain-text.ts'
import { relativeTime } from './time.ts'
import { cut, pad, widthOf, wrap } from './width.ts'

export type Style = Parameters<typeof styleText>[0]

export interface ScreenOptions {
  readonly isTerminal: boolean
  readonly colour: boolean
  readonly columns: number
  readonly now?: Date
}

/** One cell of a table: its text, and how it is painted on a terminal. */
export type Cell =
  | string
  | { readonly text: string; readonly style?: Style; readonly fill?: boolean | 'whole' }

/** A line that a terminal can show whole; narrower ones break their lines themselves. */
const LEAST_COLUMNS = 40
/** With fewer cells than these a title says nothing any more. */
const LEAST_FILL = 20
const GAP = '  '

/**
 * How an answer looks: colour, alignment and relative times on a terminal; when piped, plain lines that stay
 * the same from call to call, tables with tabs and instants in full. Every foreign text goes through `plainText`.
 */
export class Screen {
  readonly isTerminal: boolean
  readonly columns: number
  readonly now: Date
  readonly #colour: boolean

  constructor(options: ScreenOptions) {
    this.isTerminal = options.isTerminal
    this.columns = Math.max(LEAST_COLUMNS, options.columns)
    this.now = options.now ?? new Date()
    this.#colour = options.colour
  }

  paint(style: Style, text: string): string {
    return this.#colour && text !== '' ? styleText(style, text, { validateStream: false }) : text
  }

  bold(text: string): string {
    return this.paint('bold', text)
  }

  dim(text: string): string {
    return this.paint('dim', text)
  }

  get tick(): string {
    return this.paint('green', '✓')
  }

  get cross(): string {
    return this.paint('red', '✗')
  }

  get mark(): string {
    return this.paint('yellow', '!')
  }

  when(instant: string): string {
    return this.isTerminal ? relativeTime(instant, this.now) : instant
  }

  /**
   * Rows in columns. The one cell that may `fill` gives way when the terminal is too narrow; where hardly anything of
   * it would be left, and where one that fills `whole` would be cut, it stands below its row.
   */
  table(rows: readonly (readonly Cell[])[], head?: readonly string[]): string {
    const cells = rows.map((row) => row.map(toCell))
    if (!this.isTerminal) return cells.map((row) => row.map(({ text }) => text).join('\t')).join('\n')
    const titles = head?.map((text) => ({ text: text.toUpperCase(), style: 'dim' as Style, fill: false }))
    const all = titles && rows.length > 0 ? [titles, ...cells] : cells
    const widths = widthsOf(all)
    const filling = cells[0]?.findIndex((cell) => cell.fill) ?? -1
    const total = widths.reduce((sum, width) => sum + width + GAP.length, 0)
    if (filling < 0 || total <= this.columns) return all.map((row) => this.#row(row, widths)).join('\n')
    const room = widths[filling]! - (total - this.columns)
    const isCut = cells.some((row) => row[filling]?.fill === 'whole' && widthOf(row[filling].text) > room)
    if (room < LEAST_FILL || isCut) return this.#tall(all, filling, titles)
    widths[filling] = room
    return all.map((row) => this.#row(row, widths)).join('\n')
  }

  #row(row: readonly Shown[], widths: readonly number[]): string {
    const parts = row.map((cell, column) => {
      const text = cut(cell.text, widths[column]!)
      const painted = cell.style ? this.paint(cell.style, text) : text
      return column === row.length - 1 ? painted : painted + pad('', widths[column]! - widthOf(text))
    })
    return GAP + parts.join(GAP).trimEnd()
  }

  /** The other columns as they are, and below each row what did not fit beside them. */
  #tall(all: readonly (readonly Shown[])[], filling: number, titles?: readonly Shown[]): string {
    const rest = all.map((row) => row.filter((_, column) => column !== filling))
    const widths = widthsOf(rest)
    const indent = pad('', GAP.length * 2 + (filling > 0 ? widths[0]! : 0))
    return all
      .flatMap((row, i) => {
        const { text, style } = row[filling] ?? { text: '' }
        const below = row !== titles && text !== '' ? wrap(text, this.columns - indent.length) : []
        return [
          this.#row(rest[i]!, widths),
          ...below.map((line) => indent + (style ? this.paint(style, line) : line)),
        ]
      })
      .join('\n')
  }

  /** Names on the left, values on the right, long ones broken into lines of their own. */
  fields(rows: readonly (readonly [name: string, value: string])[]): string {
    if (!this.isTerminal)
      return rows.map(([name, value]) => `${name}\t${value.replaceAll('\n', '\n\t')}`).join('\n')
    const left = Math.max(...rows.map(([name]) => widthOf(name))) + GAP.length
    return rows
      .map(([name, value]) => {
        const lines = wrap(value, this.columns - left - GAP.length)
        return lines
          .map((line, i) => GAP + (i === 0 ? this.dim(pad(name, left)) : pad('', left)) + line)
          .join('\n')
      })
      .join('\n')
  }

  /** A sentence behind a mark; on a terminal its lines break between words and stand below each other. */
  marked(mark: string, text: string): string {
    const lines = plainText(text).split('\n')
    const left = widthOf(mark) + 1
    const broken = this.isTerminal ? lines.flatMap((line) => hanging(line, this.columns - left)) : lines
    return broken.map((line, i) => (i === 0 ? `${mark} ${line}` : pad('', left) + line)).join('\n')
  }

  /** Lines that are too wide for the terminal go on below: under their last column, or set in. */
  fit(text: string): string {
    if (!this.isTerminal) return text
    return text
      .split('\n')
      .flatMap((line) => {
        if (widthOf(line) <= this.columns) return [line]
        const head = /^.{0,40}\S {2,}(?=\S)|^ */.exec(line)![0]
        const left = pad('', head.trim() === '' ? head.length + GAP.length : widthOf(head))
        const parts = wrap(line.slice(head.length), this.columns - left.length)
        return parts.map((part, i) => (i === 0 ? head : left) + part)
      })
      .join('\n')
  }

  /** Text of several lines, broken for the terminal and set in by some spaces. */
  paragraph(text: string, indent = GAP): string {
    const lines = plainText(text).split('\n')
    if (!this.isTerminal) return lines.join('\n')
    return lines
      .flatMap((line) => wrap(line, this.columns - indent.length))
      .map((line) => (indent + line).trimEnd())
      .join('\n')
  }
}

/** An item of a list stands below itself where it is broken. */
function hanging(line: string, columns: number): string[] {
  const isItem = line.startsWith('- ')
  return wrap(line, isItem ? columns - GAP.length : columns).map((part, i) =>
    isItem && i > 0 ? GAP + part : part,
  )
}

interface Shown {
  readonly text: string
  readonly style?: Style
  readonly fill: boolean | 'whole'
}

const widthsOf = (rows: readonly (readonly Shown[])[]): number[] =>
  Array.from({ length: Math.max(0, ...rows.map((row) => row.length)) }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column]?.text ?? ''))),
  )

const toCell = (cell: Cell): Shown =>
  typeof cell === 'string'
    ? { text: oneLine(cell), fill: false }
    : { text: oneLine(cell.text), fill: cell.fill ?? false, ...present({ style: cell.style }) }
