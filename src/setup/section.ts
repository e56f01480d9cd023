import { invalidInput } from '../domain/errors.ts'

/** The two lines between which everything is ours. */
export interface Marks {
  readonly begin: string
  readonly end: string
}

export const MARKDOWN_MARKS: Marks = {
  begin: '<!-- baton:begin (written by baton setup; remove with --remove) -->',
  end: '<!-- baton:end -->',
}
export const HASH_MARKS: Marks = {
  begin: '# baton:begin (written by baton setup; remove with --remove)',
  end: '# baton:end',
}

interface SectionSpan {
  /** The start of the first mark's line. */
  readonly at: number
  /** After the last mark's line and its line break. */
  readonly end: number
}

/** The text with our lines in their place, or below everything else. */
export function withSection(text: string, lines: string, marks: Marks, file: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const section = [marks.begin, ...lines.trimEnd().split('\n'), marks.end].join(eol)
  const found = findSection(text, marks, file)
  if (found) {
    const hasBreak = text.slice(found.at, found.end).endsWith('\n')
    return `${text.slice(0, found.at)}${section}${hasBreak ? eol : ''}${text.slice(found.end)}`
  }
  return `${text}${gapBelow(text, eol)}${section}${eol}`
}

/** The text without our lines and the blank line that was put above them. */
export function withoutSection(text: string, marks: Marks, file: string): string {
  const found = findSection(text, marks, file)
  if (!found) return text
  const above = text.slice(0, found.at)
  const below = text.slice(found.end)
  return above.replace(/(\r?\n)\r?\n$/, '$1') + below
}

function findSection(text: string, marks: Marks, file: string): SectionSpan | undefined {
  const begins = linesThat(text, startOfMark(marks.begin))
  const ends = linesThat(text, startOfMark(marks.end))
  if (begins.length === 0 && ends.length === 0) return undefined
  const [begin, end] = [begins[0], ends[0]]
  if (begins.length === 1 && ends.length === 1 && begin!.at < end!.at) return { at: begin!.at, end: end!.end }
  throw invalidInput(
    `${file} has ${begins.length} lines "${startOfMark(marks.begin)}" and ${ends.length} lines "${startOfMark(marks.end)}"; leave one pair of them, or none`,
    { file },
  )
}

/** The start of a mark stays the same when a later version changes the words behind it. */
const startOfMark = (mark: string): string => /^.*?baton:(?:begin|end)/.exec(mark)![0]

function linesThat(text: string, start: string): readonly SectionSpan[] {
  const found: SectionSpan[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    const feed = text.indexOf('\n', at)
    const end = feed === -1 ? text.length : feed + 1
    if (text.startsWith(start, at)) found.push({ at, end })
    at = end
  }
  return found
}

function gapBelow(text: string, eol: string): string {
  if (text === '' || text === '\ufeff') return ''
  return text.endsWith('\n') ? eol : `${eol}${eol}`
}
