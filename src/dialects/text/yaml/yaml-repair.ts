import { lineAt } from '../lines.ts'
import { shortLine } from '../quoted.ts'
import { addNote, type NotationProblem, problemAt } from '../tree.ts'

export interface Repair {
  readonly text: string
  /** Back to the offsets of the text before. */
  places(offset: number): number
  readonly notes: readonly NotationProblem[]
}

interface Insertion {
  readonly at: number
  readonly text: string
  /** Characters of the text that are left out. */
  readonly drop: number
}

/** Starts of lines that the library complained about. */
export interface BrokenLines {
  /** Whose text may need quotes. */
  readonly quotes: ReadonlySet<number>
  /** That stand too far left or right. */
  readonly indents: ReadonlySet<number>
}

interface BrokenLine {
  readonly content: string
  readonly start: number
  /** Whether the library complained about something on it. */
  readonly isBroken: boolean
}

const BLOCK_HEADER = /(?:^|[\s:-])[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$/
const MISSING_SPACE = /^([ \t]*(?:- +)?[A-Za-z_][\w-]*):(?=[^\s:/\\])/
const ENTRY = /^([ \t]*(?:- +)*(?:[\w"'][^:#]{0,80}:[ \t]+)?)(\S.*)$/

const UNCLOSED_QUOTE = 'this quote is never closed; close it at the end of the line, or remove it'
const BAD_ESCAPE = 'a backslash in double quotes is written twice: \\\\ (or use single quotes)'
const UNQUOTED_TEXT = 'the value has signs in it that mean something to YAML; put the whole value in quotes'

/**
 * What people write and YAML does not take, rewritten so that it does: tabs that indent, a colon without a
 * space, and on the lines named in `broken` a text that needs quotes or a space too many. Block texts are left
 * alone.
 */
export function repairYaml(text: string, broken: BrokenLines): Repair | undefined {
  const insertions: Insertion[] = []
  const notes: NotationProblem[] = []
  let blockIndent = -1
  let indentAbove = 0
  for (let at = 0; at < text.length; ) {
    const line = lineAt(text, at)
    const content = text.slice(line.start, line.end)
    const indent = content.length - content.trimStart().length
    if (blockIndent >= 0 && (content.trim() === '' || indent > blockIndent)) {
      at = line.next
      continue
    }
    blockIndent = BLOCK_HEADER.test(content) ? indent : -1
    const whole = { content, start: line.start, isBroken: broken.quotes.has(line.start) }
    if (broken.indents.has(line.start)) reindent(whole, indentAbove, insertions, notes)
    else if (content.trim() !== '') indentAbove = indent
    repairLine(whole, insertions, notes)
    at = line.next
  }
  return insertions.length === 0 ? undefined : { ...applied(text, insertions), notes }
}

/** Starts of the lines that hold these offsets. */
export function lineNumbers(text: string, offsets: readonly number[]): Set<number> {
  return new Set(offsets.map((at) => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)))
}

/** One space too many or too few: the line was meant to stand below the one above. */
function reindent(
  { content, start }: BrokenLine,
  above: number,
  insertions: Insertion[],
  notes: NotationProblem[],
): void {
  const indent = content.length - content.trimStart().length
  if (Math.abs(indent - above) !== 1 || content.slice(0, indent).includes('\t')) return
  insertions.push(indent < above ? { at: start, text: ' ', drop: 0 } : { at: start, text: '', drop: 1 })
  const message = `this line is not indented like the one above; write ${above} spaces before it`
  addNote(notes, { severity: 'error', code: 'yaml_syntax', isIndent: true, message, at: start + indent })
}

function repairLine(line: BrokenLine, insertions: Insertion[], notes: NotationProblem[]): void {
  const { content, start, isBroken } = line
  const indent = /^[ \t]*/.exec(content)![0]
  for (let i = 0; i < indent.length; i++)
    if (indent[i] === '\t') insertions.push({ at: start + i, text: '  ', drop: 1 })
  const tab = 'a tab is used to indent; use spaces (it was read as two)'
  if (indent.includes('\t') && content.trim() !== '')
    addNote(notes, problemAt('warning', 'tab_indent', tab, start + indent.indexOf('\t')))
  const glued = MISSING_SPACE.exec(content)
  if (glued) {
    const at = start + glued[1]!.length + 1
    insertions.push({ at, text: ' ', drop: 0 })
    const line = shortLine(`${glued[1]!.trim()}: ${content.slice(at - start)}`)
    const message = `a space is missing after the colon; write ${line}`
    addNote(notes, problemAt('warning', 'missing_space', message, at))
  } else if (isBroken) quoteRest(line, insertions, notes)
}

/** The value of the line as one text in single quotes. */
function quoteRest({ content, start }: BrokenLine, insertions: Insertion[], notes: NotationProblem[]): void {
  const [, head, rest] = ENTRY.exec(content) ?? []
  if (head === undefined || rest === undefined || head.trim() === '') return
  const at = start + head.length
  const value = rest.trimEnd()
  const { note, front, back } = faultOf(value, at)
  insertions.push({ at, text: "'", drop: front })
  const inner = value.slice(0, value.length - back)
  for (let quote = inner.indexOf("'", front); quote !== -1; quote = inner.indexOf("'", quote + 1))
    insertions.push({ at: at + quote, text: "'", drop: 0 })
  insertions.push({ at: at + inner.length, text: "'", drop: back })
  addNote(notes, note)
}

/** What is wrong with a text, and how many signs at its front and back are no part of it. */
function faultOf(value: string, at: number) {
  const quote = /^["']/.test(value) ? value[0]! : undefined
  const closing = quote === undefined ? -1 : value.indexOf(quote, 1)
  if (quote !== undefined && closing === -1)
    return { note: problemAt('error', 'unclosed_quote', UNCLOSED_QUOTE, at), front: 1, back: 0 }
  if (quote === '"' && closing === value.length - 1)
    return { note: problemAt('warning', 'bad_escape', BAD_ESCAPE, at), front: 1, back: 1 }
  return { note: problemAt('warning', 'unquoted_text', UNQUOTED_TEXT, at), front: 0, back: 0 }
}

function applied(text: string, insertions: readonly Insertion[]): Pick<Repair, 'text' | 'places'> {
  const parts: string[] = []
  /** For each insertion the offset after it in the new text and how far the two texts are apart from there. */
  const shifts: Record<'from' | 'until' | 'back' | 'at', number>[] = []
  let done = 0
  let apart = 0
  for (const { at, text: added, drop } of insertions) {
    parts.push(text.slice(done, at), added)
    done = at + drop
    const from = at + apart
    apart += added.length - drop
    shifts.push({ from, until: from + added.length, back: apart, at })
  }
  parts.push(text.slice(done))
  return {
    text: parts.join(''),
    places(offset) {
      let low = 0
      let high = shifts.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (shifts[middle]!.from < offset) low = middle + 1
        else high = middle
      }
      const shift = shifts[low - 1]
      if (shift === undefined) return offset
      return offset < shift.until ? shift.at : offset - shift.back
    },
  }
}
